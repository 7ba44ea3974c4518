/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stages of a chain on cores of two kinds: worked examples, small chains held against every
 * schedule that there is, larger ones against the plain recurrence, two nodes against every place
 * to cross. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/map/stages.h"
#include "tools/bench/random.h"
#include "tools/bench/stages_plain.h"
#include "tools/bench/stages_random.h"

enum { TASKS = 64, TRIALS = 4000 };

/* ---- every schedule ------------------------------------------------------------------- */

struct every {
	const struct stages_problem *problem;
	double period;
	uint32_t used[STAGES_KINDS];
};

static void every_end(struct every *every, const uint32_t *used, double worst)
{
	const bool fewer = used[STAGES_BIG] < every->used[STAGES_BIG] ||
	    (used[STAGES_BIG] == every->used[STAGES_BIG] &&
	        used[STAGES_LITTLE] < every->used[STAGES_LITTLE]);

	if (worst > every->period || (worst == every->period && !fewer))
		return;
	every->period = worst;
	memcpy(every->used, used, sizeof(every->used));
}

static void every_stage(struct every *every, size_t first, const uint32_t *used, double worst)
{
	const struct stages_problem *problem = every->problem;
	double sum[STAGES_KINDS] = {0};
	bool spread = problem->spread;

	if (first == problem->n_tasks)
		every_end(every, used, worst);
	for (size_t end = first; end < problem->n_tasks; end++) {
		spread = spread && problem->tasks[end].spreadable;
		for (int kind = 0; kind < STAGES_KINDS; kind++) {
			const uint32_t left = problem->cores[kind] - used[kind];

			sum[kind] += (double)problem->tasks[end].cost[kind];
			for (uint32_t cores = 1; cores <= (spread ? left : left > 0); cores++) {
				uint32_t now[STAGES_KINDS] = {used[0], used[1]};

				now[kind] += cores;
				every_stage(every, end + 1, now, fmax(worst, sum[kind] / cores));
			}
		}
	}
}

static struct every every_schedule(const struct stages_problem *problem)
{
	struct every every = {problem, INFINITY, {UINT32_MAX, UINT32_MAX}};
	const uint32_t none[STAGES_KINDS] = {0};

	every_stage(&every, 0, none, 0);
	return every;
}

/* ---- one schedule --------------------------------------------------------------------- */

/* The stages are the chain, within the cores, and their largest weight is the period. */
static void schedule_check(const struct stages_problem *problem, const struct stages *stages)
{
	uint32_t at = 0, used[STAGES_KINDS] = {0};
	double worst = 0;

	for (size_t i = 0; i < stages->n_stages; i++) {
		const struct stage *stage = &stages->stages[i];
		const struct stages_period weight = stages_weigh(problem, stage);

		assert_int_equal(stage->first, at);
		assert_true(stage->n_tasks > 0 && stage->cores > 0);
		for (uint32_t k = 0; k < stage->n_tasks && stage->cores > 1; k++)
			assert_true(problem->spread && problem->tasks[at + k].spreadable);
		at += stage->n_tasks;
		used[stage->kind] += stage->cores;
		worst = fmax(worst, stages_period_of(&weight));
	}
	assert_int_equal(at, problem->n_tasks);
	assert_true(worst == stages_period_of(&stages->period));
	for (int kind = 0; kind < STAGES_KINDS; kind++) {
		assert_int_equal(stages->used[kind], used[kind]);
		assert_true(used[kind] <= problem->cores[kind]);
	}
}

static void solve(const struct stages_problem *problem, struct stages *ret)
{
	assert_int_equal(stages_solve(problem, ret), 0);
	schedule_check(problem, ret);
}

static void same(const struct stages *stages, double period, const uint32_t *used)
{
	assert_true(stages_period_of(&stages->period) == period);
	assert_int_equal(stages->used[STAGES_BIG], used[STAGES_BIG]);
	assert_int_equal(stages->used[STAGES_LITTLE], used[STAGES_LITTLE]);
}

/* Costs of a few values, zero among them, so that there are ties. */
static void tasks_make(uint64_t *state, struct stages_task *tasks, size_t n)
{
	const uint32_t most = random_whole(state, 1, 3) == 1 ? 4 : 60;

	for (size_t i = 0; i < n; i++)
		tasks[i] = (struct stages_task){
		    {random_whole(state, 0, most), random_whole(state, 0, 2 * most)},
		    random_whole(state, 0, 2) > 0};
}

