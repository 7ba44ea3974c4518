/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A chain on two nodes: every place to cross, from either node; each side is a chain of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/map/stages.h"

struct pair_search {
	const struct stages_pair *pair;
	struct stages_task *tasks; /* with what the crossing takes */
	struct stages_split best;
	bool found;
};

static bool pair_valid(const struct stages_pair *pair)
{
	if (pair->delay == 0 || pair->n_tasks == 0 || pair->n_tasks > STAGES_TASKS_MAX)
		return false;
	for (size_t i = 0; i + 1 < pair->n_tasks; i++)
		if (pair->wire[i] >= STAGES_COST_MAX || pair->send[i] >= STAGES_COST_MAX ||
		    pair->receive[i] >= STAGES_COST_MAX)
			return false;
	return true;
}

static bool node_has(const struct stages_pair *pair, uint32_t node)
{
	return pair->cores[node][STAGES_BIG] || pair->cores[node][STAGES_LITTLE];
}

/* The side before the link, or behind it, in no less than `least`. */
static int side_solve(struct pair_search *search, uint32_t cut, uint32_t node, int side,
    struct stages_period least, struct stages *ret)
{
	const struct stages_pair *pair = search->pair;
	const size_t n = side == 0 ? cut : pair->n_tasks - cut;
	struct stages_problem problem = {
	    .tasks = search->tasks, .n_tasks = n, .spread = pair->spread, .least = least};

	memcpy(problem.cores, pair->cores[node], sizeof(problem.cores));
	memcpy(search->tasks, pair->tasks + (side == 0 ? 0 : cut), n * sizeof(*search->tasks));
	for (int kind = 0; cut < pair->n_tasks && kind < STAGES_KINDS; kind++)
		search->tasks[side == 0 ? n - 1 : 0].cost[kind] +=
		    side == 0 ? pair->send[cut - 1] : pair->receive[cut - 1];
	return stages_solve(&problem, ret);
}

static int sides_solve(
    struct pair_search *search, struct stages_split *split, struct stages_period least)
{
	int rc = side_solve(search, split->cut, split->node, 0, least, &split->sides[0]);

	if (rc == 0 && split->cut < search->pair->n_tasks)
		rc = side_solve(search, split->cut, !split->node, 1, least, &split->sides[1]);
	return rc;
}

/* Takes what is in `split`, which is as short as the best so far or shorter, or ends it. */
static void split_keep(struct pair_search *search, struct stages_split *split)
{
	const bool same =
	    search->found && stages_compare(&split->period, &search->best.period) == 0;

	split->slots = stages_slots(&split->sides[0]) + stages_slots(&split->sides[1]);
	if (split->cut < search->pair->n_tasks)
		split->slots += search->pair->delay - 1;
	if (same && split->slots >= search->best.slots) {
		stages_split_fini(split);
		return;
	}
	stages_split_fini(&search->best);
	search->best = *split;
	search->found = true;
}

/* A side that would do with a shorter period than the other one, or than the link, is solved again
 * for the period of all, for which it needs fewer cores. */
static int cut_try(struct pair_search *search, uint32_t cut, uint32_t node)
{
	const struct stages_pair *pair = search->pair;
	struct stages_split split = {.cut = cut, .node = node, .period = {0, 1}};
	int rc = sides_solve(search, &split, (struct stages_period){0});

	if (rc == 0 && cut < pair->n_tasks)
		split.period.cost = pair->wire[cut - 1];
	for (int side = 0; side < 2; side++)
		if (stages_compare(&split.sides[side].period, &split.period) > 0)
			split.period = split.sides[side].period;
	stages_fini(&split.sides[0]);
	stages_fini(&split.sides[1]);
	if (rc == 0 &&
	    (!search->found || stages_compare(&split.period, &search->best.period) <= 0)) {
		rc = sides_solve(search, &split, split.period);
		if (rc == 0)
			split_keep(search, &split);
		else
			stages_split_fini(&split);
	}
	return rc;
}

static int bound_take(struct pair_search *search, struct stages_period *ret)
{
	const struct stages_pair *pair = search->pair;
	struct stages_problem all = {
	    .tasks = pair->tasks, .n_tasks = pair->n_tasks, .spread = pair->spread};
	struct stages stages;
	int rc;

	for (int kind = 0; kind < STAGES_KINDS; kind++)
		all.cores[kind] = pair->cores[0][kind] + pair->cores[1][kind];
	rc = stages_solve(&all, &stages);
	*ret = stages.period;
	stages_fini(&stages);
	return rc;
}

int stages_pair_solve(const struct stages_pair *pair, struct stages_split *ret)
{
	struct pair_search search = {.pair = pair, .best = {.period = {0, 1}}};
	struct stages_period bound = {0, 1};
	int rc = pair_valid(pair) ? bound_take(&search, &bound) : -EINVAL;

	search.tasks = rc == 0 ? calloc(pair->n_tasks, sizeof(*search.tasks)) : NULL;
	if (rc == 0 && !search.tasks)
		rc = -ENOMEM;
	/* first without a crossing: what crosses must be better than that */
	for (uint32_t cut = (uint32_t)pair->n_tasks; rc == 0 && cut > 0; cut--)
		for (uint32_t node = 0; rc == 0 && node < 2; node++)
			if (node_has(pair, node) && (cut == pair->n_tasks || node_has(pair, !node)))
				rc = cut_try(&search, cut, node);
	*ret = search.best;
	ret->bound = bound;
	free(search.tasks);
	return rc;
}

void stages_split_fini(struct stages_split *split)
{
	stages_fini(&split->sides[0]);
	stages_fini(&split->sides[1]);
}
