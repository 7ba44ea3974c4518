/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/bus.h - control messages between programs, over ZeroMQ (the only room that includes <zmq.h>).
 *
 * The frontend of a node binds one socket (`ipc://DIR/frontend`); every other program connects to it and names the
 * daemon that a message is for; the frontend passes it on, and the answer back. No message is a real-time matter.
 */
#ifndef ALOE_BUS_H
#define ALOE_BUS_H

#include <stddef.h>
#include <stdint.h>

#include "core/wire/wire.h"

struct bus;

/* bus_bind is the frontend's end, bus_connect everybody else's (`self` tells which). `dir` is the runtime directory:
 * the user's own, closed to writing by others (EPERM), with a path short enough for a socket in it (ENAMETOOLONG). NULL
 * with errno. bus_bind makes the directory if need be, locks it for as long as it lives (EADDRINUSE: another frontend
 * is there; the kernel lets go of the lock however a program ends) and replaces the socket of one that was killed.
 * bus_connect may come first: it connects as soon as somebody binds, and again by itself after a frontend was killed and
 * another one is there; what was sent in between waits for that one. */
struct bus *bus_bind(const char *dir);
struct bus *bus_connect(const char *dir, enum wire_peer self);
/* bus_hello sends a daemon's HELLO {PID}, with seq 0: to be said to every frontend that it comes to. 0 or -errno. */
int bus_hello(struct bus *bus);
/* bus_close waits at most 200 ms for what is still to be sent. The bound end removes what a frontend has in the
 * directory, and the directory if nothing else is in it. NULL does nothing. */
void bus_close(struct bus *bus);
void bus_abandon(struct bus *bus); /* the same at once: what has not been sent never will be */
/* bus_leave (bound end) removes them at once, for one that may be killed any moment: nobody finds it any more, who is
 * connected stays so. */
void bus_leave(struct bus *bus);
int bus_fd(const struct bus *bus); /* for poll(): readable while bus_recv has something to do */

/* bus_probe: 0 when a frontend lives in `dir`, -ECONNREFUSED when none does, -EHOSTDOWN when the last one was killed (its
 * keeper may start another), or -errno (-ENOENT: no such directory).
 * bus_sweep removes what a killed frontend has left in `dir`: 0, -EADDRINUSE when there is a living one, or -errno. */
int bus_probe(const char *dir);
int bus_sweep(const char *dir);

/* bus_recv takes one message, without waiting: 0, -EAGAIN, -EBADMSG (counted, skipped by the caller), or, once after the
 * frontend has gone, -ECONNRESET: what was asked of it will not be answered. The view is valid until the next call. At the frontend ret_from tells who sent it (bytes of the peer's identity, at most 64). */
struct bus_peer {
	uint8_t id[64];
	size_t len;
};
int bus_recv(struct bus *bus, struct wire_view *ret_view, struct bus_peer *ret_from);
/* bus_send (connected end) sends and finishes msg (wire_fini). bus_send_to (bound end): -EHOSTUNREACH when the peer has
 * gone. Neither waits: -EAGAIN when the peer has fallen far behind. */
int bus_send(struct bus *bus, struct wire_msg *msg);
int bus_send_to(struct bus *bus, const struct bus_peer *to, const void *bytes, size_t len);

/* bus_call sends and waits up to timeout_ms for the answer with the same seq: 0 with OK or FAIL in ret_view,
 * -ETIMEDOUT, -ECONNRESET (the frontend was killed over it), or -errno. Requests that arrive meanwhile (at most 256) are kept for bus_recv; answers that nobody waits
 * for any more are dropped and counted. msg is finished (wire_fini) in any case. */
int bus_call(struct bus *bus, struct wire_msg *msg, int timeout_ms, struct wire_view *ret_view);
uint32_t bus_seq(struct bus *bus); /* the next sequence number */
enum wire_peer bus_self(const struct bus *bus);

struct bus_counts {
	uint64_t bad;     /* messages that were not well formed */
	uint64_t dropped; /* answers that came too late, requests beyond those kept */
};
struct bus_counts bus_counts(const struct bus *bus);

/* bus_reply starts the answer to `request`: right dest, seq and ORIGIN. */
void bus_reply(struct bus *bus, const struct wire_view *request, enum wire_type type,
    struct wire_msg *ret_msg);

#endif
