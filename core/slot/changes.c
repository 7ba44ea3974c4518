/* SPDX-License-Identifier: BSD-3-Clause
 *
 * changes.c - applies new values of parameters, each before the named index. */
#include <assert.h>

#include "core/component/param.h"
#include "core/slot/steps.h"

static bool runs(const struct segment *segment, uint32_t instance)
{
	for (uint32_t i = 0; i < segment->n_instances; i++)
		if (segment->instances[i]->named == instance)
			return true;
	return false;
}

void segment_changes_pull(struct segment *segment, uint64_t written)
{
	assert(segment->n_pending <= NODE_CHANGES);
	for (; segment->changes_seen < written && segment->n_pending < NODE_CHANGES;
	     segment->changes_seen++) {
		const struct node_change *change =
		    &segment->control->change[segment->changes_seen % NODE_CHANGES];

		if (runs(segment, change->instance))
			segment->pending[segment->n_pending++] = *change;
	}
	assert(segment->changes_seen >= written || segment->n_pending == NODE_CHANGES);
	atomic_store_explicit(
	    &segment->state->changes, segment->changes_seen, memory_order_release);
}

void segment_follow(struct segment *segment, struct segment *before, uint64_t written)
{
	assert(segment != before);
	assert(written >= before->changes_seen);
	segment_changes_pull(before, written);
	for (uint32_t i = 0; i < before->n_pending && segment->n_pending < NODE_CHANGES; i++)
		if (runs(segment, before->pending[i].instance))
			segment->pending[segment->n_pending++] = before->pending[i];
	segment->changes_seen = written;
	atomic_store_explicit(&segment->state->changes, written, memory_order_release);
}

static void change_apply(struct instance *it, const struct node_change *change, uint64_t step)
{
	const struct aloe_param *param;
	uint64_t bits;

	assert(it->component != NULL);
	assert(change->instance == it->named);
	if (change->param >= it->component->params.len || change->param >= IMAGE_PARAMS_MAX)
		return;
	param = &it->component->params.items[change->param];
	if (it->live != NULL && param_is_live_array(param)) {
		live_swap(it->live, change->param, change->sequence, step);
		return;
	}
	if (!(param->flags & ALOE_LIVE) || param_set_number(param, it->state, change->number) != 0)
		return;
	memcpy(&bits, &change->number, sizeof(bits));
	atomic_store_explicit(&it->stats->params[change->param], bits, memory_order_relaxed);
}

/* The first change that is due: by index, then in the order of sending. A change without an index
 * gets index k. */
static struct node_change *change_first(
    struct segment *segment, const struct instance *it, uint64_t k)
{
	struct node_change *first = NULL;

	assert(segment->n_pending <= NODE_CHANGES);
	for (uint32_t i = 0; i < segment->n_pending; i++) {
		struct node_change *change = &segment->pending[i];

		if (change->index == IMAGE_FOREVER && change->instance == it->named)
			change->index = k;
		if (change->instance == it->named && change->index <= k &&
		    (first == NULL || change->index < first->index ||
		        (change->index == first->index && change->sequence < first->sequence)))
			first = change;
	}
	assert(first == NULL || (first->instance == it->named && first->index <= k));
	return first;
}

/* A later change already uses this entry; nobody polls for the older change any more. */
static void change_taken(struct segment *segment, uint64_t sequence, uint64_t k)
{
	struct image_taken *taken = &segment->state->taken[sequence % NODE_CHANGES];

	if (atomic_load_explicit(&taken->sequence, memory_order_relaxed) > sequence)
		return;
	atomic_store_explicit(&taken->index, k, memory_order_relaxed);
	atomic_store_explicit(&taken->sequence, sequence, memory_order_release);
}

void segment_changes_due(struct segment *segment, struct instance *it, uint64_t k)
{
	struct node_change *change;

	while ((change = change_first(segment, it, k)) != NULL) {
		change_apply(it, change, k + it->lag);
		change_taken(segment, change->sequence, k);
		segment_bump(&segment->state->applied, it->number == it->named);
		*change = segment->pending[--segment->n_pending];
	}
}
