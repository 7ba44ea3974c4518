/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench copies: how many copies of a waveform a lane holds, and what one costs against their
 * number; where it has a component that serves several copies with one call, side by side and one
 * after the other. */
#include "tools/bench/copies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/report/report.h"
#include "tools/bench/commands.h"
#include "tools/bench/figures.h"
#include "tools/bench/gaps.h"
#include "tools/bench/limit.h"
#include "tools/bench/run.h"
#include "tools/aloe/source.h"

enum { TRIALS_MAX = 512 };

/* How copies run that one call could serve. */
enum way { WAY_BESIDE, WAY_ALONE, WAYS };

struct trial { /* one run */
	enum way way;
	size_t lanes;
	uint64_t copies;
	double seconds, slots, missed, in_gaps, not_run, load_mean, load_p99, busy_us;
	bool holds[COPIES_COUNTINGS];
	bool refused;  /* did not run at all */
	char why[160]; /* the cause of its first miss outside of gaps */
};

struct copies {
	struct bench *bench;
	const char *path;
	double lanes[BENCH_LANES_MAX];
	size_t n_lanes;
	bool ways[WAYS]; /* which to try */
	uint64_t max;
	double seconds, slot_us;
	enum simd_level level;
	bool blind; /* no right to the priority that sees gaps */
	struct trial trials[TRIALS_MAX];
	size_t n_trials;
	char *refusal; /* what the last run that was refused said */
};

const char *copies_counting_name(enum copies_counting counting)
{
	return counting == COPIES_EVERY ? "every miss" : "those outside of gaps";
}

/* ---- one run ------------------------------------------------------------------------ */

/* A miss that follows one in a gap at once is its echo. Misses of a lane are in order. */
size_t copies_in_gaps(const json_t *report, copies_in_gap *in_gap, const struct gaps *gaps,
    const json_t **ret_outside)
{
	const double slot_ns = report_number(report, "slot_ns");
	double last_lane = -1, last_slot = 0;
	size_t in_gaps = 0, i;
	json_t *miss;

	json_array_foreach(json_object_get(report, "misses"), i, miss)
	{
		const json_int_t at = json_integer_value(json_object_get(miss, "at_ns"));
		const double lane = report_number(miss, "lane"), slot = report_number(miss, "slot");
		const double end = slot_ns + report_number(miss, "late_us") * 1e3;
		const bool echo = lane == last_lane && slot == last_slot + 1;
		const char *what = report_text(miss, "what");

		if (what[0] && strcmp(what, "missed") != 0) /* skipped, slipped, absent */
			continue;
		if (!echo &&
		    (!at || !gaps || !in_gap(gaps, (uint64_t)at, (uint64_t)at + (uint64_t)end))) {
			*ret_outside = *ret_outside ? *ret_outside : miss;
			continue;
		}
		in_gaps++;
		last_lane = lane;
		last_slot = slot;
	}
	return in_gaps;
}

static const char *copies_word(const struct trial *trial)
{
	return trial->copies == 1 ? "copy" : "copies";
}

void copies_judge(const json_t *report, size_t in_gaps, bool ret_holds[COPIES_COUNTINGS])
{
	const double missed = report_number(json_object_get(report, "slots"), "missed");

	ret_holds[COPIES_EVERY] = report_clean(report) && !report_failed(report);
	ret_holds[COPIES_OUTSIDE] = ret_holds[COPIES_EVERY] ||
	    (!report_failed(report) && missed > 0 && (double)in_gaps >= missed);
}

static void trial_fill(struct trial *trial, const json_t *report, const struct gaps *gaps)
{
	const json_t *slots = json_object_get(report, "slots");
	const double slot_us = report_number(report, "slot_ns") * 1e-3;
	const json_t *outside = NULL;
	json_t *lane;
	size_t i;

	trial->slots = report_number(slots, "run");
	trial->missed = report_number(slots, "missed");
	trial->not_run = report_number(slots, "skipped") + report_number(slots, "slipped");
	trial->in_gaps = (double)copies_in_gaps(report, gaps_between, gaps, &outside);
	if (outside)
		snprintf(trial->why, sizeof(trial->why), "%s %.0f us late: %s",
		    report_text(outside, "instance"), report_number(outside, "late_us"),
		    report_text(outside, "cause"));
	json_array_foreach(json_object_get(report, "lanes"), i, lane)
	{
		trial->busy_us += report_number(lane, "load_mean") * slot_us;
		trial->load_mean = fmax(trial->load_mean, report_number(lane, "load_mean"));
		trial->load_p99 = fmax(trial->load_p99, report_number(lane, "load_p99"));
	}
	copies_judge(report, (size_t)trial->in_gaps, trial->holds);
}

