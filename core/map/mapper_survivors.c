/* SPDX-License-Identifier: BSD-3-Clause
 *
 * t_w-mapping: core/map/mapper.h says how. A survivor's state is taken over with those units only
 * that have neighbours still to be placed; which core each unit has is known from the steps that
 * led there. So a chain takes time that grows with its length, not with the square of it. */
#include "core/map/mapper.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW_MAX = 3 };

struct survivor_step { /* the best known way to a node */
	uint32_t from; /* which survivor of stage j - w */
	uint32_t cores[WINDOW_MAX];
};

struct survivor {
	double cost; /* INFINITY: none */
	struct mapping_state state;
};

struct survivor_search {
	struct mapping_state *state; /* where steps are tried */
	const uint32_t *order;
	unsigned window;
	size_t n_cores;
	/* window + 1 stages of n_cores, in turn; stage j is j % (window + 1) */
	struct survivor *stages;
	struct survivor_step *steps; /* n_units stages of n_cores */
	/* by unit: the last stage that places a neighbour of it */
	uint32_t *until;
	uint32_t *open; /* units that are placed and have a neighbour that is not, */
	size_t n_open;  /* before the window */
	uint32_t from;
	uint32_t cores[WINDOW_MAX];
};

static struct survivor *stage_of(const struct survivor_search *search, size_t j)
{
	return &search->stages[j % (search->window + 1) * search->n_cores];
}

static struct survivor_step *steps_of(const struct survivor_search *search, size_t j)
{
	return &search->steps[j * search->n_cores];
}

/* Tries every choice of cores for units first .. last, on top of what is placed, and keeps the
 * cheapest for each core of the last. */
static void try_window(
    struct survivor_search *search, size_t first, size_t unit, size_t last, double cost)
{
	struct survivor *nodes = stage_of(search, last);
	struct survivor_step *steps = steps_of(search, last);

	for (uint32_t core = 0; core < search->n_cores && !mapping_tired(search->state); core++) {
		const size_t mark = search->state->n_undo;
		const double step = mapping_place(search->state, search->order[unit], core);

		if (step == INFINITY)
			continue;
		search->cores[unit - first] = core;
		if (unit < last) {
			try_window(search, first, unit + 1, last, cost + step);
		} else if (cost + step < nodes[core].cost) {
			nodes[core].cost = cost + step;
			steps[core].from = search->from;
			memcpy(steps[core].cores, search->cores, sizeof(search->cores));
		}
		mapping_unplace(search->state, search->order[unit], mark);
	}
}

static void state_take(
    const struct survivor_search *search, struct mapping_state *to, const struct survivor *from)
{
	mapping_state_copy(to, &from->state, search->open, search->n_open);
	search->state->looks += search->n_open;
}

/* Takes the steps of the nodes that were found for good. */
static void nodes_settle(struct survivor_search *search, size_t first, size_t last)
{
	struct survivor *nodes = stage_of(search, last);
	const struct survivor *before = first ? stage_of(search, first - 1) : NULL;
	const struct survivor_step *steps = steps_of(search, last);

	for (size_t core = 0; core < search->n_cores; core++) {
		struct mapping_state *state = &nodes[core].state;

		if (nodes[core].cost == INFINITY)
			continue;
		if (before)
			state_take(search, state, &before[steps[core].from]);
		else
			mapping_state_clear(state);
		for (size_t unit = first; unit <= last; unit++)
			mapping_place(state, search->order[unit], steps[core].cores[unit - first]);
		state->n_undo = 0;
	}
}

/* The units that are open once unit `at` of the order is placed, too. */
static void open_next(struct survivor_search *search, size_t at)
{
	size_t n = 0;

	search->open[search->n_open++] = search->order[at];
	for (size_t i = 0; i < search->n_open; i++)
		if (search->until[search->open[i]] > at)
			search->open[n++] = search->open[i];
	search->n_open = n;
}

