/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random chains of 20 tasks: the exact stages against the plain recurrence, which is an optimum by
 * construction; and, where the published cases are at hand, what others have recorded for them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/base/text.h"
#include "tools/bench/cases_csv.h"
#include "tools/bench/map_published.h"
#include "tools/bench/run.h"
#include "tools/bench/stages_plain.h"
#include "tools/bench/stages_random.h"

/* The artefact prints six digits. */
#define DIGITS 1e-5

enum { TASKS = 20, CONFIGS = 3, SHARES = 3, GROUPS_MAX = 512, FILE_MAX = 256 << 20 };

struct group { /* of one scheduler on the same cores, with one share of stateless tasks */
	uint32_t cores[STAGES_KINDS];
	double share;
	char scheduler[CASES_NAME];
	unsigned cases, optimal, more_big, fewer_big;
	double ratio, worst, us;
	bool timed;
};

struct case_run {
	struct map_published *published;
	struct group groups[GROUPS_MAX];
	size_t n_groups;
};

struct one_case {
	struct stages_problem problem;
	double share, optimum, period; /* period: ours */
	uint32_t least[STAGES_KINDS], used[STAGES_KINDS];
};

static struct group *group_find(
    struct case_run *run, const struct one_case *one, const char *scheduler)
{
	struct group *group;

	for (size_t i = 0; i < run->n_groups; i++) {
		group = &run->groups[i];
		if (group->cores[STAGES_BIG] == one->problem.cores[STAGES_BIG] &&
		    group->cores[STAGES_LITTLE] == one->problem.cores[STAGES_LITTLE] &&
		    group->share == one->share && strcmp(group->scheduler, scheduler) == 0)
			return group;
	}
	if (run->n_groups == GROUPS_MAX)
		return NULL;
	group = &run->groups[run->n_groups++];
	memcpy(group->cores, one->problem.cores, sizeof(group->cores));
	group->share = one->share;
	snprintf(group->scheduler, sizeof(group->scheduler), "%s", scheduler);
	return group;
}

/* A schedule beside the optimum, and its big cores beside ours where the period is the same. */
static int schedule_count(struct case_run *run, const struct one_case *one, const char *scheduler,
    double period, uint32_t big, double us)
{
	struct group *group = group_find(run, one, scheduler);
	const double ratio = period / one->optimum;

	if (!group)
		return cli_fail(run->published->bench->args,
		    "more than %d groups of scheduler, cores and share", GROUPS_MAX);
	group->cases++;
	group->optimal += ratio <= 1 + DIGITS;
	group->ratio += ratio;
	group->worst = fmax(group->worst, ratio);
	if (fabs(period / one->period - 1) <= DIGITS) {
		group->more_big += big > one->used[STAGES_BIG];
		group->fewer_big += big < one->used[STAGES_BIG];
	}
	group->timed = us >= 0;
	group->us += us;
	return CLI_OK;
}

/* Ours and the recurrence. */
static int case_solve(struct case_run *run, struct one_case *one)
{
	const double begin = map_cpu_us();
	struct stages_plain plain;
	struct stages stages;
	double us, plain_us;
	int status, rc = stages_plain_solve(&one->problem, &plain);

	plain_us = map_cpu_us() - begin;
	if (rc == 0)
		rc = map_stages(&one->problem, &stages, &us);
	if (rc != 0)
		return map_failed(run->published, "chains", rc);
	one->optimum = plain.period;
	one->period = stages_period_of(&stages.period);
	memcpy(one->used, stages.used, sizeof(one->used));
	stages_fini(&stages);
	status = schedule_count(run, one, "aloe", one->period, one->used[STAGES_BIG], us);
	return status != CLI_OK ? status
	                        : schedule_count(run, one, "plain recurrence", plain.period,
	                              plain.used[STAGES_BIG], plain_us);
}

static bool user_interrupts(struct case_run *run, size_t number, size_t n)
{
	if (number % 100)
		return false;
	progress_show(&run->published->bench->progress, "random chain %zu of %zu", number, n);
	return run_wait(run->published->bench, NULL, 0, 0) == -EINTR;
}

static int random_run(struct case_run *run)
{
	static const uint32_t cores[CONFIGS][STAGES_KINDS] = {{16, 4}, {10, 10}, {4, 16}};
	static const double shares[SHARES] = {0.2, 0.5, 0.8};
	const uint64_t from = (uint64_t)run->published->seeds.from;
	const size_t seeds = (size_t)(run->published->seeds.to - run->published->seeds.from) + 1;
	struct stages_task tasks[TASKS];
	int status = CLI_OK;

	for (size_t i = 0; i < seeds * CONFIGS * SHARES && status == CLI_OK; i++) {
		struct one_case one = {.share = shares[i / seeds % SHARES],
		    .problem = {.tasks = tasks, .n_tasks = TASKS, .spread = true}};

		if (user_interrupts(run, i, seeds * CONFIGS * SHARES))
			return BENCH_INTERRUPTED;
		memcpy(one.problem.cores, cores[i / seeds / SHARES], sizeof(one.problem.cores));
		stages_random(from + i % seeds, one.share, tasks, TASKS);
		status = case_solve(run, &one);
	}
	return status;
}

