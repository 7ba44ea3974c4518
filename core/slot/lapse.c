/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/lapse.h"

#include <assert.h>
#include <stddef.h>

#include "core/slot/segment.h"

static int lapses_work(void *self, struct aloe_slot *slot)
{
	struct instance *it =
	    (struct instance *)(void *)((uint8_t *)slot - offsetof(struct instance, slot));
	int status;

	if (lapse_before(it, slot->index))
		return 0;
	status = it->lapses->work(self, slot);
	lapse_after(it);
	return status;
}

/* An I/O component is asked before it has a record (call.c). */
void lapses_begin(struct instance *it, struct lapses *lapses)
{
	assert(it->lapses == NULL);
	assert(it->work != NULL || it->records > 0);
	it->lapses = lapses;
	lapses->work = it->work;
	if (it->records == 0)
		it->work = lapses_work;
}

/* ---- recorded ---- */

__attribute__((cold, noinline)) void lapse_add(
    struct lapses *lapses, enum lapse_kind kind, uint64_t index, uint64_t count, uint32_t port)
{
	const uint64_t head = atomic_load_explicit(&lapses->head, memory_order_relaxed);

	assert(kind < LAPSE_KINDS);
	assert(port < ALOE_PORTS_MAX);
	if (lapses->ring == NULL || atomic_load_explicit(&lapses->lost, memory_order_relaxed) != 0)
		return;
	if (head - atomic_load_explicit(&lapses->tail, memory_order_acquire) == LAPSES_RING ||
	    count > UINT32_MAX) {
		atomic_store_explicit(&lapses->lost, index + 1, memory_order_release);
		return;
	}
	lapses->ring[head % LAPSES_RING] =
	    (struct lapse){index, (uint32_t)count, (uint16_t)kind, (uint16_t)port};
	atomic_store_explicit(&lapses->head, head + 1, memory_order_release);
}

__attribute__((cold, noinline)) void lapses_skipped(
    struct segment *segment, uint64_t from, uint64_t to)
{
	assert(from < to);
	assert(segment->skip);
	for (uint32_t i = 0; i < segment->n_instances; i++) {
		const struct instance *it = segment->instances[i];
		const uint64_t first = from > it->first ? from : it->first;

		if (it->lapses != NULL && first < to)
			lapse_add(it->lapses, LAPSE_LEFT_OUT, first - it->lag, to - first, 0);
	}
}

bool lapses_take(struct lapses *lapses, struct lapse *ret)
{
	const uint64_t tail = atomic_load_explicit(&lapses->tail, memory_order_relaxed);

	if (tail == atomic_load_explicit(&lapses->head, memory_order_acquire))
		return false;
	*ret = lapses->ring[tail % LAPSES_RING];
	atomic_store_explicit(&lapses->tail, tail + 1, memory_order_release);
	return true;
}

/* ---- repeated ---- */

static bool lapse_repeat(struct instance *it, const struct lapse *lapse)
{
	assert(lapse->kind != LAPSE_UNKNOWN);
	assert(it->n_in <= ALOE_PORTS_MAX);
	if (lapse->kind == LAPSE_ABSENT && lapse->port < it->n_in) {
		it->in[lapse->port].state = ALOE_ABSENT;
		it->in[lapse->port].len = 0;
	}
	it->lapses->conceals |= lapse->kind == LAPSE_CONCEALED;
	return lapse->kind == LAPSE_LEFT_OUT;
}

bool lapse_before(struct instance *it, uint64_t k)
{
	struct lapses *lapses = it->lapses;
	bool left_out = false;

	assert(lapses != NULL);
	assert(lapses->at <= lapses->n_rows);
	if (lapses->ring != NULL)
		atomic_store_explicit(&lapses->next, k, memory_order_release);
	lapses->conceals = false;
	while (lapses->at < lapses->n_rows &&
	    lapses->rows[lapses->at].index + lapses->rows[lapses->at].count <= k)
		lapses->at++;
	for (size_t i = lapses->at; i < lapses->n_rows && lapses->rows[i].index <= k; i++)
		left_out |= lapse_repeat(it, &lapses->rows[i]);
	return left_out;
}

void lapse_after(struct instance *it)
{
	if (it->lapses->conceals)
		outputs_absent(it);
}
