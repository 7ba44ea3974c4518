/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench bler: block and bit error rates over Eb/N0, in virtual time, a run on every CPU at a
 * time.
 *
 * Each point (level, iterations, scaling, noise) is worked in batches, one after another, until it
 * has enough block errors: how many blocks the next one has follows from the counts so far, so the
 * same command counts the same on any machine. */
#include "tools/bench/bler.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/report/report.h"
#include "tools/bench/chain.h"
#include "tools/bench/commands.h"
#include "tools/bench/figures.h"
#include "tools/bench/run.h"
#include "tools/bench/yardstick.h"

enum {
	LIST_MAX = 16,
	BATCH_MIN = 1000,
	BATCH_MAX = 8000,
	BLOCKS = 20000,
	ERRORS = 100,
	BATCHES_MAX = 4096
};

struct point {
	struct chain_point at;
	size_t curve;
	uint64_t blocks, errors, bits, bit_errors;
	bool running, done;
};

struct curve {
	enum simd_level level;
	struct yardstick yardstick, plain; /* of this scaling; of none */
	bool has_yardstick;
	int iterations;
	double scaling;
	size_t first_level; /* the curve of the first level with the same iterations and scaling */
	size_t first, n;    /* of its points */
};

struct bler {
	struct bench *bench;
	struct chain chain;
	enum simd_level levels[SIMD_LEVELS];
	double iterations[LIST_MAX], scalings[LIST_MAX];
	size_t n_levels, n_iterations, n_scalings;
	struct range range;
	bool has_range;
	uint64_t errors_wanted, blocks_max, seed;
	struct curve *curves;
	struct point *points;
	size_t n_curves, n_points;
	struct bench_run *runs; /* one for each CPU */
	struct point **working; /* what it works on */
};

/* ---- what is asked for ---- */

static int lists_parse(struct bler *bler)
{
	const struct cli_args *args = bler->bench->args;
	const char *iterations = cli_get(args, "iterations"), *scaling = cli_get(args, "scaling");
	const char *range = cli_get(args, "ebn0");
	int n = list_parse(iterations ? iterations : "1,2,4,8", 1, 32, LIST_MAX, bler->iterations);

	for (int i = 0; i < n; i++)
		if (bler->iterations[i] != floor(bler->iterations[i]))
			n = -EINVAL;
	if (n < 0)
		return cli_fail(args,
		    "--iterations %s: different whole numbers 1 .. 32 separated by commas are "
		    "needed",
		    iterations);
	bler->n_iterations = (size_t)n;
	n = scaling ? list_parse(scaling, 0.01, 1, LIST_MAX, bler->scalings) : 1;
	if (n < 0)
		return cli_fail(args,
		    "--scaling %s: different numbers 0.01 .. 1 separated by commas are needed",
		    scaling);
	if (!scaling)
		bler->scalings[0] = NAN;
	bler->n_scalings = (size_t)n;
	bler->has_range = range != NULL;
	if (range && range_parse(range, &bler->range) < 0)
		return cli_fail(args,
		    "--ebn0 %s: FROM:TO:STEP in dB is needed, like 1.6:2.6:0.1, at most 1000 "
		    "points",
		    range);
	if (range && (bler->range.from < -60 || bler->range.to > 200))
		return cli_fail(args, "--ebn0 %s is outside of -60 .. 200 dB", range);
	return CLI_OK;
}

static int options_parse(struct bler *bler)
{
	const struct cli_args *args = bler->bench->args;
	int n;

	bler->errors_wanted = ERRORS;
	bler->blocks_max = BLOCKS;
	bler->seed = 1;
	if (cli_whole(args, "errors", 1, 1000000, &bler->errors_wanted) < 0 ||
	    cli_whole(args, "blocks", 1, 1000000, &bler->blocks_max) < 0 ||
	    cli_whole(args, "seed", 0, 8191, &bler->seed) < 0 || lists_parse(bler) != CLI_OK)
		return CLI_USAGE;
	n = bench_levels(bler->bench, bler->levels);
	if (n < 0)
		return CLI_USAGE;
	bler->n_levels = (size_t)n;
	return CLI_OK;
}

