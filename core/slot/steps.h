/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/steps.h - small functions that the files of a segment share: steps, gates and changes.
 */
#ifndef ALOE_SLOT_STEPS_H
#define ALOE_SLOT_STEPS_H

#include <assert.h>
#include <limits.h>

#include "core/slot/segment.h"

/* segment_changes_pull takes the published changes, up to number `written`, that are for instances
 * of this segment. segment_changes_due applies the changes of an instance that are due before the
 * instance works on index k. [slot] */
void segment_changes_pull(struct segment *segment, uint64_t written);
void segment_changes_due(struct segment *segment, struct instance *it, uint64_t k);

static inline uint64_t segment_done(const struct segment *segment)
{
	return atomic_load_explicit(&segment->state->done, memory_order_relaxed);
}

static inline uint64_t segment_last(const struct segment *segment)
{
	const uint64_t run = atomic_load_explicit(&segment->run->last, memory_order_relaxed);
	const uint64_t order = atomic_load_explicit(&segment->control->last, memory_order_relaxed);

	return run < order ? run : order;
}

static inline void segment_bump(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(
	    counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

static inline bool segment_gate_open(const struct segment_gate *gate, uint64_t step)
{
	return (int64_t)atomic_load_explicit(gate->done, memory_order_acquire) >=
	    (int64_t)step + gate->offset ||
	    atomic_load_explicit(&gate->state->ended, memory_order_acquire) != 0;
}

/* How often a thread without a clock looks at a closed gate before it sleeps. The number doubles
 * when the thread saw the gate open, halves when the thread slept, and is the largest again at
 * every 64th sleep in a row. A thousand threads that always spin would leave no CPU to the threads
 * that have work. */
enum { SPIN_LOOKS_MAX = 2000, SPIN_LOOKS_MIN = 16, SPIN_TRY = 64 };

struct gate_spin {
	uint32_t looks, sleeps;
};

static inline void gate_spin_opened(struct gate_spin *spin)
{
	spin->looks = spin->looks < SPIN_LOOKS_MAX / 2 ? spin->looks * 2 : SPIN_LOOKS_MAX;
	spin->sleeps = 0;
	assert(spin->looks >= SPIN_LOOKS_MIN);
	assert(spin->looks <= SPIN_LOOKS_MAX);
}

static inline void gate_spin_slept(struct gate_spin *spin)
{
	spin->looks = spin->looks > 2 * SPIN_LOOKS_MIN ? spin->looks / 2 : SPIN_LOOKS_MIN;
	if (++spin->sleeps % SPIN_TRY == 0)
		spin->looks = SPIN_LOOKS_MAX;
	assert(spin->looks >= SPIN_LOOKS_MIN);
	assert(spin->looks <= SPIN_LOOKS_MAX);
}

/* start_ns 0: not known. */
static inline void segment_open_step(
    struct segment *segment, uint64_t step, uint64_t slot, uint64_t start_ns)
{
	struct image_segment_state *state = segment->state;
	const uint64_t written =
	    atomic_load_explicit(&segment->control->changes, memory_order_acquire);

	atomic_store_explicit(&state->start_ns[step % IMAGE_STEPS], start_ns, memory_order_relaxed);
	atomic_store_explicit(&state->slot[step % IMAGE_STEPS], slot, memory_order_relaxed);
	if (written != segment->changes_seen)
		segment_changes_pull(segment, written);
}

/* The step is done: whoever waits for it may go on. */
static inline void segment_publish_step(struct segment *segment, uint64_t step)
{
	struct image_segment_state *state = segment->state;

	segment_bump(&state->slots, 1);
	if (segment->alone) {
		atomic_store_explicit(&state->done, step + segment->stride, memory_order_release);
		return;
	}
	atomic_store(&state->done, step + segment->stride);
	if (atomic_load(&state->waiters) != 0)
		futex_wake(futex_low(&state->done), INT_MAX);
}

static inline void segment_publish_end(struct segment *segment)
{
	if (atomic_exchange(&segment->state->ended, 1) == 0 &&
	    atomic_load(&segment->state->waiters) != 0)
		futex_wake(futex_low(&segment->state->done), INT_MAX);
}

#endif
