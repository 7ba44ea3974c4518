/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench predict: how well the time of a component on one kind of node is told from that on
 * another: by the clock, by the single MAC metric, by classes of work. The right half of the
 * published Table I, whose errors from one machine to another were 60.8 % by the clock and 36.5 %
 * by the MAC metric in the mean, 82 % at worst. */
#include "tools/bench/predict.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/report/report.h"
#include "tools/bench/commands.h"
#include "tools/bench/figures.h"
#include "tools/bench/run.h"
#include "tools/aloe/source.h"

#define REACH_MEAN 15.0
#define REACH_WORST 35.0

#define PUBLISHED_CLOCK_MEAN 60.8
#define PUBLISHED_MAC_MEAN 36.5
#define PUBLISHED_MAC_WORST 82.0

/* Source and target, then the other way round. Times under an emulator are not those of a machine:
 * they are shown, and count nowhere. */
static const struct pair {
	const char *source, *target;
} pairs[] = {
    {"avx512", "avx2"},
    {"avx512", "sse41"},
    {"avx512", "plain"},
    {"avx2", "sse41"},
    {"avx2", "plain"},
    {"sse41", "plain"},
    {"neon", "plain"},
    {"avx512", "plain-O0"},
    {"sse41", "plain-O0"},
    {"plain", "plain-O0"},
    {"avx512", "qemu-neon"},
    {"sse41", "qemu-neon"},
    {"plain", "qemu-plain"},
    {"qemu-neon", "qemu-plain"},
};

static const char emulated_label[] = "emulated, not ARM speed";

enum { PAIRS = sizeof(pairs) / sizeof(pairs[0]) };

struct errors { /* of a metric, %, over some rows */
	double sum, worst;
	unsigned n;
	char where[128];
};

struct predict {
	struct bench *bench;
	struct predict_kind kinds[PREDICT_KINDS];
	struct source source;
	struct predict_run run;
	uint64_t rounds;
	const char *from, *keep;
	char path[PATH_MAX];
	json_t *pair_rows;
	struct errors errors[2][PREDICT_METRICS]; /* of machines, of an emulated one */
};

static const char *const metric_names[] = {"time scaling by clock", "single MAC metric", "classes"};

static struct predict_kind *kind_find(struct predict *predict, const char *name)
{
	for (size_t i = 0; i < PREDICT_KINDS; i++)
		if (!strcmp(predict->kinds[i].name, name))
			return &predict->kinds[i];
	return NULL;
}

/* ---- measuring ------------------------------------------------------------------------ */

/* All kinds in turn, again and again, so that what the machine does meanwhile strikes them all. */
static int rounds_run(struct predict *predict)
{
	for (uint64_t round = 0; round < predict->rounds; round++) {
		for (size_t i = 0; i < PREDICT_KINDS; i++) {
			int status = CLI_OK;

			if (predict->kinds[i].wanted)
				status = predict_measure(
				    predict->bench, &predict->run, &predict->kinds[i]);
			if (status == BENCH_INTERRUPTED && round > 0)
				return CLI_OK;
			if (status != CLI_OK)
				return status;
		}
	}
	return CLI_OK;
}

static int kinds_measure(void *self)
{
	struct predict *predict = self;
	int status = CLI_OK;

	if (!predict->from)
		status = rounds_run(predict);
	for (size_t i = 0; i < PREDICT_KINDS && status == CLI_OK; i++) {
		struct predict_kind *kind = &predict->kinds[i];

		if (predict->from)
			status = predict_load(predict->bench, predict->from, kind);
		else if (predict_settle(kind) < 0)
			status = CLI_FAILED;
		else if (predict->keep && kind->wanted)
			status = predict_save(predict->bench, predict->keep, kind);
	}
	return status;
}

/* ---- errors ------------------------------------------------------------------------ */

static void errors_add(struct errors *errors, double percent, const char *component,
    const char *source, const char *target)
{
	errors->sum += percent;
	errors->n++;
	if (percent < errors->worst)
		return;
	errors->worst = percent;
	snprintf(errors->where, sizeof(errors->where), "%s, %s to %s", component, source, target);
}

