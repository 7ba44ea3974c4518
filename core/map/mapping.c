/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/mapping.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums of demands are rounded: what is over by less than this is not over. */
static const double SLACK = 1e-9;

static void end_add(struct mapping_graph *graph, uint32_t unit, uint32_t link, uint32_t other)
{
	const uint32_t at = graph->first[unit + 1]++;

	graph->links[at] = link;
	graph->others[at] = other;
}

int mapping_graph_init(struct mapping_graph *graph, const struct mapping_problem *problem)
{
	graph->first = calloc(problem->n_units + 2, sizeof(*graph->first));
	graph->links = calloc(2 * problem->n_links + 1, sizeof(*graph->links));
	graph->others = calloc(2 * problem->n_links + 1, sizeof(*graph->others));
	if (!graph->first || !graph->links || !graph->others)
		return -ENOMEM;
	for (size_t i = 0; i < problem->n_links; i++) {
		graph->first[problem->links[i].from + 2]++;
		graph->first[problem->links[i].to + 2]++;
	}
	for (size_t i = 2; i <= problem->n_units + 1; i++)
		graph->first[i] += graph->first[i - 1];
	/* first[u + 1] runs from the begin of u's list to its end */
	for (uint32_t i = 0; i < problem->n_links; i++) {
		end_add(graph, problem->links[i].from, i, problem->links[i].to);
		end_add(graph, problem->links[i].to, i, problem->links[i].from);
	}
	return 0;
}

void mapping_graph_fini(struct mapping_graph *graph)
{
	free(graph->first);
	free(graph->links);
	free(graph->others);
}

int mapping_state_init(struct mapping_state *state, const struct mapping_problem *problem,
    const struct mapping_graph *graph)
{
	assert(problem->q >= 0 && problem->q <= 1);
	*state = (struct mapping_state){.problem = problem, .graph = graph};
	state->cores = calloc(problem->n_units + 1, sizeof(*state->cores));
	state->left = calloc(problem->n_cores + 1, sizeof(*state->left));
	state->pool_left = calloc(problem->n_pools + 1, sizeof(*state->pool_left));
	state->undo = calloc(problem->n_units + 2 * problem->n_links + 1, sizeof(*state->undo));
	if (!state->cores || !state->left || !state->pool_left || !state->undo)
		return -ENOMEM;
	mapping_state_clear(state);
	return 0;
}

void mapping_state_fini(struct mapping_state *state)
{
	free(state->cores);
	free(state->left);
	free(state->pool_left);
	free(state->undo);
}

void mapping_state_clear(struct mapping_state *state)
{
	const struct mapping_problem *problem = state->problem;

	for (size_t i = 0; i < problem->n_units; i++)
		state->cores[i] = MAPPING_NONE;
	memcpy(state->left, problem->capacity, problem->n_cores * sizeof(*state->left));
	if (problem->n_pools)
		memcpy(state->pool_left, problem->bandwidth,
		    problem->n_pools * sizeof(*state->pool_left));
	state->n_undo = 0;
}

void mapping_state_copy(
    struct mapping_state *to, const struct mapping_state *from, const uint32_t *units, size_t n)
{
	const struct mapping_problem *problem = from->problem;

	assert(to->problem == from->problem);
	for (size_t i = 0; i < n; i++)
		to->cores[units[i]] = from->cores[units[i]];
	memcpy(to->left, from->left, problem->n_cores * sizeof(*to->left));
	memcpy(to->pool_left, from->pool_left, problem->n_pools * sizeof(*to->pool_left));
	to->n_undo = 0;
}

static void amount_take(struct mapping_state *state, double *where, double amount)
{
	state->undo[state->n_undo++] = (struct mapping_undo){where, *where};
	*where -= amount;
}

static void state_undo(struct mapping_state *state, size_t mark)
{
	assert(mark <= state->n_undo);
	while (state->n_undo > mark) {
		state->n_undo--;
		*state->undo[state->n_undo].where = state->undo[state->n_undo].before;
	}
}

/* What remained before the step that began at `mark`. */
static double before_step(const struct mapping_state *state, size_t mark, const double *where)
{
	for (size_t i = mark; i < state->n_undo; i++)
		if (state->undo[i].where == where)
			return state->undo[i].before;
	return *where;
}