static void trial_words(const struct copies *copies, const struct trial *trial, struct words *words)
{
	const struct cli_args *args = copies->bench->args;
	const char *clock = cli_get(args, "clock"), *slot_us = cli_get(args, "slot-us");
	char lanes[BENCH_LANES_MAX * 8];

	bench_cpus_write(copies->bench, trial->lanes, lanes, sizeof(lanes));
	words_add(words, "%s", copies->path);
	for (size_t i = 0; cli_nth(args, "set", i); i++)
		words_add(words, "--set=%s", cli_nth(args, "set", i));
	if (trial->way == WAY_ALONE && copies->ways[WAY_BESIDE])
		words_add(words, "--set=side_by_side=off");
	words_add(words, "--copies=%llu", (unsigned long long)trial->copies);
	words_add(words, "--lanes=%s", lanes);
	words_add(words, "--clock=%s", clock ? clock : "timer");
	words_add(words, "--slots=%.0f", ceil(trial->seconds * 1e6 / copies->slot_us));
	if (slot_us)
		words_add(words, "--slot-us=%s", slot_us);
}

static int trial_run(struct copies *copies, struct trial *trial)
{
	const char *clock = cli_get(copies->bench->args, "clock");
	const bool timer = !clock || !strcmp(clock, "timer");
	struct gaps *gaps = timer ? gaps_start(copies->bench->cpus, trial->lanes) : NULL;
	struct words words = {0};
	json_t *report;
	char what[80];
	int status;

	trial_words(copies, trial, &words);
	snprintf(what, sizeof(what), "%zu lane%s, %llu %s%s, %.0f s", trial->lanes,
	    plural(trial->lanes), (unsigned long long)trial->copies, copies_word(trial),
	    trial->way == WAY_BESIDE ? " side by side" : "", trial->seconds);
	free(copies->refusal);
	status = run_only(copies->bench, &words, copies->level, what, &report, &copies->refusal);
	gaps_stop(gaps);
	copies->blind = copies->blind || (gaps && !gaps_able(gaps));
	if (report && status == CLI_OK)
		trial_fill(trial, report, gaps);
	trial->refused = status != CLI_OK;
	gaps_free(gaps);
	json_decref(report);
	return copies->bench->interrupts ? BENCH_INTERRUPTED : status;
}

/* trial_get gives that run, made before or now; NULL: no more, *ret_status says why. That one copy
 * does not run, or that the CPU is another's, is an error; that many do not, an answer. */
static const struct trial *trial_get(
    struct copies *copies, enum way way, size_t lanes, uint64_t n, double seconds, int *ret_status)
{
	struct trial *trial = &copies->trials[copies->n_trials];

	for (size_t i = 0; i < copies->n_trials; i++)
		if (copies->trials[i].way == way && copies->trials[i].lanes == lanes &&
		    copies->trials[i].copies == n && copies->trials[i].seconds == seconds)
			return &copies->trials[i];
	if (copies->n_trials == TRIALS_MAX)
		return NULL;
	*trial = (struct trial){.way = way, .lanes = lanes, .copies = n, .seconds = seconds};
	*ret_status = trial_run(copies, trial);
	if (*ret_status == BENCH_INTERRUPTED)
		return NULL;
	if (*ret_status != CLI_OK &&
	    (n == 1 || (copies->refusal && strstr(copies->refusal, "taken by the lane")))) {
		fputs(copies->refusal ? copies->refusal : "", stderr);
		return NULL;
	}
	*ret_status = CLI_OK;
	copies->n_trials++;
	return trial;
}

