/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/contest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/measure/local.h"
#include "tools/bench/figures.h"

static double *value_at(const struct contest *contest, size_t system, size_t size, uint64_t run)
{
	return &contest->values[((system * contest->n_sizes + size) * contest->runs + run) *
	    CONTEST_VALUES];
}

static void what_is_run(const struct contest *contest, size_t system, size_t size,
    const struct contest_setup *setup, const char *which, char *ret, size_t ret_size)
{
	const struct contest_size *s = &contest->sizes[size];
	char extent[32] = "";

	if (contest->pipes)
		snprintf(extent, sizeof(extent), ", %u x %u", s->pipes, s->stages);
	snprintf(ret, ret_size, "%s%s%s%s, %s", contest->systems[system].name,
	    contest->all ? "" : ", ", contest->all ? "" : setup->name, extent, which);
}

static int system_measure(struct contest *contest, size_t system, size_t size,
    const struct contest_setup *setup, double items, const char *which, double ret[CONTEST_VALUES])
{
	char what[160];
	int status;

	what_is_run(contest, system, size, setup, which, what, sizeof(what));
	progress_show(&contest->bench->progress, "%s", what);
	contest->bench->run_s = NAN; /* of what is measured without a program of its own */
	status = contest->measure(
	    contest, &contest->systems[system], setup, &contest->sizes[size], items, what, ret);
	ret[CONTEST_WHOLE] = contest->bench->run_s;
	return contest->bench->interrupts ? BENCH_INTERRUPTED : status;
}

/* ---- trials ------------------------------------------------------------------------ */

/* One set-up's best of the trials; INFINITY where this machine does not let it run. */
static int trials_run(struct contest *contest, size_t system, size_t size,
    const struct contest_setup *setup, double *ret)
{
	double value[CONTEST_VALUES] = {0};

	*ret = INFINITY;
	for (uint64_t trial = 0; trial < contest->trials; trial++) {
		const int status = system_measure(
		    contest, system, size, setup, contest->trial_items, "trial", value);

		if (status == BENCH_INTERRUPTED)
			return status;
		if (status != CLI_OK) {
			*ret = INFINITY;
			bench_note(contest->bench, "%s, %s: not available here",
			    contest->systems[system].name, setup->name);
			return CLI_OK;
		}
		*ret = fmin(*ret, value[0]);
	}
	return CLI_OK;
}

/* The set-up whose best trial is best. */
static int best_find(struct contest *contest, size_t system, size_t size)
{
	const struct contest_system *who = &contest->systems[system];
	double best = INFINITY, value;

	contest->best[system][size] = &who->setups[0];
	for (size_t i = 0; who->n_setups > 1 && i < who->n_setups; i++) {
		const int status = trials_run(contest, system, size, &who->setups[i], &value);

		if (status != CLI_OK)
			return status;
		if (value < best)
			contest->best[system][size] = &who->setups[i];
		best = fmin(best, value);
	}
	return who->n_setups > 1 && best == INFINITY ? CLI_FAILED : CLI_OK;
}

/* ---- rounds ------------------------------------------------------------------------ */

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static void order_shuffle(size_t *order, size_t n, uint64_t *state)
{
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n; i > 1; i--) {
		const size_t other = random_next(state) % i, mine = order[i - 1];
		order[i - 1] = order[other];
		order[other] = mine;
	}
}

static int round_run(struct contest *contest, uint64_t round, uint64_t *state)
{
	size_t order[CONTEST_SYSTEMS_MAX * CONTEST_SIZES_MAX];
	const size_t n = contest->n_systems * contest->n_sizes;
	char which[48];

	snprintf(which, sizeof(which), "run %llu of %llu", (unsigned long long)round + 1,
	    (unsigned long long)contest->runs);
	order_shuffle(order, n, state);
	for (size_t i = 0; i < n; i++) {
		const size_t system = order[i] / contest->n_sizes,
		             size = order[i] % contest->n_sizes;
		const int status =
		    system_measure(contest, system, size, contest->best[system][size],
		        contest->items, which, value_at(contest, system, size, round));
		if (status != CLI_OK)
			return status;
	}
	return CLI_OK;
}