/* ---- the published cases --------------------------------------------------------------- */

static int cases_file(const struct case_run *run, const char *name, struct cases *cases,
    int (*read)(struct cases *cases, const char *file, const char *text, struct diag *diag))
{
	struct diag diag = {0};
	char path[4096], *text = NULL;
	size_t len;
	int rc = path_print(path, sizeof(path), "%s/%s", run->published->cases, name);

	rc = rc < 0 ? rc : file_read(path, FILE_MAX, &text, &len);
	if (rc < 0)
		return cli_fail(run->published->bench->args, "%s/%s: %s", run->published->cases,
		    name, file_reason(rc));
	rc = read(cases, path, text, &diag);
	free(text);
	diag_print(&diag, stderr);
	diag_fini(&diag);
	if (rc == -ENOMEM)
		return map_failed(run->published, name, rc);
	return rc == 0 ? CLI_OK : CLI_USAGE;
}

/* Records of one scenario on the same cores stand together. */
static int records_run(struct case_run *run, const struct cases *cases)
{
	struct one_case one = {0};
	int status = CLI_OK;

	for (size_t i = 0; i < cases->n_records && status == CLI_OK; i++) {
		const struct cases_record *record = &cases->records[i];
		const struct cases_scenario *scenario = &cases->scenarios[record->scenario];
		const bool same = i > 0 && record[-1].scenario == record->scenario &&
		    memcmp(record[-1].cores, record->cores, sizeof(record->cores)) == 0;

		if (user_interrupts(run, i, cases->n_records))
			return BENCH_INTERRUPTED;
		if (!same) {
			one = (struct one_case){.share = scenario->share,
			    .problem = {scenario->tasks, scenario->n,
			        {record->cores[0], record->cores[1]}, true, {0}}};
			status = case_solve(run, &one);
		}
		if (status == CLI_OK)
			status = schedule_count(run, &one, record->scheduler, record->period,
			    record->used[STAGES_BIG], -1);
	}
	return status;
}

static int recorded_run(struct case_run *run)
{
	struct cases cases = {0};
	int status = cases_file(run, "simulation_scenarios.csv", &cases, cases_read_scenarios);

	if (status == CLI_OK)
		status = cases_file(run, "simulation_results.csv", &cases, cases_read_records);
	if (status == CLI_OK)
		status = records_run(run, &cases);
	cases_fini(&cases);
	return status;
}

/* ---- rows ------------------------------------------------------------------------------ */

static const struct column random_columns[] = {
    {"big", "big", 0},
    {"little", "little", 0},
    {"stateless", "stateless", 1},
    {"scheduler", "scheduler", COLUMN_TEXT},
    {"cases", "cases", 0},
    {"optimal", "optimal", 0},
    {"optimal_percent", "%", 2},
    {"ratio_mean", "mean period/optimum", 4},
    {"ratio_worst", "worst", 3},
    {"more_big", "more big cores", 0},
    {"fewer_big", "fewer big cores", 0},
    {"solve_us", "solve us", 1},
    {"reach", "reach", COLUMN_TEXT},
};

/* Nobody has the same period with fewer big cores than ours. */
static bool none_has_fewer(const struct case_run *run, const struct group *ours)
{
	for (size_t i = 0; i < run->n_groups; i++)
		if (run->groups[i].share == ours->share && run->groups[i].fewer_big &&
		    memcmp(run->groups[i].cores, ours->cores, sizeof(ours->cores)) == 0)
			return false;
	return true;
}

static void group_row(struct case_run *run, const struct group *group)
{
	const char *reach = NULL;

	if (strcmp(group->scheduler, "aloe") == 0)
		reach = map_judge(
		    run->published, group->optimal == group->cases && none_has_fewer(run, group));
	bench_row(run->published->bench,
	    json_pack("{s:i, s:i, s:f, s:s, s:i, s:i, s:f, s:f, s:f, s:i, s:i, s:o, s:s?}", "big",
	        (int)group->cores[STAGES_BIG], "little", (int)group->cores[STAGES_LITTLE],
	        "stateless", group->share, "scheduler", group->scheduler, "cases",
	        (int)group->cases, "optimal", (int)group->optimal, "optimal_percent",
	        100.0 * group->optimal / group->cases, "ratio_mean", group->ratio / group->cases,
	        "ratio_worst", group->worst, "more_big", (int)group->more_big, "fewer_big",
	        (int)group->fewer_big, "solve_us",
	        group->timed ? json_real(group->us / group->cases) : json_null(), "reach", reach));
}

int map_cases(struct map_published *published)
{
	struct case_run *run = calloc(1, sizeof(*run));
	int status;

	bench_table(published->bench, "chains",
	    published->cases ? "the published random chains" : "random chains of 20 tasks",
	    random_columns, sizeof(random_columns) / sizeof(random_columns[0]));
	if (!run)
		return map_failed(published, "chains", -ENOMEM);
	run->published = published;
	status = published->cases ? recorded_run(run) : random_run(run);
	for (size_t i = 0; i < run->n_groups && status != CLI_USAGE; i++)
		group_row(run, &run->groups[i]);
	free(run);
	return status;
}
