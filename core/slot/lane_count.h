/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/lane_count.h - what a segment counts for its lane, once in a slot. [slot]
 */
#ifndef ALOE_SLOT_LANE_COUNT_H
#define ALOE_SLOT_LANE_COUNT_H

#include "core/slot/segment.h"

/* segment_stride_set states that the segment runs each `stride`th step only. slot_ns, shares_lane
 * and last_of_lane are set before. [control] */
void segment_stride_set(struct segment *segment, uint32_t stride);

/* lane_sum is for a segment that has not all slots of its lane: other segments have a part of the
 * slot, or it has several slots for a step. Returns the ns of all of the slot, or IMAGE_FOREVER if
 * another segment is to count them. [slot] */
uint64_t lane_sum(struct segment *segment, uint64_t slot, uint64_t ns);

/* lane_count_others is for a slot in which another place of the instance has its step: only the
 * lane has something to count. [slot] */
__attribute__((cold)) void lane_count_others(
    struct segment *segment, uint64_t slot, uint64_t edge_ns, uint64_t now_ns);

/* Each segment of a lane adds its part of the slot; the last segment of the slot counts the sum. */
static inline void lane_count(struct segment *segment, uint64_t slot, uint64_t ns)
{
	if (!segment->has_lane && (ns = lane_sum(segment, slot, ns)) == IMAGE_FOREVER)
		return;
	segment->load_ns = ns;
	hist_add(&segment->lane->load, ns);
}

#endif