int contest_run(struct contest *contest)
{
	uint64_t state = contest->seed;
	int status = CLI_OK;

	contest->values = calloc(
	    contest->n_systems * contest->n_sizes * contest->runs * CONTEST_VALUES, sizeof(double));
	if (!contest->values)
		return CLI_FAILED;
	for (size_t system = 0; system < contest->n_systems && status == CLI_OK; system++)
		for (size_t size = 0; size < contest->n_sizes && status == CLI_OK; size++)
			status = best_find(contest, system, size);
	for (contest->done = 0; contest->done < contest->runs && status == CLI_OK;) {
		status = round_run(contest, contest->done, &state);
		contest->done += status == CLI_OK;
	}
	return status == BENCH_INTERRUPTED && contest->done > 0 ? CLI_OK : status;
}

void contest_fini(struct contest *contest)
{
	free(contest->values);
	contest->values = NULL;
}

/* ---- tables ------------------------------------------------------------------------ */

static double *copy_of(const struct contest *contest, size_t system, size_t size, size_t figure)
{
	double *values = calloc(contest->done + 1, sizeof(*values));

	for (uint64_t r = 0; values && r < contest->done; r++)
		values[r] = value_at(contest, system, size, r)[figure];
	return values;
}

double contest_mean(const struct contest *contest, size_t system, size_t size)
{
	double sum = 0;

	for (uint64_t r = 0; r < contest->done; r++)
		sum += *value_at(contest, system, size, r);
	return sum / (double)contest->done;
}

/* Theirs by ours, round by round, sorted: the median. */
static double ratios_of(const struct contest *contest, size_t ours, size_t system, size_t size,
    size_t figure, double ret_ratios[CONTEST_RUNS_MAX])
{
	for (uint64_t r = 0; r < contest->done; r++)
		ret_ratios[r] = value_at(contest, system, size, r)[figure] /
		    value_at(contest, ours, size, r)[figure];
	return median(ret_ratios, contest->done);
}

double contest_ratio(
    const struct contest *contest, size_t system, size_t by, size_t size, size_t figure)
{
	double ratios[CONTEST_RUNS_MAX];

	return by == system ? 1 : ratios_of(contest, by, system, size, figure, ratios);
}

double contest_median(const struct contest *contest, size_t system, size_t size, size_t figure)
{
	double *values = copy_of(contest, system, size, figure);
	const double middle = values ? median(values, contest->done) : NAN;

	free(values);
	return middle;
}

static void more_add(const struct contest *contest, size_t system, size_t size, json_t *row)
{
	static const char *const keys[CONTEST_FIGURES] = {NULL, "second", "third"};

	for (size_t f = 1; f < CONTEST_FIGURES && contest->more[f]; f++)
		json_object_set_new(
		    row, keys[f], json_real_or_null(contest_median(contest, system, size, f)));
	/* start-up is not hidden: what the whole command took */
	json_object_set_new(row, "whole_s",
	    json_real_or_null(contest_median(contest, system, size, CONTEST_WHOLE)));
}

static void time_row(struct contest *contest, size_t system, size_t size, json_t *points)
{
	const struct contest_size *s = &contest->sizes[size];
	double *values = copy_of(contest, system, size, 0), mean, low = NAN, high = NAN;
	struct interval range;
	char what[160];
	bool two;
	json_t *row;

	if (!values)
		return;
	range = interval_mean(values, contest->done, &mean);
	two = two_groups(values, contest->done, &low, &high); /* sorts them */
	row = json_pack("{s:s, s:s, s:I, s:f, s:o, s:o, s:f, s:f, s:f, s:o, s:o}", "system",
	    contest->systems[system].name, "setup", contest->best[system][size]->name, "runs",
	    (json_int_t)contest->done, "mean", mean, "low", json_real_or_null(range.low), "high",
	    json_real_or_null(range.high), "p50", median(values, contest->done), "min", values[0],
	    "rate", contest->rate_of(contest, s, mean), "group_low", json_real_or_null(low),
	    "group_high", json_real_or_null(high));
	if (row && contest->pipes)
		json_object_update_new(
		    row, json_pack("{s:i, s:i}", "pipes", (int)s->pipes, "stages", (int)s->stages));
	more_add(contest, system, size, row);
	bench_row(contest->bench, row);
	if (points)
		json_array_append_new(points,
		    json_pack("[i, f, f, f]", (int)(s->pipes * s->stages), mean,
		        isnan(range.low) ? mean : range.low,
		        isnan(range.high) ? mean : range.high));
	if (two) {
		what_is_run(contest, system, size, contest->best[system][size],
		    "two groups of runs", what, sizeof(what));
		bench_note(contest->bench, "%s, about %.3g %s and %.3g %s", what, low,
		    contest->unit, high, contest->unit);
	}
	free(values);
}

