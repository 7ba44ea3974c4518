/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench map: how many of the mapping problems that have a solution each mapper solves, how far
 * from the cheapest, in what time. A problem counts when `exact` has found the cheapest mapping, or
 * proven within its limit that there is none; those where it ran out of steps are told, and count
 * nowhere. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/text.h"
#include "tools/bench/commands.h"
#include "tools/bench/figures.h"
#include "tools/bench/map_published.h"
#include "tools/bench/mapping_random.h"
#include "tools/bench/run.h"
#include "tools/bench/stages_plain.h"

/* What this project wants to reach at the highest of the usual loads, and for the large problem. */
#define REACH_LOAD 93.0
#define REACH_SOLVED 94.0
#define REACH_COST 1.15
#define REACH_LARGE_MS 1000.0

enum { PUBLISHED_TASKS = 160, PUBLISHED_CORES = 160 };
enum { LOADS_MAX = 8, SEEDS_MAX = 1000000, UNITS_MAX = 10000, CORES_MAX = 400 };

struct tally {
	unsigned solved;
	double ratio, worst; /* cost over the cheapest */
	double us, us_max;
};

struct map_load {
	double percent;
	unsigned problems, feasible, infeasible, open;
	struct tally tallies[MAPPERS];
};

struct map {
	struct bench *bench;
	double loads[LOADS_MAX];
	size_t n_loads;
	struct range seeds;
	double q;
	uint64_t steps, units, cores;
};

/* `cores` has room for the problem's units. */
static int problem_solve(const struct mapping_problem *problem, enum mapper mapper, uint64_t limit,
    uint32_t *cores, struct mapper_result *result, double *us)
{
	const double begin = map_cpu_us();
	const int rc = mapper_run(mapper, problem, limit, cores, result);

	*us = map_cpu_us() - begin;
	return rc;
}

static void tally_count(
    struct tally *tally, const struct mapper_result *result, double cheapest, double us)
{
	tally->us += us;
	tally->us_max = fmax(tally->us_max, us);
	if (result->cost == INFINITY)
		return;
	tally->solved++;
	tally->ratio += result->cost / cheapest;
	tally->worst = fmax(tally->worst, result->cost / cheapest);
}

static int problem_run(const struct map *map, uint64_t seed, struct map_load *load)
{
	uint32_t cores[MAPPING_RANDOM_UNITS];
	struct mapper_result result;
	struct mapping_random r;
	double us, cheapest;
	int rc;

	mapping_random_make(&r, seed, load->percent / 100, map->q);
	rc = problem_solve(&r.problem, MAPPER_EXACT, map->steps, cores, &result, &us);
	if (rc < 0)
		return rc;
	cheapest = result.cost;
	load->problems++;
	load->open += !result.proven;
	load->infeasible += result.proven && cheapest == INFINITY;
	if (!result.proven || cheapest == INFINITY)
		return 0;
	load->feasible++;
	tally_count(&load->tallies[MAPPER_EXACT], &result, cheapest, us);
	for (int mapper = 0; mapper < MAPPERS; mapper++) {
		if (mapper == MAPPER_EXACT)
			continue;
		rc = problem_solve(
		    &r.problem, (enum mapper)mapper, MAPPER_STEPS, cores, &result, &us);
		if (rc < 0)
			return rc;
		tally_count(&load->tallies[mapper], &result, cheapest, us);
	}
	return 0;
}

static int load_run(struct map *map, struct map_load *load)
{
	for (uint64_t seed = (uint64_t)map->seeds.from; seed <= (uint64_t)map->seeds.to; seed++) {
		progress_show(&map->bench->progress,
		    "load %g %%, seed %llu of %.0f: %u feasible, %u left open", load->percent,
		    (unsigned long long)seed, map->seeds.to, load->feasible, load->open);
		if (problem_run(map, seed, load) < 0)
			return CLI_FAILED;
		if (run_wait(map->bench, NULL, 0, 0) == -EINTR)
			return BENCH_INTERRUPTED;
	}
	return CLI_OK;
}

