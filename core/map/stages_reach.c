/* SPDX-License-Identifier: BSD-3-Clause
 *
 * With a period p, the longest stage of one core from task i ends where the sums say (`alone`).
 * A stage of r cores from i has room for the sum up to i and r x p, inside its run of spreadable
 * tasks. Only one such stage need be kept for each cell and kind: of two that are open in one run,
 * the one with more room is never worse; one whose run ends before what the cell carries is of no
 * more use. And a stage that begins where the cell ends has more room than one that ends earlier.
 * All comparisons are between whole numbers: costs x the cores of the period. */
#include "core/map/stages_reach.h"

#include <errno.h>
#include <stdlib.h>

static void sums_make(struct reach *reach)
{
	const struct stages_problem *problem = reach->problem;
	const size_t n = problem->n_tasks;

	for (int kind = 0; kind < STAGES_KINDS; kind++)
		for (size_t i = 0; i < n; i++)
			reach->sums[kind][i + 1] =
			    reach->sums[kind][i] + problem->tasks[i].cost[kind];
	for (size_t i = n; i-- > 0;) {
		const bool spread = problem->spread && problem->tasks[i].spreadable;

		reach->run[i] = !spread                                ? (uint32_t)i
		    : i + 1 < n && reach->run[i + 1] > (uint32_t)i + 1 ? reach->run[i + 1]
		                                                       : (uint32_t)i + 1;
	}
}

int reach_init(struct reach *reach, const struct stages_problem *problem)
{
	const size_t n = problem->n_tasks;
	const size_t columns = (size_t)problem->cores[STAGES_LITTLE] + 1;
	const size_t rows = (size_t)problem->cores[STAGES_BIG] + 1;
	bool lost = false;

	*reach = (struct reach){.problem = problem};
	for (int kind = 0; kind < STAGES_KINDS; kind++) {
		reach->sums[kind] = calloc(n + 1, sizeof(*reach->sums[kind]));
		reach->scaled[kind] = calloc(n + 1, sizeof(*reach->scaled[kind]));
		reach->alone[kind] = calloc(n + 1, sizeof(*reach->alone[kind]));
		lost = lost || !reach->sums[kind] || !reach->scaled[kind] || !reach->alone[kind];
	}
	reach->run = calloc(n + 1, sizeof(*reach->run));
	reach->cells = calloc(rows * columns, sizeof(*reach->cells));
	reach->spreads = calloc(columns, sizeof(*reach->spreads));
	if (lost || !reach->run || !reach->cells || !reach->spreads)
		return -ENOMEM;
	sums_make(reach);
	return 0;
}

void reach_fini(struct reach *reach)
{
	for (int kind = 0; kind < STAGES_KINDS; kind++) {
		free(reach->sums[kind]);
		free(reach->scaled[kind]);
		free(reach->alone[kind]);
	}
	free(reach->run);
	free(reach->cells);
	free(reach->spreads);
}

/* ---- one period ---------------------------------------------------------------------- */

static void next_note(struct reach *reach, uint64_t cost, uint32_t cores)
{
	const struct stages_period period = {cost, cores};

	if (stages_compare(&period, &reach->next) < 0)
		reach->next = period;
}

static void alone_make(struct reach *reach, enum stages_kind kind)
{
	const uint32_t n = (uint32_t)reach->problem->n_tasks;
	const uint64_t *scaled = reach->scaled[kind];
	uint32_t end = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (end < i)
			end = i;
		while (end < n && scaled[end + 1] - scaled[i] <= reach->period.cost)
			end++;
		reach->alone[kind][i] = end;
	}
}

/* One core more of the kind, for the stage on several cores: `at` is the end of the cell before. */
static void spread_grow(
    struct reach *reach, struct reach_spread *spread, enum stages_kind kind, uint32_t at)
{
	const uint64_t *scaled = reach->scaled[kind];
	const uint32_t run = reach->run[at];

	if (run <= at) {
		spread->open = false;
		return;
	}
	if (!spread->open || spread->end != at)
		*spread =
		    (struct reach_spread){.room = scaled[at], .first = at, .end = at, .open = true};
	spread->room += reach->period.cost;
	spread->cores++;
	while (spread->end < run && scaled[spread->end + 1] <= spread->room)
		spread->end++;
	if (spread->end < run)
		next_note(reach,
		    reach->sums[kind][spread->end + 1] - reach->sums[kind][spread->first],
		    spread->cores);
}

/* What the cell carries by one core more of the kind than `before`. */
static void cell_grow(struct reach *reach, struct reach_cell *cell, const struct reach_cell *before,
    struct reach_spread *spread, enum stages_kind kind)
{
	const uint32_t n = (uint32_t)reach->problem->n_tasks, at = before->end;
	const uint32_t alone = reach->alone[kind][at];

	if (alone < n)
		next_note(reach, reach->sums[kind][alone + 1] - reach->sums[kind][at], 1);
	if (alone > cell->end || !cell->cores)
		*cell = (struct reach_cell){alone, at, 1, kind};
	spread_grow(reach, spread, kind, at);
	if (spread->open && spread->end > cell->end)
		*cell = (struct reach_cell){spread->end, spread->first, spread->cores, kind};
}

static void period_begin(struct reach *reach, struct stages_period period)
{
	const struct stages_problem *problem = reach->problem;

	reach->period = period;
	reach->next = (struct stages_period){STAGES_COST_MAX, 1};
	for (int kind = 0; kind < STAGES_KINDS; kind++) {
		for (size_t i = 0; i <= problem->n_tasks; i++)
			reach->scaled[kind][i] = reach->sums[kind][i] * period.cores;
		alone_make(reach, (enum stages_kind)kind);
	}
	for (uint32_t l = 0; l <= problem->cores[STAGES_LITTLE]; l++)
		reach->spreads[l] = (struct reach_spread){0};
}

bool reach_try(struct reach *reach, struct stages_period period)
{
	const struct stages_problem *problem = reach->problem;
	const size_t columns = (size_t)problem->cores[STAGES_LITTLE] + 1;

	period_begin(reach, period);
	for (uint32_t b = 0; b <= problem->cores[STAGES_BIG]; b++) {
		struct reach_cell *row = reach->cells + b * columns;
		struct reach_spread little = {0};

		for (uint32_t l = 0; l < columns; l++) {
			row[l] = (struct reach_cell){0};
			if (l > 0)
				cell_grow(reach, &row[l], &row[l - 1], &little, STAGES_LITTLE);
			if (b > 0)
				cell_grow(reach, &row[l], &row[l] - columns, &reach->spreads[l],
				    STAGES_BIG);
			if (row[l].end == problem->n_tasks) {
				reach->used[STAGES_BIG] = b;
				reach->used[STAGES_LITTLE] = l;
				return true;
			}
		}
	}
	return false;
}

size_t reach_stages(const struct reach *reach, struct stage *ret)
{
	const size_t columns = (size_t)reach->problem->cores[STAGES_LITTLE] + 1;
	uint32_t left[STAGES_KINDS] = {reach->used[STAGES_BIG], reach->used[STAGES_LITTLE]};
	size_t n = 0;

	while (left[STAGES_BIG] || left[STAGES_LITTLE]) {
		const struct reach_cell *cell =
		    &reach->cells[left[STAGES_BIG] * columns + left[STAGES_LITTLE]];

		if (cell->end > cell->first)
			ret[n++] = (struct stage){
			    cell->first, cell->end - cell->first, cell->cores, cell->kind};
		left[cell->kind] -= cell->cores;
	}
	return n;
}
