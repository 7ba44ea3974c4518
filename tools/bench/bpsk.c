/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench bpsk: the largest packet that a slot holds, and what it makes of bits a second,
 * against the slot's length. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/report/report.h"
#include "tools/bench/bpsk_lanes.h"
#include "tools/bench/commands.h"
#include "tools/bench/copies.h"
#include "tools/bench/figures.h"
#include "tools/bench/gaps.h"
#include "tools/bench/limit.h"
#include "tools/bench/run.h"

/* Packets are those of a scale of 32 steps to the octave, 2.2 % each. */
enum {
	PATH = 4096,
	SLOTS_MAX = 32,
	BITS_MIN = 64,
	BITS_MAX = 1 << 24,
	STEPS = 32,
	QUICK_SLOTS = 100,
	QUICK_RUNS = 3
};

#define QUICK_US 2e5 /* a short run takes at least */

struct
    /* the runs with one packet: all whole ones must hold; of short ones, which only show where
     * to look, one */
    trial {
	double slot_us;
	size_t lanes;
	uint64_t place; /* on the scale */
	bool whole;
	double runs, slots, missed, in_gaps, not_run, load_mean, away;
	bool holds[COPIES_COUNTINGS];
	bool refused;
	char mapping[120];
};

struct bpsk {
	struct bench *bench;
	char path[PATH];
	double slot_us[SLOTS_MAX], lanes[BENCH_LANES_MAX];
	size_t n_slots, n_lanes;
	uint64_t slots, runs, max;
	enum simd_level level;
	bool timer, blind;
	struct trial *trials;
	size_t n_trials, room;
	char *refusal;
	json_t *rows; /* of the table of the largest */
	struct bpsk_lanes sides;
};

static uint64_t bits_of(uint64_t place)
{
	return (uint64_t)llround(BITS_MIN * exp2((double)(place - 1) / STEPS));
}

static uint64_t place_of(uint64_t bits)
{
	return (uint64_t)(STEPS * log2((double)bits / BITS_MIN) + 1e-9) + 1;
}

/* ---- a trial ------------------------------------------------------------------------ */

/* "source mod | demod sink": the instances of each lane. */
static void mapping_write(const json_t *report, char *ret, size_t size)
{
	json_t *lane, *instance;
	size_t l, i, n = 0;

	ret[0] = 0;
	json_array_foreach(json_object_get(report, "lanes"), l, lane)
	{
		bool first = true;
		json_array_foreach(json_object_get(report, "instances"), i, instance)
		{
			if (report_number(instance, "lane") != report_number(lane, "lane") ||
			    n >= size)
				continue;
			n += (size_t)snprintf(ret + n, size - n, "%s%s",
			    !first  ? " "
			        : l ? " | "
			            : "",
			    report_text(instance, "name"));
			first = false;
		}
	}
}

static void trial_add(struct trial *trial, const json_t *report, const struct gaps *gaps)
{
	const json_t *slots = json_object_get(report, "slots"), *outside = NULL;
	const size_t in_gaps = copies_in_gaps(report, gaps_between, gaps, &outside);
	bool holds[COPIES_COUNTINGS];
	json_t *lane;
	size_t i;

	copies_judge(report, in_gaps, holds);
	for (int c = 0; c < COPIES_COUNTINGS; c++)
		trial->holds[c] = trial->runs == 0 ? holds[c]
		    : trial->whole                 ? holds[c] && trial->holds[c]
		                                   : holds[c] || trial->holds[c];
	trial->runs++;
	trial->slots += report_number(slots, "run");
	trial->missed += report_number(slots, "missed");
	trial->not_run += report_number(slots, "skipped") + report_number(slots, "slipped");
	trial->in_gaps += (double)in_gaps;
	trial->away = fmax(trial->away, gaps ? gaps_share(gaps) : 0);
	json_array_foreach(json_object_get(report, "lanes"), i, lane)
	{
		trial->load_mean = fmax(trial->load_mean, report_number(lane, "load_mean"));
	}
	mapping_write(report, trial->mapping, sizeof(trial->mapping));
}

