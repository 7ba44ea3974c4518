/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench link: what it takes to get a message from one component into another, by copying as
 * the published ALOE did, and in place; against its length. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/report.h"
#include "tools/bench/commands.h"
#include "tools/bench/conf.h"
#include "tools/bench/figures.h"
#include "tools/bench/published.h"
#include "tools/bench/run.h"

enum { PATH = 4096, LENGTHS_MAX = 64, BITS_MIN = 64, BITS_MAX = 1 << 27 };
enum calls { COPY, ZERO_COPY, CALLS };

#define PUBLISHED_BITS 100e3

static const char *const calls_names[CALLS] = {"copy", "zero-copy"};

struct link_times { /* of one run; samples 0: it was not made */
	double samples, send_us, receive_us, mean_us, p50_us, p99_us, p99999_us, max_us, wrong,
	    not_run;
};

struct links {
	struct bench *bench;
	enum isolation isolations[ISOLATIONS];
	int n_isolations, cpu;
	enum simd_level level;
	uint64_t samples, each;
	double bits[LENGTHS_MAX + 1]; /* the first is that of the many samples */
	size_t n_bits;
	double slot_us; /* 0: by the length */
	char path[PATH];
	struct link_times times[ISOLATIONS][LENGTHS_MAX + 1][CALLS];
};

/* ---- runs ------------------------------------------------------------------------ */

static void times_take(struct link_times *times, const json_t *report)
{
	const json_t *all = json_object_get(json_object_get(report, "latency"), "measured_us");
	const json_t *slots = json_object_get(report, "slots");
	const json_t *reader = report_instance(report, "reader");

	*times = (struct link_times){
	    .samples = report_number(all, "count"),
	    .send_us = report_number(report_instance(report, "writer"), "mean_us"),
	    .receive_us = report_number(reader, "mean_us"),
	    .mean_us = report_number(all, "mean"),
	    .p50_us = report_number(all, "p50"),
	    .p99_us = report_number(all, "p99"),
	    .p99999_us = report_number(all, "p99999"),
	    .max_us = report_number(all, "max"),
	    .wrong = report_number(json_object_get(reader, "variables"), "wrong"),
	    .not_run = report_number(slots, "skipped") + report_number(slots, "slipped"),
	};
}

/* Both copies of the message at 2 GB/s fit into the slot. */
static double slot_us(const struct links *links, double bits)
{
	return links->slot_us > 0 ? links->slot_us : ceil(250 + bits / 8 / 1e3);
}

static int run_one(struct links *links, enum isolation isolation, size_t length, enum calls calls)
{
	const char *clock = cli_get(links->bench->args, "clock");
	const double bits = links->bits[length];
	struct words words = {0};
	json_t *report;
	char what[120];
	int status;

	words_add(&words, "%s", links->path);
	words_add(&words, "--set=writer.length=%.0f", bits / 8);
	words_add(&words, "--set=writer.calls=%s", calls_names[calls]);
	words_add(&words, "--set=reader.calls=%s", calls_names[calls]);
	words_add(
	    &words, "--slots=%llu", (unsigned long long)(length ? links->each : links->samples));
	words_add(&words, "--slot-us=%.0f", slot_us(links, bits));
	words_add(&words, "--clock=%s", clock ? clock : "timer");
	words_add(&words, "--lanes=%d", links->cpu);
	words_add(&words, "--isolation=%s", isolation_name(isolation));
	snprintf(what, sizeof(what), "isolation %s, %.0f bit, %s", isolation_name(isolation), bits,
	    calls_names[calls]);
	status = run_only(links->bench, &words, links->level, what, &report, NULL);
	if (report && (status == CLI_OK || status == BENCH_INTERRUPTED))
		times_take(&links->times[isolation][length][calls], report);
	json_decref(report);
	return status;
}