/* ---- the largest ------------------------------------------------------------------------ */

struct question {
	struct copies *copies;
	enum way way;
	size_t lanes;
	enum copies_counting counting;
};

static int trial_holds(void *self, uint64_t n, bool whole, bool *ret_holds)
{
	const struct question *question = self;
	const double seconds = question->copies->seconds;
	int status = CLI_OK;
	const struct trial *trial = trial_get(question->copies, question->way, question->lanes, n,
	    whole ? seconds : fmin(seconds, fmax(2, seconds / 12)), &status);

	*ret_holds = trial && trial->holds[question->counting];
	return trial || status != CLI_OK ? status : CLI_FAILED;
}

/* *n is known to hold before, if not 0. */
static int largest_find(struct question *question, uint64_t *n)
{
	const struct limit limit = {question->copies->max, 0.02, *n, trial_holds, question};

	return limit_find(&limit, n);
}

/* The smallest number above n that was tried and not held, 0 if none was. */
static uint64_t not_held(const struct question *question, uint64_t n)
{
	const struct copies *copies = question->copies;
	uint64_t least = 0;

	for (size_t i = 0; i < copies->n_trials; i++) {
		const struct trial *trial = &copies->trials[i];
		if (trial->way == question->way && trial->lanes == question->lanes &&
		    trial->copies > n && !trial->holds[question->counting] &&
		    (!least || trial->copies < least))
			least = trial->copies;
	}
	return least;
}

static const struct column largest_columns[] = {
    {"side", "side by side", COLUMN_TEXT},
    {"lanes", "lanes", 0},
    {"counting", "counting", COLUMN_TEXT},
    {"copies", "copies", 0},
    {"seconds", "held for s", 0},
    {"load_mean", "load mean", 3},
    {"load_p99", "load p99", 3},
    {"copy_us", "us a copy", 2},
    {"missed", "missed", 0},
    {"in_gaps", "in gaps", 0},
    {"not_held", "not held", 0},
};

static const char *way_word(const struct copies *copies, enum way way)
{
	return way == WAY_BESIDE ? "yes" : copies->ways[WAY_BESIDE] ? "off" : "-";
}

static json_t *largest_row(const struct question *question, uint64_t n)
{
	const struct copies *copies = question->copies;
	const struct trial *held = NULL;
	const uint64_t above = not_held(question, n);
	json_t *row = json_pack("{s:s, s:I, s:s, s:I, s:o?}", "side",
	    way_word(copies, question->way), "lanes", (json_int_t)question->lanes, "counting",
	    copies_counting_name(question->counting), "copies", (json_int_t)n, "not_held",
	    above ? json_integer((json_int_t)above) : NULL);

	for (size_t i = 0; i < copies->n_trials; i++) {
		const struct trial *trial = &copies->trials[i];
		if (trial->way == question->way && trial->lanes == question->lanes &&
		    trial->copies == n && trial->seconds == copies->seconds)
			held = trial;
	}
	if (row && held)
		json_object_update_new(row,
		    json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "seconds", held->seconds,
		        "load_mean", held->load_mean, "load_p99", held->load_p99, "copy_us",
		        held->busy_us / (double)n, "missed", held->missed, "in_gaps",
		        held->in_gaps));
	return row;
}

/* ---- result ------------------------------------------------------------------------ */

static const struct column trial_columns[] = {
    {"side", "side by side", COLUMN_TEXT},
    {"lanes", "lanes", 0},
    {"copies", "copies", 0},
    {"seconds", "s", 1},
    {"slots", "slots", 0},
    {"missed", "missed", 0},
    {"in_gaps", "in gaps", 0},
    {"not_run", "not run", 0},
    {"load_mean", "load mean", 3},
    {"load_p99", "load p99", 3},
    {"copy_us", "us a copy", 2},
    {"holds", "holds", COLUMN_TEXT},
};