static void trial_words(const struct bpsk *bpsk, const struct trial *trial, struct words *words)
{
	const double quick = fmax(QUICK_SLOTS, QUICK_US / trial->slot_us);
	const double slots = trial->whole ? (double)bpsk->slots : fmin(quick, (double)bpsk->slots);
	char lanes[BENCH_LANES_MAX * 8];

	bench_cpus_write(bpsk->bench, trial->lanes, lanes, sizeof(lanes));
	words_add(words, "%s", bpsk->path);
	words_add(words, "--set=source.length=%" PRIu64, bits_of(trial->place));
	words_add(words, "--lanes=%s", lanes);
	words_add(words, "--clock=%s", bpsk->timer ? "timer" : "virtual");
	words_add(words, "--slot-us=%.9g", trial->slot_us);
	words_add(words, "--slots=%.0f", ceil(slots));
}

/* A core that no lane has tells of gaps if there is one; else one thread above each lane. */
static struct gaps *gaps_watch(const struct bpsk *bpsk, size_t lanes)
{
	if (!bpsk->timer)
		return NULL;
	if (lanes < bpsk->bench->n_cpus)
		return gaps_start_idle(bpsk->bench->cpus[lanes]);
	return gaps_start(bpsk->bench->cpus, lanes);
}

static int run_one(struct bpsk *bpsk, struct trial *trial)
{
	struct gaps *gaps = gaps_watch(bpsk, trial->lanes);
	struct words words = {0};
	json_t *report;
	char what[120];
	int status;

	trial_words(bpsk, trial, &words);
	snprintf(what, sizeof(what), "slots of %.9g us, %zu lane%s, %" PRIu64 " bit, %s",
	    trial->slot_us, trial->lanes, plural(trial->lanes), bits_of(trial->place),
	    trial->whole ? "whole run" : "short run");
	free(bpsk->refusal);
	status = run_only(bpsk->bench, &words, bpsk->level, what, &report, &bpsk->refusal);
	gaps_stop(gaps);
	bpsk->blind = bpsk->blind || (gaps && !gaps_able(gaps));
	if (report && status == CLI_OK)
		trial_add(trial, report, gaps);
	gaps_free(gaps);
	json_decref(report);
	return bpsk->bench->interrupts ? BENCH_INTERRUPTED : status;
}

/* A miss or two of a short run may be the machine's: once more. */
static bool quick_decided(const struct trial *trial)
{
	return trial->holds[COPIES_EVERY] || trial->missed + trial->not_run > trial->slots / 10;
}

/* That the smallest does not run in any try, or that the CPU is another's, is an error; that a
 * large one does not, an answer. */
static int trial_run(struct bpsk *bpsk, struct trial *trial)
{
	const uint64_t runs = trial->whole ? bpsk->runs : QUICK_RUNS;
	bool decided = false;

	for (uint64_t r = 0; r < runs && !decided; r++) {
		const int status = run_one(bpsk, trial);
		const bool taken = bpsk->refusal && strstr(bpsk->refusal, "taken by the");

		if (status == BENCH_INTERRUPTED)
			return status;
		trial->refused = status != CLI_OK;
		if (trial->refused && trial->place == 1 && !taken && r + 1 < runs)
			continue; /* the machine was away for so long that the run was stopped */
		if (trial->refused && (trial->place == 1 || taken)) {
			fputs(bpsk->refusal ? bpsk->refusal : "", stderr);
			return status;
		}
		if (trial->refused)
			trial->holds[COPIES_EVERY] = trial->holds[COPIES_OUTSIDE] = false;
		decided = trial->refused ||
		    (trial->whole ? !trial->holds[COPIES_OUTSIDE] : quick_decided(trial));
	}
	return CLI_OK;
}

static struct trial *trial_find(const struct bpsk *bpsk, const struct trial *wanted)
{
	for (size_t i = 0; i < bpsk->n_trials; i++) {
		struct trial *trial = &bpsk->trials[i];
		if (trial->slot_us == wanted->slot_us && trial->lanes == wanted->lanes &&
		    trial->place == wanted->place && trial->whole == wanted->whole)
			return trial;
	}
	return NULL;
}

