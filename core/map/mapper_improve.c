/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Local search: move one unit or swap two. First until nothing is overloaded any more, with a few
 * kicks where it is stuck; then until no such step makes the mapping cheaper. And another, which
 * mends the overload only and goes no further than it must. */
#include "core/map/mapper.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KICKS = 32 };

struct local {
	struct mapping_state *state; /* left and pool_left go below zero here: overload */
	uint32_t *cores;
	uint32_t random;
};

static double overload_of(double left, double whole)
{
	if (left >= -1e-9 * whole)
		return 0;
	return whole > 0 ? -left / whole : -left;
}

/* Takes `amount` (negative: gives it) and says what that adds to the overload, as shares of what is
 * overloaded. */
static double amount_shift(double *left, double whole, double amount)
{
	const double before = overload_of(*left, whole);

	*left -= amount;
	return overload_of(*left, whole) - before;
}

/* What a pair of cores that no pool joins counts: more than any pool can be over. */
static const double APART = 1e3;

static double link_shift(struct local *local, const struct mapping_link *link, double sign)
{
	const struct mapping_problem *problem = local->state->problem;
	const uint32_t from = local->cores[link->from], to = local->cores[link->to];
	const uint32_t pool = problem->pool[from * problem->n_cores + to];

	if (from == to)
		return 0;
	if (pool == MAPPING_NONE)
		return sign * APART;
	if (problem->bandwidth[pool] == INFINITY)
		return 0;
	return amount_shift(
	    &local->state->pool_left[pool], problem->bandwidth[pool], sign * link->bandwidth);
}

/* Moves a unit and says how the overload changes. Only to cores where it may be. */
static double unit_move(struct local *local, uint32_t unit, uint32_t to)
{
	struct mapping_state *state = local->state;
	const struct mapping_problem *problem = state->problem;
	const double *demand = &problem->demand[unit * problem->n_cores];
	const uint32_t from = local->cores[unit];
	double change = 0;

	assert(unit < local->state->problem->n_units);
	assert(to < local->state->problem->n_cores);
	state->steps++;
	for (uint32_t i = state->graph->first[unit]; i < state->graph->first[unit + 1]; i++)
		change += link_shift(local, &problem->links[state->graph->links[i]], -1);
	change += amount_shift(&state->left[from], problem->capacity[from], -demand[from]);
	local->cores[unit] = to;
	change += amount_shift(&state->left[to], problem->capacity[to], demand[to]);
	for (uint32_t i = state->graph->first[unit]; i < state->graph->first[unit + 1]; i++)
		change += link_shift(local, &problem->links[state->graph->links[i]], 1);
	return change;
}

static bool may_be(const struct local *local, uint32_t unit, uint32_t core)
{
	const struct mapping_problem *problem = local->state->problem;

	assert(unit < local->state->problem->n_units);
	assert(core < local->state->problem->n_cores);
	return problem->demand[unit * problem->n_cores + core] < INFINITY;
}

/* The overload of what local->cores says, from the beginning. */
static double overload_weigh(struct local *local)
{
	struct mapping_state *state = local->state;
	const struct mapping_problem *problem = state->problem;
	double sum = 0;

	mapping_state_clear(state);
	for (uint32_t unit = 0; unit < problem->n_units; unit++) {
		const uint32_t core = local->cores[unit];
		sum += amount_shift(&state->left[core], problem->capacity[core],
		    problem->demand[unit * problem->n_cores + core]);
	}
	for (size_t i = 0; i < problem->n_links; i++)
		sum += link_shift(local, &problem->links[i], 1);
	return sum;
}

/* Takes the first move or swap that lowers the overload by more than rounding does; false if there
 * is none. */
static bool overload_lighten(struct local *local)
{
	const struct mapping_problem *problem = local->state->problem;

	for (uint32_t unit = 0; unit < problem->n_units && !mapping_tired(local->state); unit++) {
		const uint32_t was = local->cores[unit];

		for (uint32_t core = 0; core < problem->n_cores; core++) {
			if (core == was || !may_be(local, unit, core))
				continue;
			if (unit_move(local, unit, core) < -1e-9)
				return true;
			unit_move(local, unit, was);
		}
		for (uint32_t other = 0; other < unit; other++) {
			const uint32_t theirs = local->cores[other];
			if (theirs == was || !may_be(local, unit, theirs) ||
			    !may_be(local, other, was))
				continue;
			if (unit_move(local, unit, theirs) + unit_move(local, other, was) < -1e-9)
				return true;
			unit_move(local, other, theirs);
			unit_move(local, unit, was);
		}
	}
	return false;
}

static uint32_t number_draw(struct local *local, size_t below)
{
	assert(below > 0);
	local->random = local->random * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)local->random * below >> 32);
}

