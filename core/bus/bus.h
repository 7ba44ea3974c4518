/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/bus.h - control messages between programs, over ZeroMQ (the only room that includes
 * <zmq.h>).
 *
 * The frontend of a node binds one socket (`ipc://DIR/frontend`); every other program connects to
 * it and names the daemon that a message is for; the frontend passes it on, and the answer back. No
 * message is a real-time matter.
 *
 * Between nodes the same messages travel over TCP (bus_listen, bus_join), with CURVE keys and a
 * list of the nodes that are let in (core/bus/keys.h). Whatever such a socket drops is counted.
 */
#ifndef ALOE_BUS_H
#define ALOE_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/diag.h"
#include "core/bus/keys.h"
#include "core/wire/wire.h"

struct bus;

/* bus_bind is the frontend's end, bus_connect everybody else's (`self` tells which). `dir` is the
 * runtime directory: the user's own, closed to all others (EPERM), no symbolic link (ENOTDIR), with
 * a path short enough for a socket in it (ENAMETOOLONG). NULL with errno; bus_dir_text says what
 * that means. bus_bind makes the directory if need be, locks it for as long as it lives
 * (EADDRINUSE: another frontend is there; the kernel lets go of the lock however a program ends)
 * and replaces the socket of one that was killed. bus_connect may come first: it waits half a
 * second for the directory (ENOENT), connects as soon as somebody binds, and again by itself after
 * a frontend was killed and another one is there; what was sent in between waits for that one. */
struct bus *bus_bind(const char *dir);
struct bus *bus_connect(const char *dir, enum wire_peer self);
/* bus_hello sends a daemon's HELLO {PID}, with seq 0: to be said to every frontend that it comes
 * to. 0 or -errno. */
int bus_hello(struct bus *bus);
/* bus_close waits at most 200 ms for what is still to be sent. The bound end removes what a
 * frontend has in the directory, and the directory if nothing else is in it. NULL does nothing. */
void bus_close(struct bus *bus);
void bus_abandon(struct bus *bus); /* the same at once: what has not been sent never will be */
/* bus_leave (bound end) removes them at once, for one that may be killed any moment: nobody finds
 * it any more, who is connected stays so. */
void bus_leave(struct bus *bus);

/* ---- between nodes ---- */

enum { BUS_TCP_BYTES_MAX = 1 << 20 }; /* of a message, unless bytes_max says otherwise */

struct bus_tcp {
	const char *node;           /* this node's name, for messages */
	const char *address;        /* IP:PORT (core/base/address.h); port 0 to listen at any */
	const struct keys_own *own; /* this node's key; NULL: there is none */
	/* of the keys: its list is read again whenever it has changed; bus_listen only */
	const char *folder;
	const char *server_key; /* bus_join: the public key of the node that listens there */
	bool insecure;          /* the platform file says secure = false */
	size_t bytes_max;       /* 0: BUS_TCP_BYTES_MAX; at most WIRE_BYTES_MAX */
	/* bus_listen: what may be asked; every other message is dropped. NULL: everything */
	const enum wire_type *types;
	size_t n_types;
};

/* bus_listen binds a TCP socket that nodes connect to by bus_join. Without keys it is refused,
 * unless that was written down (insecure). NULL with the reason in diag, and errno: EINVAL when the
 * user has to change something (exit status 2). What is pointed to is not needed afterwards.
 *
 * The allow-list and the clients' handshakes are served by bus_recv: who listens calls it whenever
 * bus_fd is readable, and where nobody does, nobody gets in. A node that was revoked may stay
 * connected; its messages are dropped from the next second on. */
struct bus *bus_listen(const struct bus_tcp *tcp, struct diag *diag);
/* bus_join connects to a node that listens, as soon as it is there, and again after it was lost or
 * refused us. bus_recv and bus_call give -EACCES when that node does not let us in, and -EPROTO
 * when one end has CURVE and the other has not. */