static int trial_keep(struct bpsk *bpsk, const struct trial *trial)
{
	struct trial *more = bpsk->trials;

	if (bpsk->n_trials == bpsk->room) {
		bpsk->room = 2 * bpsk->room + 64;
		more = realloc(bpsk->trials, bpsk->room * sizeof(*more));
	}
	if (!more)
		return CLI_FAILED;
	bpsk->trials = more;
	bpsk->trials[bpsk->n_trials++] = *trial;
	return CLI_OK;
}

/* ---- the largest ------------------------------------------------------------------------ */

struct bpsk_question {
	struct bpsk *bpsk;
	double slot_us;
	size_t lanes;
	enum copies_counting counting;
};

static int trial_holds(void *self, uint64_t n, bool whole, bool *ret_holds)
{
	const struct bpsk_question *question = self;
	struct trial trial = {
	    .slot_us = question->slot_us, .lanes = question->lanes, .place = n, .whole = whole};
	const struct trial *known = trial_find(question->bpsk, &trial);
	int status = CLI_OK;

	if (!known) {
		status = trial_run(question->bpsk, &trial);
		if (status == CLI_OK)
			status = trial_keep(question->bpsk, &trial);
	}
	*ret_holds = known ? known->holds[question->counting] : trial.holds[question->counting];
	return status;
}

static void largest_row(struct bpsk *bpsk, const struct bpsk_question *question, uint64_t place)
{
	const struct trial wanted = {
	    .slot_us = question->slot_us, .lanes = question->lanes, .place = place, .whole = true};
	const struct trial *trial = place ? trial_find(bpsk, &wanted) : NULL;
	const double bits = place ? (double)bits_of(place) : 0;
	json_t *row = json_pack("{s:i, s:s, s:f, s:f, s:f}", "lanes", (int)question->lanes,
	    "counting", copies_counting_name(question->counting), "slot_us", question->slot_us,
	    "bits", bits, "mbit_per_s", bits / question->slot_us);

	if (row && trial)
		json_object_update_new(row,
		    json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:s}", "samples", trial->slots,
		        "missed", trial->missed, "in_gaps", trial->in_gaps, "away", trial->away,
		        "not_run", trial->not_run, "load_mean", trial->load_mean, "mapping",
		        trial->mapping));
	if (row && place == place_of(bpsk->max))
		json_object_set_new(row, "limit", json_string("--max"));
	json_array_append_new(bpsk->rows, row);
}

/* What holds without a miss holds with some that are not counted. */
static int search_both(struct bpsk *bpsk, size_t lanes, double slot_us)
{
	uint64_t place = 0;

	for (int c = COPIES_EVERY; c <= COPIES_OUTSIDE; c++) {
		struct bpsk_question question = {bpsk, slot_us, lanes, (enum copies_counting)c};
		const struct limit limit = {place_of(bpsk->max), 0, place, trial_holds, &question};
		const int status = limit_find(&limit, &place);

		if (status != CLI_OK)
			return status;
		largest_row(bpsk, &question, place);
	}
	return CLI_OK;
}

static bool wants_lanes(const struct bpsk *bpsk, double lanes)
{
	for (size_t l = 0; l < bpsk->n_lanes; l++)
		if (bpsk->lanes[l] == lanes)
			return true;
	return false;
}

/* Of the largest packet of one lane outside of gaps. */
static int sides_measure(struct bpsk *bpsk)
{
	int status = CLI_OK;
	json_t *row;
	size_t i;

	if (!wants_lanes(bpsk, 2))
		return CLI_OK;
	json_array_foreach(bpsk->rows, i, row)
	{
		if (status == CLI_OK && bpsk->sides.pairs > 0 && report_number(row, "lanes") == 1 &&
		    report_number(row, "bits") > 0 &&
		    strcmp(report_text(row, "counting"), copies_counting_name(COPIES_OUTSIDE)) == 0)
			status = bpsk_lanes_measure(&bpsk->sides, report_number(row, "slot_us"),
			    (uint64_t)report_number(row, "bits"));
	}
	return status;
}

