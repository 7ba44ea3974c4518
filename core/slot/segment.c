/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/segment.h"

#include <assert.h>
#include <limits.h>

#include "core/slot/lane_count.h"
#include "core/slot/many.h"
#include "core/slot/one.h"
#include "core/slot/steps.h"

static bool segment_has_ended(const struct segment *segment, uint64_t step, uint64_t last)
{
	return last != IMAGE_FOREVER && step > last + segment->end;
}

static bool records_there(const struct segment *segment, uint64_t step, uint64_t last)
{
	for (uint32_t i = 0; i < segment->n_io; i++) {
		const struct instance *it = segment->io[i];
		const uint64_t k = step - it->lag;

		if (step >= it->first && index_is_within(it, k, last) &&
		    instance_is_called(it, k) && !instance_can(it))
			return false;
	}
	return true;
}

__attribute__((hot)) enum segment_status segment_ready(
    const struct segment *segment, const struct segment_gate **ret_gate)
{
	const uint64_t step = segment_done(segment);
	/* read before `last`, because exec first lowers `last` and then raises `limit` */
	const uint64_t limit = atomic_load_explicit(&segment->control->limit, memory_order_acquire);
	uint64_t last;

	assert(segment->n_io <= segment->n_instances);
	assert(segment->n_gates == 0 || segment->gates != NULL);
	*ret_gate = NULL;
	if (atomic_load_explicit(&segment->run->fault, memory_order_relaxed) != 0)
		return SEGMENT_STOPPED;
	for (uint32_t g = 0; g < segment->n_gates; g++) {
		const struct segment_gate *gate = &segment->gates[g];

		if (!segment_gate_open(gate, step)) {
			*ret_gate = gate;
			break;
		}
	}
	last = segment_last(segment);
	if (segment_has_ended(segment, step, last))
		return SEGMENT_ENDED;
	if (step >= limit)
		return SEGMENT_PAUSED;
	if (*ret_gate != NULL || !records_there(segment, step, last))
		return SEGMENT_WAITS;
	return SEGMENT_RAN;
}

static void step_begin(struct segment *segment, uint64_t step, uint64_t slot, uint64_t start_ns)
{
	assert(segment->event < segment->n_events || segment->n_instances == 0);
	assert(segment->n_visits == 0);
	segment_open_step(segment, step, slot, start_ns);
	segment->checks = segment->skip ? INSTANCE_STAMPS : 0;
	if (atomic_load_explicit(&segment->control->conceal, memory_order_relaxed) != 0)
		segment->checks |= INSTANCE_DUE;
	clock_fast_tend(&segment->clock, start_ns);
	segment->samples = step % SAMPLE_EVERY < segment->stride;
	segment->work_ns = 0;
}

static void step_end(struct segment *segment, uint64_t step, uint64_t slot, uint64_t ns)
{
	struct image_segment_state *state = segment->state;

	atomic_store_explicit(&state->current, 0, memory_order_relaxed);
	visits_make(segment);
	assert(segment->n_visits == 0);
	assert(segment->n_pending <= NODE_CHANGES);
	segment_bump(&state->busy_ns, ns);
	lane_count(segment, slot, ns);
	if (segment->samples)
		hist_add(&state->overhead, ns - segment->work_ns);
	segment_publish_step(segment, step);
}

__attribute__((hot)) static uint64_t step_run(
    struct segment *segment, uint64_t step, uint64_t slot, uint64_t start_ns)
{
	uint64_t now = start_ns;

	step_begin(segment, step, slot, start_ns);
	for (uint32_t i = 0; i < segment->n_instances; i++) {
		struct instance *it = segment->instances[i];
		const uint64_t k = step - it->lag, last = segment_last(segment);

		if (step < it->first || !index_is_within(it, k, last))
			continue;
		it->last = last;
		if (__builtin_expect(instance_is_called(it, k), 1))
			now = instance_step(segment, it, k, step, slot, now);
		else
			now = many_step(segment, i, step, slot, now);
	}
	step_end(segment, step, slot, now - start_ns);
	return now;
}

uint64_t segment_step(struct segment *segment, uint64_t slot, uint64_t start_ns)
{
	return step_run(segment, segment_done(segment), slot, start_ns);
}

/* The step that is due in this slot: under slip the next step, under skip the step of the slot. */
static enum segment_status due_step(struct segment *segment, uint64_t slot, uint64_t *ret_step)
{
	const uint64_t base = atomic_load_explicit(&segment->control->base, memory_order_acquire);
	const struct segment_gate *gate;
	const uint64_t done = segment_done(segment);
	enum segment_status status;
	uint64_t limit, skipped;

	*ret_step = done;
	if (base == IMAGE_FOREVER || slot < base || slot - base < done)
		return SEGMENT_PAUSED;
	status = segment_ready(segment, &gate);
	if (!segment->skip || (status != SEGMENT_RAN && status != SEGMENT_WAITS))
		return status;
	assert(gate == NULL || status == SEGMENT_WAITS);
	*ret_step = slot - base;
	assert(*ret_step >= done);
	limit = atomic_load_explicit(&segment->control->limit, memory_order_acquire);
	skipped = *ret_step < limit ? *ret_step : limit;
	if (skipped > done)
		lapses_skipped(segment, done, skipped);
	if (*ret_step < limit)
		return SEGMENT_RAN;
	if (limit > done) /* the slots before were skipped; all segments pause at the same step */
		atomic_store(&segment->state->done, limit);
	return SEGMENT_PAUSED;
}

__attribute__((hot)) enum segment_status segment_slot(
    struct segment *segment, uint64_t slot, uint64_t edge_ns, uint64_t *now_ns)
{
	const uint64_t start = *now_ns;
	uint64_t step;
	enum segment_status status;

	assert(slot != IMAGE_FOREVER); /* this word stands for no slot */
	if (segment->stride > 1 && slot < segment->next_slot &&
	    segment->next_slot != IMAGE_FOREVER) {
		lane_count_others(segment, slot, edge_ns, start);
		return SEGMENT_PAUSED;
	}
	status = due_step(segment, slot, &step);
	if (status == SEGMENT_RAN || status == SEGMENT_WAITS) {
		if (__builtin_expect(slot > segment->next_slot, 0))
			miss_skipped(segment, slot, slot - segment->next_slot, edge_ns, start);
		/* a place that waits looks in each slot, and has its next step so much later */
		segment->next_slot = slot + (status == SEGMENT_RAN ? segment->stride : 1);
	} else {
		segment->next_slot = IMAGE_FOREVER;
	}
	if (status == SEGMENT_ENDED)
		segment_publish_end(segment);
	if (status == SEGMENT_WAITS)
		miss_slipped(segment, slot, step, edge_ns);
	if (status != SEGMENT_RAN)
		return status;
	segment->late_ns = start > edge_ns ? start - edge_ns : 0;
	hist_add(&segment->state->late, segment->late_ns);
	*now_ns = step_run(segment, step, slot, start);
	assert(*now_ns >= start);
	if (segment->lacks != 0)
		miss_absent(segment, slot, step, edge_ns);
	if (!segment->counts_misses)
		return status;
	if (*now_ns > edge_ns + segment->span_ns)
		miss_late(segment, slot, step, edge_ns, start, *now_ns);
	if (segment->last_of_lane) /* then the lane is done with the slot */
		segment->left_ns =
		    image_margin_add(&segment->lane->margin, edge_ns + segment->lane_ns, *now_ns);
	return status;
}
