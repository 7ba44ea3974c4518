/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mappers of one pass: greedy and worst fit. */
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
