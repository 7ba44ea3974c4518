/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Long random chains on many cores of each kind: time to solve, beside the plain recurrence here
 * and HeRAD's published time. */
#include <errno.h>
#include <stdlib.h>

#include "tools/bench/map_published.h"
#include "tools/bench/run.h"
#include "tools/bench/stages_plain.h"
#include "tools/bench/stages_random.h"

/* HeRAD at 160 tasks on 160 + 160 cores, mean over its three shares, on its authors' machine */
#define HERAD_S 8.5
#define REACH_TIMES 10.0

enum { RUNS = 21, HERAD_SIZE = 160 };

static const struct column large_columns[] = {
    {"stateless", "stateless", 1},
    {"tasks", "tasks", 0},
    {"cores", "cores of a kind", 0},
    {"period", "period", 2},
    {"big_used", "big used", 0},
    {"little_used", "little used", 0},
    {"solve_us", "solve us", 1},
    {"plain_ms", "plain recurrence ms", 1},
    {"plain_times", "x plain", 0},
    {"herad_s", "HeRAD published s", 1},
    {"herad_times", "x HeRAD", 0},
    {"reach", "reach", COLUMN_TEXT},
};

/* The median of several runs. */
static int large_solve(const struct stages_problem *problem, struct stages *ret, double *ret_us)
{
	double us[RUNS];
	int rc = map_stages(problem, ret, &us[0]);

	for (int run = 1; rc == 0 && run < RUNS; run++) {
		stages_fini(ret);
		rc = map_stages(problem, ret, &us[run]);
	}
	if (rc == 0)
		*ret_us = median(us, RUNS);
	return rc;
}

static int large_row(
    struct map_published *published, double share, const struct stages_problem *problem)
{
	const bool known =
	    problem->n_tasks == HERAD_SIZE && problem->cores[STAGES_BIG] == HERAD_SIZE;
	const double begin = map_cpu_us();
	struct stages_plain plain;
	struct stages stages = {0};
	double plain_us, us = 0;
	int rc = stages_plain_solve(problem, &plain);
	bool met;

	plain_us = map_cpu_us() - begin;
	if (rc == 0)
		rc = large_solve(problem, &stages, &us);
	if (rc < 0)
		return map_failed(published, "long chains", rc);
	met = plain.period == stages_period_of(&stages.period) &&
	    plain.used[STAGES_BIG] == stages.used[STAGES_BIG] &&
	    plain.used[STAGES_LITTLE] == stages.used[STAGES_LITTLE] &&
	    (!known || (plain_us >= REACH_TIMES * us && HERAD_S * 1e6 >= REACH_TIMES * us));
	bench_row(published->bench,
	    json_pack("{s:f, s:I, s:I, s:f, s:i, s:i, s:f, s:f, s:f, s:o, s:o, s:s}", "stateless",
	        share, "tasks", (json_int_t)problem->n_tasks, "cores",
	        (json_int_t)problem->cores[STAGES_BIG], "period", stages_period_of(&stages.period),
	        "big_used", (int)stages.used[STAGES_BIG], "little_used",
	        (int)stages.used[STAGES_LITTLE], "solve_us", us, "plain_ms", plain_us * 1e-3,
	        "plain_times", plain_us / us, "herad_s", known ? json_real(HERAD_S) : json_null(),
	        "herad_times", known ? json_real(HERAD_S * 1e6 / us) : json_null(), "reach",
	        map_judge(published, met)));
	stages_fini(&stages);
	return CLI_OK;
}

int map_large(struct map_published *published)
{
	static const double shares[] = {0.2, 0.5, 0.8};
	struct stages_task *tasks = calloc(published->tasks, sizeof(*tasks));
	int status = CLI_OK;

	bench_table(published->bench, "large", "long chains on many cores", large_columns,
	    sizeof(large_columns) / sizeof(large_columns[0]));
	if (!tasks)
		return map_failed(published, "long chains", -ENOMEM);
	for (int i = 0; i < 3 && status == CLI_OK; i++) {
		const struct stages_problem problem = {.tasks = tasks,
		    .n_tasks = published->tasks,
		    .cores = {(uint32_t)published->cores, (uint32_t)published->cores},
		    .spread = true};

		progress_show(&published->bench->progress,
		    "a chain of length %zu on %llu + %llu, %.0f %% stateless", problem.n_tasks,
		    (unsigned long long)published->cores, (unsigned long long)published->cores,
		    100 * shares[i]);
		stages_random((uint64_t)published->seeds.from, shares[i], tasks, problem.n_tasks);
		status = large_row(published, shares[i], &problem);
		if (status == CLI_OK && run_wait(published->bench, NULL, 0, 0) == -EINTR)
			status = BENCH_INTERRUPTED;
	}
	free(tasks);
	return status;
}
