/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/route.h - which message goes where.
 *
 *   client --- request {seq} ------------> frontend --- request {seq, ORIGIN client} ---> daemon
 *   client <-- OK or FAIL {seq} ---------- frontend <-- OK or FAIL {seq, ORIGIN client} -- daemon
 *
 * A daemon may pass a request on to another with its ORIGIN in place: the answer then goes straight
 * to who asked. Only daemons that have said HELLO may ask, give an ORIGIN or an answer: what one
 * had sent to a frontend that was killed may still come, and whoever waited for it has been told
 * that it is lost. Every request is answered once, also when a daemon dies over it (FAIL); one for
 * a daemon that is just being started waits for it, at most ROUTE_PARK_MS. Events (WIRE_EVENT,
 * WIRE_DAEMON) have no answer and do not wait.
 *
 * A request with NODE is for the node of that name: for this one, for one that has joined
 * (nodes.h), or it is answered that there is none. A daemon of a node that has none of its own
 * (swman, statsman) is the manager's. What goes to another node has a sequence number of its own on
 * the way, by which the answer finds back to who asked.
 */
#ifndef ALOE_FRONTEND_ROUTE_H
#define ALOE_FRONTEND_ROUTE_H

#include <sys/types.h>

#include "core/base/log.h"
#include "core/bus/bus.h"
#include "core/base/loop.h"
#include "daemons/frontend/nodes.h"

enum { ROUTE_PARK_MS = 3000, ROUTE_PENDING_MAX = 4096 };

struct route_pending { /* a request without an answer yet */
	struct route_pending *next;
	struct bus_peer origin;
	uint32_t seq;
	enum wire_peer dest;
	enum wire_type type;
	uint32_t node;   /* 1 + the node that it was sent to; 0: to a daemon of this one */
	uint32_t relay;  /* its number on the way there */
	uint8_t *parked; /* not sent yet: the message */
	size_t len;
	uint64_t until_ns;
};

/* what the rest of the frontend answers */
struct route_owner {
	/* of the daemon; 0: there is none */
	pid_t (*pid)(void *self, enum wire_peer daemon);
	bool (*attached)(void *self, enum wire_peer daemon);
	void (*heard)(void *self, enum wire_peer daemon); /* it has sent something */
	/* its answer is about to be passed on: what it has put to be kept before that comes
	 * first */
	void (*answers)(void *self, enum wire_peer daemon);
	/* what whoever asks should know of the node now; NULL: nothing */
	const char *(*note)(void *self);
	void (*down)(void *self); /* somebody wants it all to end */
	void *self;
};

struct route {
	const char *node;
	const struct log *log;
	struct loop *loop;
	struct bus *bus;
	struct route_owner owner;
	struct nodes *nodes; /* the other nodes */
	const char *builds;  /* folder of those that the manager sends, "": none; set after init */
	uint32_t relays;
	struct bus_peer daemons[WIRE_PEERS]; /* len 0: not there */
	struct route_pending *first;         /* oldest first */
	size_t n_pending;
	struct loop_watch watch;
	struct loop_timer expiry;
	bool ending; /* requests are refused */
};

/* node: the name of this one, the caller's */
void route_init(struct route *route, const char *node, const struct log *log, struct loop *loop,
    struct bus *bus, struct nodes *nodes, const struct route_owner *owner);
void route_fini(struct route *route);
/* route_lost: the daemon has ended; what it has not answered is answered. */
void route_lost(struct route *route, enum wire_peer daemon);
/* route_node takes a message of another node; route_node_changed answers what a node that has gone
 * was asked, and tells swman of it. */
void route_node(
    struct route *route, const struct wire_view *view, const struct bus_peer *from, uint32_t node);
void route_node_changed(struct route *route, uint32_t node, bool there);
/* route_word tells exec of word from the manager (nodes.h). */
void route_word(struct route *route, uint64_t asked_ns);
/* route_busy: the daemon has been asked for something that may keep it from answering for long. */
bool route_busy(const struct route *route, enum wire_peer daemon);
/* route_announce sends WIRE_DAEMON to all other daemons. */
void route_announce(struct route *route, enum wire_peer daemon, pid_t pid, const char *state);

#endif
