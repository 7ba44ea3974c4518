/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/lane_count.h"

#include <assert.h>

void segment_stride_set(struct segment *segment, uint32_t stride)
{
	assert(stride > 0);
	assert(segment->last_of_lane || segment->shares_lane);
	segment->stride = stride;
	segment->span_ns = stride * segment->slot_ns;
	segment->lane_ns = segment->shares_lane ? segment->slot_ns : segment->span_ns;
	segment->has_lane = stride == 1 && !segment->shares_lane;
}

uint64_t lane_sum(struct segment *segment, uint64_t slot, uint64_t ns)
{
	_Atomic uint64_t *sum = &segment->lane->ns[slot % IMAGE_LANE_SLOTS];

	assert(!segment->has_lane);
	assert(segment->last_of_lane || segment->shares_lane);
	if (!segment->shares_lane)
		return ns / segment->stride; /* of each slot that it has for the step */
	atomic_fetch_add_explicit(sum, ns, memory_order_relaxed);
	if (!segment->last_of_lane)
		return IMAGE_FOREVER;
	return atomic_exchange_explicit(sum, 0, memory_order_relaxed);
}

void lane_count_others(struct segment *segment, uint64_t slot, uint64_t edge_ns, uint64_t now_ns)
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
