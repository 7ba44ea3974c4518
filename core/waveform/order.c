/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/waveform/parse.h"

bool wf_link_has_no_items(const struct wf_link *link)
{
	return link->items == 0 && !link->doubtful;
}

bool wf_link_has_no_delay(const struct wf_link *link)
{
	return link->delay == 0 && !link->doubtful;
}

static bool joins(const struct wf_link *link, bool (*counts)(const struct wf_link *))
{
	return link->from >= 0 && link->to >= 0 && counts(link);
}

ssize_t wf_order(
    const struct waveform *waveform, bool (*counts)(const struct wf_link *), int *ret_order)
{
	const size_t n = waveform->n_instances;
	/* how many writers of it are not placed yet */
	uint32_t *waits = calloc(n + 1, sizeof(*waits));
	bool *placed = calloc(n + 1, sizeof(*placed));
	size_t len = 0, i = 0;

	for (size_t k = 0; waits && k < waveform->n_links; k++)
		if (joins(&waveform->links[k], counts))
			waits[waveform->links[k].to]++;
	while (waits && placed && i < n) {
		if (placed[i] || waits[i] > 0) {
			i++;
			continue;
		}
		placed[i] = true;
		ret_order[len++] = (int)i;
		size_t next = i + 1;
		for (size_t k = 0; k < waveform->n_links; k++) {
			const struct wf_link *link = &waveform->links[k];

			if (joins(link, counts) && link->from == (int)i && --waits[link->to] == 0 &&
			    (size_t)link->to < next)
				next = (size_t)link->to;
		}
		i = next;
	}
	const bool lost = !waits || !placed;
	free(waits);
	free(placed);
	return lost ? -ENOMEM : (ssize_t)len;
}

/* What cannot be placed is on a cycle without a delay, which the checks of links refuse. */
int waveform_order(const struct waveform *waveform, int *ret_order)
{
	const ssize_t n = wf_order(waveform, wf_link_has_no_delay, ret_order);

	return n < 0 ? (int)n : (size_t)n == waveform->n_instances ? 0 : -EINVAL;
}

/* Walks against the data from an instance that could not be placed: it has such a writer, which has
 * one too, ..., so some instance comes twice, and what lies between is a cycle. */
ssize_t wf_cycle(
    const struct waveform *waveform, bool (*counts)(const struct wf_link *), int *ret_links)
{
	const size_t n = waveform->n_instances;
	int *order = calloc(n + 1, sizeof(*order));
	/* of the walk, from 1; -1: placed, so on no cycle */
	int *step = calloc(n + 1, sizeof(*step));
	const ssize_t len = order ? wf_order(waveform, counts, order) : -ENOMEM;
	ssize_t steps = 0;
	int at = 0;

	if (len >= 0 && step && (size_t)len < n) {
		for (ssize_t i = 0; i < len; i++)
			step[order[i]] = -1;
		while (step[at] < 0)
			at++;
		while (step[at] == 0) {
			size_t k = 0;

			step[at] = (int)++steps;
			while (!joins(&waveform->links[k], counts) || waveform->links[k].to != at ||
			    step[waveform->links[k].from] < 0)
				k++;
			ret_links[steps - 1] = (int)k;
			at = waveform->links[k].from;
		}
		const ssize_t before = step[at] - 1;
		steps -= before;
		memmove(ret_links, ret_links + before, (size_t)steps * sizeof(*ret_links));
	}
	const bool lost = len < 0 || !step;
	free(order);
	free(step);
	return lost ? -ENOMEM : steps;
}
