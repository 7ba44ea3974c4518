/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/cycles.h"
#include "core/map/paths.h"
#include "core/waveform/neighbours.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PLACEMENTS_MAX = 65536 }; /* tried in a torn knot */

/* ---- knots ---- */

/* Marks all that can be reached from `start` along links (or against them). `stack` holds
 * n_instances. */
static void reached_mark(const struct waveform *wf, const struct neighbours *lists, uint32_t start,
    bool forward, bool *reached, uint32_t *stack)
{
	size_t n = 0;

	assert(start < wf->n_instances);
	memset(reached, 0, wf->n_instances * sizeof(*reached));
	reached[start] = true;
	stack[n++] = start;
	while (n) {
		for (int l = lists->first[stack[--n]]; l >= 0; l = lists->next[l]) {
			const int end = forward ? wf->links[l].to : wf->links[l].from;

			if (!reached[end]) {
				reached[end] = true;
				stack[n++] = (uint32_t)end;
			}
		}
	}
}

/* Gives those that lie on no cycle a knot of their own: again and again whoever has no writer left,
 * then whoever has no reader left. */
static void knots_peel(const struct waveform *wf, const struct neighbours *lists, bool forward,
    uint32_t *open, uint32_t *stack, uint32_t *of)
{
	size_t n = 0;

	memset(open, 0, wf->n_instances * sizeof(*open));
	for (size_t l = 0; l < wf->n_links; l++)
		if (of[wf->links[l].from] == UINT32_MAX && of[wf->links[l].to] == UINT32_MAX)
			open[forward ? wf->links[l].to : wf->links[l].from]++;
	for (size_t i = 0; i < wf->n_instances; i++)
		if (of[i] == UINT32_MAX && !open[i])
			stack[n++] = (uint32_t)i;
	while (n) {
		const uint32_t i = stack[--n];

		of[i] = i;
		for (int l = lists->first[i]; l >= 0; l = lists->next[l]) {
			const int end = forward ? wf->links[l].to : wf->links[l].from;

			if (of[end] == UINT32_MAX && --open[end] == 0)
				stack[n++] = (uint32_t)end;
		}
	}
}

int knots_find(const struct waveform *wf, uint32_t *ret_of)
{
	const size_t n = wf->n_instances;
	bool *ahead = calloc(n + 1, sizeof(*ahead)), *behind = calloc(n + 1, sizeof(*behind));
	uint32_t *stack = calloc(n + 1, sizeof(*stack)), *open = calloc(n + 1, sizeof(*open));
	struct neighbours to = {0}, from = {0};
	int rc = neighbours_init(&to, wf, true, NULL, NULL) ||
	        neighbours_init(&from, wf, false, NULL, NULL)
	    ? -ENOMEM
	    : 0;

	if (!ahead || !behind || !stack || !open)
		rc = -ENOMEM;
	for (size_t i = 0; !rc && i < n; i++)
		ret_of[i] = UINT32_MAX;
	if (!rc) {
		knots_peel(wf, &to, true, open, stack, ret_of);
		knots_peel(wf, &from, false, open, stack, ret_of);
	}
	for (size_t i = 0; !rc && i < n; i++) {
		if (ret_of[i] != UINT32_MAX)
			continue;
		reached_mark(wf, &to, (uint32_t)i, true, ahead, stack);
		reached_mark(wf, &from, (uint32_t)i, false, behind, stack);
		for (size_t j = i; j < n; j++)
			if (ahead[j] && behind[j])
				ret_of[j] = (uint32_t)i;
	}
	neighbours_fini(&to);
	neighbours_fini(&from);
	free(open);
	free(stack);
	free(behind);
	free(ahead);
	return rc;
}

/* ---- what a knot allows ---- */

struct knot { /* one knot at work */
	const struct waveform *wf;
	uint32_t crossing; /* slots from lane to lane */
	const uint32_t *of;
	uint32_t id;
	struct arc *arcs; /* its links */
	uint32_t *links;  /* their numbers */
	size_t n_arcs;
	int64_t *values;   /* scratch */
	uint32_t *members; /* not pinned */
	size_t n_members;
	int *lanes; /* that its pins name, each once */
	size_t n_lanes;
};

static void knot_load(struct knot *knot)
{
	const struct waveform *wf = knot->wf;

	knot->n_arcs = knot->n_members = knot->n_lanes = 0;
	for (size_t i = 0; i < wf->n_links; i++)
		if (knot->of[wf->links[i].from] == knot->id &&
		    knot->of[wf->links[i].to] == knot->id)
			knot->links[knot->n_arcs++] = (uint32_t)i;
	for (size_t i = 0; i < wf->n_instances; i++) {
		size_t l = 0;

		if (knot->of[i] != knot->id)
			continue;
		if (wf->instances[i].pin < 0) {
			knot->members[knot->n_members++] = (uint32_t)i;
			continue;
		}
		while (l < knot->n_lanes && knot->lanes[l] != wf->instances[i].pin)
			l++;
		if (l == knot->n_lanes)
			knot->lanes[knot->n_lanes++] = wf->instances[i].pin;
	}
}

/* Is every cycle of the knot covered by its declared delays? pins NULL: even with each link between
 * lanes. Counts the links between lanes. -ELOOP if not. */