struct bus *bus_join(const struct bus_tcp *tcp, enum wire_peer self, struct diag *diag);
uint16_t bus_port(const struct bus *bus); /* that bus_listen has bound */

/* bus_news writes what was refused and dropped since it last did, as one line for the log: true at
 * most once a second (by now_ns, clock_ns), and only if there was something. */
bool bus_news(struct bus *bus, uint64_t now_ns, char *ret_text, size_t size);

/* ---- both ---- */

int bus_fd(const struct bus *bus); /* for poll(): readable while bus_recv has something to do */

/* bus_probe: 0 when a frontend lives in `dir`, -ECONNREFUSED when none does, -EHOSTDOWN when the
 * last one was killed (its keeper may start another), or -errno (-ENOENT: no such directory).
 * bus_sweep removes what a killed frontend has left in `dir`: 0, -EADDRINUSE when there is a living
 * one, or -errno. */
int bus_probe(const char *dir);
int bus_sweep(const char *dir);
const char *bus_dir_text(int error);

/* bus_recv takes one message, without waiting: 0, -EAGAIN, -EBADMSG (counted, skipped by the
 * caller), or, once after the frontend has gone, -ECONNRESET: what was asked of it will not be
 * answered. The view is valid until the next call. At the frontend ret_from tells who sent it
 * (bytes of the peer's identity, at most 64). */
struct bus_peer {
	uint8_t id[64];
	size_t len;
	char node[KEYS_NAME]; /* bus_listen: the node whose key it has; "" without keys */
};
int bus_recv(struct bus *bus, struct wire_view *ret_view, struct bus_peer *ret_from);
/* bus_send (connected end) sends and finishes msg (wire_fini). bus_send_to (bound end):
 * -EHOSTUNREACH when the peer has gone. Neither waits: -EAGAIN when the peer has fallen far
 * behind. */
int bus_send(struct bus *bus, struct wire_msg *msg);
int bus_send_to(struct bus *bus, const struct bus_peer *to, const void *bytes, size_t len);

/* bus_call sends and waits up to timeout_ms for the answer with the same seq: 0 with OK or FAIL in
 * ret_view, -ETIMEDOUT, -ECONNRESET (the frontend was killed over it), or -errno. Requests that
 * arrive meanwhile (at most 256) are kept for bus_recv; answers that nobody waits for any more are
 * dropped and counted. msg is finished (wire_fini) in any case. */
int bus_call(struct bus *bus, struct wire_msg *msg, int timeout_ms, struct wire_view *ret_view);
uint32_t bus_seq(struct bus *bus); /* the next sequence number */
enum wire_peer bus_self(const struct bus *bus);

struct bus_counts {
	uint64_t bad;     /* messages that were not well formed */
	uint64_t dropped; /* answers that came too late, requests beyond those kept */
	/* over TCP: connections refused, by what was wrong */
	uint64_t strangers; /* a key that is not on the list */
	/* CURVE at one end only; the end that sees it second counts it as a handshake */
	uint64_t mechanism;
	uint64_t handshake; /* a wrong secret key, bytes that are no handshake, or too late */
	/* messages dropped, beside `bad` */
	uint64_t revoked;  /* of a node that is no longer on the list */
	uint64_t replayed; /* that were taken before (core/bus/stamp.h) */
	uint64_t unknown;  /* of a type that may not be asked */
	uint64_t joined;   /* connections that were let in */
	/* that ended otherwise: a node left, or libzmq cut it off for a frame longer than bytes_max
	 * or bytes that are none, in the handshake or later; 4.3.4 does not tell which */
	uint64_t ended;
};
struct bus_counts bus_counts(const struct bus *bus);

/* bus_reply starts the answer to `request`: right dest, seq and ORIGIN. */
void bus_reply(struct bus *bus, const struct wire_view *request, enum wire_type type,
    struct wire_msg *ret_msg);

#endif
