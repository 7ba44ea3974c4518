/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/bridge/offsets.h - the clocks of the other nodes, measured over the links to them, and
 * told to exec.
 *
 * Every OFFSETS_ASK_MS each other node is asked for its time (core/bridge/offset.h), by the way
 * that frames go; more often at first, because the answers also tell how long a message takes
 * (delays.h). exec hears of what was measured once a second, at once of what is new, and after
 * each round where the clock of this node follows that of the manager (clock = "network" in the
 * platform file).
 */
#ifndef DAEMONS_BRIDGE_OFFSETS_H
#define DAEMONS_BRIDGE_OFFSETS_H

#include "core/bridge/offset.h"
#include "core/image/node.h"
#include "daemons/bridge/delays.h"
#include "daemons/bridge/links.h"

enum { OFFSETS_SOON_MS = 10, OFFSETS_SOON = 1000, OFFSETS_ASK_MS = 100, OFFSETS_TELL_MS = 1000 };

struct offsets {
	const struct machines *machines;
	struct daemon *daemon;
	struct bridge_links *links;
	const struct node_image *node; /* NULL: not there yet; this node has no time */
	struct offset *one;            /* by node */
	struct delays *delays;         /* by node */
	uint64_t rounds;               /* of questions */
	struct loop_timer round;
	uint64_t told_ns;
};

/* offsets_open begins to ask: 0 or -ENOMEM. offsets_close takes one that was never opened. */
int offsets_open(struct offsets *offsets, const struct machines *machines, struct daemon *daemon,
    struct bridge_links *links);
void offsets_close(struct offsets *offsets);
/* offsets_take: whether what came from a node is a question or an answer; then it is dealt with. */
bool offsets_take(struct offsets *offsets, uint32_t node, const void *bytes, size_t len);
/* offsets_one_way gives what a message takes to a node, as delays_one_way has it; 0: not known. */
uint64_t offsets_one_way(const struct offsets *offsets, uint32_t node);

#endif