static int by_size(const void *a, const void *b)
{
	const struct trial *x = a, *y = b;

	if (x->way != y->way)
		return x->way < y->way ? -1 : 1;
	if (x->lanes != y->lanes)
		return x->lanes < y->lanes ? -1 : 1;
	if (x->copies != y->copies)
		return x->copies < y->copies ? -1 : 1;
	return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

const char *copies_holds_word(const bool holds[COPIES_COUNTINGS], bool refused)
{
	if (refused)
		return "refused";
	return holds[COPIES_EVERY] ? "yes" : holds[COPIES_OUTSIDE] ? "but for gaps" : "no";
}

static void trial_row(struct copies *copies, const struct trial *t, json_t *points)
{
	const double copy_us = t->busy_us / (double)t->copies;
	json_t *row = json_pack("{s:s, s:I, s:I, s:f, s:s}", "side", way_word(copies, t->way),
	    "lanes", (json_int_t)t->lanes, "copies", (json_int_t)t->copies, "seconds", t->seconds,
	    "holds", copies_holds_word(t->holds, t->refused));

	if (row && !t->refused)
		json_object_update_new(row,
		    json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "slots", t->slots, "missed",
		        t->missed, "in_gaps", t->in_gaps, "not_run", t->not_run, "load_mean",
		        t->load_mean, "load_p99", t->load_p99, "copy_us", copy_us));
	bench_row(copies->bench, row);
	if (points && !t->refused)
		json_array_append_new(points,
		    json_pack("[I, f, f, f]", (json_int_t)t->copies, copy_us, copy_us, copy_us));
}

static void trials_table(struct copies *copies)
{
	struct bench *bench = copies->bench;
	json_t *points = NULL;
	char title[60];

	qsort(copies->trials, copies->n_trials, sizeof(copies->trials[0]), by_size);
	bench_table(bench, "trials", "every run, by number of copies", trial_columns,
	    sizeof(trial_columns) / sizeof(trial_columns[0]));
	for (size_t i = 0; i < copies->n_trials; i++) {
		const struct trial *trial = &copies->trials[i];
		if (!i || trial->lanes != copies->trials[i - 1].lanes ||
		    trial->way != copies->trials[i - 1].way) {
			snprintf(title, sizeof(title), "%zu lane%s%s", trial->lanes,
			    plural(trial->lanes), trial->way == WAY_BESIDE ? ", side by side" : "");
			points = plot_series(&bench->plot, PLOT_LINE, title);
		}
		trial_row(copies, trial, points);
	}
}

static void copies_notes(struct copies *copies)
{
	struct bench *bench = copies->bench;

	bench_note(bench,
	    "%s, slots of %.0f us; us a copy is the busy time of all lanes in a slot, divided by "
	    "the number of copies",
	    copies->path, copies->slot_us);
	bench_note(bench,
	    "a miss is in a gap if a thread of priority 60 on the CPU of a lane woke more than "
	    "0.15 ms late at that time; a miss directly after a miss in a gap counts as in the gap "
	    "too; not run counts slots that were skipped or slipped");
	if (copies->ways[WAY_BESIDE])
		bench_note(bench,
		    "side by side: yes: one call serves copies of a component that offers it, in "
		    "groups, as by default; off: one after the other (side_by_side = \"off\")");
	for (size_t i = 0; i < copies->n_trials; i++) {
		const struct trial *trial = &copies->trials[i];
		if (trial->why[0] && !trial->holds[COPIES_OUTSIDE])
			bench_note(bench, "first miss with %zu lane%s and %llu %s, %.0f s: %s",
			    trial->lanes, plural(trial->lanes), (unsigned long long)trial->copies,
			    copies_word(trial), trial->seconds, trial->why);
	}
	if (copies->blind)
		bench_note(bench,
		    "real-time priority is not allowed (CAP_SYS_NICE), so gaps and the load of the "
		    "benchmark cannot be distinguished");
	if (copies->refusal && copies->refusal[0])
		bench_note(
		    bench, "refused: %.*s", (int)strcspn(copies->refusal, "\n"), copies->refusal);
	bench->plot.title = "Time that a copy takes in a slot, by the number of copies";
	bench->plot.x = "number of copies";
	bench->plot.y = "mean time of a copy in a slot [us]";
	bench->plot.log_x = bench->plot.log_y = true;
}

