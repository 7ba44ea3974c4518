/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/waveform/neighbours.h"
#include "core/waveform/parse.h"

bool wf_link_has_no_items(const struct wf_link *link)
{
	return link->items == 0 && !link->doubtful;
}

bool wf_link_has_no_delay(const struct wf_link *link)
{
	return link->delay == 0 && !link->doubtful;
}

/* ---- instances that may be placed: a heap, the first of the file on top ---- */

struct ready {
	int *heap;
	size_t n;
};

static void ready_push(struct ready *ready, int instance)
{
	size_t at = ready->n++;

	for (; at > 0 && ready->heap[(at - 1) / 2] > instance; at = (at - 1) / 2)
		ready->heap[at] = ready->heap[(at - 1) / 2];
	ready->heap[at] = instance;
}

static int ready_pop(struct ready *ready)
{
	const int top = ready->heap[0], last = ready->heap[--ready->n];
	size_t at = 0;

	for (size_t child; (child = 2 * at + 1) < ready->n; at = child) {
		child += child + 1 < ready->n && ready->heap[child + 1] < ready->heap[child];
		if (ready->heap[child] >= last)
			break;
		ready->heap[at] = ready->heap[child];
	}
	ready->heap[at] = last;
	return top;
}

static size_t order_write(const struct waveform *waveform, const struct neighbours *readers,
    uint32_t *waits, struct ready *ready, int *ret_order)
{
	size_t len = 0;

	for (size_t i = 0; i < waveform->n_instances; i++)
		for (int k = readers->first[i]; k >= 0; k = readers->next[k])
			waits[waveform->links[k].to]++;
	for (size_t i = 0; i < waveform->n_instances; i++)
		if (waits[i] == 0)
			ready_push(ready, (int)i);
	while (ready->n > 0) {
		const int i = ready_pop(ready);

		ret_order[len++] = i;
		for (int k = readers->first[i]; k >= 0; k = readers->next[k])
			if (--waits[waveform->links[k].to] == 0)
				ready_push(ready, waveform->links[k].to);
	}
	return len;
}

ssize_t wf_order(
    const struct waveform *waveform, bool (*counts)(const struct wf_link *), int *ret_order)
{
	const size_t n = waveform->n_instances;
	/* how many writers of it are not placed yet */
	uint32_t *waits = calloc(n + 1, sizeof(*waits));
	struct ready ready = {malloc((n + 1) * sizeof(*ready.heap)), 0};
	struct neighbours readers = {0};
	const int error = neighbours_init(&readers, waveform, true, NULL, counts);
	const bool lost = error || !waits || !ready.heap;
	const size_t len = lost ? 0 : order_write(waveform, &readers, waits, &ready, ret_order);

	neighbours_fini(&readers);
	free(waits);
	free(ready.heap);
	return lost ? -ENOMEM : (ssize_t)len;
}

/* What cannot be placed is on a cycle without a delay, which the checks of links refuse. */
int waveform_order(const struct waveform *waveform, int *ret_order)
{
	const ssize_t n = wf_order(waveform, wf_link_has_no_delay, ret_order);

	return n < 0 ? (int)n : (size_t)n == waveform->n_instances ? 0 : -EINVAL;
}

/* Walks against the data from the first instance that could not be placed: it has such a writer,
 * which has one too, ..., so some instance comes twice, and what lies between is a cycle. step: of
 * the walk, from 1; -1: placed, so on no cycle. */
static ssize_t cycle_walk(
    const struct waveform *waveform, const struct neighbours *writers, int *step, int *ret_links)
{
	ssize_t steps = 0;
	int at = 0;

	while (step[at] < 0)
		at++;
	while (step[at] == 0) {
		int k = writers->first[at];

		step[at] = (int)++steps;
		while (step[waveform->links[k].from] < 0)
			k = writers->next[k];
		ret_links[steps - 1] = k;
		at = waveform->links[k].from;
	}
	const ssize_t before = step[at] - 1;
	memmove(ret_links, ret_links + before, (size_t)(steps - before) * sizeof(*ret_links));
	return steps - before;
}

ssize_t wf_cycle(
    const struct waveform *waveform, bool (*counts)(const struct wf_link *), int *ret_links)
{
	const size_t n = waveform->n_instances;
	int *order = calloc(n + 1, sizeof(*order));
	int *step = calloc(n + 1, sizeof(*step));
	struct neighbours writers = {0};
	ssize_t len = order && step ? wf_order(waveform, counts, order) : -ENOMEM;

	if (len >= 0 && (size_t)len < n) {
		for (ssize_t i = 0; i < len; i++)
			step[order[i]] = -1;
		len = neighbours_init(&writers, waveform, false, NULL, counts);
		if (len == 0)
			len = cycle_walk(waveform, &writers, step, ret_links);
	} else if (len >= 0) {
		len = 0;
	}
	neighbours_fini(&writers);
	free(order);
	free(step);
	return len;
}
