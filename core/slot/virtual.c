/* SPDX-License-Identifier: BSD-3-Clause
 *
 * virtual.c - a segment without a clock: steps as fast as the gates open. */
#include <assert.h>

#include "core/base/clock.h"
#include "core/slot/steps.h"

enum { TELL_EVERY = 128 };

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
	if (over || step % TELL_EVERY == 0)
		segment_tell(segment, clock_ns());
	segment_tell_io(segment);
}

void segment_run_virtual(struct segment *segment, const _Atomic uint32_t *quit)
{
	const struct segment_gate *gate;
	struct gate_spin spin = {.looks = SPIN_LOOKS_MAX};

	assert(quit != NULL);
	for (;;) {
		const enum segment_status status = segment_ready(segment, &gate);
		const uint64_t step = segment_done(segment);

		assert(gate == NULL || status != SEGMENT_RAN);
		if (status == SEGMENT_ENDED)
			segment_publish_end(segment);
		if (status == SEGMENT_ENDED || status == SEGMENT_STOPPED ||
		    atomic_load(quit) != 0) {
			step_tell(segment, step, true);
			return;
		}
		if (status == SEGMENT_RAN) {
			segment_step(segment, step, clock_ns());
			step_tell(segment, step, false);
		} else if (status == SEGMENT_PAUSED) {
			wait_limit(segment);
		} else if (gate != NULL) {
			wait_gate(gate, step, &spin);
		} else {
			clock_sleep_until(clock_ns() + 50000); /* the I/O thread is at it */
		}
	}
}
