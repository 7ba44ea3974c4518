/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mappers of one pass: greedy, worst fit, and the contiguous cut. */
#include "core/map/mapper.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int mapping_finish(const struct mapping_state *state, bool whole, uint32_t *ret_cores)
{
	if (!whole)
		return -ENOENT;
	memcpy(ret_cores, state->cores, state->problem->n_units * sizeof(*ret_cores));
	return 0;
}

/* The core on which the unit costs least, the lowest of several; MAPPING_NONE if it fits
 * nowhere. */
static uint32_t core_cheapest(struct mapping_state *state, uint32_t unit)
{
	uint32_t best = MAPPING_NONE;
	double least = INFINITY;

	assert(unit < state->problem->n_units);
	for (uint32_t core = 0; core < state->problem->n_cores; core++) {
		const size_t mark = state->n_undo;
		const double cost = mapping_place(state, unit, core);

		if (cost < least) {
			least = cost;
			best = core;
		}
		if (cost < INFINITY)
			mapping_unplace(state, unit, mark);
	}
	return best;
}

int mapper_greedy(struct mapping_state *state, uint32_t *ret_cores)
{
	uint32_t unit = 0;

	mapping_state_clear(state);
	for (; unit < state->problem->n_units; unit++) {
		const uint32_t core = core_cheapest(state, unit);
		if (core == MAPPING_NONE)
			break;
		mapping_place(state, unit, core);
	}
	return mapping_finish(state, unit == state->problem->n_units, ret_cores);
}

/* The core with the most left where the unit fits, with its links. */
static uint32_t core_emptiest(struct mapping_state *state, uint32_t unit)
{
	uint32_t best = MAPPING_NONE;

	assert(unit < state->problem->n_units);
	for (uint32_t core = 0; core < state->problem->n_cores; core++) {
		const size_t mark = state->n_undo;

		if (best != MAPPING_NONE && state->left[core] <= state->left[best])
			continue;
		if (mapping_place(state, unit, core) == INFINITY)
			continue;
		mapping_unplace(state, unit, mark);
		best = core;
	}
	return best;
}

int mapper_worst_fit(struct mapping_state *state, const uint32_t *order, uint32_t *ret_cores)
{
	size_t next = 0;

	mapping_state_clear(state);
	for (; next < state->problem->n_units; next++) {
		const uint32_t core = core_emptiest(state, order[next]);
		if (core == MAPPING_NONE)
			break;
		mapping_place(state, order[next], core);
	}
	return mapping_finish(state, next == state->problem->n_units, ret_cores);
}

/* ---- chain ------------------------------------------------------------------------
 * runs[c][n]: how units 0 .. n - 1 lie best on cores 0 .. c: in the fewest runs, then with the
 * smallest largest load. */

struct lane_run {
	uint32_t runs;
	uint32_t begin; /* of the run on core c */
	double load;    /* largest, of its core's capacity */
};

static bool run_better(const struct lane_run *a, const struct lane_run *b)
{
	return a->runs != b->runs ? a->runs < b->runs : a->load < b->load;
}

static void core_cut(const struct mapping_state *state, const struct lane_run *before,
    struct lane_run *now, uint32_t core)
{
	const struct mapping_problem *problem = state->problem;
	const double capacity = problem->capacity[core];

	for (uint32_t end = 0; end <= problem->n_units; end++) {
		double load = 0;

		now[end] = before[end];
		now[end].begin = end;
		for (uint32_t begin = end; begin-- > 0;) {
			struct lane_run run = before[begin];

			load += problem->demand[begin * problem->n_cores + core];
			if (!(load <= capacity * (1 + 1e-12)))
				break;
			if (run.runs == MAPPING_NONE)
				continue;
			run.runs++;
			run.begin = begin;
			run.load = fmax(run.load, capacity > 0 ? load / capacity : 0);
			if (run_better(&run, &now[end]))
				now[end] = run;
		}
	}
}

int mapper_chain(struct mapping_state *state, uint32_t *ret_cores)
{
	const struct mapping_problem *problem = state->problem;
	const size_t width = problem->n_units + 1;
	struct lane_run *runs = calloc((problem->n_cores + 1) * width, sizeof(*runs));
	uint32_t end = (uint32_t)problem->n_units;
	bool found;

	if (!runs)
		return -ENOMEM;
	for (size_t n = 1; n < width; n++)
		runs[n].runs = MAPPING_NONE;
	for (uint32_t core = 0; core < problem->n_cores; core++)
		core_cut(state, &runs[core * width], &runs[(core + 1) * width], core);
	found = runs[problem->n_cores * width + end].runs != MAPPING_NONE;
	for (size_t core = problem->n_cores; found && core-- > 0;) {
		const uint32_t begin = runs[(core + 1) * width + end].begin;
		while (end > begin)
			ret_cores[--end] = (uint32_t)core;
	}
	free(runs);
	return found && mapping_cost(state, ret_cores) < INFINITY ? 0 : -ENOENT;
}