static struct stages_problem problem_make(
    uint64_t *state, struct stages_task *tasks, uint32_t n_max, uint32_t cores_max)
{
	struct stages_problem problem = {.tasks = tasks, .n_tasks = random_whole(state, 1, n_max)};

	tasks_make(state, tasks, problem.n_tasks);
	do {
		problem.cores[STAGES_BIG] = random_whole(state, 0, cores_max);
		problem.cores[STAGES_LITTLE] = random_whole(state, 0, cores_max);
	} while (!problem.cores[STAGES_BIG] && !problem.cores[STAGES_LITTLE]);
	problem.spread = random_whole(state, 0, 4) > 0;
	return problem;
}

static void small_are_optimal(void **unused)
{
	struct stages_task tasks[TASKS];
	struct stages stages;
	uint64_t state = 1;

	(void)unused;
	for (int trial = 0; trial < TRIALS; trial++) {
		const struct stages_problem problem = problem_make(&state, tasks, 7, 4);
		const struct every every = every_schedule(&problem);
		struct stages_plain plain;

		solve(&problem, &stages);
		same(&stages, every.period, every.used);
		stages_fini(&stages);
		assert_int_equal(stages_plain_solve(&problem, &plain), 0);
		assert_true(plain.period == every.period);
		assert_memory_equal(plain.used, every.used, sizeof(plain.used));
	}
}

/* With `least`, no shorter period is looked for: the fewest cores for that one. */
static void least_saves_cores(void **unused)
{
	struct stages_task tasks[TASKS];
	struct stages best, stages;
	uint64_t state = 2;
	unsigned saved = 0;

	(void)unused;
	for (int trial = 0; trial < TRIALS; trial++) {
		struct stages_problem problem = problem_make(&state, tasks, 7, 4);

		solve(&problem, &best);
		problem.least = (struct stages_period){3 * best.period.cost, 2 * best.period.cores};
		solve(&problem, &stages);
		assert_true(stages_compare(&stages.period, &problem.least) <= 0);
		assert_true(stages.used[STAGES_BIG] <= best.used[STAGES_BIG]);
		saved += stages.used[STAGES_BIG] < best.used[STAGES_BIG];
		stages_fini(&stages);
		problem.least = (struct stages_period){best.period.cost, 2 * best.period.cores};
		solve(&problem, &stages);
		same(&stages, stages_period_of(&best.period), best.used);
		stages_fini(&stages);
		stages_fini(&best);
	}
	assert_true(saved > TRIALS / 10);
}

static void large_are_as_the_recurrence(void **unused)
{
	static const uint32_t cores[][STAGES_KINDS] = {{16, 4}, {10, 10}, {4, 16}, {0, 9}, {9, 0}};
	static const double shares[] = {0, 0.2, 0.5, 0.8, 1};
	struct stages_task tasks[TASKS];
	struct stages_plain plain;
	struct stages stages;

	(void)unused;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct stages_problem problem = {
		    .tasks = tasks, .n_tasks = seed % 10 ? 20 : TASKS, .spread = true};

		memcpy(problem.cores, cores[seed % 5], sizeof(problem.cores));
		stages_random(seed, shares[seed / 5 % 5], tasks, problem.n_tasks);
		assert_int_equal(stages_plain_solve(&problem, &plain), 0);
		solve(&problem, &stages);
		same(&stages, plain.period, plain.used);
		stages_fini(&stages);
	}
}

/* ---- by hand --------------------------------------------------------------------------- */

