/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/baton.h - which values a lane's baton can have, and how long a holder may keep the
 * baton. All watchers of the baton use this one rule.
 *
 * Every host on a lane can write the lane image, so no watcher trusts the words of the lane image.
 * A watcher trusts the table and the time base (in the node image, which only exec writes), the
 * clock, and what the watcher itself saw before. A baton can be
 *
 *   impossible   the lane has never had the entry, or the clock has not reached the slot. The baton
 *                is reset to the slot of the clock. The slot number of a radio is not checked,
 *                because its time may jump by any amount; this harms nobody, because only one
 *                waveform uses the lane of a radio.
 *   left         the entry that has the baton is not live. The baton moves on.
 *   overdue      the holder has kept the baton for longer than the bound, or has not begun its slot
 *                within the bound. The holder is passed over.
 *
 * There are three watchers: the lane's watchdog in exec (watchdog.c); exec's main loop, for lanes
 * without a watchdog; and, if the watchdog is late, every thread that waits for the baton (lane.c).
 */
#ifndef ALOE_SLOT_BATON_H
#define ALOE_SLOT_BATON_H

#include "core/image/node.h"

enum {
	/* bound if one waveform has the lane, or the lane has no real-time priority */
	BATON_BOUND_ALONE_NS = 100000000,
	BATON_BOUND_NS = 1000000, /* least bound otherwise; a slot may be shorter */
	BATON_DOUBT_NS = 100000,  /* time that an overdue holder gets after a stall */
};

enum baton_state { BATON_GOES, BATON_IMPOSSIBLE, BATON_LEFT, BATON_OVERDUE };

/* What a watcher remembers: the baton that it saw last, when it saw this baton first (seen_ns), and
 * the earliest start of the holder that the lane image has named (since_ns). So a host that writes
 * the lane image cannot make the holder look younger than the watcher saw it. */
struct baton_watch {
	uint64_t baton, seen_ns, since_ns;
	/* time in which the whole machine stood still; this time does not count for the bound */
	uint64_t stalled_ns;
};

/* baton_timebase returns the time base of a lane, or NULL if the lane is free. */
const struct node_timebase *baton_timebase(const struct node_image *node, uint32_t lane);

/* baton_possible tells whether `baton` can be the baton of this lane. `now` is read after it. */
bool baton_possible(const struct node_image *node, uint32_t lane, uint64_t baton, uint64_t now);

/* baton_bound returns how long the holder of `baton` may keep it: the slots that its segment may
 * take for a call, and at least BATON_BOUND_NS. The least is BATON_BOUND_ALONE_NS if one waveform
 * has the lane, or if the lane has no real-time priority. */
uint64_t baton_bound(const struct node_image *node, uint32_t lane, uint64_t baton, bool realtime);

/* baton_harmless tells whether the bound of everybody on the lane is at least BATON_BOUND_ALONE_NS,
 * as long as the table stays as it is. */
bool baton_harmless(const struct node_image *node, uint32_t lane, uint64_t baton, bool realtime);

/* baton_look looks at the baton once. baton_held returns the time from which the bound counts for
 * the holder that was seen. */
enum baton_state baton_look(const struct node_image *node, uint32_t lane,
    const struct lane_image *image, struct baton_watch *watch, uint64_t bound_ns);
uint64_t baton_held(const struct node_image *node, uint32_t lane, const struct baton_watch *watch);

/* baton_since returns when the entry got `baton`, as the lane image says (up to 127 ns too late); 0
 * if the lane image does not say. baton_at_work tells whether the entry has begun its part of the
 * slot. */
uint64_t baton_since(const struct lane_image *image, uint64_t baton);
bool baton_at_work(const struct lane_image *image, uint64_t baton);

/* baton_left tells whether a possible baton is nobody's: its entry is not live, and the thread that
 * worked there when the entry was taken off the lane has ended, or nobody has the entry at all,
 * whatever the lane image says. */
bool baton_left(const struct node_lane *lane, const struct lane_image *image, uint64_t baton);

/* baton_entries returns, as bits, the entries of a seat and all entries of the same waveforms.
 * These entries are stopped together, so they are passed over together. */
uint64_t baton_entries(const struct node_lane *lane, uint32_t seat);

/* baton_next returns the baton that follows `baton`: the next live entry of the slot that is not
 * among `but` (bits), or the first entry of the next slot. */
uint64_t baton_next(const struct node_lane *lane, uint64_t baton, uint64_t but);

/* baton_fresh returns the baton that replaces an impossible baton: the first live entry, in the
 * slot of the clock or, if the clock gives no slot, in `slot`, the last slot that was known. An
 * entry that has run this slot already does not run it again. */
uint64_t baton_fresh(const struct node_image *node, uint32_t lane, uint64_t slot);

#endif