static json_t *errors_mean(const struct errors *errors)
{
	return json_real_or_null(errors->n ? errors->sum / errors->n : NAN);
}

static json_t *errors_worst(const struct errors *errors)
{
	return json_real_or_null(errors->n ? errors->worst : NAN);
}

/* What a component was measured to take on a kind; NAN: not known. */
static double measured_ns(const struct predict_kind *kind, const char *instance)
{
	const struct profile_entry *entry = plan_profile_find(&kind->profile, instance);

	return entry ? calibrate_ns(entry->points[0].kmac_p50, kind->profile.platform.mmac_per_s)
	             : NAN;
}

static bool of_chain(const struct wf_instance *instance)
{
	return !strncmp(instance->type->name, "utran_", 6);
}

static const struct column component_columns[] = {
    {"source", "from", COLUMN_TEXT},
    {"target", "to", COLUMN_TEXT},
    {"component", "component", COLUMN_TEXT},
    {"source_us", "there us", 3},
    {"target_us", "measured us", 3},
    {"clock_us", "by clock", 3},
    {"mac_us", "by MAC", 3},
    {"class_us", "by class", 3},
    {"clock_error", "error %", 1},
    {"mac_error", "error %", 1},
    {"class_error", "error %", 1},
    {"mix", "mix", COLUMN_TEXT},
};

/* Where the target has not been measured there is no error. */
static void errors_of(struct predict *predict, const struct prediction *told,
    const struct predict_kind *source, const struct predict_kind *target,
    const struct wf_instance *instance, bool emulated, json_t *row, struct errors *errors)
{
	static const char *const keys[] = {"clock_error", "mac_error", "class_error"};
	const char *component = instance->type->name + strlen("utran_");
	const double there = measured_ns(source, instance->name),
	             here = measured_ns(target, instance->name);

	for (int m = 0; m < PREDICT_METRICS && here > 0; m++) {
		const double percent = 100 * fabs(told->ns[m] / here - 1);

		json_object_set_new(row, keys[m], json_real(percent));
		errors_add(&errors[m], percent, component, source->name, target->name);
		errors_add(
		    &predict->errors[emulated][m], percent, component, source->name, target->name);
		if (m == PREDICT_CLASS && percent > REACH_WORST && !emulated)
			bench_note(predict->bench,
			    "missed: %s, %s to %s, %.0f %%: the time of the component changes by a "
			    "factor of %.3g, the time of its mix (%s) by %.3g",
			    component, source->name, target->name, percent, here / there,
			    instance->type->mix, told->ns[m] / there);
	}
}

static void component_row(struct predict *predict, const struct predict_kind *source,
    const struct predict_kind *target, const struct wf_instance *instance, bool emulated,
    struct errors *errors)
{
	static const char *const us_keys[] = {"clock_us", "mac_us", "class_us"};
	const char *component = instance->type->name + strlen("utran_");
	const double there = measured_ns(source, instance->name),
	             here = measured_ns(target, instance->name);
	json_t *row = json_pack("{s:s, s:s, s:s, s:o, s:o, s:s?}", "source", source->name, "target",
	    target->name, "component", component, "source_us", json_real_or_null(there * 1e-3),
	    "target_us", json_real_or_null(here * 1e-3), "mix", instance->type->mix);
	const struct prediction told =
	    predict_one(&source->profile.platform, &target->rates, instance->type->mix, there);

	for (int m = 0; m < PREDICT_METRICS && row && there > 0; m++)
		json_object_set_new(row, us_keys[m], json_real(told.ns[m] * 1e-3));
	if (row && there > 0)
		errors_of(predict, &told, source, target, instance, emulated, row, errors);
	bench_row(predict->bench, row);
}

static const struct column pair_columns[] = {
    {"source", "from", COLUMN_TEXT},
    {"target", "to", COLUMN_TEXT},
    {"label", "", COLUMN_TEXT},
    {"components", "components", 0},
    {"clock_mean", "clock mean %", 1},
    {"clock_worst", "worst", 1},
    {"mac_mean", "MAC mean %", 1},
    {"mac_worst", "worst", 1},
    {"class_mean", "class mean %", 1},
    {"class_worst", "worst", 1},
    {"class_worst_of", "of", COLUMN_TEXT},
};