/* ---- result ------------------------------------------------------------------------ */

static const struct column mapper_columns[] = {
    {"load_percent", "load %", 0},
    {"mapper", "mapper", COLUMN_TEXT},
    {"solved", "solved", 0},
    {"feasible", "of feasible", 0},
    {"solved_percent", "%", 1},
    {"cost_mean", "mean cost/cheapest", 3},
    {"cost_worst", "worst", 3},
    {"mean_us", "mean us", 1},
    {"max_us", "max us", 1},
    {"reach", "reach", COLUMN_TEXT},
};

static const struct column problem_columns[] = {
    {"load_percent", "load %", 0},
    {"problems", "problems", 0},
    {"feasible", "feasible", 0},
    {"infeasible", "none, by proof", 0},
    {"open", "left open by exact", 0},
};

static const char *load_judge(struct map *map, const struct map_load *load, enum mapper mapper)
{
	const struct tally *t = &load->tallies[mapper];
	bool met;

	if (mapper != MAPPER_PORTFOLIO || load->percent != REACH_LOAD || !load->feasible)
		return NULL;
	met = 100.0 * t->solved / load->feasible >= REACH_SOLVED &&
	    t->ratio / t->solved <= REACH_COST;
	map->bench->missed = map->bench->missed || !met;
	return met ? "met" : "missed";
}

static void load_rows(struct map *map, const struct map_load *load, json_t *problems)
{
	char title[40];
	json_t *bars;

	snprintf(title, sizeof(title), "at %g %% load", load->percent);
	bars = plot_series(&map->bench->plot, PLOT_ROWS, title);
	for (int mapper = 0; mapper < MAPPERS && load->feasible; mapper++) {
		const struct tally *t = &load->tallies[mapper];
		const double solved = 100.0 * t->solved / load->feasible;
		bench_row(map->bench,
		    json_pack("{s:f, s:s, s:i, s:i, s:f, s:o, s:o, s:f, s:f, s:s?}", "load_percent",
		        load->percent, "mapper", mapper_name((enum mapper)mapper), "solved",
		        (int)t->solved, "feasible", (int)load->feasible, "solved_percent", solved,
		        "cost_mean", json_real_or_null(t->solved ? t->ratio / t->solved : NAN),
		        "cost_worst", json_real_or_null(t->solved ? t->worst : NAN), "mean_us",
		        t->us / load->feasible, "max_us", t->us_max, "reach",
		        load_judge(map, load, (enum mapper)mapper)));
		if (bars)
			json_array_append_new(
			    bars, json_pack("[s, f]", mapper_name((enum mapper)mapper), solved));
	}
	json_array_append_new(problems,
	    json_pack("{s:f, s:i, s:i, s:i, s:i}", "load_percent", load->percent, "problems",
	        (int)load->problems, "feasible", (int)load->feasible, "infeasible",
	        (int)load->infeasible, "open", (int)load->open));
}

static const struct column large_columns[] = {
    {"mapper", "mapper", COLUMN_TEXT},
    {"cost", "cost", 2},
    {"ms", "ms", 1},
    {"steps", "steps", 0},
    {"end", "ended by", COLUMN_TEXT},
    {"reach", "reach", COLUMN_TEXT},
};

static const char *large_judge(
    struct map *map, enum mapper mapper, const struct mapper_result *result, double ms)
{
	const bool met = result->cost < INFINITY && ms < REACH_LARGE_MS;

	if (mapper != MAPPER_PORTFOLIO || map->units != 1000 || map->cores != 100)
		return NULL;
	map->bench->missed = map->bench->missed || !met;
	return met ? "met" : "missed";
}

