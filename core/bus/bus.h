/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/bus.h - control messages between programs, over ZeroMQ (the only room that includes <zmq.h>).
 *
 * The frontend of a node binds one socket (`ipc://DIR/frontend`); every other program connects to it and names the daemon
 * that a message is for; the frontend passes it on, and the answer back. No message is a real-time matter.
 */
#ifndef ALOE_BUS_H
#define ALOE_BUS_H

#include <stddef.h>
#include <stdint.h>

#include "core/wire/wire.h"

struct bus;

/* bus_bind is the frontend's end, bus_connect everybody else's (`self` tells which). `dir` is the runtime directory.
 * NULL with errno. */
struct bus *bus_bind(const char *dir);
struct bus *bus_connect(const char *dir, enum wire_peer self);
void bus_close(struct bus *bus); /* waits at most 200 ms for what is still to be sent */
int bus_fd(const struct bus *bus); /* for poll(); edge-triggered like ZMQ_FD: after it fires call bus_recv to -EAGAIN */

/* bus_recv takes one message, without waiting: 0, -EAGAIN, -EBADMSG (counted, skipped by the caller). The view is valid
 * until the next call. At the frontend ret_from tells who sent it (bytes of the peer's identity, at most 64). */
struct bus_peer {
	uint8_t id[64];
	size_t len;
};
int bus_recv(struct bus *bus, struct wire_view *ret_view, struct bus_peer *ret_from);
int bus_send(struct bus *bus, struct wire_msg *msg);				/* connected end */
int bus_send_to(struct bus *bus, const struct bus_peer *to, const void *bytes, size_t len); /* bound end */

/* bus_call sends and waits up to timeout_ms for the answer with the same seq (others that arrive are dropped and
 * counted): 0 with OK or FAIL in ret_view, -ETIMEDOUT, or -errno. msg is finished (wire_fini) in any case. */
int bus_call(struct bus *bus, struct wire_msg *msg, int timeout_ms, struct wire_view *ret_view);
uint32_t bus_seq(struct bus *bus); /* the next sequence number */
enum wire_peer bus_self(const struct bus *bus);

/* bus_reply starts the answer to `request`: right dest, seq and ORIGIN. */
void bus_reply(struct bus *bus, const struct wire_view *request, enum wire_type type, struct wire_msg *ret_msg);

#endif