static bool decoder_has(const struct chain *chain, const char *parameter)
{
	for (size_t i = 0; chain->decoder && i < chain->decoder->type->n_params; i++)
		if (!strcmp(chain->decoder->type->params[i].name, parameter))
			return true;
	return false;
}

static int options_match(struct bler *bler)
{
	const struct cli_args *args = bler->bench->args;
	const struct chain *chain = &bler->chain;

	if (chain->esn0)
		return cli_fail(args,
		    "%s: %s uses esn0_db, but a curve over Eb/N0 needs ebn0_db and bits_per_item",
		    chain->path, chain->noise->name);
	if (!chain->decoder && cli_has(args, "iterations"))
		return cli_fail(
		    args, "--iterations: %s has no component with that parameter", chain->path);
	if (cli_has(args, "scaling") && !decoder_has(chain, "scaling"))
		return cli_fail(
		    args, "--scaling: the decoder of %s has no such parameter", chain->path);
	if (!chain->decoder) {
		bler->iterations[0] = 0;
		bler->n_iterations = 1;
	}
	return CLI_OK;
}

/* ---- points ------------------------------------------------------------------------ */

/* Without --ebn0: from half a dB before the yardstick's first crossing to 0.3 dB behind its second,
 * in tenths. */
static int range_of(const struct bler *bler, const struct curve *curve, struct range *ret)
{
	if (bler->has_range) {
		*ret = bler->range;
		return 0;
	}
	if (!curve->has_yardstick)
		return -ENOENT;
	*ret = (struct range){floor((curve->yardstick.tenth_db - 0.5) * 10) / 10,
	    ceil((curve->yardstick.hundredth_db + 0.3) * 10) / 10, 0.1};
	return 0;
}

static int curve_add(struct bler *bler, const struct curve *from)
{
	struct curve *curve = &bler->curves[bler->n_curves];
	const double scaling = isnan(from->scaling) ? bler->chain.scaling : from->scaling;
	struct range range;
	struct point *points;

	*curve = *from;
	curve->has_yardstick = yardstick_find(bler->chain.k, bler->chain.m, curve->iterations,
	                           scaling, &curve->yardstick) &&
	    yardstick_find(bler->chain.k, bler->chain.m, curve->iterations, 1, &curve->plain);
	if (range_of(bler, curve, &range) < 0)
		return cli_fail(bler->bench->args,
		    "--ebn0 FROM:TO:STEP is needed: no reference is known for K = %.0f, M = %.0f "
		    "and %d iteration%s, so there is no default range",
		    bler->chain.k, bler->chain.m, curve->iterations, plural(curve->iterations));
	curve->first = bler->n_points;
	curve->n = range_count(&range);
	points = realloc(bler->points, (bler->n_points + curve->n) * sizeof(*points));
	if (!points)
		return cli_fail(bler->bench->args, "out of memory");
	bler->points = points;
	for (size_t i = 0; i < curve->n; i++)
		points[bler->n_points++] = (struct point){
		    .at = {range_at(&range, i), curve->iterations, curve->scaling, bler->seed, 0},
		    .curve = bler->n_curves,
		};
	bler->n_curves++;
	return CLI_OK;
}

static int curves_make(struct bler *bler)
{
	int status = CLI_OK;

	bler->curves =
	    calloc(bler->n_levels * bler->n_iterations * bler->n_scalings, sizeof(*bler->curves));
	if (!bler->curves)
		return cli_fail(bler->bench->args, "out of memory");
	for (size_t l = 0; l < bler->n_levels; l++)
		for (size_t i = 0; i < bler->n_iterations; i++)
			for (size_t s = 0; s < bler->n_scalings && status == CLI_OK; s++)
				status = curve_add(bler,
				    &(struct curve){.level = bler->levels[l],
				        .iterations = (int)bler->iterations[i],
				        .scaling = bler->scalings[s],
				        .first_level = i * bler->n_scalings + s});
	return status;
}

/* ---- work ------------------------------------------------------------------------ */