static int large_run(struct map *map, const struct mapping_problem *problem, uint32_t *cores)
{
	for (int mapper = 0; mapper < MAPPERS; mapper++) {
		struct mapper_result result;
		double us;

		progress_show(&map->bench->progress, "%zu unit%s on %zu core%s: %s",
		    problem->n_units, plural(problem->n_units), problem->n_cores,
		    plural(problem->n_cores), mapper_name((enum mapper)mapper));
		if (run_wait(map->bench, NULL, 0, 0) == -EINTR)
			return BENCH_INTERRUPTED;
		if (problem_solve(problem, (enum mapper)mapper, MAPPER_STEPS, cores, &result, &us) <
		    0)
			return CLI_FAILED;
		bench_row(map->bench,
		    json_pack("{s:s, s:o, s:f, s:I, s:s, s:s?}", "mapper",
		        mapper_name((enum mapper)mapper), "cost", json_real_or_null(result.cost),
		        "ms", us * 1e-3, "steps", (json_int_t)result.steps, "end",
		        result.tired ? "limit" : "itself", "reach",
		        large_judge(map, (enum mapper)mapper, &result, us * 1e-3)));
	}
	return CLI_OK;
}

static int large_loads(struct map *map)
{
	uint32_t *cores = calloc(map->units, sizeof(*cores));
	struct mapping_large problem;
	int status = CLI_FAILED;

	bench_table(map->bench, "large", "one large problem, at 80 % load", large_columns,
	    sizeof(large_columns) / sizeof(large_columns[0]));
	if (mapping_large_init(&problem, (uint32_t)map->units, (uint32_t)map->cores, 0.8, map->q) ==
	        0 &&
	    cores)
		status = large_run(map, &problem.problem, cores);
	mapping_large_fini(&problem);
	free(cores);
	return status;
}

static void map_notes(struct map *map)
{
	bench_note(map->bench,
	    "random problems, seeds %.0f to %.0f: 8 to 14 components in a chain with 0 to 4 links "
	    "more, 2 to 4 cores with capacities in ratio 1 to 3, demands log-uniform over 1:20 "
	    "scaled to the load, links that hold 1 to 4 mean demands; q %g",
	    map->seeds.from, map->seeds.to, map->q);
	bench_note(map->bench,
	    "tw1, tw2, tw3 are t_w-mapping in the order of the file with a window of 1, 2, 3; "
	    "tw1d, tw2d, tw3d take the largest demand first; local repairs and improves the "
	    "worst-fit mapping; exact is branch and bound; portfolio, which plans use, runs all "
	    "mappers with at most %d steps each and a local search from the cheapest mapping; if "
	    "exact ends within these steps, as on small problems, the result of portfolio is the "
	    "cheapest mapping; - means that no mapping was found",
	    MAPPER_STEPS);
	bench_note(map->bench,
	    "a problem is feasible if exact (at most %llu steps) has found and proven the cheapest "
	    "mapping; a problem that exact left open counts neither as feasible nor as infeasible; "
	    "times are CPU times",
	    (unsigned long long)map->steps);
	bench_note(map->bench,
	    "the target of this project: the portfolio solves %g %% of the feasible problems at %g "
	    "%% load, at a mean cost of at most %g times the cheapest cost, and maps 1000 "
	    "components to 100 cores in less than %g ms",
	    REACH_SOLVED, REACH_LOAD, REACH_COST, REACH_LARGE_MS);
	map->bench->plot.title = "Share of the feasible mapping problems that a mapper solves";
	map->bench->plot.x = "solved [%]";
	map->bench->plot.y = "mapper";
}

/* What was done until Ctrl-C is told. */
static int map_measure(struct map *map)
{
	json_t *problems = json_array(), *row;
	int status = CLI_OK;
	size_t i;

	bench_table(map->bench, "mappers", "how many of the feasible problems a mapper solves",
	    mapper_columns, sizeof(mapper_columns) / sizeof(mapper_columns[0]));
	for (i = 0; i < map->n_loads && status == CLI_OK; i++) {
		struct map_load load = {.percent = map->loads[i]};
		status = load_run(map, &load);
		if (status != CLI_FAILED)
			load_rows(map, &load, problems);
	}
	bench_table(map->bench, "problems", "the problems", problem_columns,
	    sizeof(problem_columns) / sizeof(problem_columns[0]));
	json_array_foreach(problems, i, row)
	{
		bench_row(map->bench, json_incref(row));
	}
	json_decref(problems);
	if (status == CLI_OK && map->units)
		status = large_loads(map);
	map_notes(map);
	return status == BENCH_INTERRUPTED ? CLI_OK : status;
}

