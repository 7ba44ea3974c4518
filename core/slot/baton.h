/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/baton.h - what a lane's baton can be, and how long it may stay where it is: one rule
 * for everybody who watches it.
 *
 * Every host on a lane can write the lane image, so its words are bytes that nobody believes. What
 * is believed is the table and the time base (node image, exec's alone), the clock, and what the
 * watcher saw itself.
 *
 *   impossible   an entry that the lane has never had, a slot that the clock has not reached:
 *                reset to the slot of the clock
 *                A radio's slots follow the radio's time, which may jump by as much as it likes:
 *                there is nothing to hold their number against, and nobody to protect, for the lane
 *                of a radio is its waveform's alone. The entry is checked there as well.
 *   left         nobody has it who is live: it goes on
 *   overdue      its holder has had it for longer than the bound, or has not begun its slot by
 *                then: passed over
 *
 * Three watch: the lane's watchdog in exec (watchdog.c), exec's main loop (lanes without a
 * watchdog), and, where the watchdog has missed the time at which it wanted to look,
 * every thread on the lane that waits for the baton (lane.c).
 */
#ifndef ALOE_SLOT_BATON_H
#define ALOE_SLOT_BATON_H

#include "core/image/node.h"

enum {
	BATON_BOUND_ALONE_NS = 100000000, /* nobody else is on the lane, or there is no real time */
	BATON_BOUND_NS = 1000000,         /* at least: a slot may be shorter */
	/* who is overdue after a stall gets so much time to go on */
	BATON_DOUBT_NS = 100000,
};

enum baton_state { BATON_GOES, BATON_IMPOSSIBLE, BATON_LEFT, BATON_OVERDUE };

/* What a watcher knows of its own: the baton that it saw last, since when, and the earliest time at
 * which its holder can have begun that the image has given. The image's word cannot make a holder
 * younger than the watcher saw it. */
struct baton_watch {
	uint64_t baton, seen_ns, since_ns;
	/* the machine stood still for so long in that time, which is held against nobody */
	uint64_t stalled_ns;
};

/* NULL: the lane is free */
const struct node_timebase *baton_timebase(const struct node_image *node, uint32_t lane);

/* baton_possible: can be the baton of this lane at `now`, which was read after it. */
bool baton_possible(const struct node_image *node, uint32_t lane, uint64_t baton, uint64_t now);

/* baton_bound gives the time that a holder has: a slot, but no less than BATON_BOUND_NS;
 * BATON_BOUND_ALONE_NS where one waveform has the lane, or the lane has no real-time priority. */
uint64_t baton_bound(const struct node_image *node, uint32_t lane, uint64_t baton, bool realtime);

/* baton_look looks at the baton once. baton_held: since when what was seen is held against its
 * holder. */
enum baton_state baton_look(const struct node_image *node, uint32_t lane,
    const struct lane_image *image, struct baton_watch *watch, uint64_t bound_ns);
uint64_t baton_held(const struct node_image *node, uint32_t lane, const struct baton_watch *watch);

/* baton_since gives since when its entry has `baton`, by the lane image's word for it (up to 127 ns
 * later); 0: that says nothing. baton_at_work: it has begun its part of the slot. */
uint64_t baton_since(const struct lane_image *image, uint64_t baton);
bool baton_at_work(const struct lane_image *image, uint64_t baton);

/* baton_left tells whether a possible baton is nobody's: its entry is not live, and whoever was at
 * work there when it was taken off the lane has ended, or nobody has the entry at all, whatever the
 * lane image says. */
bool baton_left(const struct node_lane *lane, const struct lane_image *image, uint64_t baton);

/* baton_entries gives the bits of the entries of a seat, and of all others of its waveforms: they
 * are passed over together, for they are stopped together. */
uint64_t baton_entries(const struct node_lane *lane, uint32_t seat);

/* baton_next gives the baton that follows `baton`: the next live entry of the slot that is not
 * among `but` (bits), or the next slot's first. */
uint64_t baton_next(const struct node_lane *lane, uint64_t baton, uint64_t but);

/* baton_fresh gives the baton in the place of an impossible one: the slot of the clock (who has run
 * it already does not do so again), or `slot`, the last that was known, where the clock does not
 * tell; with the first live entry. */
uint64_t baton_fresh(const struct node_image *node, uint32_t lane, uint64_t slot);

#endif