static int link_runs(void *self)
{
	struct links *links = self;
	static const char text[] = "name = \"link\";\nslot_ns = 1000000;\ninstances: {\n"
	                           "\twriter: { component = \"link_writer\"; };\n"
	                           "\treader: { component = \"link_reader\"; };\n};\n"
	                           "links = (\"writer -> reader\");\n";
	int status = conf_write(links->bench, "link", text, links->path, sizeof(links->path));

	for (size_t length = 0; length < links->n_bits; length++)
		for (int i = 0; i < links->n_isolations; i++)
			for (int calls = 0; calls < CALLS && status == CLI_OK; calls++)
				status =
				    run_one(links, links->isolations[i], length, (enum calls)calls);
	return status;
}

/* ---- result ------------------------------------------------------------------------ */

static const struct column columns[] = {
    {"isolation", "isolation", COLUMN_TEXT},
    {"bits", "bit", 0},
    {"samples", "samples", 0},
    {"send_us", "send us", 3},
    {"receive_us", "receive us", 3},
    {"mean_us", "both us", 3},
    {"p50_us", "p50", 3},
    {"p99_us", "p99", 3},
    {"p99999_us", "p99.999", 3},
    {"max_us", "max", 3},
    {"max_to_mean", "max / mean", 1},
    {"published_max_to_mean", "published", 1},
    {"in_process_max_to_mean", "in process", 1},
    {"gbit_per_s", "Gbit/s", 2},
    {"zero_copy_us", "zero-copy us", 3},
    {"zero_copy_p99_us", "p99", 3},
    {"not_run", "not run", 0},
};

static double max_to_mean(const struct link_times *times)
{
	return times->samples > 0 ? times->max_us / times->mean_us : NAN;
}

static void row_add(struct links *links, enum isolation isolation, size_t length)
{
	const struct link_times *t = &links->times[isolation][length][COPY],
	                        *zero = &links->times[isolation][length][ZERO_COPY];
	const bool apart = isolation == ISOLATION_COMPONENT;
	const bool published = links->bits[length] == PUBLISHED_BITS;

	bench_row(links->bench,
	    json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:f, s:o, "
	              "s:o, s:f}",
	        "isolation", isolation_name(isolation), "bits", links->bits[length], "samples",
	        t->samples, "send_us", t->send_us, "receive_us", t->receive_us, "mean_us",
	        t->mean_us, "p50_us", t->p50_us, "p99_us", t->p99_us, "p99999_us", t->p99999_us,
	        "max_us", t->max_us, "max_to_mean", max_to_mean(t), "published_max_to_mean",
	        json_real_or_null(published && apart ? PUBLISHED_LINK_MAX_TO_MEAN : NAN),
	        "in_process_max_to_mean",
	        json_real_or_null(
	            apart ? max_to_mean(&links->times[ISOLATION_WAVEFORM][length][COPY]) : NAN),
	        "gbit_per_s", links->bits[length] / t->mean_us / 1e3, "zero_copy_us",
	        json_real_or_null(zero->samples > 0 ? zero->mean_us : NAN), "zero_copy_p99_us",
	        json_real_or_null(zero->samples > 0 ? zero->p99_us : NAN), "not_run", t->not_run));
}

static int by_bits(const void *a, const void *b)
{
	const double x = **(const double *const *)a, y = **(const double *const *)b;

	return (x > y) - (x < y);
}

static void curve_plot(struct links *links, enum isolation isolation, enum calls calls)
{
	const double *order[LENGTHS_MAX + 1] = {NULL};
	json_t *points;
	char title[80];

	snprintf(title, sizeof(title), "%s, %s", calls_names[calls], isolation_name(isolation));
	points = plot_series(&links->bench->plot, PLOT_LINE, title);
	for (size_t i = 0; i < links->n_bits; i++)
		order[i] = &links->bits[i];
	qsort(order, links->n_bits, sizeof(order[0]), by_bits);
	for (size_t i = 0; i < links->n_bits && points; i++) {
		const struct link_times *t =
		    &links->times[isolation][order[i] - links->bits][calls];
		if (t->samples > 0)
			json_array_append_new(points,
			    json_pack("[f, f, f, f]", *order[i], t->p50_us, t->p50_us, t->p99_us));
	}
}