static void pair_run(struct predict *predict, const char *from, const char *to)
{
	const struct predict_kind *source = kind_find(predict, from),
	                          *target = kind_find(predict, to);
	const struct waveform *waveform = predict->source.waveform;
	struct errors errors[PREDICT_METRICS] = {0};
	bool emulated;

	if (!source || !target || !source->wanted || !target->wanted || !source->profile.len)
		return;
	emulated = predict_emulated(source) || predict_emulated(target);
	for (size_t i = 0; i < waveform->n_instances; i++)
		if (of_chain(&waveform->instances[i]))
			component_row(
			    predict, source, target, &waveform->instances[i], emulated, errors);
	errors[PREDICT_CLASS].where[strcspn(errors[PREDICT_CLASS].where, ",")] = 0;
	json_array_append_new(predict->pair_rows,
	    json_pack("{s:s, s:s, s:s?, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "source", from,
	        "target", to, "label", emulated ? emulated_label : NULL, "components",
	        (int)errors[0].n, "clock_mean", errors_mean(&errors[PREDICT_CLOCK]), "clock_worst",
	        errors_worst(&errors[PREDICT_CLOCK]), "mac_mean", errors_mean(&errors[PREDICT_MAC]),
	        "mac_worst", errors_worst(&errors[PREDICT_MAC]), "class_mean",
	        errors_mean(&errors[PREDICT_CLASS]), "class_worst",
	        errors_worst(&errors[PREDICT_CLASS]), "class_worst_of",
	        errors[PREDICT_CLASS].where));
}

/* ---- result ------------------------------------------------------------------------ */

static void pair_draw(struct predict *predict, const json_t *row)
{
	static const struct {
		const char *key, *title;
	} metrics[] = {{"clock_mean", "by the clock"}, {"mac_mean", "by the MACs in a second"},
	    {"class_mean", "by classes of work"}};
	char label[80];

	snprintf(label, sizeof(label), "%.35s, %.35s", report_text(row, "source"),
	    report_text(row, "target"));
	for (size_t m = 0; m < sizeof(metrics) / sizeof(metrics[0]); m++)
		if (report_number(row, metrics[m].key) > 0)
			json_array_append_new(
			    plot_named(&predict->bench->plot, PLOT_ROWS, metrics[m].title),
			    json_pack("[s, f]", label, report_number(row, metrics[m].key)));
}

static const struct column rate_columns[] = {
    {"class", "class", COLUMN_TEXT},
    {"avx512", "avx512", 4},
    {"avx2", "avx2", 4},
    {"sse41", "sse41", 4},
    {"neon", "neon", 4},
    {"plain", "plain", 4},
    {"plain-O0", "plain-O0", 4},
    {"qemu-neon", "qemu-neon", 4},
    {"qemu-plain", "qemu-plain", 4},
};

static void rates_table(struct predict *predict)
{
	bench_table(predict->bench, "rates", "what a core does: ns an item of each class of work",
	    rate_columns, sizeof(rate_columns) / sizeof(rate_columns[0]));
	for (int which = 0; which < CALIBRATE_CLASSES; which++) {
		json_t *row =
		    json_pack("{s:s}", "class", calibrate_class_name((enum calibrate_class)which));

		for (size_t i = 0; i < PREDICT_KINDS && row; i++)
			if (predict->kinds[i].wanted)
				json_object_set_new(row, predict->kinds[i].name,
				    json_real(predict->kinds[i].rates.ns[which]));
		bench_row(predict->bench, row);
	}
}

static const struct column sum_columns[] = {
    {"metric", "metric", COLUMN_TEXT},
    {"label", "", COLUMN_TEXT},
    {"predictions", "predictions", 0},
    {"mean", "mean error %", 1},
    {"worst", "worst %", 1},
    {"worst_of", "of", COLUMN_TEXT},
    {"reach", "reach", COLUMN_TEXT},
    {"published_mean", "published mean %", 1},
    {"published_worst", "published worst %", 1},
};

