/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench table1: what each component of the UTRAN chain takes, mean and maximum of 100 slots,
 * in microseconds and kMAC, beside the published table. */
#include <math.h>
#include <string.h>

#include "core/report/report.h"
#include "tools/bench/commands.h"
#include "tools/bench/conf.h"
#include "tools/bench/published.h"
#include "tools/bench/run.h"

enum { PATH = 4096 };

struct table1 {
	struct bench *bench;
	enum isolation isolations[ISOLATIONS];
	int n_isolations, cpu;
	uint64_t slots;
	enum simd_level level;
	/* reports: the chain; the interleaver of 20 ms */
	json_t *bearer[ISOLATIONS], *longer[ISOLATIONS];
	/* speed of this core: the largest of all runs, because other programs can only lower it */
	double mmac;
};

/* ---- runs ------------------------------------------------------------------------ */

static int run_one(
    struct table1 *table1, const char *path, enum isolation isolation, json_t **ret_report)
{
	const char *clock = cli_get(table1->bench->args, "clock");
	struct words words = {0};
	char what[80];

	words_add(&words, "%s", path);
	words_add(&words, "--slots=%llu", (unsigned long long)table1->slots);
	words_add(&words, "--clock=%s", clock ? clock : "timer");
	words_add(&words, "--lanes=%d", table1->cpu);
	words_add(&words, "--isolation=%s", isolation_name(isolation));
	snprintf(what, sizeof(what), "isolation %s", isolation_name(isolation));
	return run_only(table1->bench, &words, table1->level, what, ret_report, NULL);
}

static int table1_runs(void *self)
{
	struct table1 *table1 = self;
	char bearer[PATH], longer[PATH];
	int status = bench_file(table1->bench, "utran384-random.conf", bearer, sizeof(bearer));

	if (status == CLI_OK)
		status = conf_interleaver(table1->bench, longer, sizeof(longer));
	for (int i = 0; i < table1->n_isolations && status == CLI_OK; i++) {
		const enum isolation isolation = table1->isolations[i];
		status = run_one(table1, bearer, isolation, &table1->bearer[isolation]);
		if (status == CLI_OK)
			status = run_one(table1, longer, isolation, &table1->longer[isolation]);
	}
	return status;
}

/* ---- result ------------------------------------------------------------------------ */

static const struct column columns[] = {
    {"isolation", "isolation", COLUMN_TEXT},
    {"component", "component", COLUMN_TEXT},
    {"calls", "calls", 0},
    {"mean_us", "mean us", 2},
    {"max_us", "max us", 2},
    {"kmac", "kMAC", 2},
    {"kmac_max", "max kMAC", 2},
    {"published_mean_us", "published mean us", 1},
    {"published_max_us", "published max us", 1},
    {"published_kmac", "kMAC x86", 1},
    {"published_arm_kmac", "kMAC ARM", 1},
    {"times", "max: times faster", 1},
    {"in_process_max_us", "in process max us", 2},
};

struct cells {
	double calls, mean_us, max_us, kmac, kmac_max;
};

static struct cells cells_of(const struct table1 *table1, const json_t *instance)
{
	const double mean = report_number(instance, "mean_us"),
	             max = report_number(instance, "max_us");

	return (struct cells){report_number(instance, "calls"), mean, max,
	    mean * table1->mmac * 1e-3, max * table1->mmac * 1e-3};
}

static void mmac_find(struct table1 *table1)
{
	for (int i = 0; i < table1->n_isolations; i++) {
		const enum isolation isolation = table1->isolations[i];
		const double bearer = report_number(table1->bearer[isolation], "capacity_mmac");
		const double longer = report_number(table1->longer[isolation], "capacity_mmac");

		/* NAN, as of no run, is the other */
		table1->mmac = fmax(table1->mmac, fmax(bearer, longer));
	}
}

static void cells_add(struct cells *sum, const struct cells *more)
{
	sum->calls = more->calls;
	sum->mean_us += more->mean_us;
	sum->max_us += more->max_us;
	sum->kmac += more->kmac;
	sum->kmac_max += more->kmac_max;
}

/* `in_process`: the same of isolation `waveform`, for the rows of `component`; NULL if it was not
 * measured. */
static void row_add(struct table1 *table1, enum isolation isolation, const char *name,
    const struct cells *cells, const struct cells *in_process, const struct published *published)
{
	const bool apart = isolation == ISOLATION_COMPONENT;
	const double published_us = published ? published_max_us(published->x86_kmac) : NAN;

	bench_row(table1->bench,
	    json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o}",
	        "isolation", isolation_name(isolation), "component", name, "calls", cells->calls,
	        "mean_us", cells->mean_us, "max_us", cells->max_us, "kmac", cells->kmac, "kmac_max",
	        cells->kmac_max, "published_mean_us",
	        json_real_or_null(published ? published->mean_us : NAN), "published_max_us",
	        json_real_or_null(published_us), "published_kmac",
	        json_real_or_null(published ? published->x86_kmac : NAN), "published_arm_kmac",
	        json_real_or_null(published ? published->arm_kmac : NAN), "times",
	        json_real_or_null(apart ? published_us / cells->max_us : NAN), "in_process_max_us",
	        json_real_or_null(apart && in_process ? in_process->max_us : NAN)));
}