static int search_all(struct bpsk *bpsk)
{
	int status = CLI_OK;

	for (size_t l = 0; l < bpsk->n_lanes && status == CLI_OK; l++)
		for (size_t s = 0; s < bpsk->n_slots && status == CLI_OK; s++)
			status = search_both(bpsk, (size_t)bpsk->lanes[l], bpsk->slot_us[s]);
	return status == CLI_OK ? sides_measure(bpsk) : status;
}

/* ---- result ------------------------------------------------------------------------ */

static const struct column largest_columns[] = {
    {"lanes", "lanes", 0},
    {"counting", "counting", COLUMN_TEXT},
    {"slot_us", "slot us", 0},
    {"bits", "largest packet bit", 0},
    {"mbit_per_s", "Mbit/s", 1},
    {"samples", "slots", 0},
    {"missed", "missed", 0},
    {"in_gaps", "in gaps", 0},
    {"away", "reference away", COLUMN_SHORT},
    {"not_run", "not run", 0},
    {"load_mean", "load", 3},
    {"limit", "limited by", COLUMN_TEXT},
    {"mapping", "mapping", COLUMN_TEXT},
};

static const struct column trial_columns[] = {
    {"lanes", "lanes", 0},
    {"slot_us", "slot us", 0},
    {"bits", "packet bit", 0},
    {"runs", "runs", 0},
    {"samples", "slots", 0},
    {"missed", "missed", 0},
    {"in_gaps", "in gaps", 0},
    {"not_run", "not run", 0},
    {"load_mean", "load", 3},
    {"holds", "holds", COLUMN_TEXT},
};

static size_t trial_rows(struct bpsk *bpsk)
{
	size_t quick = 0;

	for (size_t i = 0; i < bpsk->n_trials; i++) {
		const struct trial *t = &bpsk->trials[i];
		if (t->whole)
			bench_row(bpsk->bench,
			    json_pack("{s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:s}", "lanes",
			        (int)t->lanes, "slot_us", t->slot_us, "bits",
			        (double)bits_of(t->place), "runs", t->runs, "samples", t->slots,
			        "missed", t->missed, "in_gaps", t->in_gaps, "not_run", t->not_run,
			        "load_mean", t->load_mean, "holds",
			        copies_holds_word(t->holds, t->refused)));
		quick += !t->whole;
	}
	return quick;
}

static void curve_plot(struct bpsk *bpsk, double lanes, enum copies_counting counting)
{
	const char *name = copies_counting_name(counting);
	json_t *points, *row;
	char title[80];
	size_t i;

	snprintf(title, sizeof(title), "%.0f lane%s, %s", lanes, plural(lanes), name);
	points = plot_series(&bpsk->bench->plot, PLOT_LINE, title);
	json_array_foreach(bpsk->rows, i, row)
	{
		const double y = report_number(row, "mbit_per_s");
		if (points && report_number(row, "lanes") == lanes &&
		    !strcmp(report_text(row, "counting"), name))
			json_array_append_new(points,
			    json_pack("[f, f, f, f]", report_number(row, "slot_us"), y, y, y));
	}
}