static const char *errors_judge(struct predict *predict, const struct errors *errors)
{
	const bool met =
	    errors->n && errors->sum / errors->n <= REACH_MEAN && errors->worst <= REACH_WORST;

	if (!errors->n)
		return NULL;
	predict->bench->missed = predict->bench->missed || !met;
	return met ? "met" : "missed";
}

static void sums_table(struct predict *predict)
{
	static const double published[][2] = {
	    {PUBLISHED_CLOCK_MEAN, NAN}, {PUBLISHED_MAC_MEAN, PUBLISHED_MAC_WORST}, {NAN, NAN}};

	bench_table(predict->bench, "sums", "all predictions", sum_columns,
	    sizeof(sum_columns) / sizeof(sum_columns[0]));
	for (int emulated = 0; emulated < 2; emulated++) {
		for (int m = 0; m < PREDICT_METRICS; m++) {
			const struct errors *errors = &predict->errors[emulated][m];

			if (emulated && !errors->n)
				continue;
			bench_row(predict->bench,
			    json_pack("{s:s, s:s?, s:i, s:o, s:o, s:s, s:s?, s:o, s:o}", "metric",
			        metric_names[m], "label", emulated ? emulated_label : NULL,
			        "predictions", (int)errors->n, "mean", errors_mean(errors), "worst",
			        errors_worst(errors), "worst_of", errors->where, "reach",
			        m == PREDICT_CLASS && !emulated ? errors_judge(predict, errors)
			                                        : NULL,
			        "published_mean",
			        json_real_or_null(emulated ? NAN : published[m][0]),
			        "published_worst",
			        json_real_or_null(emulated ? NAN : published[m][1])));
		}
	}
}

static void notes_skipped(struct predict *predict)
{
	char dir[PATH_MAX];

	if (predict_build_dir(PREDICT_O0, dir, sizeof(dir)) < 0)
		bench_note(predict->bench,
		    "skipped: -O2 against -O0: no build without optimisation exists; `make o0` "
		    "builds ALOE without optimisation");
	switch (predict_build_dir(PREDICT_AARCH64, dir, sizeof(dir))) {
	case 0:
		bench_note(predict->bench,
		    "qemu-neon, qemu-plain: aarch64 code under an emulator on this machine, with "
		    "the chain in one process without the engine; this is not the speed of an ARM, "
		    "and it counts in its own mean only");
		break;
	case -ENOEXEC:
		bench_note(predict->bench,
		    "skipped: emulated ARM: qemu-aarch64 is not in the PATH; `make aarch64` "
		    "installs qemu-aarch64");
		break;
	default:
		bench_note(predict->bench,
		    "skipped: emulated ARM: no build for aarch64 exists; `make aarch64` builds "
		    "ALOE for aarch64");
	}
}

static void predict_notes(struct predict *predict)
{
	struct bench *bench = predict->bench;

	bench_note(bench,
	    "the error is |predicted / measured - 1|. A prediction uses the time of the component "
	    "on the source, the mix of the component (in its descriptor), and the speeds of both "
	    "kinds by class; it uses no time of a component on the target. The target of this "
	    "project (reach): mean at most %.0f %%, worst at most %.0f %%",
	    REACH_MEAN, REACH_WORST);
	bench_note(bench,
	    "the classes and mixes were chosen for these components and pairs on one machine; the "
	    "error on processors of another make is not known");
	bench_note(bench,
	    "all kinds are on one machine with one clock, so the prediction by the clock is the "
	    "time on the source; the published errors are between two machines, x86 to ARM");
	if (!predict->from)
		bench_note(bench,
		    "%s, virtual clock, CPU %d, %d round%s of %g s of slots, all kinds in turn; "
		    "each time is divided by the time of a MAC in the same round, and the result "
		    "is the first quartile of the rounds",
		    predict->run.path, predict->run.cpu, (int)predict->rounds,
		    plural(predict->rounds), predict->run.seconds);
	if (!predict->from)
		notes_skipped(predict);
}

