/* SPDX-License-Identifier: BSD-3-Clause
 *
 * virtual.c - a segment without a clock: steps as fast as the gates open.
 *
 * To read the time and to count it takes as long as all else that the engine does for a call. So
 * where calls are short, one step of TIME_EVERY is timed. The other steps make the same calls on
 * the same indices in the same order, and count steps, but no times, latencies and events. Their
 * calls and their part of busy_ns are counted before the next timed step, and before the segment
 * waits or ends: both are less than TIME_EVERY steps behind, and what is behind is lost with a host
 * that is killed. In untimed steps busy_ns has the engine between the steps in it, too. */
#include <assert.h>

#include "core/base/clock.h"
#include "core/slot/one.h"

/* TIME_EVERY: odd and prime, so that each phase of a period gets its turn. TIMED_FIRST: all of the
 * first steps are timed, and as many after TIME_EVERY steps whose calls took SHORT_NS or more on
 * average: there the time is cheap. */
enum { TELL_EVERY = 128, TIME_EVERY = 17, TIMED_FIRST = 256, SHORT_NS = 1000 };

static void wait_gate(const struct segment_gate *gate, uint64_t step, struct gate_spin *spin)
{
	struct image_segment_state *state = gate->state;
	uint64_t done;

	assert(gate->done == &state->done);
	assert(spin->looks >= SPIN_LOOKS_MIN);
	for (uint32_t i = 0; i < spin->looks; i++) {
		if (segment_gate_open(gate, step)) {
			gate_spin_opened(spin);
			return;
		}
		cpu_relax();
	}
	gate_spin_slept(spin);
	atomic_fetch_add(&state->waiters, 1);
	done = atomic_load(&state->done);
	if (!segment_gate_open(gate, step))
		futex_wait(futex_low(&state->done), (uint32_t)done, 20000000);
	atomic_fetch_sub(&state->waiters, 1);
}

/* Whoever moves the limit, or ends the thread, wakes those who sleep here. */
static void wait_limit(const struct segment *segment)
{
	struct node_control *control = (struct node_control *)segment->control;
	const uint64_t limit = atomic_load(&control->limit);

	if (segment_done(segment) >= limit)
		futex_wait(futex_low(&control->limit), (uint32_t)limit, 0);
}

/* Looked at as often as an overhead is sampled: steps have no length here. */
static void step_tell(struct segment *segment, uint64_t step, bool over)
{
	if (over || step % TELL_EVERY < segment->stride)
		segment_tell(segment, clock_ns());
	segment_tell_io(segment);
}

/* Counts what untimed steps have left to count, before the segment waits or looks at the clock. */
static void untimed_count(struct segment *segment)
{
	struct image_segment_state *state = segment->state;
	uint64_t now;

	if (segment->untimed_ns == 0)
		return;
	now = time_after(segment, segment->untimed_ns);
	assert(segment->may_skip_times);
	assert(now >= segment->untimed_ns);
	segment_bump(&state->busy_ns, now - segment->untimed_ns);
	atomic_store_explicit(&state->until_ns, now, memory_order_relaxed);
	segment->untimed_ns = 0;
	for (uint32_t i = 0; i < segment->n_instances; i++) {
		struct instance *it = segment->instances[i];

		segment_bump(&it->stats->untimed, it->untimed);
		it->untimed = 0;
	}
}

static void call_untimed(struct segment *segment, struct instance *it, uint64_t k)
{
	int status;

	atomic_store_explicit(&segment->state->current, it->number + 1, memory_order_relaxed);
	if (segment->n_pending > 0)
		segment_changes_due(segment, it, k);
	status = instance_call(it, k, 0);
	end_take(segment, it, k);
	it->untimed++;
	if (status < 0)
		fault_publish(segment, it, status);
}

static_assert(sizeof(void *) < 8 ||
        sizeof(struct aloe_in) + sizeof(struct aloe_out) + sizeof(struct instance_input) +
                sizeof(struct instance_output) <=
            2 * INSTANCE_LINE,
    "an input and an output have two lines of cache");

/* Called while another instance works: the next call finds what it touches first in the core's
 * cache. */