static int knot_legal(struct knot *knot, const int *pins, size_t *ret_crossings)
{
	const struct waveform *wf = knot->wf;
	size_t crossings = 0;

	for (size_t i = 0; i < knot->n_arcs; i++) {
		const struct wf_link *link = &wf->links[knot->links[i]];
		const bool crosses = !pins || pins[link->from] != pins[link->to];

		crossings += crosses;
		knot->arcs[i] = (struct arc){(uint32_t)link->from, (uint32_t)link->to,
		    (int64_t)(crosses ? knot->crossing : 0) + plan_link_more(wf, link, !crosses) -
		        link->delay};
	}
	*ret_crossings = crossings;
	memset(knot->values, 0, wf->n_instances * sizeof(*knot->values));
	return paths_longest(wf->n_instances, knot->arcs, knot->n_arcs, knot->values, NULL);
}

/* ---- a torn knot: pins on several lanes ---- */

static void placement_write(const struct knot *knot, size_t number, int *pins)
{
	for (size_t i = 0; i < knot->n_members; i++) {
		pins[knot->members[i]] = knot->lanes[number % knot->n_lanes];
		number /= knot->n_lanes;
	}
}

/* How many placements there are to try: all, or none if too many. */
static size_t placements_count(const struct knot *knot)
{
	size_t n = 1;

	for (size_t i = 0; i < knot->n_members; i++) {
		n *= knot->n_lanes;
		if (n > PLACEMENTS_MAX)
			return 0;
	}
	return n;
}

/* Too many to try: each member goes where a writer of it is, beginning at the pins. On a single
 * cycle this is best. */
static void placement_spread(const struct knot *knot, int *pins)
{
	for (size_t round = 0; round < knot->n_members; round++) {
		for (size_t i = 0; i < knot->n_arcs; i++) {
			const struct wf_link *link = &knot->wf->links[knot->links[i]];

			if (pins[link->to] < 0)
				pins[link->to] = pins[link->from];
		}
	}
}

/* The legal placement with the fewest links between lanes; without any legal one the last tried
 * stays, for lags_make to refuse with the cycle's name. */
static int knot_place(struct knot *knot, int *pins)
{
	const size_t n = placements_count(knot);
	size_t best = n ? n - 1 : 0, best_crossings = SIZE_MAX, crossings;

	for (size_t number = 0; number < n; number++) {
		int rc;

		placement_write(knot, number, pins);
		rc = knot_legal(knot, pins, &crossings);
		if (rc == -ENOMEM)
			return rc;
		if (rc == 0 && crossings < best_crossings) {
			best_crossings = crossings;
			best = number;
		}
	}
	if (n)
		placement_write(knot, best, pins);
	else
		placement_spread(knot, pins);
	return 0;
}

static int knot_judge(struct knot *knot, struct knots *knots)
{
	size_t crossings;
	int rc;

	knot_load(knot);
	rc = knot_legal(knot, NULL, &crossings);
	if (rc != -ELOOP || knot->wf->pipelined)
		/* pipelined: no placement helps, lags_make refuses it by name */
		return rc == -ELOOP ? 0 : rc;
	if (knot->n_lanes > 1)
		return knot_place(knot, knots->pins);
	knots->together[knot->id] = true;
	return 0;
}

static int knots_judge(const struct waveform *wf, uint32_t crossing, struct knots *knots)
{
	struct knot knot = {
	    .wf = wf,
	    .crossing = crossing,
	    .of = knots->of,
	    .arcs = calloc(wf->n_links + 1, sizeof(*knot.arcs)),
	    .links = calloc(wf->n_links + 1, sizeof(*knot.links)),
	    .values = calloc(wf->n_instances + 1, sizeof(*knot.values)),
	    .members = calloc(wf->n_instances + 1, sizeof(*knot.members)),
	    .lanes = calloc(wf->n_instances + 1, sizeof(*knot.lanes)),
	};
	bool *real = calloc(wf->n_instances + 1, sizeof(*real)); /* has links of its own: a cycle */
	int rc = knot.arcs && knot.links && knot.values && knot.members && knot.lanes && real
	    ? 0
	    : -ENOMEM;

	for (size_t l = 0; !rc && l < wf->n_links; l++)
		if (knots->of[wf->links[l].from] == knots->of[wf->links[l].to])
			real[knots->of[wf->links[l].from]] = true;
	for (size_t i = 0; !rc && i < wf->n_instances; i++) {
		knot.id = (uint32_t)i;
		if (knots->of[i] == i && real[i])
			rc = knot_judge(&knot, knots);
	}
	free(real);
	free(knot.arcs);
	free(knot.links);
	free(knot.values);
	free(knot.members);
	free(knot.lanes);
	return rc;
}

int knots_new(const struct waveform *wf, uint32_t crossing, struct knots **ret)
{
	struct knots *knots = calloc(1, sizeof(*knots));
	int rc = -ENOMEM;

	if (!knots)
		return rc;
	knots->of = calloc(wf->n_instances + 1, sizeof(*knots->of));
	knots->together = calloc(wf->n_instances + 1, sizeof(*knots->together));
	knots->pins = calloc(wf->n_instances + 1, sizeof(*knots->pins));
	if (knots->of && knots->together && knots->pins)
		rc = knots_find(wf, knots->of);
	for (size_t i = 0; !rc && i < wf->n_instances; i++)
		knots->pins[i] = wf->instances[i].pin;
	if (!rc)
		rc = knots_judge(wf, crossing, knots);
	if (rc) {
		knots_free(knots);
		return rc;
	}
	*ret = knots;
	return 0;
}

void knots_free(struct knots *knots)
{
	if (!knots)
		return;
	free(knots->of);
	free(knots->together);
	free(knots->pins);
	free(knots);
}
