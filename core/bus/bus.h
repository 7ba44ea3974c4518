/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/bus.h - control messages between programs, over ZeroMQ (the only room that includes
 * <zmq.h>).
 *
 * The frontend of a node binds one socket (`ipc://DIR/frontend`). Every other program connects to
 * this socket and names the daemon that gets the message; the frontend passes the message on, and
 * the answer back. No message is needed in real time.
 *
 * Between nodes the same messages travel over TCP (bus_listen, bus_join), with CURVE keys and a
 * list of the nodes that may connect (core/bus/keys.h). Everything that such a socket drops is
 * counted.
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

/* bus_bind opens the frontend's end, bus_connect the end of any other program (`self`). `dir` is
 * the runtime directory. It must belong to the user and be closed to all others (EPERM), must not
 * be a symbolic link (ENOTDIR), and its path must be short enough for a socket (ENAMETOOLONG). Both
 * return NULL with errno; bus_dir_text explains errno. bus_bind creates the directory if necessary,
 * locks it as long as the program lives (EADDRINUSE: there is another frontend; the kernel releases
 * the lock when a program ends) and replaces the socket of a killed frontend. bus_connect may be
 * called first: it waits half a second for the directory (ENOENT) and connects as soon as a
 * frontend binds. After a frontend was killed it connects to the next one; messages that were sent
 * in between wait for the next one. */
struct bus *bus_bind(const char *dir);
struct bus *bus_connect(const char *dir, enum wire_peer self);
/* bus_hello sends the HELLO {PID} of a daemon with seq 0. A daemon sends it to every new frontend.
 * Returns 0 or -errno. */
int bus_hello(struct bus *bus);
/* bus_close waits at most 200 ms until all messages are sent. The bound end removes the frontend's
 * files from the directory, and the directory if it is empty. NULL does nothing. */
void bus_close(struct bus *bus);
void bus_abandon(struct bus *bus); /* closes at once; messages that were not sent are lost */
/* bus_leave (bound end) removes the frontend's files at once, for a frontend that may be killed at
 * any moment: no new program connects, and existing connections stay. */
void bus_leave(struct bus *bus);

/* ---- between nodes ---- */

enum { BUS_TCP_BYTES_MAX = 1 << 20 }; /* of a message, unless bytes_max says otherwise */

struct bus_tcp {
	const char *node;           /* this node's name, for messages */
	const char *address;        /* IP:PORT (core/base/address.h); port 0: any free port */
	const struct keys_own *own; /* this node's key; NULL: none */
	/* bus_listen: folder of the keys; the list is read again when it has changed */
	const char *folder;
	const char *server_key; /* bus_join: the public key of the node at the address */
	bool insecure;          /* the platform file has secure = false */
	size_t bytes_max;       /* 0: BUS_TCP_BYTES_MAX; at most WIRE_BYTES_MAX */
	/* bus_listen: allowed types; all other messages are dropped. NULL: every type */
	const enum wire_type *types;
	size_t n_types;
};

/* bus_listen binds a TCP socket to which nodes connect by bus_join. Without keys it refuses, unless
 * `insecure` is set. It returns NULL with the reason in diag, and errno: EINVAL if the user has to
 * change something (exit status 2). It keeps no pointer to its arguments.
 *
 * bus_recv serves the allow-list and the handshakes of clients: the program must call it whenever
 * bus_fd is readable, otherwise no node can connect. A node that was revoked may stay connected;
 * its messages are dropped from the next second on. */
struct bus *bus_listen(const struct bus_tcp *tcp, struct diag *diag);
/* bus_join connects to a listening node as soon as that node is up, and again after the connection
 * was lost or refused. bus_recv and bus_call return -EACCES if that node refuses this node, and
 * -EPROTO if only one end has CURVE. */
struct bus *bus_join(const struct bus_tcp *tcp, enum wire_peer self, struct diag *diag);
uint16_t bus_port(const struct bus *bus); /* port that bus_listen has bound */

/* bus_news writes one line for the log that counts what was refused and dropped since the last
 * line. It returns true at most once a second (now_ns is clock_ns), and only if there is a line. */
bool bus_news(struct bus *bus, uint64_t now_ns, char *ret_text, size_t size);

/* ---- both ---- */