/* One number is the first to the last of 1 .. N. */
static int seeds_parse(const char *text, struct range *ret)
{
	struct range range = {.step = 1};
	char end;

	if (sscanf(text, "%lf:%lf%c", &range.from, &range.to, &end) != 2) {
		range.from = 1;
		if (sscanf(text, "%lf%c", &range.to, &end) != 1)
			return -EINVAL;
	}
	if (!(range.from >= 1 && range.to >= range.from && range.to <= SEEDS_MAX) ||
	    range.from != floor(range.from) || range.to != floor(range.to))
		return -EINVAL;
	*ret = range;
	return 0;
}

static int options_parse(struct map *map)
{
	const struct cli_args *args = map->bench->args;
	const char *seeds = cli_get(args, "seeds"), *loads = cli_get(args, "load");
	const int n = list_parse(loads ? loads : "80,88,93", 1, 100, LOADS_MAX, map->loads);

	map->seeds = (struct range){1, 1000, 1};
	map->q = 0.5;
	map->steps = 50000000;
	map->units = 1000;
	map->cores = 100;
	if (n < 0)
		return cli_fail(args,
		    "--load %s: at most %d different numbers 1 .. 100 (percent) are needed", loads,
		    LOADS_MAX);
	map->n_loads = (size_t)n;
	if (seeds && seeds_parse(seeds, &map->seeds) < 0)
		return cli_fail(args,
		    "--seeds %s: N or FROM:TO with whole numbers 1 .. %d is "
		    "needed",
		    seeds, SEEDS_MAX);
	if (cli_real(args, "q", 0, 1, &map->q) < 0 ||
	    cli_whole(args, "steps", 1, 1000000000, &map->steps) < 0 ||
	    cli_whole(args, "units", 0, UNITS_MAX, &map->units) < 0 ||
	    cli_whole(args, "cores", 1, CORES_MAX, &map->cores) < 0)
		return CLI_USAGE;
	if (map->units == 1)
		return cli_fail(args,
		    "--units 1: the number must be 0 (no large problem) or 2 .. %d", UNITS_MAX);
	return CLI_OK;
}

/* --published has other sizes, and no mappers to compare. */
static int published_run(struct map *map)
{
	static const char *const others[] = {"load", "q", "steps"};
	const struct cli_args *args = map->bench->args;
	struct map_published published = {.bench = map->bench,
	    .seeds = map->seeds,
	    .cases = cli_get(args, "cases"),
	    .tasks = cli_has(args, "units") ? map->units : PUBLISHED_TASKS,
	    .cores = cli_has(args, "cores") ? map->cores : PUBLISHED_CORES};
	int status;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (cli_has(args, others[i]))
			return cli_fail(args, "--%s is of no use with --published", others[i]);
	if (published.tasks > STAGES_PLAIN_MAX || published.cores > STAGES_PLAIN_MAX)
		return cli_fail(args, "--published: at most %d --units and %d --cores",
		    STAGES_PLAIN_MAX, STAGES_PLAIN_MAX);
	status = map_published(&published);
	return status == BENCH_INTERRUPTED ? CLI_OK : status;
}

int bench_map(const struct cli_args *args)
{
	struct bench bench;
	struct map map = {.bench = &bench};
	int status = bench_begin(&bench, args);
	bool failed;

	if (status != CLI_OK)
		return status;
	status = options_parse(&map);
	if (status == CLI_OK && !cli_has(args, "published") && cli_has(args, "cases"))
		status = cli_fail(args, "--cases is of --published");
	if (status == CLI_OK)
		status = cli_has(args, "published") ? published_run(&map) : map_measure(&map);
	failed = status == CLI_FAILED;
	if (failed)
		bench_note(&bench, "a problem was not solved: these are the results until then");
	status = bench_end(&bench, failed ? CLI_OK : status);
	return failed && status == CLI_OK ? CLI_FAILED : status;
}
