/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/cluster/loss.h - what is done when a node of a waveform is lost, and how long a node goes on
 * without word from the manager. Pure: times are given, in nanoseconds of CLOCK_MONOTONIC of one
 * machine.
 *
 *   node     JOIN ---------------------> manager     the node's lease counts from when it asked
 *            <------------------- OK              .. the manager's time counts from when it heard
 *            no OK for lease_ms:                     nothing heard for lease_ms + 100 ms:
 *            it holds its part                       the node holds its part by now
 *
 * The node asked before the manager heard, so its lease ends first, whatever the clocks of the two
 * say: only their rates matter. Word that comes later does not renew a lease that is over: the
 * manager says for each load whether it may go on.
 */
#ifndef ALOE_CLUSTER_LOSS_H
#define ALOE_CLUSTER_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/image/program.h"

#define CLUSTER_MS 1000000ull
#define CLUSTER_NEVER UINT64_MAX

enum {
	CLUSTER_JOIN_MS = 500,    /* how often a node joins that has no lease */
	CLUSTER_SILENT_MS = 3000, /* such a node is lost when nothing was heard for so long */
	CLUSTER_MORE_MS = 100,    /* what the manager waits beyond a lease */
	/* soon: so many slots, but no less time: an order reaches all nodes by then, and a node of
	 * which nothing is heard for longer is said to be silent */
	CLUSTER_SOON_SLOTS = 10,
	CLUSTER_SOON_MS = 50,
};

/* cluster_join_ns: how often a node joins, 4 times in its lease; lease_ns 0: it has none.
 * cluster_lost_ns: for how long nothing is heard of a node that is lost. */
uint64_t cluster_join_ns(uint64_t lease_ns);
uint64_t cluster_lost_ns(uint64_t lease_ns);

/* cluster_soon_ns: max(10 slots, 50 ms). cluster_soon_slot: the first slot that is so far ahead of
 * `now_slot` that all nodes hear of an order for it in time; at least `ns` ahead. */
uint64_t cluster_soon_ns(uint64_t slot_ns);
uint64_t cluster_soon_slot(uint64_t now_slot, uint64_t slot_ns, uint64_t ns);

/* cluster_lease_end: when a lease ends. word_ns is when the node asked for the last word that it
 * has; CLUSTER_NEVER: it is the manager itself. */
uint64_t cluster_lease_end(uint64_t word_ns, uint64_t lease_ns);

/* A node that runs a part of a waveform, as the manager knows it. */
enum cluster_part {
	CLUSTER_RUNS,   /* it has its part */
	CLUSTER_EMPTY,  /* it is there and has no such part: it was started again */
	CLUSTER_SILENT, /* nothing was heard of it since heard_ns */
};

struct cluster_node {
	enum cluster_part part;
	uint64_t heard_ns;
};

enum cluster_act {
	CLUSTER_GO_ON,
	CLUSTER_WAIT,      /* ask again at *ret_due_ns */
	CLUSTER_STOP_REST, /* in good order */
	CLUSTER_LOAD_ANEW, /* on what is left */
};

/* cluster_decide says what the manager does with a waveform now. Nodes that are silent and may come
 * back are waited for, because until then they may run their part. */
enum cluster_act cluster_decide(enum image_node_loss policy, uint64_t lease_ns,
    const struct cluster_node *nodes, uint32_t n, uint64_t now_ns, uint64_t *ret_due_ns);
/* cluster_lost tells whether the node is one of those because of which it is done. */
bool cluster_lost(const struct cluster_node *node, uint64_t lease_ns, uint64_t now_ns);

/* A load of a waveform that a node has, beside the one that the manager knows. */
enum cluster_load {
	CLUSTER_OWN,   /* the same */
	CLUSTER_HELD,  /* the same, and it may go on: its lease was over */
	CLUSTER_STALE, /* another one: it was loaded anew without this node */
};

enum cluster_load cluster_load_is(bool same_load, bool on_node, bool held);

#endif
