/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The search for the period: from a bound below upwards in growing steps, then by halves. */
#include "core/map/stages.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/map/stages_reach.h"

/* Halves are fractions of this many parts. With the limits of stages.h, costs x parts x cores stay
 * below 2^61. */
enum { PARTS = STAGES_CORES_MAX };

struct stages_period stages_weigh(const struct stages_problem *problem, const struct stage *stage)
{
	struct stages_period weight = {0, stage->cores};

	for (uint32_t i = 0; i < stage->n_tasks; i++)
		weight.cost += problem->tasks[stage->first + i].cost[stage->kind];
	return weight;
}

uint32_t stages_slots(const struct stages *stages)
{
	uint32_t slots = 0;

	for (size_t i = 0; i < stages->n_stages; i++)
		slots += stages->stages[i].cores;
	return slots;
}

static bool problem_valid(const struct stages_problem *problem)
{
	if (problem->n_tasks == 0 || problem->n_tasks > STAGES_TASKS_MAX)
		return false;
	for (int kind = 0; kind < STAGES_KINDS; kind++) {
		uint64_t sum = 0;

		if (problem->cores[kind] > STAGES_CORES_MAX)
			return false;
		for (size_t i = 0; i < problem->n_tasks; i++) {
			const uint64_t cost = problem->tasks[i].cost[kind];

			if (cost >= STAGES_COST_MAX - sum)
				return false;
			sum += cost;
		}
	}
	if (problem->least.cores > STAGES_CORES_MAX || problem->least.cost > STAGES_COST_MAX)
		return false;
	return problem->cores[STAGES_BIG] || problem->cores[STAGES_LITTLE];
}

/* ---- a bound below -------------------------------------------------------------------- */

static void period_raise(struct stages_period *period, struct stages_period least)
{
	if (stages_compare(&least, period) > 0)
		*period = least;
}

/* What the task needs where it costs least, alone on all the cores that it can have. */
static struct stages_period task_least(
    const struct stages_problem *problem, const struct stages_task *task)
{
	struct stages_period least = {STAGES_COST_MAX, 1};

	for (int kind = 0; kind < STAGES_KINDS; kind++) {
		const struct stages_period here = {task->cost[kind],
		    problem->spread && task->spreadable ? problem->cores[kind] : 1};

		if (problem->cores[kind] && stages_compare(&here, &least) < 0)
			least = here;
	}
	return least;
}

/* No task may need more than the period, nor all of them more than all cores have in it. */
static struct stages_period bound_below(const struct stages_problem *problem)
{
	struct stages_period bound = {0, 1};
	uint64_t all = 0;

	for (size_t i = 0; i < problem->n_tasks; i++) {
		const struct stages_task *task = &problem->tasks[i];
		const uint64_t big = task->cost[STAGES_BIG], little = task->cost[STAGES_LITTLE];

		period_raise(&bound, task_least(problem, task));
		all += !problem->cores[STAGES_BIG]   ? little
		    : !problem->cores[STAGES_LITTLE] ? big
		    : big < little                   ? big
		                                     : little;
	}
	period_raise(&bound,
	    (struct stages_period){
	        all, problem->cores[STAGES_BIG] + problem->cores[STAGES_LITTLE]});
	return bound;
}

/* ---- the search ------------------------------------------------------------------------ */

struct stages_search {
	struct reach reach;
	/* The shortest period is neither below `low` nor above `high`. `high` has been reached. */
	struct stages_period low, high;
	bool found;
	unsigned tried;
	struct stage *stages; /* last first, of the last period that was long enough */
	size_t n_stages;
};

static void search_try(struct stages_search *search, struct stages_period period)
{
	search->tried++;
	if (!reach_try(&search->reach, period)) {
		search->low = search->reach.next;
		return;
	}
	search->n_stages = reach_stages(&search->reach, search->stages);
	search->high = (struct stages_period){0, 1};
	for (size_t i = 0; i < search->n_stages; i++)
		period_raise(
		    &search->high, stages_weigh(search->reach.problem, &search->stages[i]));
	search->found = true;
}

/* Between low and high, or low itself where nothing lies between. */
static struct stages_period search_half(const struct stages_search *search)
{
	const double low = stages_period_of(&search->low), high = stages_period_of(&search->high);
	const struct stages_period half = {(uint64_t)(ldexp(low + high, -1) * PARTS), PARTS};

	if (stages_compare(&half, &search->low) > 0 && stages_compare(&half, &search->high) < 0)
		return half;
	return search->low;
}

/* The last schedule has the period `high`. It was found for that period or a longer one, with the
 * fewest cores: no schedule of `high` has fewer. */
static void search_run(struct stages_search *search)
{
	double step = 1.0 / 32;

	search_try(search, search->low);
	while (!search->found) {
		const uint64_t more =
		    (uint64_t)(stages_period_of(&search->low) * (1 + step) * PARTS);
		const struct stages_period next = {more, PARTS};

		search_try(search, stages_compare(&next, &search->low) > 0 ? next : search->low);
		step *= 2;
	}
	while (stages_compare(&search->low, &search->high) < 0)
		search_try(search, search_half(search));
}

static void answer_take(struct stages_search *search, struct stages *ret)
{
	for (size_t i = 0; i < search->n_stages / 2; i++) {
		const struct stage stage = search->stages[i];

		search->stages[i] = search->stages[search->n_stages - 1 - i];
		search->stages[search->n_stages - 1 - i] = stage;
	}
	ret->period = search->high;
	for (int kind = 0; kind < STAGES_KINDS; kind++)
		ret->used[kind] = search->reach.used[kind];
	ret->stages = search->stages;
	ret->n_stages = search->n_stages;
	ret->tried = search->tried;
}

int stages_solve(const struct stages_problem *problem, struct stages *ret)
{
	struct stages_search search = {0};
	int rc;

	*ret = (struct stages){.period = {0, 1}};
	if (!problem_valid(problem))
		return -EINVAL;
	rc = reach_init(&search.reach, problem);
	search.stages = calloc(problem->n_tasks, sizeof(*search.stages));
	if (rc == 0 && !search.stages)
		rc = -ENOMEM;
	if (rc == 0) {
		search.low = bound_below(problem);
		if (problem->least.cores)
			period_raise(&search.low, problem->least);
		search_run(&search);
		answer_take(&search, ret);
		search.stages = NULL;
	}
	free(search.stages);
	reach_fini(&search.reach);
	return rc;
}

void stages_fini(struct stages *stages)
{
	free(stages->stages);
	*stages = (struct stages){.period = {0, 1}};
}