/* 2 | 6 | 3 on big cores, 3 | 8 | 9 on little ones; the middle may have several. */
static void worked_example(void **unused)
{
	static const struct stages_task tasks[] = {
	    {{2, 3}, false}, {{6, 8}, true}, {{3, 9}, false}};
	struct stages_problem problem = {tasks, 3, {2, 0}, true, {0}};
	struct stages stages;

	(void)unused;
	solve(&problem, &stages); /* B B: 2 6 | 3, for 2 | 6 3 takes 9 */
	same(&stages, 8, (uint32_t[]){2, 0});
	stages_fini(&stages);
	problem.cores[STAGES_LITTLE] = 3;
	solve(&problem, &stages); /* B | L L L | B */
	same(&stages, 3, (uint32_t[]){2, 3});
	assert_int_equal(stages.n_stages, 3);
	assert_int_equal(stages.stages[1].cores, 3);
	assert_int_equal(stages_slots(&stages), 5);
	stages_fini(&stages);
	problem.cores[STAGES_BIG] = 1;
	solve(&problem, &stages); /* L | L L | B */
	same(&stages, 4, (uint32_t[]){1, 3});
	stages_fini(&stages);
	problem.spread = false;
	problem.cores[STAGES_BIG] = 2;
	solve(&problem, &stages); /* L | B | B */
	same(&stages, 6, (uint32_t[]){2, 1});
	stages_fini(&stages);
}

static void wrong_problems(void **unused)
{
	static const struct stages_task huge[] = {{{1, STAGES_COST_MAX}, true}};
	static const struct stages_task task[] = {{{1, 1}, true}};
	struct stages stages;
	struct stages_plain plain;

	(void)unused;
	assert_int_equal(
	    stages_solve(&(struct stages_problem){task, 0, {1, 1}, true, {0}}, &stages), -EINVAL);
	assert_int_equal(
	    stages_solve(&(struct stages_problem){task, 1, {0, 0}, true, {0}}, &stages), -EINVAL);
	assert_int_equal(
	    stages_solve(&(struct stages_problem){huge, 1, {1, 1}, true, {0}}, &stages), -EINVAL);
	assert_int_equal(
	    stages_solve(
	        &(struct stages_problem){task, 1, {STAGES_CORES_MAX + 1, 1}, true, {0}}, &stages),
	    -EINVAL);
	assert_int_equal(
	    stages_plain_solve(&(struct stages_problem){task, 0, {1, 1}, true, {0}}, &plain),
	    -EINVAL);
}

/* As many tasks, cores and costs as are allowed: nothing overflows. */
static void the_largest(void **unused)
{
	struct stages_task *tasks = calloc(STAGES_TASKS_MAX, sizeof(*tasks));
	struct stages_problem problem = {tasks, STAGES_TASKS_MAX, {STAGES_CORES_MAX, 2}, true, {0}};
	const uint64_t cost = (STAGES_COST_MAX - 1) / STAGES_TASKS_MAX;
	struct stages stages;

	(void)unused;
	assert_non_null(tasks);
	for (size_t i = 0; i < STAGES_TASKS_MAX; i++)
		tasks[i] = (struct stages_task){{cost, cost}, i != 0};
	solve(&problem, &stages);
	same(&stages, (double)cost, (uint32_t[]){STAGES_TASKS_MAX - 2, 2});
	stages_fini(&stages);
	free(tasks);
}

/* ---- two nodes ------------------------------------------------------------------------- */

struct pair_case {
	struct stages_task tasks[TASKS];
	uint64_t wire[TASKS], send[TASKS], receive[TASKS];
	struct stages_pair pair;
};

static void pair_make(uint64_t *state, struct pair_case *ret)
{
	struct stages_pair *pair = &ret->pair;

	*pair = (struct stages_pair){.tasks = ret->tasks,
	    .n_tasks = random_whole(state, 1, 6),
	    .wire = ret->wire,
	    .send = ret->send,
	    .receive = ret->receive,
	    .delay = random_whole(state, 1, 3),
	    .spread = random_whole(state, 0, 4) > 0};
	tasks_make(state, ret->tasks, pair->n_tasks);
	for (size_t i = 0; i < TASKS; i++) {
		ret->wire[i] = random_whole(state, 0, 40);
		ret->send[i] = random_whole(state, 0, 5);
		ret->receive[i] = random_whole(state, 0, 5);
	}
	for (int node = 0; node < 2; node++) {
		pair->cores[node][STAGES_BIG] = random_whole(state, 0, 2);
		pair->cores[node][STAGES_LITTLE] =
		    random_whole(state, pair->cores[node][0] == 0, 2);
	}
}

