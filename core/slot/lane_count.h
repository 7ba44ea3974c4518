/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/lane_count.h - what a segment counts for its lane, once in a slot. [slot]
 */
#ifndef ALOE_SLOT_LANE_COUNT_H
#define ALOE_SLOT_LANE_COUNT_H

#include <assert.h>

#include "core/slot/segment.h"

/* Each segment of a lane adds its part of the slot; the last segment of the slot counts the sum. */
static inline void lane_count(struct segment *segment, uint64_t slot, uint64_t ns)
{
	_Atomic uint64_t *sum = &segment->lane->ns[slot % IMAGE_LANE_SLOTS];

	if (segment->shares_lane)
		atomic_fetch_add_explicit(sum, ns, memory_order_relaxed);
	if (!segment->last_of_lane) {
		assert(segment->shares_lane);
		return;
	}
	assert(segment->lane != NULL);
	if (segment->shares_lane)
		ns = atomic_exchange_explicit(sum, 0, memory_order_relaxed);
	else if (segment->stride > 1)
		ns /= segment->stride; /* of each slot that it has for the step */
	segment->load_ns = ns;
	hist_add(&segment->lane->load, segment->load_ns);
}

/* A slot in which another place of the instance has its step: only the lane has something to
 * count. */
__attribute__((cold, noinline, unused)) static void lane_count_others(
    struct segment *segment, uint64_t slot, uint64_t edge_ns, uint64_t now_ns)
{
	assert(segment->stride > 1);
	assert(slot < segment->last_slot + segment->stride);
	if (!segment->last_of_lane || !segment->shares_lane)
		return;
	lane_count(segment, slot, 0);
	if (segment->counts_misses)
		segment->left_ns =
		    image_margin_add(&segment->lane->margin, edge_ns + segment->lane_ns, now_ns);
}

#endif