uint64_t bler_batch(uint64_t blocks, uint64_t errors, uint64_t errors_wanted, uint64_t blocks_max)
{
	const uint64_t left = blocks < blocks_max ? blocks_max - blocks : 0;
	uint64_t next = BATCH_MIN;

	if (errors >= errors_wanted)
		return 0;
	if (blocks) /* a tenth more than the rate so far asks for */
		next = (uint64_t)(1.1 * (double)(errors_wanted - errors) * (double)blocks /
		    fmax((double)errors, 0.5));
	next = next < BATCH_MIN ? BATCH_MIN : next > BATCH_MAX ? BATCH_MAX : next;
	return next < left ? next : left;
}

static uint64_t batch_of(const struct bler *bler, const struct point *point)
{
	return point->at.batch < BATCHES_MAX
	    ? bler_batch(point->blocks, point->errors, bler->errors_wanted, bler->blocks_max)
	    : 0;
}

/* The one that will take longest: most noise-free, most iterations. */
static struct point *point_next(const struct bler *bler)
{
	struct point *best = NULL;

	for (size_t i = 0; i < bler->n_points; i++) {
		struct point *point = &bler->points[i];
		if (point->running || point->done)
			continue;
		if (!best || point->at.iterations > best->at.iterations ||
		    (point->at.iterations == best->at.iterations &&
		        point->at.ebn0_db > best->at.ebn0_db))
			best = point;
	}
	return best;
}

static int point_start(struct bler *bler, size_t worker, struct point *point)
{
	struct words words = {0};
	int rc;

	chain_words(&bler->chain, &point->at, &words);
	words_add(&words, "--clock=virtual");
	words_add(&words, "--slots=%llu", (unsigned long long)batch_of(bler, point));
	words_add(&words, "--lanes=%d", bler->bench->cpus[worker]);
	rc = run_start(bler->bench, &words, bler->curves[point->curve].level, &bler->runs[worker]);
	if (rc < 0)
		return CLI_FAILED;
	bler->working[worker] = point;
	point->running = true;
	point->at.batch++;
	return CLI_OK;
}

static int point_take(struct bler *bler, size_t worker)
{
	struct point *point = bler->working[worker];
	const uint64_t before = point->blocks;
	json_t *report = NULL, *counts;
	const int status = run_take(&bler->runs[worker], &report, NULL);

	point->running = false;
	if (status != CLI_OK && status != BENCH_INTERRUPTED) {
		json_decref(report);
		return status;
	}
	counts = json_object_get(report_instance(report, bler->chain.compare->name), "variables");
	point->blocks += (uint64_t)report_number(counts, "blocks");
	point->errors += (uint64_t)report_number(counts, "block_errors");
	point->bits += (uint64_t)report_number(counts, "bits");
	point->bit_errors += (uint64_t)report_number(counts, "bit_errors");
	point->done = batch_of(bler, point) == 0 || point->blocks == before;
	json_decref(report);
	return CLI_OK;
}

static void bler_progress(struct bler *bler)
{
	uint64_t blocks = 0, errors = 0;
	size_t done = 0;

	for (size_t i = 0; i < bler->n_points; i++) {
		blocks += bler->points[i].blocks;
		errors += bler->points[i].errors;
		done += bler->points[i].done;
	}
	progress_show(&bler->bench->progress, "%zu of %zu point%s, %llu block%s, %llu wrong", done,
	    bler->n_points, plural(bler->n_points), (unsigned long long)blocks, plural(blocks),
	    (unsigned long long)errors);
}

/* Runs on all CPUs until every point is done, the user wants an end, or a run fails. */
static int points_run(struct bler *bler)
{
	const size_t n = bler->bench->n_cpus;
	int status = CLI_OK, rc;

	for (;;) {
		size_t busy = 0;
		for (size_t w = 0; w < n; w++) {
			struct point *next =
			    bler->runs[w].pid || bler->bench->interrupts || status != CLI_OK
			    ? NULL
			    : point_next(bler);
			if (next)
				status = point_start(bler, w, next);
			busy += bler->runs[w].pid != 0;
		}
		if (!busy)
			return status;
		rc = run_wait(bler->bench, bler->runs, n, 200);
		bler_progress(bler);
		if (rc >= 0 && point_take(bler, (size_t)rc) != CLI_OK)
			status = CLI_FAILED;
		for (size_t w = 0; w < n && status != CLI_OK; w++)
			run_kill(&bler->runs[w]);
	}
}

/* ---- result ------------------------------------------------------------------------ */

