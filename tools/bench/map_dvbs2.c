/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The DVB-S2 receiver on four platforms, as published (arXiv 2502.10000 and its artefact,
 * github.com/aff3ct/amp-scheduling at 9ee0279, MIT licence). */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/map/stages_read.h"
#include "tools/aloe/source.h"
#include "tools/bench/map_published.h"

/* information bits of a frame: short, 8/9 */
#define FRAME_BITS 14232.0
/* The artefact prints six digits. */
#define DIGITS 1e-5

enum { SCHEDULERS = 5, RUNS = 21, FRAMES_OF_FILE = 4 };

struct dvbs2_published {
	double period_us;
	uint32_t used[STAGES_KINDS];
};

static const char *const scheduler_names[SCHEDULERS] = {
    "HeRAD", "2CATAC", "FERTAC", "OTAC big", "OTAC little"};

static const struct dvbs2_published schedules[DVBS2_PLATFORMS][SCHEDULERS] = {
    {{950.59, {9, 4}}, {950.59, {9, 4}}, {950.59, {10, 4}}, {950.59, {11, 0}}, {6470.88, {0, 4}}},
    {{1128.74, {8, 2}}, {1154.32, {8, 1}}, {1265.64, {8, 2}}, {1442.90, {8, 0}}, {11440, {0, 2}}},
    {{1341.90, {5, 8}}, {1341.90, {5, 8}}, {1552.25, {6, 8}}, {2866.99, {6, 0}}, {3745.14, {0, 8}}},
    {{2722.06, {3, 4}}, {2722.06, {3, 4}}, {2866.99, {3, 4}}, {6209.00, {3, 0}}, {7490.28, {0, 4}}},
};

/* Without replicas: the time of its longest task. */
static const double alone_us[DVBS2_PLATFORMS] = {3339.86, 3339.86, 6209.00, 6209.00};

const struct dvbs2_platform *dvbs2_platform(size_t i)
{
	static const struct dvbs2_platform platforms[DVBS2_PLATFORMS] = {
	    {"m1-16-4", {"m1_big", "m1_little"}, {16, 4}, 4},
	    {"m1-8-2", {"m1_big", "m1_little"}, {8, 2}, 4},
	    {"u9-6-8", {"u9_big", "u9_little"}, {6, 8}, 8},
	    {"u9-3-4", {"u9_big", "u9_little"}, {3, 4}, 8},
	};

	return &platforms[i];
}

static int chain_take(const struct map_published *published, const char *path,
    const struct waveform *wf, const struct dvbs2_platform *platform, struct dvbs2_chain *ret)
{
	const struct cli_args *args = published->bench->args;
	struct stages_chain chain;
	int wrong, rc = stages_read(wf, platform->kinds, &chain, &wrong);

	if (rc == 0 && chain.n > DVBS2_TASKS_MAX) {
		rc = -ENOENT;
		wrong = -1;
	}
	for (size_t i = 0; rc == 0 && i < chain.n; i++) {
		ret->tasks[i] = chain.tasks[i];
		ret->bytes[i] = chain.bytes[i] * platform->frames / FRAMES_OF_FILE;
		snprintf(ret->names[i], sizeof(ret->names[i]), "%s",
		    wf->instances[chain.instances[i]].name);
	}
	ret->n = rc == 0 ? chain.n : 0;
	stages_chain_fini(&chain);
	if (rc == -ENOENT && wrong >= 0)
		return cli_fail(args, "%s: instance %s does not state %s_us and %s_us", path,
		    wf->instances[wrong].name, platform->kinds[0], platform->kinds[1]);
	if (rc == -ENOENT)
		return cli_fail(
		    args, "%s is no chain of at most %d instances", path, DVBS2_TASKS_MAX);
	return rc == 0 ? CLI_OK : map_failed(published, path, rc);
}

int dvbs2_read(const struct map_published *published, const struct dvbs2_platform *platform,
    struct dvbs2_chain *ret)
{
	const struct bench *bench = published->bench;
	struct source source;
	char path[4096];
	int status = bench_file(bench, "dvbs2-costs.conf", path, sizeof(path));

