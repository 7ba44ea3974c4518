/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench hist: how the execution times of the first interleaver and of the turbo decoder are
 * distributed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hist.h"
#include "core/report/report.h"
#include "tools/bench/commands.h"
#include "tools/bench/conf.h"
#include "tools/bench/published.h"
#include "tools/bench/run.h"

enum { PATH = 4096, SHOWN = 3 };

struct times {
	double cells[HIST_CELLS]; /* counts */
	double samples, mean_us, max_us, kmac_max;
};

struct histograms {
	struct bench *bench;
	enum isolation isolations[ISOLATIONS];
	int n_isolations, cpu;
	uint64_t samples;
	enum simd_level level;
	struct times times[ISOLATIONS][SHOWN];
};

static const struct {
	const char *name, *type;
} shown[SHOWN] = {{"1st interleaver", "utran_interleave1"},
    {"turbo decoder", "utran_turbo_decoder"}, {"1st interleaver, 20 ms", "utran_interleave1"}};

/* ---- runs ------------------------------------------------------------------------ */

static void times_take(struct times *times, const json_t *instance)
{
	json_t *cell;
	size_t i;

	times->samples = json_timed(instance);
	times->mean_us = report_number(instance, "mean_us");
	times->max_us = report_number(instance, "max_us");
	times->kmac_max = report_number(instance, "kmac_max");
	json_array_foreach(json_object_get(instance, "histogram_ns"), i, cell)
	{
		const double low = json_number_value(json_array_get(cell, 0));
		times->cells[hist_cell((uint64_t)low)] +=
		    json_number_value(json_array_get(cell, 1));
	}
}

/* Takes what shown[first .. first + n - 1] have in one run. */
static int run_one(
    struct histograms *h, const char *path, enum isolation isolation, int first, int n)
{
	const char *clock = cli_get(h->bench->args, "clock");
	struct words words = {0};
	json_t *report;
	char what[80];
	int status;

	words_add(&words, "%s", path);
	words_add(&words, "--slots=%llu", (unsigned long long)h->samples);
	words_add(&words, "--clock=%s", clock ? clock : "timer");
	words_add(&words, "--lanes=%d", h->cpu);
	words_add(&words, "--isolation=%s", isolation_name(isolation));
	snprintf(
	    what, sizeof(what), "isolation %s, %s", isolation_name(isolation), shown[first].name);
	status = run_only(h->bench, &words, h->level, what, &report, NULL);
	for (int i = first;
	     i < first + n && report && (status == CLI_OK || status == BENCH_INTERRUPTED); i++)
		times_take(&h->times[isolation][i], report_component(report, shown[i].type));
	json_decref(report);
	return status;
}

static int hist_runs(void *self)
{
	struct histograms *h = self;
	char bearer[PATH], longer[PATH];
	int status = bench_file(h->bench, "utran384-random.conf", bearer, sizeof(bearer));

	if (status == CLI_OK)
		status = conf_interleaver(h->bench, longer, sizeof(longer));
	for (int i = 0; i < h->n_isolations && status == CLI_OK; i++) {
		status = run_one(h, bearer, h->isolations[i], 0, SHOWN - 1);
		if (status == CLI_OK)
			status = run_one(h, longer, h->isolations[i], SHOWN - 1, 1);
	}
	return status;
}

/* ---- result ------------------------------------------------------------------------ */

static const struct column cell_columns[] = {
    {"isolation", "isolation", COLUMN_TEXT},
    {"component", "component", COLUMN_TEXT},
    {"from_us", "from us", 3},
    {"to_us", "to us", 3},
    {"count", "count", 0},
    {"share", "share", COLUMN_SHORT},
};

static double cell_us(uint32_t cell, bool high)
{
	return (high ? (double)hist_cell_high(cell) + 1 : (double)hist_cell_low(cell)) / 1e3;
}

static void cell_rows(struct histograms *h, enum isolation isolation, int which)
{
	const struct times *times = &h->times[isolation][which];
	char title[80];
	json_t *points;

	snprintf(
	    title, sizeof(title), "%s, isolation %s", shown[which].name, isolation_name(isolation));
	points = plot_series(&h->bench->plot, PLOT_TAIL, title);
	for (uint32_t c = 0; c < HIST_CELLS; c++) {
		const double from = cell_us(c, false), to = cell_us(c, true),
		             share = times->cells[c] / times->samples;
		if (times->cells[c] == 0)
			continue;
		bench_row(h->bench,
		    json_pack("{s:s, s:s, s:f, s:f, s:f, s:f}", "isolation",
		        isolation_name(isolation), "component", shown[which].name, "from_us", from,
		        "to_us", to, "count", times->cells[c], "share", share));
		if (points)
			json_array_append_new(points, json_pack("[f, f]", from, times->cells[c]));
	}
}

