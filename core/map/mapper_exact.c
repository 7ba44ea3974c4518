/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Branch and bound. First any mapping at all is looked for, largest demand first, where dead ends
 * show early: no answer here is the proof that there is none. Then the cheapest, in file order,
 * since that is the order in which cost is counted; each unit to come costs at least q x demand /
 * what is left on the core where that is least, and more only as cores fill. */
#include "core/map/mapper.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct branch {
	struct mapping_state *state;
	const uint32_t *order;
	bool *twins;     /* n_cores x n_cores: the same capacity, demands and joints */
	uint32_t *units; /* placed on each core */
	uint32_t *best;  /* by unit */
	double cost;     /* of the best */
	bool any;        /* the first one will do */
	double *demand;  /* of units order[i] .. on the cores where they are least, added up */
};

static bool same_joints(const struct mapping_problem *problem, size_t a, size_t b)
{
	const size_t n = problem->n_cores;

	for (size_t other = 0; other < n; other++) {
		const uint32_t pairs[2][2] = {
		    {problem->pool[a * n + other], problem->pool[b * n + other]},
		    {problem->pool[other * n + a], problem->pool[other * n + b]}};
		for (int i = 0; i < 2 && other != a && other != b; i++) {
			const uint32_t x = pairs[i][0], y = pairs[i][1];
			if ((x == MAPPING_NONE) != (y == MAPPING_NONE))
				return false;
			/* a pool that is shared with other pairs is alike only if it is the same
			 * one */
			if (x != y && problem->bandwidth[x] != problem->bandwidth[y])
				return false;
		}
	}
	return problem->pool[a * n + b] == problem->pool[b * n + a] ||
	    (problem->pool[a * n + b] != MAPPING_NONE && problem->pool[b * n + a] != MAPPING_NONE &&
	        problem->bandwidth[problem->pool[a * n + b]] ==
	            problem->bandwidth[problem->pool[b * n + a]]);
}

/* Only where each pool serves one direction, or one pair, is bandwidth all that tells two of them
 * apart. */
static bool pools_simple(const struct mapping_problem *problem)
{
	const size_t n = problem->n_cores;
	unsigned *uses = calloc(problem->n_pools + 1, sizeof(*uses));
	bool simple = uses != NULL;

	for (size_t i = 0; simple && i < n * n; i++)
		if (i / n < i % n && problem->pool[i] != MAPPING_NONE)
			uses[problem->pool[i]]++;
	for (size_t i = 0; simple && i < n * n; i++)
		if (i / n > i % n && problem->pool[i] != MAPPING_NONE &&
		    problem->pool[i] != problem->pool[i % n * n + i / n])
			uses[problem->pool[i]]++;
	for (size_t i = 0; simple && i < problem->n_pools; i++)
		simple = uses[i] < 2;
	free(uses);
	return simple;
}

/* Half duplex for one pair and full for another: not alike. */
static bool same_duplex(const struct mapping_problem *problem, size_t a, size_t b)
{
	const size_t n = problem->n_cores;

	for (size_t other = 0; other < n; other++)
		if (other != a && other != b &&
		    (problem->pool[a * n + other] == problem->pool[other * n + a]) !=
		        (problem->pool[b * n + other] == problem->pool[other * n + b]))
			return false;
	return true;
}

static void twins_find(struct branch *branch)
{
	const struct mapping_problem *problem = branch->state->problem;
	const size_t n = problem->n_cores;
	const bool simple = pools_simple(problem);

	for (size_t a = 0; a < n; a++) {
		for (size_t b = a + 1; b < n; b++) {
			bool alike = simple && problem->capacity[a] == problem->capacity[b] &&
			    same_joints(problem, a, b) && same_duplex(problem, a, b);
			for (size_t unit = 0; alike && unit < problem->n_units; unit++)
				alike =
				    problem->demand[unit * n + a] == problem->demand[unit * n + b];
			branch->twins[a * n + b] = branch->twins[b * n + a] = alike;
		}
	}
}

/* An empty core whose empty twin comes before it would only repeat what was tried there. */
static bool core_repeats(const struct branch *branch, uint32_t core)
{
	const size_t n = branch->state->problem->n_cores;

	for (uint32_t other = 0; other < core && !branch->units[core]; other++)
		if (!branch->units[other] && branch->twins[core * n + other])
			return true;
	return false;
}

