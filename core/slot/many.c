/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/many.h"

#include <assert.h>
#include <errno.h>

#include "core/slot/one.h"

/* One call may serve both: they are of one build and were opened together. A new build (upgrade.h),
 * and what has lapses to record or to repeat, is served alone. */
static bool many_fits(const struct instance *first, const struct instance *other)
{
	return first->component->work_many != NULL &&
	    first->component->work_many == other->component->work_many &&
	    first->arena == other->arena && first->scratch_segment == other->scratch_segment &&
	    first->lapses == NULL && other->lapses == NULL;
}

/* Whose failure it is, work_many says by its `why`; if it does not, the first's. */
static void failure_take(struct instance *const *all, uint32_t n, int rc, int *ret_status)
{
	bool named = false;

	assert(n > 0);
	assert(rc < 0);
	for (uint32_t i = 0; i < n; i++)
		if (all[i]->slot.why != NULL && ret_status[i] == 0) {
			ret_status[i] = rc;
			named = true;
		}
	for (uint32_t i = 0; i < n && !named; i++)
		if (ret_status[i] == 0) {
			ret_status[i] = rc;
			named = true;
		}
}

/* Binds those that can be called; returns how many, which the call serves. */
static uint32_t all_bind(struct instance *const *all, uint32_t n, uint64_t k, bool sampled,
    void **states, struct aloe_slot **slots, int *ret_status)
{
	uint32_t served = 0;

	assert(n > 0);
	assert(n <= ALOE_MANY_MAX);
	for (uint32_t i = 0; i < n; i++) {
		ret_status[i] = instance_bind(all[i], k, sampled);
		if (ret_status[i] != 0)
			continue;
		states[served] = all[i]->state;
		slots[served++] = &all[i]->slot;
	}
	return served;
}

/* What instance_call does for one. Each counts its share of the call as its time of work. */
static void many_call(struct instance *const *all, uint32_t n, uint64_t k, unsigned checks,
    bool sampled, int *ret_status)
{
	struct aloe_slot *slots[ALOE_MANY_MAX];
	void *states[ALOE_MANY_MAX];
	int bound[ALOE_MANY_MAX];
	const uint32_t served = all_bind(all, n, k, sampled, states, slots, bound);
	const uint64_t begin = sampled ? clock_ns() : 0;
	uint64_t work_ns;
	int rc = 0;

	assert(served <= n);
	assert(all[0]->component->work_many != NULL);
	memcpy(ret_status, bound, n * sizeof(*bound));
	atomic_thread_fence(memory_order_release);
	if (served > 0)
		rc = all[0]->component->work_many(states, slots, served);
	work_ns = sampled ? clock_ns() - begin : 0;
	if (rc < 0)
		failure_take(all, n, rc, ret_status);
	for (uint32_t i = 0; i < n; i++) {
		all[i]->work_ns = work_ns / n;
		if (bound[i] == 0 && instance_publish(all[i], k, checks, sampled) != 0)
			ret_status[i] = -EOVERFLOW;
	}
}

/* Apart, so that it is there once. */
__attribute__((noinline)) static uint64_t instance_alone(
    struct segment *segment, struct instance *it, uint64_t step, uint64_t slot, uint64_t start)
{
	return instance_step(segment, it, step - it->lag, step, slot, start);
}

/* One call for all of them, whose time they share equally. */
static uint64_t beside_call(struct segment *segment, struct instance *const *all, uint32_t n,
    uint64_t step, uint64_t slot, uint64_t start)
{
	const bool sampled = segment->samples;
	const uint64_t k = step - all[0]->lag;
	int status[ALOE_MANY_MAX];
	uint64_t each, now;

	assert(n > 1 && n <= ALOE_MANY_MAX);
	assert(all[n - 1]->lag == all[0]->lag);
	atomic_store_explicit(&segment->state->current, all[0]->number + 1, memory_order_relaxed);
	for (uint32_t i = 0; i < n; i++) {
		if (segment->n_pending > 0)
			segment_changes_due(segment, all[i], k);
		due_set(segment, all[i], start + (n - 1) * all[i]->budget_ns);
	}
	many_call(all, n, k, segment->checks, sampled, status);
	now = time_after(segment, start);
	each = (now - start) / n;
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t from = start + i * each;

		end_take(segment, all[i], k);
		segment->work_ns += sampled ? all[i]->work_ns : 0;
		call_count(
		    segment, all[i], k, step, slot, from, i + 1 < n ? from + each : now, status[i]);
	}
	return now;
}

/* Called for each of those side by side: all of them are served when the first is reached. */
static uint64_t beside_step(
    struct segment *segment, uint32_t at, uint64_t step, uint64_t slot, uint64_t start)
{
	struct instance *const *all = &segment->instances[at - segment->instances[at]->phase];
	struct instance *const *end = &segment->instances[segment->n_instances];
	const uint64_t last = segment_last(segment);
	struct instance *together[ALOE_MANY_MAX] = {NULL};
	uint64_t now = start;
	uint32_t n = 0;

	assert(at < segment->n_instances);
	if (segment->beside == all && segment->beside_step == step)
		return start;
	segment->beside = all;
	segment->beside_step = step;
	for (uint32_t j = 0; j < ALOE_MANY_MAX && all + j < end; j++) {
		struct instance *it = all[j];
		const uint64_t k = step - it->lag;

		if (it->period != INSTANCE_BESIDE || it->phase != j)
			break;
		if (step < it->first || !index_is_within(it, k, last))
			continue;
		it->last = last;
		if (n == 0 || many_fits(together[0], it))
			together[n++] = it;
		else
			now = instance_alone(segment, it, step, slot, now);
	}
	assert(n > 0); /* whoever was reached is one of them */
	return n == 1 ? instance_alone(segment, together[0], step, slot, now)
	              : beside_call(segment, together, n, step, slot, now);
}

uint64_t many_step(
    struct segment *segment, uint32_t at, uint64_t step, uint64_t slot, uint64_t start)
{
	struct instance *it = segment->instances[at];

	if (it->period == INSTANCE_BESIDE)
		return beside_step(segment, at, step, slot, start);
	instance_idle(it, step - it->lag);
	return start;
}