static const struct column summary_columns[] = {
    {"isolation", "isolation", COLUMN_TEXT},
    {"component", "component", COLUMN_TEXT},
    {"samples", "samples", 0},
    {"mean_us", "mean us", 3},
    {"p50_us", "p50", 3},
    {"p99_us", "p99", 3},
    {"p999_us", "p99.9", 3},
    {"p9999_us", "p99.99", 3},
    {"max_us", "max", 3},
    {"max_to_mean", "max / mean", 2},
    {"published_mean_us", "published mean us", 1},
    {"published_max_us", "max", 1},
    {"published_max_to_mean", "max / mean", 2},
};

/* The middle of the cell that holds the sample of that rank. */
static double quantile_us(const struct times *times, double q)
{
	const double rank = ceil(q * times->samples);
	double below = 0;

	for (uint32_t c = 0; c < HIST_CELLS; c++) {
		below += times->cells[c];
		if (below >= rank)
			return fmin((cell_us(c, false) + cell_us(c, true)) / 2, times->max_us);
	}
	return times->max_us;
}

static const struct published *published_of(int which)
{
	for (size_t i = 0; i < PUBLISHED_BEARER && which < SHOWN - 1; i++)
		if (!strcmp(published_bearer(i)->type, shown[which].type))
			return published_bearer(i);
	return NULL;
}

static void summary_row(struct histograms *h, enum isolation isolation, int which)
{
	const struct times *t = &h->times[isolation][which];
	const struct published *published = published_of(which);
	const double published_us = published ? published_max_us(published->x86_kmac) : NAN;
	const double published_mean_us = published ? published->mean_us : NAN;

	bench_row(h->bench,
	    json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:o}",
	        "isolation", isolation_name(isolation), "component", shown[which].name, "samples",
	        t->samples, "mean_us", t->mean_us, "p50_us", quantile_us(t, 0.5), "p99_us",
	        quantile_us(t, 0.99), "p999_us", quantile_us(t, 0.999), "p9999_us",
	        quantile_us(t, 0.9999), "max_us", t->max_us, "max_to_mean", t->max_us / t->mean_us,
	        "published_mean_us", json_real_or_null(published_mean_us), "published_max_us",
	        json_real_or_null(published_us), "published_max_to_mean",
	        json_real_or_null(published_us / published_mean_us)));
}

static void each_row(struct histograms *h, void (*rows)(struct histograms *, enum isolation, int))
{
	for (int i = 0; i < h->n_isolations; i++)
		for (int which = 0; which < SHOWN; which++)
			if (h->times[h->isolations[i]][which].samples > 0)
				rows(h, h->isolations[i], which);
}

static void hist_result(void *self)
{
	struct histograms *h = self;
	struct bench *bench = h->bench;
	const char *clock = cli_get(bench->args, "clock");

	bench_table(bench, "cells", "execution times", cell_columns,
	    sizeof(cell_columns) / sizeof(cell_columns[0]));
	each_row(h, cell_rows);
	bench_table(bench, "summary", "summary of the execution times", summary_columns,
	    sizeof(summary_columns) / sizeof(summary_columns[0]));
	each_row(h, summary_row);
	bench_note(bench,
	    "utran384-random.conf, slots of 10 ms, clock %s, CPU %d, %s; every call counts, the "
	    "first call too; quantiles are the middle of a cell; mean and maximum are exact",
	    clock ? clock : "timer", h->cpu, simd_name(h->level));
	bench_note(bench,
	    "the 1st interleaver does nothing at 10 ms; the 1st interleaver of 20 ms runs in a "
	    "chain of its own with 18240 bits");
	bench_note(bench,
	    "the published times are of ALOE on one core of a 2.27 GHz Centrino, one process per "
	    "component; the published maximum is computed from the kMAC of the table");
	bench->plot.title = "Distribution of execution times of UTRAN components";
	bench->plot.x = "time [us]";
	bench->plot.y = "share of the calls that take at least that long";
	bench->plot.log_x = true;
	bench->plot.log_y = true;
}

static int options_parse(void *self)
{
	struct histograms *h = self;
	h->samples = 10000;
	h->n_isolations = 1;
	h->isolations[0] = ISOLATION_WAVEFORM;
	if (cli_has(h->bench->args, "isolation"))
		h->n_isolations = bench_isolations(h->bench, h->isolations);
	if (h->n_isolations < 0 || bench_level(h->bench, &h->level) < 0 ||
	    bench_cpu(h->bench, &h->cpu) < 0 ||
	    cli_whole(h->bench->args, "samples", 1, 100000000, &h->samples) < 0)
		return CLI_USAGE;
	return CLI_OK;
}

int bench_hist(const struct cli_args *args)
{
	static const struct bench_parts parts = {
	    sizeof(struct histograms), options_parse, hist_runs, hist_result, NULL};

	return bench_main(args, &parts);
}
