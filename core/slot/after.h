/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/after.h - what is looked at between a call of work and the publication of its outputs,
 * where it is asked for (enum instance_checks).
 */
#ifndef ALOE_SLOT_AFTER_H
#define ALOE_SLOT_AFTER_H

#include <assert.h>

#include "core/base/clock.h"
#include "core/slot/instance.h"

static inline void counter_bump(_Atomic uint64_t *counter)
{
	atomic_store_explicit(
	    counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

static inline void inputs_recheck(struct instance *it, uint64_t k)
{
	bool sound = true;

	assert(it->n_in <= ALOE_PORTS_MAX);
	assert(it->n_out <= ALOE_PORTS_MAX);
	atomic_thread_fence(memory_order_acquire);
	for (uint32_t p = 0; p < it->n_in; p++) {
		const struct instance_input *input = &it->input[p];
		const uint64_t m = k - input->delay;

		if (!input->crosses || !input->bound ||
		    atomic_load_explicit(
		        &input->messages[m & input->mask].stamp, memory_order_relaxed) == m + 1)
			continue;
		counter_bump(&it->stats->overwritten);
		sound = false;
	}
	if (sound)
		return;
	outputs_absent(it);
	if (it->lapses != NULL)
		lapse_add(it->lapses, LAPSE_UNKNOWN, k, 1, 0);
}

/* Nobody has seen the outputs yet: what came too late is as if it had not come. */
static inline void due_check(struct instance *it, uint64_t k)
{
	assert(it->due_ns != 0);
	assert(it->n_out <= ALOE_PORTS_MAX);
	if (it->n_out == 0 || clock_ns() <= it->due_ns)
		return;
	outputs_absent(it);
	counter_bump(&it->stats->concealed);
	if (it->lapses != NULL)
		lapse_add(it->lapses, LAPSE_CONCEALED, k, 1, 0);
}

/* Apart, so that calls without checks have the registers to themselves. */
__attribute__((noinline)) static void work_check(struct instance *it, uint64_t k, unsigned checks)
{
	if (checks & INSTANCE_STAMPS)
		inputs_recheck(it, k);
	if (checks & INSTANCE_DUE)
		due_check(it, k);
}

#endif