static bool amount_fits(double amount, double left, double whole)
{
	return amount <= left || amount <= left + SLACK * whole;
}

/* Of what remained; what fits is at most all of it. */
static double share_of(double amount, double left)
{
	if (amount <= 0 || left == INFINITY)
		return 0;
	return amount < left ? amount / left : 1;
}

/* The part of a link between two cores in a step, INFINITY if it does not fit. */
static double link_place(struct mapping_state *state, size_t mark, const struct mapping_link *link)
{
	const struct mapping_problem *problem = state->problem;
	const uint32_t from = state->cores[link->from], to = state->cores[link->to];
	uint32_t pool;
	double cost;

	assert(link->from < problem->n_units && link->to < problem->n_units);
	pool = problem->pool[from * problem->n_cores + to];
	if (pool != MAPPING_NONE && state->pool_left[pool] == INFINITY &&
	    link->bandwidth < INFINITY)
		return 0;
	if (pool == MAPPING_NONE ||
	    !amount_fits(link->bandwidth, state->pool_left[pool], problem->bandwidth[pool]))
		return INFINITY;
	cost = share_of(link->bandwidth, before_step(state, mark, &state->pool_left[pool]));
	amount_take(state, &state->pool_left[pool], link->bandwidth);
	return cost;
}

double mapping_place(struct mapping_state *state, uint32_t unit, uint32_t core)
{
	const struct mapping_problem *problem = state->problem;
	const struct mapping_graph *graph = state->graph;
	const double demand = problem->demand[unit * problem->n_cores + core];
	const size_t mark = state->n_undo;
	double links = 0, processing;

	assert(unit < problem->n_units);
	assert(core < problem->n_cores);
	assert(state->cores[unit] == MAPPING_NONE);
	state->steps++;
	if (!amount_fits(demand, state->left[core], problem->capacity[core]))
		return INFINITY;
	processing = share_of(demand, state->left[core]);
	amount_take(state, &state->left[core], demand);
	state->cores[unit] = core;
	for (uint32_t i = graph->first[unit]; i < graph->first[unit + 1] && links < INFINITY; i++) {
		const uint32_t there = state->cores[graph->others[i]];

		if (there != MAPPING_NONE && there != core)
			links += link_place(state, mark, &problem->links[graph->links[i]]);
	}
	if (links < INFINITY)
		return problem->q * processing + (1 - problem->q) * links;
	mapping_unplace(state, unit, mark);
	return INFINITY;
}

void mapping_unplace(struct mapping_state *state, uint32_t unit, size_t mark)
{
	assert(unit < state->problem->n_units);
	assert(mark <= state->n_undo);
	state_undo(state, mark);
	state->cores[unit] = MAPPING_NONE;
}

double mapping_cost(struct mapping_state *state, const uint32_t *cores)
{
	double cost = 0;

	mapping_state_clear(state);
	for (uint32_t unit = 0; unit < state->problem->n_units && cost < INFINITY; unit++)
		cost += mapping_place(state, unit, cores[unit]);
	return cost;
}

double mapping_demand_least(const struct mapping_problem *problem, uint32_t unit)
{
	double least = INFINITY;

	assert(unit < problem->n_units);
	for (size_t core = 0; core < problem->n_cores; core++)
		least = fmin(least, problem->demand[unit * problem->n_cores + core]);
	return least;
}

struct keyed {
	double demand;
	uint32_t unit;
};

static int by_falling_demand(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->demand != y->demand)
		return x->demand < y->demand ? 1 : -1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

int mapping_order(const struct mapping_problem *problem, uint32_t *ret_units)
{
	struct keyed *keyed = calloc(problem->n_units + 1, sizeof(*keyed));

	if (!keyed)
		return -ENOMEM;
	for (uint32_t unit = 0; unit < problem->n_units; unit++)
		keyed[unit] = (struct keyed){mapping_demand_least(problem, unit), unit};
	qsort(keyed, problem->n_units, sizeof(*keyed), by_falling_demand);
	for (size_t i = 0; i < problem->n_units; i++)
		ret_units[i] = keyed[i].unit;
	free(keyed);
	return 0;
}