static bool is_measured(const struct table1 *table1, enum isolation isolation)
{
	return table1->longer[isolation] != NULL;
}

static void isolation_rows(struct table1 *table1, enum isolation isolation)
{
	const json_t *bearer = table1->bearer[isolation],
	             *inside = table1->bearer[ISOLATION_WAVEFORM];
	const bool beside = is_measured(table1, ISOLATION_WAVEFORM);
	struct cells sum = {0}, inside_sum = {0}, cells, in_process;
	struct published whole = {"chain", "", 0, 0, PUBLISHED_CHAIN_US};
	json_t *bars;
	char title[64];

	snprintf(title, sizeof(title), "isolation %s: maximum", isolation_name(isolation));
	bars = plot_series(&table1->bench->plot, PLOT_ROWS, title);
	for (size_t i = 0; i < PUBLISHED_BEARER; i++) {
		const struct published *published = published_bearer(i);
		cells = cells_of(table1, report_component(bearer, published->type));
		in_process = cells_of(table1, report_component(inside, published->type));
		cells_add(&sum, &cells);
		cells_add(&inside_sum, &in_process);
		whole.x86_kmac += published->x86_kmac;
		whole.arm_kmac += published->arm_kmac;
		row_add(table1, isolation, published->name, &cells, beside ? &in_process : NULL,
		    published);
		if (bars)
			json_array_append_new(
			    bars, json_pack("[s, f]", published->name, cells.max_us));
	}
	row_add(table1, isolation, whole.name, &sum, beside ? &inside_sum : NULL, &whole);
	cells = cells_of(table1, report_component(table1->longer[isolation], "utran_interleave1"));
	in_process = cells_of(
	    table1, report_component(table1->longer[ISOLATION_WAVEFORM], "utran_interleave1"));
	row_add(
	    table1, isolation, "1st interleaver, 20 ms", &cells, beside ? &in_process : NULL, NULL);
}

static void published_plot(struct table1 *table1)
{
	json_t *bars = plot_series(&table1->bench->plot, PLOT_ROWS, "published, x86: maximum");

	for (size_t i = 0; i < PUBLISHED_BEARER && bars; i++)
		json_array_append_new(bars,
		    json_pack("[s, f]", published_bearer(i)->name,
		        published_max_us(published_bearer(i)->x86_kmac)));
}

static void table1_result(void *self)
{
	struct table1 *table1 = self;
	struct bench *bench = table1->bench;
	const char *clock = cli_get(bench->args, "clock");

	mmac_find(table1);
	bench_table(bench, "components", "execution times of the UTRAN chain", columns,
	    sizeof(columns) / sizeof(columns[0]));
	for (int i = 0; i < table1->n_isolations; i++)
		if (is_measured(table1, table1->isolations[i]))
			isolation_rows(table1, table1->isolations[i]);
	published_plot(table1);
	bench_note(bench,
	    "utran384-random.conf, 3840 information bits in a slot of 10 ms, clock %s, CPU %d, %s; "
	    "every call counts, the first call too; this core does %.0f MMAC/s",
	    clock ? clock : "timer", table1->cpu, simd_name(table1->level), table1->mmac);
	bench_note(bench,
	    "chain is the sum of the rows above, and the maximum of chain is the sum of "
	    "their maxima");
	bench_note(bench,
	    "the 1st interleaver has one column at 10 ms and does nothing, so a row for 20 ms with "
	    "18240 bits is added");
	bench_note(bench,
	    "the published figures are of ALOE with one process per component, on one core of a "
	    "2.27 GHz Centrino of 600 MMAC/s (and an ARM of 200 MMAC/s); the published max us is "
	    "computed from the kMAC; `times faster` is shown for isolation component only");
	/* Means were published for the decoder and the whole chain only. */
	bench->plot.title = "Longest execution time of each component of the UTRAN chain";
	bench->plot.x = "time [us]";
	bench->plot.y = "component";
	bench->plot.log_x = true;
}

static int options_parse(void *self)
{
	struct table1 *table1 = self;
	table1->slots = 100;
	table1->n_isolations = bench_isolations(table1->bench, table1->isolations);
	if (table1->n_isolations < 0 || bench_level(table1->bench, &table1->level) < 0 ||
	    bench_cpu(table1->bench, &table1->cpu) < 0 ||
	    cli_whole(table1->bench->args, "samples", 1, 10000000, &table1->slots) < 0)
		return CLI_USAGE;
	return CLI_OK;
}

static void table1_fini(void *self)
{
	struct table1 *table1 = self;

	for (int i = 0; i < ISOLATIONS; i++) {
		json_decref(table1->bearer[i]);
		json_decref(table1->longer[i]);
	}
}

int bench_table1(const struct cli_args *args)
{
	static const struct bench_parts parts = {
	    sizeof(struct table1), options_parse, table1_runs, table1_result, table1_fini};

	return bench_main(args, &parts);
}
