/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/bridge/links.h - frames to the bridges of other nodes and from them, over TCP, or over
 * UDP (datagrams.h) with a key that is sent over TCP.
 *
 * Of two nodes the one that comes later in the platform file connects to the other. Whoever has
 * connected sends something every LINKS_WORD_MS at least, so that the other end knows by which
 * connection it is reached. What cannot be sent is dropped: core/bridge sends it again.
 * */
#ifndef DAEMONS_BRIDGE_LINKS_H
#define DAEMONS_BRIDGE_LINKS_H

#include "daemons/bridge/datagrams.h"

/* With what is around it, a frame is less than a power of two, as the memory is that it gets. A
 * frame that is shorter than LINKS_COPY_BYTES waits for its peer in memory of its own length. */
enum { LINKS_WORD_MS = 100, LINKS_FRAME_BYTES = (1 << 18) - 1024, LINKS_COPY_BYTES = 1 << 16 };

struct bridge_links;

struct bridge_link { /* to one other node */
	struct bridge_links *of;
	uint32_t node;
	struct bus *bus;      /* that we connect by; NULL: the other one connects to us */
	struct bus_peer peer; /* then: it; len 0: not heard yet */
	struct loop_watch watch;
	bool unsettled;    /* something was sent by `bus` since the last flush */
	uint64_t sent_ns;  /* when something was sent last */
	uint64_t heard_ns; /* when a frame of it came last; 0: never */
};

struct bridge_links {
	const struct machines *machines;
	const struct log *log;
	struct loop *loop;
	struct bus *bus; /* for those that connect to us */
	struct loop_watch watch;
	struct loop_timer word;
	struct wire_msg msg;     /* in which frames are written */
	uint8_t *room;           /* where in it; NULL: there is none */
	bool unsettled;          /* something was sent by `bus` since the last flush */
	uint8_t *spare;          /* room for a frame of datagrams, or for one that nobody gets */
	uint64_t strange;        /* messages that do not say whose they are, dropped */
	struct bridge_link *one; /* by node */
	struct datagrams datagrams;
	void (*frame)(void *self, uint32_t node, const void *bytes, size_t len);
	void *self;
};

/* links_open: 0, or -errno after logging why. `frame` is called for what comes of a node. */
int links_open(struct bridge_links *links, const struct machines *machines, const struct log *log,
    struct loop *loop, void (*frame)(void *self, uint32_t node, const void *bytes, size_t len),
    void *self);
void links_close(struct bridge_links *links);
/* how long a frame to the node may be; the same at the other end */
uint32_t links_frame_bytes(const struct bridge_links *links, uint32_t node);
/* links_room gives the place where the next frame to a node is written, and links_send_room sends
 * it from there: 0, or as links_send. */
uint8_t *links_room(struct bridge_links *links, uint32_t node);
int links_send_room(struct bridge_links *links, uint32_t node, size_t len);
/* links_send: 0; -EHOSTUNREACH or -ENOKEY, the peer or the key of its datagrams is not known yet;
 * -EAGAIN, the peer is far behind; -EMSGSIZE, -ENOMEM. Frames that are sent one after another may
 * leave together: links_flush sends what waits. */
int links_send(struct bridge_links *links, uint32_t node, const void *bytes, size_t len);
void links_flush(struct bridge_links *links);
/* links_heard_ns: when a frame of a node came last, whatever it was for; 0: never. */
uint64_t links_heard_ns(const struct bridge_links *links, uint32_t node);

#endif