/* What the units to come cost at least: INFINITY if one of them fits nowhere, or all together do
 * not. */
static double cost_bound(const struct branch *branch, size_t next)
{
	const struct mapping_state *state = branch->state;
	const struct mapping_problem *problem = state->problem;
	const size_t n = problem->n_cores;
	double sum = 0, left = 0;

	assert(next <= branch->state->problem->n_units);
	for (size_t core = 0; core < n; core++)
		left += fmax(state->left[core], 0);
	if (branch->demand[next] > left * (1 + 1e-9) + 1e-9)
		return INFINITY;
	for (size_t i = next; i < problem->n_units; i++) {
		const double *demand = &problem->demand[branch->order[i] * n];
		double least = INFINITY;

		for (size_t core = 0; core < n; core++)
			if (demand[core] <= state->left[core] + 1e-9 * problem->capacity[core])
				least = fmin(
				    least, demand[core] > 0 ? demand[core] / state->left[core] : 0);
		if (least == INFINITY)
			return INFINITY;
		sum += problem->q * fmin(least, 1);
	}
	return sum;
}

static void branch_descend(struct branch *branch, size_t next, double cost)
{
	struct mapping_state *state = branch->state;
	const struct mapping_problem *problem = state->problem;

	assert(next <= branch->state->problem->n_units);
	if (next == problem->n_units) {
		memcpy(branch->best, state->cores, problem->n_units * sizeof(*branch->best));
		branch->cost = cost;
		return;
	}
	if (cost + cost_bound(branch, next) >= branch->cost)
		return;
	for (uint32_t core = 0; core < problem->n_cores && !mapping_tired(state); core++) {
		const size_t mark = state->n_undo;
		double step;

		if ((branch->any && branch->cost < INFINITY) || core_repeats(branch, core))
			continue;
		step = mapping_place(state, branch->order[next], core);
		if (step == INFINITY)
			continue;
		branch->units[core]++;
		if (cost + step < branch->cost)
			branch_descend(branch, next + 1, cost + step);
		branch->units[core]--;
		mapping_unplace(state, branch->order[next], mark);
	}
}

static void branch_search(struct branch *branch, const uint32_t *order, bool any)
{
	const struct mapping_problem *problem = branch->state->problem;

	branch->order = order;
	branch->any = any;
	branch->demand[problem->n_units] = 0;
	for (size_t i = problem->n_units; i-- > 0;)
		branch->demand[i] = branch->demand[i + 1] + mapping_demand_least(problem, order[i]);
	mapping_state_clear(branch->state);
	branch_descend(branch, 0, 0);
}

static int branch_init(struct branch *branch)
{
	const struct mapping_problem *problem = branch->state->problem;

	branch->twins = calloc(problem->n_cores * problem->n_cores + 1, sizeof(*branch->twins));
	branch->units = calloc(problem->n_cores + 1, sizeof(*branch->units));
	branch->demand = calloc(problem->n_units + 1, sizeof(*branch->demand));
	if (!branch->twins || !branch->units || !branch->demand)
		return -ENOMEM;
	twins_find(branch);
	return 0;
}

int mapper_exact(struct mapping_state *state, const uint32_t *order, uint32_t *ret_cores,
    double *cost, bool *ret_proven)
{
	const struct mapping_problem *problem = state->problem;
	struct branch branch = {.state = state, .cost = *cost};
	uint32_t *file_order = calloc(problem->n_units + 1, sizeof(*file_order));
	int rc = file_order ? branch_init(&branch) : -ENOMEM;

	branch.best = ret_cores;
	for (uint32_t i = 0; !rc && i < problem->n_units; i++)
		file_order[i] = i;
	if (!rc && branch.cost == INFINITY) {
		branch_search(&branch, order, true);
		if (branch.cost < INFINITY)
			branch.cost = mapping_cost(state, branch.best);
	}
	if (!rc && branch.cost < INFINITY)
		branch_search(&branch, file_order, false);
	if (!rc) {
		*cost = branch.cost;
		*ret_proven = !mapping_tired(state);
		rc = branch.cost < INFINITY ? 0 : -ENOENT;
	}
	free(branch.twins);
	free(branch.units);
	free(branch.demand);
	free(file_order);
	return rc;
}
