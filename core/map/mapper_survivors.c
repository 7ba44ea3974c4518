/* SPDX-License-Identifier: BSD-3-Clause
 *
 * t_w-mapping: core/map/mapper.h says how. */
#include "core/map/mapper.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW_MAX = 3 };

struct survivor {      /* the best known way to a node */
	double cost;   /* INFINITY: none */
	uint32_t from; /* which survivor of stage j - w */
	uint32_t cores[WINDOW_MAX];
	struct mapping_state state;
};

struct survivor_search {
	struct mapping_state *state; /* where steps are tried */
	const uint32_t *order;
	unsigned window;
	size_t n_cores;
	/* window + 1 stages of n_cores, in turn; stage j is j % (window + 1) */
	struct survivor *stages;
	uint32_t from;
	uint32_t cores[WINDOW_MAX];
};

static struct survivor *stage(const struct survivor_search *search, size_t j)
{
	return &search->stages[j % (search->window + 1) * search->n_cores];
}

/* Tries every choice of cores for units first .. last, on top of what is placed, and keeps the
 * cheapest for each core of the last. */
static void try_window(
    struct survivor_search *search, size_t first, size_t unit, size_t last, double cost)
{
	struct survivor *nodes = stage(search, last);

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
			nodes[core].from = search->from;
			memcpy(nodes[core].cores, search->cores, sizeof(search->cores));
		}
		mapping_unplace(search->state, search->order[unit], mark);
	}
}

/* Takes the steps of the nodes that were found for good. */
static void settle(struct survivor_search *search, size_t first, size_t last)
{
	struct survivor *nodes = stage(search, last);
	const struct survivor *before = first ? stage(search, first - 1) : NULL;

	for (size_t core = 0; core < search->n_cores; core++) {
		struct mapping_state *state = &nodes[core].state;

		if (nodes[core].cost == INFINITY)
			continue;
		if (before)
			mapping_state_copy(state, &before[nodes[core].from].state);
		else
			mapping_state_clear(state);
		for (size_t unit = first; unit <= last; unit++)
			mapping_place(state, search->order[unit], nodes[core].cores[unit - first]);
		state->n_undo = 0;
	}
}

static void run_stage(struct survivor_search *search, size_t last)
{
	const size_t first = last + 1 >= search->window ? last + 1 - search->window : 0;
	struct survivor *nodes = stage(search, last);
	const struct survivor *before = first ? stage(search, first - 1) : NULL;

	for (size_t core = 0; core < search->n_cores; core++)
		nodes[core].cost = INFINITY;
	if (!before) {
		mapping_state_clear(search->state);
		try_window(search, 0, 0, last, 0);
	}
	for (uint32_t from = 0; before && from < search->n_cores; from++) {
		if (before[from].cost == INFINITY)
			continue;
		mapping_state_copy(search->state, &before[from].state);
		search->from = from;
		try_window(search, first, first, last, before[from].cost);
	}
	settle(search, first, last);
}

static int best_of_last(const struct survivor_search *search, size_t last, uint32_t *ret_cores)
{
	const struct survivor *nodes = stage(search, last), *best = nodes;

	for (size_t core = 1; core < search->n_cores; core++)
		best = nodes[core].cost < best->cost ? &nodes[core] : best;
	if (best->cost == INFINITY)
		return -ENOENT;
	memcpy(ret_cores, best->state.cores, search->state->problem->n_units * sizeof(*ret_cores));
	return 0;
}

int mapper_survivors(
    struct mapping_state *state, const uint32_t *order, unsigned window, uint32_t *ret_cores)
{
	const struct mapping_problem *problem = state->problem;
	const size_t n_nodes = (window + 1) * problem->n_cores;
	struct survivor_search search = {
	    .state = state, .order = order, .window = window, .n_cores = problem->n_cores};
	int rc = 0;

	search.stages = calloc(n_nodes, sizeof(*search.stages));
	if (!search.stages)
		return -ENOMEM;
	for (size_t i = 0; i < n_nodes && !rc; i++)
		rc = mapping_state_init(&search.stages[i].state, problem, state->graph);
	for (size_t j = 0; j < problem->n_units && !rc && !mapping_tired(state); j++)
		run_stage(&search, j);
	if (!rc)
		rc = mapping_tired(state) ? -ENOENT
		                          : best_of_last(&search, problem->n_units - 1, ret_cores);
	for (size_t i = 0; i < n_nodes; i++)
		mapping_state_fini(&search.stages[i].state);
	free(search.stages);
	return rc;
}
