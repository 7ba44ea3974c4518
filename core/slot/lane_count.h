/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/lane_count.h - what a segment counts for its lane, once in a slot. [slot]
 */
#ifndef ALOE_SLOT_LANE_COUNT_H
#define ALOE_SLOT_LANE_COUNT_H

#include <assert.h>

#include "core/slot/segment.h"

/* What others have of the lane: other segments, or other slots. Returns the ns of all of the slot,
 * or IMAGE_FOREVER if another segment is to count them. */
__attribute__((noinline, unused)) static uint64_t lane_sum(
    struct segment *segment, uint64_t slot, uint64_t ns)
{
	_Atomic uint64_t *sum = &segment->lane->ns[slot % IMAGE_LANE_SLOTS];

	assert(!segment->has_lane);
	if (!segment->shares_lane)
		return ns / segment->stride; /* of each slot that it has for the step */
	atomic_fetch_add_explicit(sum, ns, memory_order_relaxed);
	if (!segment->last_of_lane)
		return IMAGE_FOREVER;
	return atomic_exchange_explicit(sum, 0, memory_order_relaxed);
}

/* Each segment of a lane adds its part of the slot; the last segment of the slot counts the sum. */
static inline void lane_count(struct segment *segment, uint64_t slot, uint64_t ns)
{
	if (!segment->has_lane && (ns = lane_sum(segment, slot, ns)) == IMAGE_FOREVER)
		return;
	assert(segment->lane != NULL);
	segment->load_ns = ns;
	hist_add(&segment->lane->load, ns);
}

/* A slot in which another place of the instance has its step: only the lane has something to
 * count. */
__attribute__((cold, noinline, unused)) static void lane_count_others(
    struct segment *segment, uint64_t slot, uint64_t edge_ns, uint64_t now_ns)
{
	assert(segment->stride > 1);
	assert(slot < segment->next_slot);
	if (!segment->last_of_lane || !segment->shares_lane)
		return;
	lane_count(segment, slot, 0);
	if (segment->counts_misses)
		segment->left_ns =
		    image_margin_add(&segment->lane->margin, edge_ns + segment->lane_ns, now_ns);
}

#endif