static double wrong_sum(const struct links *links)
{
	double sum = 0;

	for (int isolation = 0; isolation < ISOLATIONS; isolation++)
		for (size_t length = 0; length < links->n_bits; length++)
			for (int calls = 0; calls < CALLS; calls++)
				sum += links->times[isolation][length][calls].wrong;
	return sum;
}

static void link_result(void *self)
{
	struct links *links = self;
	struct bench *bench = links->bench;
	const char *clock = cli_get(bench->args, "clock");

	bench_table(bench, "links", "a message from one component into another", columns,
	    sizeof(columns) / sizeof(columns[0]));
	for (int i = 0; i < links->n_isolations; i++) {
		for (size_t length = 0; length < links->n_bits; length++)
			if (links->times[links->isolations[i]][length][COPY].samples > 0)
				row_add(links, links->isolations[i], length);
		for (int calls = 0; calls < CALLS; calls++)
			curve_plot(links, links->isolations[i], (enum calls)calls);
	}
	bench_note(bench,
	    "clock %s, CPU %d; copy: the sender copies the message from its own memory into the "
	    "link, and the receiver copies the message from the link into its own memory; both us "
	    "is the time from the start of the sender to the end of the receiver; with isolation "
	    "component this time includes the hand-over between processes",
	    clock ? clock : "timer", links->cpu);
	bench_note(bench,
	    "zero-copy: sender and receiver touch 8 bytes of the message in the link; no data is "
	    "moved, so no Gbit/s is shown");
	bench_note(
	    bench, "every message carries its number; wrong numbers: %.0f", wrong_sum(links));
	bench_note(bench,
	    "the largest published latency on x86 was almost 8 times the mean, with one process "
	    "per component; in process is ALOE with isolation waveform");
	bench->plot.title = "Time of a message from one component into another";
	bench->plot.bars = "median, bars up to p99";
	bench->plot.x = "length [bit]";
	bench->plot.y = "time [us]";
	bench->plot.log_x = true;
	bench->plot.log_y = true;
	bench->missed = wrong_sum(links) > 0;
}

static int lengths_parse(struct links *links)
{
	static const double usual[] = {
	    PUBLISHED_BITS, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 1e7};
	const char *text = cli_get(links->bench->args, "bits");
	int n = sizeof(usual) / sizeof(usual[0]);

	memcpy(links->bits, usual, sizeof(usual));
	if (text)
		n = list_parse(text, BITS_MIN, BITS_MAX, LENGTHS_MAX, links->bits);
	for (int i = 0; i < n; i++)
		if (fmod(links->bits[i], 8) != 0)
			n = -1;
	if (n < 0)
		return cli_fail(links->bench->args,
		    "--bits %s: different multiples of 8 bit, %d .. %d bit, are needed", text,
		    BITS_MIN, BITS_MAX);
	links->n_bits = (size_t)n;
	return CLI_OK;
}

static int options_parse(void *self)
{
	struct links *links = self;
	const struct cli_args *args = links->bench->args;

	links->samples = 100000;
	links->each = 10000;
	links->n_isolations = bench_isolations(links->bench, links->isolations);
	if (links->n_isolations < 0 || bench_level(links->bench, &links->level) < 0 ||
	    bench_cpu(links->bench, &links->cpu) < 0 ||
	    cli_whole(args, "samples", 1, 100000000, &links->samples) < 0 ||
	    cli_whole(args, "each", 1, 100000000, &links->each) < 0 ||
	    cli_real(args, "slot-us", 1, 1e7, &links->slot_us) < 0)
		return CLI_USAGE;
	return lengths_parse(links);
}

int bench_link(const struct cli_args *args)
{
	static const struct bench_parts parts = {
	    sizeof(struct links), options_parse, link_runs, link_result, NULL};

	return bench_main(args, &parts);
}