int bus_fd(const struct bus *bus); /* for poll(): readable while bus_recv has work */

/* bus_probe returns 0 if a frontend lives in `dir`, -ECONNREFUSED if none does, -EHOSTDOWN if the
 * last frontend was killed (the node keeper may start the next one), or -errno (-ENOENT: no such
 * directory). bus_sweep removes the files that a killed frontend has left in `dir`. It returns 0,
 * -EADDRINUSE if a frontend lives there, or -errno. */
int bus_probe(const char *dir);
int bus_sweep(const char *dir);
const char *bus_dir_text(int error);

/* bus_recv takes one message, without waiting. It returns 0, -EAGAIN, -EBADMSG (counted; the caller
 * skips the message), or once, after the frontend has gone, -ECONNRESET: requests that are open
 * will not be answered. The view is valid until the next call. At the frontend ret_from is the
 * sender (the peer's identity of at most 64 bytes). */
struct bus_peer {
	uint8_t id[64];
	size_t len;
	char node[KEYS_NAME]; /* bus_listen: node of the key that the peer has; "": no keys */
};
int bus_recv(struct bus *bus, struct wire_view *ret_view, struct bus_peer *ret_from);
/* bus_send (connected end) sends and finishes msg (wire_fini). bus_send_to (bound end) returns
 * -EHOSTUNREACH if the peer has gone. bus_send_msg is bus_send_to for a msg, which it finishes,
 * too; like bus_send it does not copy the bytes of a long one. None waits; all return -EAGAIN if
 * the peer is far behind. */
int bus_send(struct bus *bus, struct wire_msg *msg);
int bus_send_msg(struct bus *bus, const struct bus_peer *to, struct wire_msg *msg);
int bus_send_to(struct bus *bus, const struct bus_peer *to, const void *bytes, size_t len);
/* bus_recv_next and bus_send_next are bus_recv and bus_send_msg for one of several messages in a
 * row: bus_settle follows before anybody waits at bus_fd, which does not tell of what comes until
 * then. bus_copy_next sends a copy, and msg stays as it is. */
int bus_recv_next(struct bus *bus, struct wire_view *ret_view, struct bus_peer *ret_from);
int bus_send_next(struct bus *bus, const struct bus_peer *to, struct wire_msg *msg);
int bus_copy_next(struct bus *bus, const struct bus_peer *to, struct wire_msg *msg);
void bus_settle(struct bus *bus);

/* bus_call sends a request and waits up to timeout_ms for the answer with the same seq. It returns
 * 0 with OK or FAIL in ret_view, -ETIMEDOUT, -ECONNRESET (the frontend was killed meanwhile), or
 * -errno. Requests that arrive meanwhile (at most 256) are kept for bus_recv. Answers for which
 * nobody waits any more are dropped and counted. msg is finished (wire_fini) in any case. */
int bus_call(struct bus *bus, struct wire_msg *msg, int timeout_ms, struct wire_view *ret_view);
uint32_t bus_seq(struct bus *bus); /* the next sequence number */
enum wire_peer bus_self(const struct bus *bus);

struct bus_counts {
	uint64_t bad;     /* messages that were not well formed */
	uint64_t dropped; /* late answers, and requests that bus_call could not keep */
	/* over TCP: refused connections, by reason */
	uint64_t strangers; /* the key is not on the list */
	/* CURVE at one end only; the end that notices this second counts a handshake */
	uint64_t mechanism;
	uint64_t handshake; /* a wrong secret key, bytes that are no handshake, or a timeout */
	/* dropped messages, in addition to `bad` */
	uint64_t revoked;  /* from a node that is no longer on the list */
	uint64_t replayed; /* taken before (core/bus/stamp.h) */
	uint64_t unknown;  /* of a type that is not allowed */
	uint64_t joined;   /* accepted connections */
	/* connections that ended otherwise: a node left, or libzmq closed the connection after a
	 * frame longer than bytes_max or after bytes that are no frame; libzmq 4.3.4 does not say
	 * which */
	uint64_t ended;
};
struct bus_counts bus_counts(const struct bus *bus);

/* bus_reply starts the answer to `request` with the right dest, seq and ORIGIN. */
void bus_reply(struct bus *bus, const struct wire_view *request, enum wire_type type,
    struct wire_msg *ret_msg);

#endif
