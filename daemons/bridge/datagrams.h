/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/bridge/datagrams.h - frames over UDP, sealed (core/seal), to and from those nodes that
 * the platform file joins to this one by a link with transport = "udp" (a socket of the kernel) or
 * "dpdk" (the node's port, which tells nobody when something has come: it is looked at again and
 * again, less and less often while nothing comes).
 *
 * 	pause until the next look: DATAGRAMS_LOOK_NS after a datagram, twice as long after each look
 * 	that finds none, DATAGRAMS_LOOK_MOST_NS at most while a load crosses the link, otherwise
 * 	DATAGRAMS_LOOK_IDLE_NS. Then the other end may be asleep: who sends tells it so over TCP
 * 	(links.h), and its next look is DATAGRAMS_LOOK_MOST_NS later at most. So what is measured of
 * 	an idle link is what it takes with a load.
 *
 * Two bridges have a key of their own, which the one that was connected to makes whenever it is
 * connected to anew, and sends over that connection (links.h). So no two lives of a bridge ever
 * seal with one key, and what was recorded of earlier ones is worth nothing. Datagrams that are
 * lost, or come before the key, are nobody's loss: core/bridge sends their frames again.
 */
#ifndef DAEMONS_BRIDGE_DATAGRAMS_H
#define DAEMONS_BRIDGE_DATAGRAMS_H

#include "core/platform/transport.h"
#include "core/seal/seal.h"
#include "daemons/common/machines.h"

/* A frame in a datagram that no Ethernet has to cut: 1500 bytes with the heads of IPv6 and UDP. */
enum { DATAGRAMS_FRAME_BYTES = 1452 - SEAL_MORE_BYTES };

enum {
	DATAGRAMS_LOOK_NS = 50000,
	DATAGRAMS_LOOK_MOST_NS = 1000000,
	DATAGRAMS_LOOK_IDLE_NS = 40000000
};

enum datagrams_kind { DATAGRAMS_UDP, DATAGRAMS_DPDK, DATAGRAMS_KINDS };

struct datagrams_port {
	struct datagrams *of;
	struct transport *transport; /* NULL: no node is reached so */
	struct loop_watch watch;
	struct loop_timer look; /* without a descriptor */
	uint64_t pause_ns;      /* until the next look; 0: there is a descriptor */
	struct packet out[TRANSPORT_BURST];
	unsigned n_out;
};

struct datagrams_peer {
	struct datagrams_port *port; /* its frames go over this one; NULL: over TCP */
	struct transport_address at;
	struct seal *seal;  /* NULL: no key yet */
	uint64_t active_ns; /* when a datagram went or came last, while no load crosses the link */
};

struct datagrams {
	const struct machines *machines;
	const struct log *log;
	struct loop *loop;
	struct datagrams_port ports[DATAGRAMS_KINDS];
	struct datagrams_peer *peers; /* by node */
	uint8_t payload[DATAGRAMS_FRAME_BYTES];
	bool busy;        /* a load crosses the links */
	uint64_t dropped; /* that were none of ours, forged, or taken before */
	void (*frame)(void *self, uint32_t node, const void *bytes, size_t len);
	void *self;
};

/* datagrams_open: 0, or -errno after logging why. */
int datagrams_open(struct datagrams *datagrams, const struct machines *machines,
    const struct log *log, struct loop *loop,
    void (*frame)(void *self, uint32_t node, const void *bytes, size_t len), void *self);
void datagrams_close(struct datagrams *datagrams);
bool datagrams_reach(const struct datagrams *datagrams, uint32_t node);
/* datagrams_key: from now on frames to and from the node are sealed with it. 0 or -errno. */
int datagrams_key(struct datagrams *datagrams, uint32_t node, const uint8_t key[SEAL_KEY_BYTES]);
/* datagrams_send keeps the datagram until a burst of them is full, or datagrams_flush sends it: 0,
 * -ENOKEY, -EAGAIN (the output has no room), or as seal_put. */
int datagrams_send(struct datagrams *datagrams, uint32_t node, const void *bytes, size_t len);
void datagrams_flush(struct datagrams *datagrams);
/* datagrams_busy: whether a load crosses the links of this node. */
void datagrams_busy(struct datagrams *datagrams, bool busy);
/* datagrams_asleep: the node, which is reached so, may look at its port in a while only;
 * datagrams_wake: it has sent a datagram here, thinking so of us. */
bool datagrams_asleep(const struct datagrams *datagrams, uint32_t node);
void datagrams_wake(struct datagrams *datagrams, uint32_t node);

#endif