/* The shortest period of the tasks of a side on a node, by every schedule. */
static double side_every(const struct stages_pair *pair, size_t first, size_t n, int node)
{
	struct stages_task tasks[TASKS];
	struct stages_problem problem = {.tasks = tasks, .n_tasks = n, .spread = pair->spread};

	memcpy(tasks, pair->tasks + first, n * sizeof(*tasks));
	memcpy(problem.cores, pair->cores[node], sizeof(problem.cores));
	for (int kind = 0; kind < STAGES_KINDS; kind++) {
		if (first > 0)
			tasks[0].cost[kind] += pair->receive[first - 1];
		if (first + n < pair->n_tasks)
			tasks[n - 1].cost[kind] += pair->send[first + n - 1];
	}
	return every_schedule(&problem).period;
}

static double pair_every(const struct stages_pair *pair)
{
	const size_t n = pair->n_tasks;
	double best = INFINITY;

	for (int node = 0; node < 2; node++) {
		best = fmin(best, side_every(pair, 0, n, node));
		for (size_t cut = 1; cut < n; cut++)
			best = fmin(best,
			    fmax((double)pair->wire[cut - 1],
			        fmax(side_every(pair, 0, cut, node),
			            side_every(pair, cut, n - cut, !node))));
	}
	return best;
}

/* What the answer says of itself holds. */
static void split_check(const struct stages_pair *pair, const struct stages_split *split)
{
	uint32_t slots = 0;
	size_t tasks = 0;

	for (int side = 0; side < 2; side++) {
		const struct stages *stages = &split->sides[side];

		assert_true(stages_compare(&stages->period, &split->period) <= 0);
		for (int kind = 0; kind < STAGES_KINDS; kind++)
			assert_true(
			    stages->used[kind] <= pair->cores[split->node ^ (uint32_t)side][kind]);
		for (size_t i = 0; i < stages->n_stages; i++) {
			tasks += stages->stages[i].n_tasks;
			slots += stages->stages[i].cores;
		}
		if (side == 0)
			assert_int_equal(tasks, split->cut);
	}
	assert_int_equal(tasks, pair->n_tasks);
	if (split->cut < pair->n_tasks) {
		slots += pair->delay - 1;
		assert_true((double)pair->wire[split->cut - 1] <= stages_period_of(&split->period));
	}
	assert_int_equal(split->slots, slots);
	assert_true(stages_compare(&split->bound, &split->period) <= 0);
}

/* A node alone that does as well, in no fewer slots. */
static void slots_check(const struct stages_pair *pair, const struct stages_split *split)
{
	for (int node = 0; node < 2; node++) {
		struct stages_problem problem = {
		    .tasks = pair->tasks, .n_tasks = pair->n_tasks, .spread = pair->spread};
		struct stages stages;

		memcpy(problem.cores, pair->cores[node], sizeof(problem.cores));
		solve(&problem, &stages);
		if (stages_compare(&stages.period, &split->period) == 0)
			assert_true(split->slots <= stages_slots(&stages));
		stages_fini(&stages);
	}
}

static void pairs_are_optimal(void **unused)
{
	struct pair_case c;
	struct stages_split split;
	uint64_t state = 3;
	unsigned crossed = 0, met = 0;

	(void)unused;
	for (int trial = 0; trial < TRIALS / 2; trial++) {
		pair_make(&state, &c);
		assert_int_equal(stages_pair_solve(&c.pair, &split), 0);
		assert_true(stages_period_of(&split.period) == pair_every(&c.pair));
		split_check(&c.pair, &split);
		slots_check(&c.pair, &split);
		crossed += split.cut < c.pair.n_tasks;
		met += stages_compare(&split.bound, &split.period) == 0;
		stages_split_fini(&split);
	}
	assert_in_range(crossed, TRIALS / 20, TRIALS / 2 - TRIALS / 20);
	assert_in_range(met, TRIALS / 20, TRIALS / 2 - TRIALS / 20);
	c.pair.delay = 0;
	assert_int_equal(stages_pair_solve(&c.pair, &split), -EINVAL);
	stages_split_fini(&split);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(worked_example),
	    cmocka_unit_test(wrong_problems),
	    cmocka_unit_test(the_largest),
	    cmocka_unit_test(small_are_optimal),
	    cmocka_unit_test(least_saves_cores),
	    cmocka_unit_test(large_are_as_the_recurrence),
	    cmocka_unit_test(pairs_are_optimal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