static void bpsk_result(void *self)
{
	struct bpsk *bpsk = self;
	struct bench *bench = bpsk->bench;
	json_t *row;
	size_t i, quick;

	bench_table(bench, "largest", "the largest packet that is stable", largest_columns,
	    sizeof(largest_columns) / sizeof(largest_columns[0]));
	json_array_foreach(bpsk->rows, i, row)
	{
		bench_row(bench, json_incref(row));
	}
	if (json_array_size(bpsk->sides.rows) > 0)
		bpsk_lanes_result(&bpsk->sides);
	bench_table(bench, "trials", "every whole trial", trial_columns,
	    sizeof(trial_columns) / sizeof(trial_columns[0]));
	quick = trial_rows(bpsk);
	for (size_t l = 0; l < bpsk->n_lanes; l++)
		for (int c = 0; c < COPIES_COUNTINGS; c++)
			curve_plot(bpsk, bpsk->lanes[l], (enum copies_counting)c);
	bench_note(bench,
	    "source -> mod -> demod -> sink, i16 samples, clock %s, %s; stable: %" PRIu64
	    " run%s of %" PRIu64 " slot%s without a miss; steps of 2.2 %%; %zu short run%s found "
	    "where to look; the mapping is the manager's own",
	    bpsk->timer ? "timer" : "virtual", simd_name(bpsk->level), bpsk->runs,
	    plural(bpsk->runs), bpsk->slots, plural(bpsk->slots), quick, plural(quick));
	bench_note(bench,
	    "a miss is in a gap if a core without a lane, which only reads its clock, stood still "
	    "for more than 20 us at that time; if every core has a lane, a miss is in a gap if a "
	    "thread above the lane woke more than 150 us late; a miss directly after a miss in a "
	    "gap counts as in the gap too. Reference away is the share of the time in which the "
	    "reference core or thread stood still; a large share means that the machine was busy "
	    "otherwise and that the results outside of gaps say little");
	bench_note(bench,
	    "the published values (Figure 2) are a curve without numbers, so no "
	    "reference is shown");
	if (bpsk->blind)
		bench_note(bench,
		    "real-time priority is not allowed (CAP_SYS_NICE), so gaps and the load of the "
		    "benchmark cannot be distinguished");
	if (bpsk->refusal && bpsk->refusal[0])
		bench_note(
		    bench, "refused: %.*s", (int)strcspn(bpsk->refusal, "\n"), bpsk->refusal);
	bench->plot.title = "BPSK: throughput of the largest packet that is stable";
	bench->plot.x = "slot length [us]";
	bench->plot.y = "throughput [Mbit/s]";
	bench->plot.log_x = true;
}

static int lists_parse(struct bpsk *bpsk)
{
	const int n_slots = bench_slot_lengths(bpsk->bench, SLOTS_MAX, bpsk->slot_us);
	const int n_lanes = n_slots < 0 ? n_slots : bench_lanes(bpsk->bench, bpsk->lanes);

	if (n_lanes < 0)
		return CLI_USAGE;
	bpsk->n_slots = (size_t)n_slots;
	bpsk->n_lanes = (size_t)n_lanes;
	return CLI_OK;
}

static int options_parse(void *self)
{
	struct bpsk *bpsk = self;
	const struct cli_args *args = bpsk->bench->args;
	const char *clock = cli_get(args, "clock");

	bpsk->rows = json_array();
	bpsk->sides = (struct bpsk_lanes){.bench = bpsk->bench, .rows = json_array(), .pairs = 10};
	bpsk->slots = 1000;
	bpsk->runs = 3;
	bpsk->max = BITS_MAX;
	bpsk->timer = !clock || !strcmp(clock, "timer");
	if (cli_whole(args, "slots", 1, 100000000, &bpsk->slots) < 0 ||
	    cli_whole(args, "runs", 1, 100, &bpsk->runs) < 0 ||
	    cli_whole(args, "max", BITS_MIN, BITS_MAX, &bpsk->max) < 0 ||
	    cli_whole(args, "pairs", 0, 99, &bpsk->sides.pairs) < 0 ||
	    bench_level(bpsk->bench, &bpsk->level) < 0)
		return CLI_USAGE;
	bpsk->sides.level = bpsk->level;
	return lists_parse(bpsk);
}

static int bpsk_measure(void *self)
{
	struct bpsk *bpsk = self;
	const int status =
	    bpsk_write(bpsk->bench, "bpsk", "", "", "", bpsk->path, sizeof(bpsk->path));

	return status == CLI_OK ? search_all(bpsk) : status;
}

static void bpsk_fini(void *self)
{
	struct bpsk *bpsk = self;

	json_decref(bpsk->rows);
	json_decref(bpsk->sides.rows);
	free(bpsk->trials);
	free(bpsk->refusal);
}

int bench_bpsk(const struct cli_args *args)
{
	static const struct bench_parts parts = {
	    sizeof(struct bpsk), options_parse, bpsk_measure, bpsk_result, bpsk_fini};

	return bench_main(args, &parts);
}