static const struct column curve_columns[] = {
    {"simd", "level", COLUMN_TEXT},
    {"iterations", "iterations", 0},
    {"scaling", "scaling", 3},
    {"ebn0_db", "Eb/N0 dB", 3},
    {"esn0_db", "Es/N0 dB", 3},
    {"blocks", "blocks", 0},
    {"block_errors", "wrong", 0},
    {"bler", "BLER", COLUMN_SHORT},
    {"bler_low", "95 % from", COLUMN_SHORT},
    {"bler_high", "to", COLUMN_SHORT},
    {"bits", "bits", 0},
    {"bit_errors", "wrong", 0},
    {"ber", "BER", COLUMN_SHORT},
};

static double ratio_of(uint64_t part, uint64_t of)
{
	return of ? (double)part / (double)of : NAN;
}

static double scaling_of(const struct bler *bler, const struct curve *curve)
{
	if (!decoder_has(&bler->chain, "scaling"))
		return NAN;
	return isnan(curve->scaling) ? bler->chain.scaling : curve->scaling;
}

static void curve_rows(struct bler *bler, const struct curve *curve)
{
	const double shift_db = bler->chain.m > 0 ? 10 * log10(bler->chain.k / bler->chain.m) : NAN;

	for (size_t i = curve->first; i < curve->first + curve->n; i++) {
		const struct point *p = &bler->points[i];
		const struct interval range = interval_wilson(p->errors, p->blocks);
		if (!p->blocks)
			continue;
		bench_row(bler->bench,
		    json_pack("{s:s, s:o?, s:o, s:f, s:o, s:I, s:I, s:f, s:f, s:f, s:I, s:I, s:o}",
		        "simd", simd_name(curve->level), "iterations",
		        curve->iterations ? json_integer(curve->iterations) : NULL, "scaling",
		        json_real_or_null(scaling_of(bler, curve)), "ebn0_db", p->at.ebn0_db,
		        "esn0_db", json_real_or_null(p->at.ebn0_db + shift_db), "blocks",
		        (json_int_t)p->blocks, "block_errors", (json_int_t)p->errors, "bler",
		        ratio_of(p->errors, p->blocks), "bler_low", range.low, "bler_high",
		        range.high, "bits", (json_int_t)p->bits, "bit_errors",
		        (json_int_t)p->bit_errors, "ber",
		        json_real_or_null(ratio_of(p->bit_errors, p->bits))));
	}
}

static const struct column crossing_columns[] = {
    {"simd", "level", COLUMN_TEXT},
    {"iterations", "iterations", 0},
    {"scaling", "scaling", 3},
    {"bler", "BLER", 2},
    {"ebn0_db", "Eb/N0 dB", 3},
    {"low_db", "95 % from", 3},
    {"high_db", "to", 3},
    {"reference_db", "reference", 3},
    {"reference", "of", COLUMN_TEXT},
    {"difference_db", "difference", 3},
    {"plain_reference_db", "max-log", 3},
    {"plain_difference_db", "difference", 3},
    {"first_level_db", "to first level", 3},
    {"verdict", "verdict", COLUMN_TEXT},
};

static struct crossing crossing_of(const struct bler *bler, const struct curve *curve, double rate)
{
	struct rate_point *points = calloc(curve->n, sizeof(*points));
	struct crossing crossing = {NAN, {NAN, NAN}};
	size_t n = 0;

	for (size_t i = curve->first; points && i < curve->first + curve->n; i++)
		if (bler->points[i].blocks)
			points[n++] = (struct rate_point){bler->points[i].at.ebn0_db,
			    bler->points[i].errors, bler->points[i].blocks};
	if (points)
		crossing = crossing_find(points, n, rate);
	free(points);
	return crossing;
}

/* How far this level is from the first one with the same iterations and scaling. */
static double first_level(const struct bler *bler, const struct curve *curve, double rate)
{
	const struct curve *first = &bler->curves[curve->first_level];

	return curve == first ? NAN
	                      : crossing_of(bler, curve, rate).x - crossing_of(bler, first, rate).x;
}