/* Three units somewhere else. */
static void units_kick(struct local *local)
{
	const struct mapping_problem *problem = local->state->problem;

	for (int i = 0; i < 3; i++) {
		const uint32_t unit = number_draw(local, problem->n_units),
		               core = number_draw(local, problem->n_cores);
		if (may_be(local, unit, core))
			local->cores[unit] = core;
	}
}

/* Until it fits; false if that is not found. */
static bool overload_mend(struct local *local)
{
	for (int kicks = 0; kicks < KICKS && !mapping_tired(local->state); kicks++) {
		if (kicks)
			units_kick(local);
		overload_weigh(local);
		while (overload_lighten(local))
			;
		if (overload_weigh(local) <= 0)
			return true;
	}
	return false;
}

static bool cost_lowered(struct local *local, double *cost)
{
	const double now = mapping_cost(local->state, local->cores);

	if (!(now < *cost - 1e-12))
		return false;
	*cost = now;
	return true;
}

/* Takes the first move or swap that is cheaper. */
static bool cost_polish(struct local *local, double *cost)
{
	const struct mapping_problem *problem = local->state->problem;
	uint32_t *cores = local->cores;

	for (uint32_t unit = 0; unit < problem->n_units; unit++) {
		const uint32_t was = cores[unit];

		for (uint32_t core = 0; core < problem->n_cores && !mapping_tired(local->state);
		     core++) {
			if (core == was || !may_be(local, unit, core))
				continue;
			cores[unit] = core;
			if (cost_lowered(local, cost))
				return true;
		}
		cores[unit] = was;
		for (uint32_t other = 0; other < unit && !mapping_tired(local->state); other++) {
			const uint32_t theirs = cores[other];
			if (theirs == was)
				continue;
			cores[unit] = theirs;
			cores[other] = was;
			if (cost_lowered(local, cost))
				return true;
			cores[other] = theirs;
			cores[unit] = was;
		}
	}
	return false;
}

int mapper_improve(struct mapping_state *state, uint32_t *ret_cores)
{
	struct local local = {.state = state, .cores = ret_cores, .random = 1};
	double cost = mapping_cost(state, ret_cores);

	if (cost == INFINITY && !overload_mend(&local))
		return -ENOENT;
	cost = mapping_cost(state, ret_cores);
	while (cost < INFINITY && !mapping_tired(state) && cost_polish(&local, &cost))
		;
	return cost < INFINITY ? 0 : -ENOENT;
}

/* ---- near ------------------------------------------------------------------------ */

static bool core_overloaded(const struct local *local, uint32_t core)
{
	assert(core < local->state->problem->n_cores);
	return overload_of(local->state->left[core], local->state->problem->capacity[core]) > 0;
}

/* A unit of a core that is overloaded goes to `core`, alone or for another. */
static bool lighten_by(struct local *local, uint32_t unit, uint32_t core)
{
	const uint32_t was = local->cores[unit];

	assert(unit < local->state->problem->n_units);
	if (!may_be(local, unit, core))
		return false;
	if (unit_move(local, unit, core) < -1e-9)
		return true;
	unit_move(local, unit, was);
	for (uint32_t other = 0; other < local->state->problem->n_units; other++) {
		if (local->cores[other] != core || !may_be(local, other, was))
			continue;
		if (unit_move(local, unit, core) + unit_move(local, other, was) < -1e-9)
			return true;
		unit_move(local, other, core);
		unit_move(local, unit, was);
	}
	return false;
}

/* Over all units once: steps to cores that lie `distance` away. How many were taken. */
static unsigned lighten_near(struct local *local, uint32_t distance)
{
	const struct mapping_problem *problem = local->state->problem;
	unsigned taken = 0;

	for (uint32_t unit = 0; unit < problem->n_units && !mapping_tired(local->state); unit++) {
		const uint32_t was = local->cores[unit];

		if (!core_overloaded(local, was))
			continue;
		if (was >= distance && lighten_by(local, unit, was - distance))
			taken++;
		else if (was + distance < problem->n_cores &&
		    lighten_by(local, unit, was + distance))
			taken++;
	}
	return taken;
}

int mapper_mend_near(struct mapping_state *state, uint32_t *ret_cores)
{
	struct local local = {.state = state, .cores = ret_cores};
	double rest = overload_weigh(&local);

	for (uint32_t distance = 1; rest > 0 && distance < state->problem->n_cores; distance++) {
		while (lighten_near(&local, distance) > 0)
			;
		rest = overload_weigh(&local);
	}
	return mapping_cost(state, ret_cores) < INFINITY ? 0 : -ENOENT;
}