static void run_stage(struct survivor_search *search, size_t last)
{
	const size_t first = last + 1 >= search->window ? last + 1 - search->window : 0;
	struct survivor *nodes = stage_of(search, last);
	const struct survivor *before = first ? stage_of(search, first - 1) : NULL;

	for (size_t core = 0; core < search->n_cores; core++)
		nodes[core].cost = INFINITY;
	if (!before) {
		mapping_state_clear(search->state);
		try_window(search, 0, 0, last, 0);
	} else {
		open_next(search, first - 1);
	}
	for (uint32_t from = 0; before && from < search->n_cores; from++) {
		if (before[from].cost == INFINITY)
			continue;
		state_take(search, search->state, &before[from]);
		search->from = from;
		try_window(search, first, first, last, before[from].cost);
	}
	nodes_settle(search, first, last);
}

/* The cores of all units, from the last stage back. */
static int best_of_last(const struct survivor_search *search, uint32_t *ret_cores)
{
	size_t end = search->state->problem->n_units;
	const struct survivor *nodes = stage_of(search, end - 1);
	uint32_t best = 0;

	for (uint32_t core = 1; core < search->n_cores; core++)
		best = nodes[core].cost < nodes[best].cost ? core : best;
	if (nodes[best].cost == INFINITY)
		return -ENOENT;
	while (end > 0) {
		const size_t first = end > search->window ? end - search->window : 0;
		const struct survivor_step *step = &steps_of(search, end - 1)[best];

		for (size_t unit = first; unit < end; unit++)
			ret_cores[search->order[unit]] = step->cores[unit - first];
		best = step->from;
		end = first;
	}
	return 0;
}

/* at: where unit i stands in the order. */
static void until_fill(const struct survivor_search *search, uint32_t *at)
{
	const struct mapping_problem *problem = search->state->problem;

	for (size_t i = 0; i < problem->n_units; i++)
		at[search->order[i]] = (uint32_t)i;
	for (size_t i = 0; i < problem->n_links; i++) {
		const uint32_t from = problem->links[i].from, to = problem->links[i].to;

		if (at[to] > search->until[from])
			search->until[from] = at[to];
		if (at[from] > search->until[to])
			search->until[to] = at[from];
	}
}

static int search_init(struct survivor_search *search)
{
	const struct mapping_problem *problem = search->state->problem;
	const size_t n_nodes = (search->window + 1) * problem->n_cores;
	int rc = 0;

	search->stages = calloc(n_nodes, sizeof(*search->stages));
	search->steps = calloc(problem->n_units * problem->n_cores, sizeof(*search->steps));
	search->until = calloc(2 * problem->n_units + 1, sizeof(*search->until));
	if (!search->stages || !search->steps || !search->until)
		return -ENOMEM;
	search->open = search->until + problem->n_units;
	until_fill(search, search->open);
	for (size_t i = 0; i < n_nodes && !rc; i++)
		rc = mapping_state_init(&search->stages[i].state, problem, search->state->graph);
	return rc;
}

static void search_fini(struct survivor_search *search)
{
	for (size_t i = 0; search->stages && i < (search->window + 1) * search->n_cores; i++)
		mapping_state_fini(&search->stages[i].state);
	free(search->stages);
	free(search->steps);
	free(search->until);
}

int mapper_survivors(
    struct mapping_state *state, const uint32_t *order, unsigned window, uint32_t *ret_cores)
{
	const size_t n = state->problem->n_units;
	struct survivor_search search = {
	    .state = state, .order = order, .window = window, .n_cores = state->problem->n_cores};
	int rc = search_init(&search);

	for (size_t j = 0; j < n && !rc && !mapping_tired(state); j++)
		run_stage(&search, j);
	if (!rc)
		rc = mapping_tired(state) ? -ENOENT : best_of_last(&search, ret_cores);
	search_fini(&search);
	return rc;
}