const char *bler_verdict(double difference_db, double low_db, double high_db)
{
	if (isnan(difference_db))
		return "not reached by the points";
	if (difference_db > YARDSTICK_DB)
		return low_db <= YARDSTICK_DB ? "not within 0.1 dB; not certain"
		                              : "not within 0.1 dB";
	if (!(high_db <= YARDSTICK_DB))
		return "within 0.1 dB; not certain: more --errors";
	return difference_db < -YARDSTICK_DB ? "better by more than 0.1 dB" : "within 0.1 dB";
}

static double reference_of(
    const struct curve *curve, const struct yardstick *yardstick, double rate)
{
	if (!curve->has_yardstick)
		return NAN;
	return rate > 0.05 ? yardstick->tenth_db : yardstick->hundredth_db;
}

static void crossing_row(struct bler *bler, const struct curve *curve, double rate)
{
	const struct crossing crossing = crossing_of(bler, curve, rate);
	const double reference = reference_of(curve, &curve->yardstick, rate);
	const double difference = crossing.x - reference;
	json_t *row = json_pack("{s:s, s:o?, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "simd",
	    simd_name(curve->level), "iterations",
	    curve->iterations ? json_integer(curve->iterations) : NULL, "scaling",
	    json_real_or_null(scaling_of(bler, curve)), "bler", rate, "ebn0_db",
	    json_real_or_null(crossing.x), "low_db", json_real_or_null(crossing.range.low),
	    "high_db", json_real_or_null(crossing.range.high), "reference_db",
	    json_real_or_null(reference), "difference_db", json_real_or_null(difference),
	    "first_level_db", json_real_or_null(first_level(bler, curve, rate)));

	if (row && curve->has_yardstick) {
		const double plain = reference_of(curve, &curve->plain, rate);
		json_object_set_new(row, "plain_reference_db", json_real(plain));
		json_object_set_new(
		    row, "plain_difference_db", json_real_or_null(crossing.x - plain));
		json_object_set_new(row, "reference",
		    json_sprintf("%s%s", curve->yardstick.decoder,
		        curve->yardstick.measured ? "" : ", converted"));
		json_object_set_new(row, "verdict",
		    json_string(bler_verdict(difference, crossing.range.low - reference,
		        crossing.range.high - reference)));
		bler->bench->missed = bler->bench->missed || !(difference <= YARDSTICK_DB);
	}
	bench_row(bler->bench, row);
}

static void curve_plot(struct bler *bler, const struct curve *curve)
{
	char title[80], scaling[24] = "";
	json_t *points;

	if (!isnan(curve->scaling))
		snprintf(scaling, sizeof(scaling), ", x%.3g", curve->scaling);
	snprintf(title, sizeof(title), "%d iteration%s%s%s%s", curve->iterations,
	    plural(curve->iterations), scaling, bler->n_levels > 1 ? ", " : "",
	    bler->n_levels > 1 ? simd_name(curve->level) : "");
	points = plot_series(&bler->bench->plot, PLOT_LINE, title);
	for (size_t i = curve->first; points && i < curve->first + curve->n; i++) {
		const struct point *p = &bler->points[i];
		const struct interval range = interval_wilson(p->errors, p->blocks);
		json_array_append_new(points,
		    p->errors ? json_pack("[f, f, f, f]", p->at.ebn0_db,
		                    ratio_of(p->errors, p->blocks), range.low, range.high)
		              : json_pack("[f, n, n, n]", p->at.ebn0_db)); /* ends the line */
	}
}

/* The figures to compare with, of all curves together; levels have the same. */
static void marks_plot(struct bler *bler)
{
	json_t *marks = plot_series(&bler->bench->plot, PLOT_MARKS, "reference decoders");

	for (size_t i = 0; marks && i < bler->n_curves; i++) {
		const struct curve *curve = &bler->curves[i];
		if (!curve->has_yardstick || curve->level != bler->levels[0])
			continue;
		json_array_append_new(marks, json_pack("[f, f]", curve->yardstick.tenth_db, 0.1));
		json_array_append_new(
		    marks, json_pack("[f, f]", curve->yardstick.hundredth_db, 0.01));
	}
}

