/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/one.h - one instance in one step: its call, and what is counted of it. [slot]
 */
#ifndef ALOE_SLOT_ONE_H
#define ALOE_SLOT_ONE_H

#include <assert.h>

#include "core/slot/steps.h"

/* fewer than 1 in 100, so that sampled steps do not change a p99 */
enum { SAMPLE_EVERY = 128 };

static inline bool instance_is_called(const struct instance *it, uint64_t k)
{
	return it->period == 1 || (it->period > 1 && k % it->period == it->phase);
}

/* After the last index sources do not run; other instances run on. */
static inline bool index_is_within(const struct instance *it, uint64_t k, uint64_t last)
{
	return k <= last || k - last <= it->run_on;
}

static inline void last_lower(struct segment *segment, uint64_t k)
{
	uint64_t have = atomic_load(&segment->run->last);

	while (k < have && !atomic_compare_exchange_weak(&segment->run->last, &have, k))
		;
}

__attribute__((noinline, unused)) static void fault_publish(
    struct segment *segment, const struct instance *it, int status)
{
	uint32_t none = 0;
	struct image_run *run = segment->run;

	assert(status < 0);
	assert(it->number < IMAGE_INSTANCES_MAX);
	if (!atomic_compare_exchange_strong(&run->fault, &none, UINT32_MAX))
		return;
	run->code = status;
	run->index = it->slot.index;
	run->spoiled = it->spoiled;
	strncpy(run->why, it->slot.why != NULL ? it->slot.why : "", sizeof(run->why) - 1);
	atomic_store(&run->fault, it->number + 1);
}

static inline void sink_latency(struct instance *it, uint64_t k, uint64_t slot, uint64_t now)
{
	const uint64_t at = (k + it->source_lag) % IMAGE_STEPS;
	const uint64_t began =
	    atomic_load_explicit(&it->source_state->start_ns[at], memory_order_relaxed);
	const uint64_t slots =
	    slot - atomic_load_explicit(&it->source_state->slot[at], memory_order_relaxed) + 1;

	assert(k <= it->last);
	assert(it->latency != NULL);
	/* With declared delays a sink may be at an index before its source; then there is nothing
	 * to measure. */
	if (began == 0 || began > now || slots - 1 >= IMAGE_STEPS)
		return;
	it->latency_ns = now - began;
	hist_add(&it->latency->ns, it->latency_ns);
	if (slots < atomic_load_explicit(&it->latency->slots_min, memory_order_relaxed))
		atomic_store_explicit(&it->latency->slots_min, slots, memory_order_relaxed);
	if (slots > atomic_load_explicit(&it->latency->slots_max, memory_order_relaxed))
		atomic_store_explicit(&it->latency->slots_max, slots, memory_order_relaxed);
}

static inline void event_add(
    struct segment *segment, const struct instance *it, uint64_t step, uint64_t start, uint64_t ns)
{
	const uint64_t n = atomic_load_explicit(&segment->state->events, memory_order_relaxed);

	segment->events[segment->event] = (struct image_event){
	    start, step, ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns, it->number};
	segment->event = segment->event + 1 < segment->n_events ? segment->event + 1 : 0;
	atomic_store_explicit(&segment->state->events, n + 1, memory_order_release);
}

static inline void visits_make(struct segment *segment)
{
	assert(segment->n_visits <= SEGMENT_VISITS);
	for (uint32_t i = 0; i < segment->n_visits; i++) {
		assert(segment->visits[i].cell < HIST_CELLS);
		hist_head_visit(
		    segment->visits[i].head, segment->visits[i].cells, segment->visits[i].cell);
	}
	segment->n_visits = 0;
}

static inline void time_add(struct segment *segment, struct instance *it, uint64_t ns)
{
	const uint32_t cell = hist_head_add(it->time, ns);

	if (cell == HIST_NO_CELL)
		return;
	if (segment->n_visits == SEGMENT_VISITS)
		visits_make(segment);
	__builtin_prefetch(&it->stats->time_cells.low[cell], 1);
	segment->visits[segment->n_visits++] =
	    (struct segment_visit){it->time, &it->stats->time_cells, cell};
}

static inline uint64_t time_after(const struct segment *segment, uint64_t start)
{
	const uint64_t now = clock_fast_ns(&segment->clock);

	return now > start ? now : start;
}

/* Without a budget no call is too long. */
static inline void due_set(const struct segment *segment, struct instance *it, uint64_t start)
{
	if (__builtin_expect(segment->checks & INSTANCE_DUE, 0))
		it->due_ns = it->budget_ns != 0 ? start + it->budget_ns : UINT64_MAX;
}

/* Takes aloe_end of a call for index k. In several places nobody would know of it in time. */
static inline void end_take(struct segment *segment, struct instance *it, uint64_t k)
{
	if (!(it->slot.flags & ALOE_SLOT_END))
		return;
	if (segment->stride > 1) {
		it->slot.why = "an instance in several places must not call aloe_end";
		fault_publish(segment, it, -EINVAL);
	}
	last_lower(segment, image_last(segment->holds, segment->n_holds, k));
}

/* Counts a call of an instance in a step. */
static inline void call_count(struct segment *segment, struct instance *it, uint64_t k,
    uint64_t step, uint64_t slot, uint64_t start, uint64_t now, int status)
{
	time_add(segment, it, now - start);
	if (it->budget_ns != 0 && now - start > it->budget_ns)
		segment_bump(&it->stats->overruns, 1);
	event_add(segment, it, step, start, now - start);
	if (it->source_state != NULL && k <= it->last)
		sink_latency(it, k, slot, now);
	if (status < 0)
		fault_publish(segment, it, status);
}

/* Runs one instance in one step and returns the time at its end, the start of the next instance. */
static inline uint64_t instance_step(struct segment *segment, struct instance *it, uint64_t k,
    uint64_t step, uint64_t slot, uint64_t start)
{
	uint64_t now;
	int status;

	atomic_store_explicit(&segment->state->current, it->number + 1, memory_order_relaxed);
	if (segment->n_pending > 0)
		segment_changes_due(segment, it, k);
	due_set(segment, it, start);
	if (segment->samples) {
		assert(k + it->lag == step);
		assert(it->first >= it->lag);
		assert(it->period <= 1 || k % it->period == it->phase);
		status = instance_call_sampled(it, k, segment->checks);
		segment->work_ns += it->work_ns;
	} else {
		status = instance_call(it, k, segment->checks);
	}
	end_take(segment, it, k);
	now = time_after(segment, start);
	call_count(segment, it, k, step, slot, start, now, status);
	return now;
}

#endif
