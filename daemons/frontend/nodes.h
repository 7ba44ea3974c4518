/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/nodes.h - the other nodes of the platform: who has joined, and messages to and
 * from them.
 *
 *   node b  --- JOIN every half second -->  manager a     CURVE, and an allow-list
 *           <-- OK, or FAIL and why not --
 *           <== any other message, once it has joined ==>
 *
 * Every node has one connection, to the manager; what one node has for another goes by way of the
 * manager. A node of which nothing is heard for 3 s is not there any more: what was asked of it is
 * answered. One that has a lease joins more often, and is missed sooner (core/cluster/loss.h). JOIN
 * says what kind of node it is (its own words, JSON), which is what `aloe list nodes` shows.
 */
#ifndef ALOE_FRONTEND_NODES_H
#define ALOE_FRONTEND_NODES_H

#include "core/base/log.h"
#include "core/base/loop.h"
#include "core/json/json.h"
#include "daemons/common/machines.h"

struct nodes_one {
	struct bus_peer peer; /* manager: by which it is reached; len 0: it is not there */
	uint64_t heard_ns;    /* 0: never */
	uint64_t lease_ns;    /* as it says; 0: none */
	char seat[160];       /* which of those that could have its name it is */
	char *facts;          /* JSON */
};

struct nodes_owner {
	/* a message of a node that has joined. `from` is whom to give the answer to (nodes_reply)
	 * */
	void (*message)(
	    void *self, const struct wire_view *view, const struct bus_peer *from, uint32_t node);
	void (*changed)(void *self, uint32_t node, bool there); /* it has joined, or has gone */
	/* the manager has answered what this node asked at asked_ns; UINT64_MAX: it is the
	 * manager */
	void (*word)(void *self, uint64_t asked_ns);
	void *self;
};

struct nodes {
	const struct machines *machines;
	const struct log *log;
	struct loop *loop;
	const char *dir, *state;
	struct nodes_owner owner;
	struct bus *bus; /* NULL: there are no others */
	struct nodes_one *one;
	json_t *facts; /* what kind of node this one is */
	json_t *cpus;  /* that it may use, before its daemons keep to some of them */
	struct loop_watch watch;
	struct loop_timer second;
	uint32_t join_seq;
	uint64_t asked_ns; /* when JOIN was sent last */
	uint64_t word_ns;  /* ... that was answered */
	uint64_t lease_ns; /* of this node; 0: none */
	uint64_t strange;  /* messages of nodes that have not joined, dropped */
	bool joined;
	char refused[512]; /* why it has not joined */
};

/* nodes_init opens the socket where there is a platform: 0, or -errno after logging why. */
int nodes_init(struct nodes *nodes, const struct machines *machines, const struct log *log,
    struct loop *loop, const char *dir, const char *state, const struct nodes_owner *owner);
void nodes_fini(struct nodes *nodes);
/* nodes_send sends to a node, on its way by the manager: 0, -EHOSTUNREACH (it is not there), or
 * -errno. nodes_reply sends to whom a message came from. */
int nodes_send(struct nodes *nodes, uint32_t node, const void *bytes, size_t len);
int nodes_reply(struct nodes *nodes, const struct bus_peer *to, const void *bytes, size_t len);
/* nodes_lease: word from the manager is needed within so long from now on; 0: it is not. */
void nodes_lease(struct nodes *nodes, uint64_t lease_ns);
/* nodes_next: the node to which a message for `node` goes first. */
uint32_t nodes_next(const struct nodes *nodes, uint32_t node);
char *nodes_list(struct nodes *nodes); /* JSON, the caller frees it; NULL: no memory */
/* nodes_missing says why nothing can be sent to a node. */
void nodes_missing(const struct nodes *nodes, uint32_t node, char *ret, size_t size);

#endif
