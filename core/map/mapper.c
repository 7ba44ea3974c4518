/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/mapper.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* beyond that a search within reason proves nothing: the portfolio leaves it out */
enum { EXACT_UNITS_MAX = 24 };

struct mapper_run { /* mappers at work, one after the other */
	struct mapping_graph graph;
	struct mapping_state state;
	uint32_t *falling; /* units by falling demand */
	uint32_t *file;    /* 0, 1, 2, ... */
	uint32_t *cores, *best;
	double cost; /* to beat */
	bool proven;
};

const char *mapper_name(enum mapper mapper)
{
	static const char *const names[MAPPERS] = {
	    [MAPPER_TW1] = "tw1",
	    [MAPPER_TW2] = "tw2",
	    [MAPPER_TW3] = "tw3",
	    [MAPPER_TW1_FALLING] = "tw1d",
	    [MAPPER_TW2_FALLING] = "tw2d",
	    [MAPPER_TW3_FALLING] = "tw3d",
	    [MAPPER_GREEDY] = "greedy",
	    [MAPPER_WORST_FIT] = "worst-fit",
	    [MAPPER_CHAIN] = "chain",
	    [MAPPER_LOCAL] = "local",
	    [MAPPER_EXACT] = "exact",
	    [MAPPER_PORTFOLIO] = "portfolio",
	};

	return names[mapper];
}

int mapper_find(const char *name, enum mapper *ret)
{
	for (int mapper = 0; mapper < MAPPERS; mapper++) {
		if (strcmp(name, mapper_name((enum mapper)mapper)) != 0)
			continue;
		*ret = (enum mapper)mapper;
		return 0;
	}
	return -ENOENT;
}

/* Worst fit, and where that finds nothing each unit on the core with the most left, fitting or not:
 * a start to mend. */
static int local_run(struct mapper_run *run)
{
	const struct mapping_problem *problem = run->state.problem;

	if (mapper_worst_fit(&run->state, run->falling, run->cores) == 0)
		return mapper_improve(&run->state, run->cores);
	mapping_state_clear(&run->state);
	for (size_t i = 0; i < problem->n_units; i++) {
		const double *demand = &problem->demand[run->falling[i] * problem->n_cores];
		uint32_t best = MAPPING_NONE;

		for (uint32_t core = 0; core < problem->n_cores; core++)
			if (demand[core] < INFINITY &&
			    (best == MAPPING_NONE ||
			        run->state.left[core] - demand[core] >
			            run->state.left[best] - demand[best]))
				best = core;
		if (best == MAPPING_NONE)
			return -ENOENT;
		run->cores[run->falling[i]] = best;
		run->state.left[best] -= demand[best];
	}
	return mapper_improve(&run->state, run->cores);
}

static int run_one(struct mapper_run *run, enum mapper mapper)
{
	switch (mapper) {
	case MAPPER_TW1:
	case MAPPER_TW2:
	case MAPPER_TW3:
		return mapper_survivors(
		    &run->state, run->file, 1 + mapper - MAPPER_TW1, run->cores);
	case MAPPER_TW1_FALLING:
	case MAPPER_TW2_FALLING:
	case MAPPER_TW3_FALLING:
		return mapper_survivors(
		    &run->state, run->falling, 1 + mapper - MAPPER_TW1_FALLING, run->cores);
	case MAPPER_GREEDY:
		return mapper_greedy(&run->state, run->cores);
	case MAPPER_WORST_FIT:
		return mapper_worst_fit(&run->state, run->falling, run->cores);
	case MAPPER_CHAIN:
		return mapper_chain(&run->state, run->cores);
	case MAPPER_LOCAL:
		return local_run(run);
	default:
		return mapper_exact(
		    &run->state, run->falling, run->cores, &run->cost, &run->proven);
	}
}

/* Runs one mapper and keeps what it finds if that is cheaper than what there is. */
static int try_one(struct mapper_run *run, enum mapper mapper, uint64_t limit, uint32_t *cores,
    struct mapper_result *result)
{
	double cost = INFINITY;
	int rc;