static void predict_result(void *self)
{
	struct predict *predict = self;
	struct bench *bench = predict->bench;
	json_t *row;
	size_t i;

	predict->pair_rows = json_array();
	bench_table(bench, "components", "each component, from one kind of node to another",
	    component_columns, sizeof(component_columns) / sizeof(component_columns[0]));
	for (i = 0; i < PAIRS; i++) {
		pair_run(predict, pairs[i].source, pairs[i].target);
		pair_run(predict, pairs[i].target, pairs[i].source);
	}
	rates_table(predict);
	bench_table(bench, "pairs", "errors from one kind of node to another", pair_columns,
	    sizeof(pair_columns) / sizeof(pair_columns[0]));
	json_array_foreach(predict->pair_rows, i, row)
	{
		bench_row(bench, json_incref(row));
		pair_draw(predict, row);
	}
	bench->plot.title =
	    "Mean error of predicted execution times, from one kind of node to another";
	bench->plot.x = "mean error of the components [%]";
	bench->plot.y = "from and to";
	bench->plot.log_x = true;
	sums_table(predict);
	predict_notes(predict);
}

/* ---- options ------------------------------------------------------------------------ */

static void kinds_init(struct predict *predict)
{
	static const struct {
		const char *name;
		enum simd_level level;
		enum predict_build build;
	} kinds[PREDICT_KINDS] = {
	    {"avx512", SIMD_AVX512, PREDICT_THIS},
	    {"avx2", SIMD_AVX2, PREDICT_THIS},
	    {"sse41", SIMD_SSE41, PREDICT_THIS},
	    {"neon", SIMD_NEON, PREDICT_THIS},
	    {"plain", SIMD_PLAIN, PREDICT_THIS},
	    {"plain-O0", SIMD_PLAIN, PREDICT_O0},
	    {"qemu-neon", SIMD_NEON, PREDICT_AARCH64},
	    {"qemu-plain", SIMD_PLAIN, PREDICT_AARCH64},
	};
	char dir[PATH_MAX];

	for (size_t i = 0; i < PREDICT_KINDS; i++) {
		struct predict_kind *kind = &predict->kinds[i];

		kind->name = kinds[i].name;
		kind->level = kinds[i].level;
		kind->build = kinds[i].build;
		kind->wanted = (predict_emulated(kind) || simd_has(kind->level)) &&
		    predict_build_dir(kind->build, dir, sizeof(dir)) == 0;
	}
}

static int options_parse(void *self)
{
	struct predict *predict = self;
	const struct cli_args *args = predict->bench->args;
	const char *given = cli_get(args, "waveform");
	int status = CLI_OK;

	kinds_init(predict);
	predict->rounds = 12;
	predict->run.seconds = 5;
	predict->from = cli_get(args, "from");
	predict->keep = cli_get(args, "keep");
	if (predict->from && predict->keep)
		return cli_fail(args, "--from and --keep exclude each other");
	if (cli_whole(args, "rounds", 1, PREDICT_ROUNDS_MAX, &predict->rounds) < 0 ||
	    cli_real(args, "seconds", 1, 3600, &predict->run.seconds) < 0 ||
	    bench_cpu(predict->bench, &predict->run.cpu) < 0)
		return CLI_USAGE;
	if (given)
		snprintf(predict->path, sizeof(predict->path), "%s", given);
	else
		status = bench_file(
		    predict->bench, "utran384-random.conf", predict->path, sizeof(predict->path));
	predict->run.path = predict->path;
	if (status == CLI_OK)
		status = source_open(&predict->source, args, predict->path, false);
	if (status == CLI_OK)
		predict->run.slot_ns = predict->source.waveform->slot_ns;
	return status;
}

static void predict_fini(void *self)
{
	struct predict *predict = self;

	for (size_t i = 0; i < PREDICT_KINDS; i++)
		predict_kind_fini(&predict->kinds[i]);
	json_decref(predict->pair_rows);
	source_close(&predict->source);
}

int bench_predict(const struct cli_args *args)
{
	static const struct bench_parts parts = {
	    sizeof(struct predict), options_parse, kinds_measure, predict_result, predict_fini};

	return bench_main(args, &parts);
}