static void ratio_row(struct contest *contest, size_t ours, size_t system, size_t size)
{
	const struct contest_system *who = &contest->systems[system];
	const struct contest_size *s = &contest->sizes[size];
	const double reach = contest->systems[ours].beside ? 0
	    : ours                                         ? who->reach_others
	                                                   : who->reach;
	double ratios[CONTEST_RUNS_MAX];
	const double whole = ratios_of(contest, ours, system, size, CONTEST_WHOLE, ratios);
	const double p50 = ratios_of(contest, ours, system, size, 0, ratios);
	json_t *row;

	row = json_pack("{s:s, s:s, s:I, s:o, s:f, s:f, s:f, s:f, s:f, s:o}", "system",
	    contest->systems[ours].name, "against", who->name, "pairs", (json_int_t)contest->done,
	    "whole_ratio", json_real_or_null(whole), "ratio", p50, "quarter",
	    ratios[contest->done / 4], "three_quarters",
	    ratios[contest->done - 1 - contest->done / 4], "min", ratios[0], "max",
	    ratios[contest->done - 1], "reach", json_real_or_null(reach > 0 ? reach : NAN));
	if (row && contest->pipes)
		json_object_update_new(
		    row, json_pack("{s:i, s:i}", "pipes", (int)s->pipes, "stages", (int)s->stages));
	if (row && reach > 0)
		json_object_set_new(row, "reached", json_string(p50 >= reach ? "yes" : "no"));
	contest->bench->missed = contest->bench->missed || (reach > 0 && p50 < reach);
	bench_row(contest->bench, row);
}

enum { SIZE_COLUMNS = 2 };

static const struct column ratio_columns[] = {
    {"pipes", "pipes", 0},
    {"stages", "stages", 0},
    {"system", "system", COLUMN_TEXT},
    {"against", "against", COLUMN_TEXT},
    {"pairs", "pairs", 0},
    {"whole_ratio", "times, whole command", COLUMN_SHORT},
    {"ratio", "times", COLUMN_SHORT},
    {"quarter", "1/4", COLUMN_SHORT},
    {"three_quarters", "3/4", COLUMN_SHORT},
    {"min", "min", COLUMN_SHORT},
    {"max", "max", COLUMN_SHORT},
    {"reach", "reach", COLUMN_SHORT},
    {"reached", "reached", COLUMN_TEXT},
};

static const struct column time_columns[] = {
    {"pipes", "pipes", 0},
    {"stages", "stages", 0},
    {"system", "system", COLUMN_TEXT},
    {"setup", "best set-up", COLUMN_TEXT},
    {"runs", "runs", 0},
    {"mean", "mean", COLUMN_SHORT},
    {"low", "95 % from", COLUMN_SHORT},
    {"high", "to", COLUMN_SHORT},
    {"p50", "p50", COLUMN_SHORT},
    {"min", "min", COLUMN_SHORT},
    {"rate", "rate", COLUMN_SHORT},
    {"group_low", "two groups", COLUMN_SHORT},
    {"group_high", "", COLUMN_SHORT},
};