/* What holds without a miss holds with some that are not counted. */
static int search_both(struct copies *copies, enum way way, size_t lanes, json_t *rows)
{
	struct question question = {copies, way, lanes, COPIES_EVERY};
	uint64_t n = 0;

	for (int c = COPIES_EVERY; c <= COPIES_OUTSIDE; c++) {
		int status;

		question.counting = (enum copies_counting)c;
		status = largest_find(&question, &n);
		if (status != CLI_OK)
			return status;
		json_array_append_new(rows, largest_row(&question, n));
	}
	return CLI_OK;
}

/* All that can be searched; then the tables, of what there is. */
static int copies_measure(struct copies *copies)
{
	json_t *rows = json_array(), *row;
	int status = CLI_OK;
	size_t i;

	for (size_t l = 0; l < copies->n_lanes; l++)
		for (int way = WAY_BESIDE; way < WAYS; way++)
			if (copies->ways[way] && status == CLI_OK)
				status = search_both(
				    copies, (enum way)way, (size_t)copies->lanes[l], rows);
	if (status == CLI_OK || status == BENCH_INTERRUPTED) {
		trials_table(copies);
		bench_table(copies->bench, "largest", "the largest number without a miss",
		    largest_columns, sizeof(largest_columns) / sizeof(largest_columns[0]));
		json_array_foreach(rows, i, row)
		{
			bench_row(copies->bench, json_incref(row));
		}
		copies_notes(copies);
		status = CLI_OK;
	}
	json_decref(rows);
	return status;
}

static int options_parse(struct copies *copies)
{
	const struct bench *bench = copies->bench;
	int n;

	copies->seconds = 60;
	copies->max = 1000;
	if (cli_real(bench->args, "seconds", 0.1, 86400, &copies->seconds) < 0 ||
	    cli_whole(bench->args, "max", 1, 100000, &copies->max) < 0 ||
	    cli_real(bench->args, "slot-us", 1, 1e7, &copies->slot_us) < 0)
		return CLI_USAGE;
	n = bench_lanes(bench, copies->lanes);
	if (n < 0)
		return CLI_USAGE;
	copies->n_lanes = (size_t)n;
	return bench_level(bench, &copies->level) < 0 ? CLI_USAGE : CLI_OK;
}

/* Both ways where it makes a difference and is not said by --set. */
static void ways_find(struct copies *copies, const struct waveform *waveform)
{
	const struct cli_args *args = copies->bench->args;

	copies->ways[WAY_ALONE] = true;
	for (size_t i = 0; i < waveform->n_instances; i++)
		copies->ways[WAY_BESIDE] =
		    copies->ways[WAY_BESIDE] || waveform->instances[i].type->many;
	for (size_t i = 0; cli_nth(args, "set", i); i++)
		if (strncmp(cli_nth(args, "set", i), "side_by_side=", 13) == 0)
			copies->ways[WAY_BESIDE] = false;
}

/* The slot that the file says, where the command does not, and whether copies can be side by
 * side. */
static int source_look(struct copies *copies)
{
	struct source source;
	const int status = source_open(&source, copies->bench->args, copies->path, false);

	if (status == CLI_OK) {
		copies->slot_us = (double)source.waveform->slot_ns * 1e-3;
		ways_find(copies, source.waveform);
	}
	source_close(&source);
	return status;
}

int bench_copies(const struct cli_args *args)
{
	struct bench bench;
	struct copies *copies = calloc(1, sizeof(*copies));
	char path[4096];
	int status = copies ? bench_begin(&bench, args) : CLI_FAILED;

	if (status != CLI_OK) {
		free(copies);
		return status;
	}
	copies->bench = &bench;
	copies->path = args->n_args ? args->args[0] : path;
	status = options_parse(copies);
	if (status == CLI_OK && !args->n_args)
		status = bench_file(&bench, "utran384-random.conf", path, sizeof(path));
	if (status == CLI_OK)
		status = source_look(copies);
	if (status == CLI_OK)
		status = copies_measure(copies);
	status = bench_end(&bench, status);
	free(copies->refusal);
	free(copies);
	return status;
}