static inline void instance_prefetch(const struct instance *it)
{
	const uint8_t *own = (const uint8_t *)it, *ports = (const uint8_t *)it->slot.in;

	__builtin_prefetch(own);
	__builtin_prefetch(own + INSTANCE_LINE, 1);
	__builtin_prefetch(it->state, 1);
	__builtin_prefetch(ports, 1);
	__builtin_prefetch(ports + INSTANCE_LINE);
}

static void step_untimed(struct segment *segment, uint64_t step)
{
	const uint32_t n = segment->n_instances;

	assert(segment->may_skip_times);
	assert(segment->untimed_ns != 0);
	segment_open_step(
	    segment, step, step, segment->starts ? clock_fast_ns(&segment->clock) : 0);
	for (uint32_t i = 0; i < n; i++) {
		struct instance *it = segment->instances[i];
		const uint64_t k = step - it->lag, last = segment_last(segment);

		instance_prefetch(segment->instances[i + 1 < n ? i + 1 : 0]);
		if (step < it->first || !index_is_within(it, k, last))
			continue;
		if (it->last != last) /* seldom: the line of cache stays as it is */
			it->last = last;
		if (__builtin_expect(instance_is_called(it, k), 1))
			call_untimed(segment, it, k);
		else
			instance_idle(it, k);
	}
	atomic_store_explicit(&segment->state->current, 0, memory_order_relaxed);
	segment_publish_step(segment, step);
}

static bool outputs_conceal(const struct segment *segment)
{
	return atomic_load_explicit(&segment->control->conceal, memory_order_relaxed) != 0;
}

/* Whether steps go untimed from now on, after TIME_EVERY steps, timed or not. */
static void times_choose(struct segment *segment, uint64_t step)
{
	const uint64_t busy_ns =
	    atomic_load_explicit(&segment->state->busy_ns, memory_order_relaxed);

	assert(step % TIME_EVERY == 0);
	assert(segment->untimed_ns == 0);
	if (busy_ns - segment->chosen_ns >= (uint64_t)SHORT_NS * TIME_EVERY * segment->n_instances)
		segment->timed_until = step + TIMED_FIRST;
	segment->chosen_ns = busy_ns;
	segment->skips_times =
	    segment->may_skip_times && step >= segment->timed_until && !outputs_conceal(segment);
}

/* A gate has opened: what follows may go untimed again. */
static void untimed_resume(struct segment *segment)
{
	if (!segment->skips_times)
		return;
	segment->untimed_ns = clock_ns();
	clock_fast_tend(&segment->clock, segment->untimed_ns);
}

static void step_next(struct segment *segment, uint64_t step)
{
	uint64_t start, end;

	if (segment->untimed_ns != 0 && step % TIME_EVERY != 0 && !outputs_conceal(segment)) {
		step_untimed(segment, step);
		return;
	}
	untimed_count(segment);
	start = clock_ns();
	end = segment_step(segment, step, start);
	if (step % TIME_EVERY == 0)
		times_choose(segment, step);
	segment->untimed_ns = segment->skips_times ? end : 0;
}

__attribute__((hot)) void segment_run_virtual(struct segment *segment, const _Atomic uint32_t *quit)
{
	const struct segment_gate *gate;
	struct gate_spin spin = {.looks = SPIN_LOOKS_MAX};

	assert(quit != NULL);
	segment->timed_until = segment_done(segment) + TIMED_FIRST;
	for (;;) {
		const enum segment_status status = segment_ready(segment, &gate);
		const uint64_t step = segment_done(segment);

		assert(gate == NULL || status != SEGMENT_RAN);
		if (status != SEGMENT_RAN || atomic_load(quit) != 0)
			untimed_count(segment);
		if (status == SEGMENT_ENDED)
			segment_publish_end(segment);
		if (status == SEGMENT_ENDED || status == SEGMENT_STOPPED ||
		    atomic_load(quit) != 0) {
			step_tell(segment, step, true);
			return;
		}
		if (status == SEGMENT_RAN) {
			step_next(segment, step);
			step_tell(segment, step, false);
		} else if (status == SEGMENT_PAUSED) {
			wait_limit(segment);
		} else if (gate != NULL) {
			wait_gate(gate, step, &spin);
			untimed_resume(segment);
		} else {
			clock_sleep_until(clock_ns() + 50000); /* the I/O thread is at it */
		}
	}
}