	run->state.steps = 0;
	run->state.steps_limit = limit;
	run->cost = result->cost;
	memcpy(run->cores, cores, run->state.problem->n_units * sizeof(*cores));
	rc = run_one(run, mapper);
	result->steps += run->state.steps;
	result->tired |= mapping_tired(&run->state);
	run->state.steps_limit = 0;
	if (rc == 0)
		cost = mapping_cost(&run->state, run->cores);
	if (cost < result->cost) {
		result->cost = cost;
		result->winner = mapper;
		memcpy(cores, run->cores, run->state.problem->n_units * sizeof(*cores));
	}
	return rc == -ENOMEM ? rc : 0;
}

double mapper_steps(enum mapper mapper, const struct mapping_problem *problem)
{
	const unsigned window = 1 + mapper % 3;

	return mapper <= MAPPER_TW3_FALLING
	    ? (double)problem->n_units * pow((double)problem->n_cores, window + 1)
	    : 0;
}

static int run_all(
    struct mapper_run *run, uint64_t limit, uint32_t *cores, struct mapper_result *result)
{
	const struct mapping_problem *problem = run->state.problem;
	int rc = 0;

	for (int mapper = 0; mapper < MAPPER_EXACT && !rc; mapper++)
		if (!limit || mapper_steps((enum mapper)mapper, problem) <= (double)limit)
			rc = try_one(run, (enum mapper)mapper, limit, cores, result);
	result->tired = false;
	if (!rc && result->cost < INFINITY) {
		run->state.steps = 0;
		run->state.steps_limit = limit;
		memcpy(run->cores, cores, problem->n_units * sizeof(*cores));
		mapper_improve(&run->state, run->cores);
		run->state.steps_limit = 0;
		result->steps += run->state.steps;
		result->cost = mapping_cost(&run->state, run->cores);
		memcpy(cores, run->cores, problem->n_units * sizeof(*cores));
	}
	if (!rc && problem->n_units <= EXACT_UNITS_MAX)
		rc = try_one(run, MAPPER_EXACT, limit, cores, result);
	return rc;
}

struct mapper_run *mapper_begin(const struct mapping_problem *problem)
{
	const size_t n = problem->n_units + 1;
	struct mapper_run *run = calloc(1, sizeof(*run) + 4 * n * sizeof(uint32_t));
	int rc;

	if (!run)
		return NULL;
	run->falling = (uint32_t *)(run + 1);
	run->file = run->falling + n;
	run->cores = run->file + n;
	run->best = run->cores + n;
	rc = mapping_graph_init(&run->graph, problem);
	if (!rc)
		rc = mapping_state_init(&run->state, problem, &run->graph);
	if (!rc)
		rc = mapping_order(problem, run->falling);
	for (size_t i = 0; i < n; i++)
		run->file[i] = (uint32_t)i;
	if (!rc)
		return run;
	mapper_end(run);
	return NULL;
}

void mapper_end(struct mapper_run *run)
{
	mapping_state_fini(&run->state);
	mapping_graph_fini(&run->graph);
	free(run);
}

int mapper_go(struct mapper_run *run, enum mapper mapper, uint64_t steps_limit, uint32_t *ret_cores,
    struct mapper_result *ret)
{
	const size_t n = run->state.problem->n_units;
	struct mapper_result result = {.cost = n ? INFINITY : 0, .winner = mapper};
	int rc = 0;

	run->proven = false;
	memset(run->best, 0, n * sizeof(*run->best));
	if (n)
		rc = mapper == MAPPER_PORTFOLIO
		    ? run_all(run, steps_limit, run->best, &result)
		    : try_one(run, mapper, steps_limit, run->best, &result);
	if (rc)
		return rc;
	result.proven = run->proven || !n;
	if (result.cost < INFINITY)
		memcpy(ret_cores, run->best, n * sizeof(*ret_cores));
	*ret = result;
	return 0;
}

int mapper_run(enum mapper mapper, const struct mapping_problem *problem, uint64_t steps_limit,
    uint32_t *ret_cores, struct mapper_result *ret)
{
	struct mapper_run *run = mapper_begin(problem);
	const int rc = run ? mapper_go(run, mapper, steps_limit, ret_cores, ret) : -ENOMEM;

	if (run)
		mapper_end(run);
	return rc;
}