static void bler_notes(struct bler *bler)
{
	struct bench *bench = bler->bench;
	bool converted = false;

	bench_note(bench,
	    "%s: K = %.0f bit%s a block, M = %.0f item%s on the channel; errors counted by `%s`; "
	    "at least %llu block error%s or %llu block%s a point",
	    bler->chain.path, bler->chain.k, plural(bler->chain.k), bler->chain.m,
	    plural(bler->chain.m), bler->chain.compare->name,
	    (unsigned long long)bler->errors_wanted, plural(bler->errors_wanted),
	    (unsigned long long)bler->blocks_max, plural(bler->blocks_max));
	bench_note(bench,
	    "intervals are 95 %% (Wilson); a crossing is interpolated in log10 BLER, and the "
	    "interval of a crossing lies between the crossings of the bounds; BER has no interval, "
	    "because bit errors come in blocks");
	for (size_t i = 0; i < bler->n_curves; i++)
		converted = converted ||
		    (bler->curves[i].has_yardstick && !bler->curves[i].yardstick.measured);
	if (bler->chain.k == YARDSTICK_K)
		bench_note(bench,
		    "the reference is three independent decoders in floating point, +-0.03 dB; Eb "
		    "counts the %d bits at the input of the encoder: Eb/N0 = Es/N0 + 10 log10(M / "
		    "%d)",
		    YARDSTICK_K, YARDSTICK_K);
	if (bler->chain.k == YARDSTICK_K)
		bench_note(bench,
		    "the column verdict compares with the column reference; the column max-log is "
		    "the reference without scaled extrinsics");
	if (converted)
		bench_note(bench,
		    "the reference is interpolated between M = 9049 and M = 11580 on a straight "
		    "line: Eb/N0(M) = Eb/N0(9049) + (M - 9049) / 2531 x (Eb/N0(11580) - "
		    "Eb/N0(9049))");
}

static void bler_result(struct bler *bler)
{
	struct bench *bench = bler->bench;

	bench_table(bench, "curve", "error rates", curve_columns,
	    sizeof(curve_columns) / sizeof(curve_columns[0]));
	for (size_t i = 0; i < bler->n_curves; i++)
		curve_rows(bler, &bler->curves[i]);
	bench_table(bench, "crossings", "where the block error rate crosses", crossing_columns,
	    sizeof(crossing_columns) / sizeof(crossing_columns[0]));
	for (size_t i = 0; i < bler->n_curves; i++) {
		crossing_row(bler, &bler->curves[i], 0.1);
		crossing_row(bler, &bler->curves[i], 0.01);
	}
	bench->plot.title =
	    plot_text(&bench->plot, "Block error rate of %s", bler->chain.source.waveform->name);
	bench->plot.bars = "bars: 95 % interval (Wilson)";
	bench->plot.x = "Eb/N0 [dB]";
	bench->plot.y = "block error rate";
	bench->plot.log_y = true;
	for (size_t i = 0; i < bler->n_curves; i++)
		curve_plot(bler, &bler->curves[i]);
	marks_plot(bler);
	bler_notes(bler);
}

static int bler_measure(struct bler *bler)
{
	int status = options_match(bler);

	if (status == CLI_OK)
		status = curves_make(bler);
	bler->runs = calloc(bler->bench->n_cpus, sizeof(*bler->runs));
	bler->working = calloc(bler->bench->n_cpus, sizeof(*bler->working));
	if (status == CLI_OK && (!bler->runs || !bler->working))
		status = CLI_FAILED;
	if (status == CLI_OK)
		status = points_run(bler);
	if (status == CLI_OK)
		bler_result(bler);
	return status;
}

int bench_bler(const struct cli_args *args)
{
	struct bench bench;
	struct bler bler = {.bench = &bench};
	const char *given = cli_get(args, "waveform");
	char path[4096];
	int status = bench_begin(&bench, args);

	if (status != CLI_OK)
		return status;
	status = options_parse(&bler);
	if (status == CLI_OK && !given)
		status = bench_file(&bench, "utran384-random.conf", path, sizeof(path));
	if (status == CLI_OK) {
		status = chain_open(&bench, given ? given : path, &bler.chain);
		if (status == CLI_OK)
			status = bler_measure(&bler);
		status = bench_end(&bench, status);
		chain_close(&bler.chain);
	} else {
		status = bench_end(&bench, status);
	}
	free(bler.curves);
	free(bler.points);
	free(bler.runs);
	free(bler.working);
	return status;
}