	ret->n = 0;
	if (status != CLI_OK)
		return status;
	status = source_open(&source, bench->args, path, true);
	if (status == CLI_OK)
		status = chain_take(published, path, source.waveform, platform, ret);
	source_close(&source);
	return status;
}

/* ---- rows ------------------------------------------------------------------------------ */

static const struct column dvbs2_columns[] = {
    {"platform", "platform", COLUMN_TEXT},
    {"big", "big", 0},
    {"little", "little", 0},
    {"scheduler", "scheduler", COLUMN_TEXT},
    {"period_us", "period us", 2},
    {"big_used", "big used", 0},
    {"little_used", "little used", 0},
    {"mbit_s", "Mbit/s", 1},
    {"slots", "slots", 0},
    {"latency_us", "latency us", 1},
    {"solve_us", "solve us", 1},
    {"reach", "reach", COLUMN_TEXT},
};

static json_t *row_begin(const struct dvbs2_platform *platform, const char *scheduler,
    double period_us, const uint32_t *used)
{
	return json_pack("{s:s, s:i, s:i, s:s, s:f, s:i, s:i, s:f}", "platform", platform->name,
	    "big", (int)platform->cores[STAGES_BIG], "little", (int)platform->cores[STAGES_LITTLE],
	    "scheduler", scheduler, "period_us", period_us, "big_used", (int)used[STAGES_BIG],
	    "little_used", (int)used[STAGES_LITTLE], "mbit_s",
	    platform->frames * FRAME_BITS / period_us);
}

/* With replicas: the optimum, on no more big cores. Without: the longest task. */
static bool dvbs2_met(size_t platform, bool spread, double period_us, const uint32_t *used)
{
	const struct dvbs2_published *best = &schedules[platform][0];

	if (!spread)
		return fabs(period_us / alone_us[platform] - 1) < DIGITS;
	return period_us <= best->period_us * (1 + DIGITS) &&
	    used[STAGES_BIG] <= best->used[STAGES_BIG];
}

static int ours_row(
    struct map_published *published, size_t number, const struct dvbs2_chain *chain, bool spread)
{
	const struct dvbs2_platform *platform = dvbs2_platform(number);
	struct stages_problem problem = {
	    .tasks = chain->tasks, .n_tasks = chain->n, .spread = spread};
	double us[RUNS], period_us;
	struct stages stages;
	json_t *row;

	memcpy(problem.cores, platform->cores, sizeof(problem.cores));
	for (int run = 0; run < RUNS; run++) {
		const int rc = map_stages(&problem, &stages, &us[run]);

		if (rc < 0)
			return map_failed(published, "dvbs2-costs.conf", rc);
		if (run + 1 < RUNS)
			stages_fini(&stages);
	}
	period_us = stages_period_of(&stages.period) / 1e3;
	row = row_begin(platform, spread ? "aloe" : "aloe, no replicas", period_us, stages.used);
	json_object_set_new(row, "slots", json_integer(stages_slots(&stages)));
	json_object_set_new(row, "latency_us", json_real(stages_slots(&stages) * period_us));
	json_object_set_new(row, "solve_us", json_real(median(us, RUNS)));
	json_object_set_new(row, "reach",
	    json_string(map_judge(published, dvbs2_met(number, spread, period_us, stages.used))));
	bench_row(published->bench, row);
	stages_fini(&stages);
	return CLI_OK;
}

int map_dvbs2(struct map_published *published)
{
	int status = CLI_OK;

	bench_table(published->bench, "dvbs2", "a DVB-S2 receiver of 23 tasks", dvbs2_columns,
	    sizeof(dvbs2_columns) / sizeof(dvbs2_columns[0]));
	for (size_t i = 0; i < DVBS2_PLATFORMS && status == CLI_OK; i++) {
		const struct dvbs2_platform *platform = dvbs2_platform(i);
		struct dvbs2_chain chain;

		status = dvbs2_read(published, platform, &chain);
		if (status == CLI_OK)
			status = ours_row(published, i, &chain, true);
		if (status == CLI_OK)
			status = ours_row(published, i, &chain, false);
		for (int s = 0; s < SCHEDULERS && status == CLI_OK; s++)
			bench_row(published->bench,
			    row_begin(platform, scheduler_names[s], schedules[i][s].period_us,
			        schedules[i][s].used));
	}
	return status;
}
