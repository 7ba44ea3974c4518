/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/stages_plain.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct plain {
	const struct stages_problem *problem;
	size_t rows, columns; /* cores of each kind, and one */
	double *best;         /* n_tasks + 1 tables */
};

static double *plain_at(const struct plain *plain, size_t tasks, size_t big, size_t little)
{
	return &plain->best[(tasks * plain->rows + big) * plain->columns + little];
}

/* The stages of tasks first .. end - 1 on one kind, with what is best for the tasks before. */
static double stage_best(const struct plain *plain, size_t first, size_t big, size_t little,
    enum stages_kind kind, double sum, bool spread, double best)
{
	const size_t have = kind == STAGES_BIG ? big : little;

	for (size_t cores = 1; cores <= (spread ? have : fmin(1, (double)have)); cores++) {
		const double weight = sum / (double)cores;
		const double before = kind == STAGES_BIG
		    ? *plain_at(plain, first, big - cores, little)
		    : *plain_at(plain, first, big, little - cores);

		best = fmin(best, fmax(weight, before));
		if (before >= best) /* fewer cores for them are no better */
			break;
	}
	return best;
}

static double cell_best(const struct plain *plain, size_t end, size_t big, size_t little)
{
	double sum[STAGES_KINDS] = {0}, best = INFINITY;
	bool spread = plain->problem->spread;

	for (size_t first = end; first-- > 0;) {
		const struct stages_task *task = &plain->problem->tasks[first];
		double least = INFINITY; /* what the stage takes on all cores */

		spread = spread && task->spreadable;
		for (int kind = 0; kind < STAGES_KINDS; kind++) {
			const size_t have = kind == STAGES_BIG ? big : little;

			sum[kind] += (double)task->cost[kind];
			best = stage_best(plain, first, big, little, (enum stages_kind)kind,
			    sum[kind], spread, best);
			if (have)
				least = fmin(least, sum[kind] / (spread ? (double)have : 1));
		}
		if (least >= best)
			break;
	}
	return best;
}

static void plain_fill(const struct plain *plain)
{
	for (size_t end = 0; end <= plain->problem->n_tasks; end++)
		for (size_t big = 0; big < plain->rows; big++)
			for (size_t little = 0; little < plain->columns; little++)
				*plain_at(plain, end, big, little) =
				    end ? cell_best(plain, end, big, little) : 0;
}

int stages_plain_solve(const struct stages_problem *problem, struct stages_plain *ret)
{
	struct plain plain = {.problem = problem,
	    .rows = (size_t)problem->cores[STAGES_BIG] + 1,
	    .columns = (size_t)problem->cores[STAGES_LITTLE] + 1};
	const size_t n = problem->n_tasks;
	uint32_t big = 0, little = 0;

	if (n == 0 || plain.rows + plain.columns == 2)
		return -EINVAL;
	plain.best = calloc((n + 1) * plain.rows * plain.columns, sizeof(*plain.best));
	if (!plain.best)
		return -ENOMEM;
	plain_fill(&plain);
	ret->period = *plain_at(&plain, n, plain.rows - 1, plain.columns - 1);
	while (*plain_at(&plain, n, big, plain.columns - 1) > ret->period)
		big++;
	while (*plain_at(&plain, n, big, little) > ret->period)
		little++;
	ret->used[STAGES_BIG] = big;
	ret->used[STAGES_LITTLE] = little;
	free(plain.best);
	return 0;
}