static void table_begin(struct contest *contest, const char *key, const char *title,
    const struct column *columns, size_t n)
{
	const size_t skip = contest->pipes ? 0 : SIZE_COLUMNS;

	bench_table(contest->bench, key, title, columns + skip, n - skip);
}

/* CPUs that the kernel keeps for those who ask for them by name. */
static void isolated_read(char *ret, size_t size)
{
	FILE *file = fopen("/sys/devices/system/cpu/isolated", "re");

	if (!file || !fgets(ret, (int)size, file) || ret[0] == '\n')
		snprintf(ret, size, "none");
	ret[strcspn(ret, "\n")] = 0;
	if (file)
		fclose(file);
}

/* Versions and flags, once for each program. */
static void built_notes(struct contest *contest)
{
	const char *last = NULL;
	char built[512];

	for (size_t i = 0; i < contest->n_systems; i++) {
		const char *program = contest->systems[i].program;

		if (!program || !program[0] || (last && !strcmp(program, last)))
			continue;
		peer_built(program, built, sizeof(built));
		bench_note(contest->bench, "%s: %s", program,
		    built[0] ? built : "version and flags are not known");
		last = program;
	}
}

static void conditions_note(struct contest *contest)
{
	struct bench *bench = contest->bench;
	struct class_rates kind;
	char cpus[256], apart[64];

	local_kind(&kind);
	isolated_read(apart, sizeof(apart));
	bench_cpus_write(bench, bench->n_cpus, cpus, sizeof(cpus));
	bench_note(bench,
	    "mean of %llu run%s with 95 %% intervals, systems and sizes in random order (seed "
	    "%llu); cpuset: %s (isolated by the kernel: %s); governor: %s; priority: normal "
	    "SCHED_OTHER, FIFO SCHED_FIFO %d (peers 50)",
	    (unsigned long long)contest->done, plural(contest->done),
	    (unsigned long long)contest->seed, cpus, apart,
	    kind.governor[0] ? kind.governor : "unknown (a virtual machine has none)",
	    (int)RUN_FIFO);
	for (size_t i = 0; i < contest->n_systems; i++)
		if (contest->systems[i].n_setups > 1 && (i == 0 || contest->systems[i].program))
			bench_note(bench,
			    "%s: the best of %zu set-ups at each size, by the best of %llu trial%s "
			    "of each",
			    contest->systems[i].name, contest->systems[i].n_setups,
			    (unsigned long long)contest->trials, plural(contest->trials));
	built_notes(contest);
	bench_note(bench,
	    "whole command: the median time of the whole program, from its start to its end, with "
	    "all that happens before and after what is measured; ALOE's is `aloe run`, which "
	    "starts the node and ends it");
}

void contest_tables(struct contest *contest)
{
	size_t n_columns = sizeof(time_columns) / sizeof(time_columns[0]), peers = 0;

	memcpy(contest->columns, time_columns, sizeof(time_columns));
	for (size_t f = 1; f < CONTEST_FIGURES && contest->more[f]; f++)
		contest->columns[n_columns++] =
		    (struct column){f == 1 ? "second" : "third", contest->more[f], COLUMN_SHORT};
	contest->columns[n_columns++] = (struct column){"whole_s", "whole command s", COLUMN_SHORT};
	table_begin(contest, "times", contest->title, contest->columns, n_columns);
	for (size_t system = 0; system < contest->n_systems; system++) {
		json_t *points =
		    plot_series(&contest->bench->plot, PLOT_LINE, contest->systems[system].name);
		for (size_t size = 0; size < contest->n_sizes; size++)
			time_row(contest, system, size, points);
	}
	for (size_t system = 0; system < contest->n_systems; system++)
		peers += contest->systems[system].program != NULL;
	if (peers)
		table_begin(contest, "ratios", "how many times as much time the other systems take",
		    ratio_columns, sizeof(ratio_columns) / sizeof(ratio_columns[0]));
	for (size_t size = 0; size < contest->n_sizes; size++)
		for (size_t i = 0; i < peers * (contest->n_systems - peers); i++)
			ratio_row(contest, i / peers, contest->n_systems - peers + i % peers, size);
	conditions_note(contest);
}
