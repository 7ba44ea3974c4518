/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/report/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/report/print.h"

#define LOAD_HIGH 0.9  /* of a slot, in one slot of a hundred */
#define SHARE_HIGH 0.5 /* of a slot, on average */

/* What a row has that should not be, from the worst on; below RANK_BAD all is well. A rank is a sum
 * of these and of a share of at most 1, so each is more than all behind it together. */
enum { ERRORS = 32, TROUBLE = 16, HIGH = 8, COUNTS_ERRORS = 4, RESULTS = 2 };
#define ERRORS_MOST 0x1p40 /* more count as so many: then a rank is exact, and below a fault */
#define FAULT 0x1p46

static const json_t *path_find(const json_t *item, const char *path)
{
	const char *dot = strchr(path, '.');
	char first[32];

	if (!dot)
		return json_object_get(item, path);
	snprintf(first, sizeof(first), "%.*s", (int)(dot - path), path);
	return json_object_get(json_object_get(item, first), dot + 1);
}

double view_number(const struct view_column *column, const struct view_row *row)
{
	const json_t *value;

	if (column->number)
		return column->number(row);
	value = column->path ? path_find(row->item, column->path) : NULL;
	return json_is_number(value) ? json_number_value(value) * column->scale : NAN;
}

/* One error more is worse than all that is no error. */
static double rank_of_errors(double errors)
{
	return errors > 0 ? ERRORS * fmin(ceil(errors), ERRORS_MOST) : 0;
}

static void name_text(const struct view_row *row, char ret[CELL_TEXT])
{
	snprintf(ret, CELL_TEXT, "%s", report_text(row->item, "name"));
}

static void lane_text(const struct view_row *row, char ret[CELL_TEXT])
{
	report_lane(row->item, ret, CELL_TEXT);
}

static void waveform_text(const struct view_row *row, char ret[CELL_TEXT])
{
	snprintf(ret, CELL_TEXT, "%s", report_text(row->report, "waveform"));
}

/* ---- instances ---- */

static double instance_rank(const struct view_row *row)
{
	static const char *const troubles[] = {"absent_in", "io_lost", "concealed"};
	const json_t *variables = json_object_get(row->item, "variables");
	const double share = report_number(row->item, "share");
	double rank = fmax(fmin(share, 1), 0), trouble = 0;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)variables, key, value)
	{
		if (json_number_value(value) != 0) {
			rank += RESULTS;
			break;
		}
	}
	for (size_t i = 0; i < sizeof(troubles) / sizeof(troubles[0]); i++)
		trouble += report_number(row->item, troubles[i]);
	if (json_is_true(json_object_get(row->item, "budget_given")))
		trouble += report_number(row->item, "overruns");
	rank += json_object_get(variables, "block_errors") ? COUNTS_ERRORS : 0;
	rank += share >= SHARE_HIGH ? HIGH : 0;
	rank += trouble > 0 ? TROUBLE : 0;
	return rank + rank_of_errors(report_number(variables, "block_errors"));
}

static void variables_text(const struct view_row *row, char ret[CELL_TEXT])
{
	FILE *out = fmemopen(ret, CELL_TEXT, "w");

	ret[0] = 0;
	if (!out)
		return;
	variables_print(row->item, out);
	fclose(out);
	ret[CELL_TEXT - 1] = 0;
	memmove(ret, ret + strspn(ret, " "), strlen(ret + strspn(ret, " ")) + 1);
}

static const struct view_column instances[] = {
    {"instance", -14, 0, .text = name_text, .help = "name of the instance in the waveform file"},
    {"lane", 4, 0, .text = lane_text,
        .help = "lane that it runs on, or lanes of its places; all: its copies are on several"},
    {"mean us", 9, 0, "mean_us", .scale = 1, .digits = 2,
        .help = "mean time of a call, in microseconds"},
    {"p99 us", 9, 100, "p99_us", .scale = 1, .digits = 2,
        .help = "99 of 100 calls took at most this time"},
    {"max us", 9, 72, "max_us", .scale = 1, .digits = 2, .help = "time of the longest call"},
    {"kMAC", 9, 110, "kmac", .scale = 1, .digits = 2,
        .help = "mean cost of a call in thousand MAC-equivalents"},
    {"share", 8, 0, "share", .scale = 100, .digits = 2, .unit = " %",
        .help = "share of a slot that all calls of a slot take, on average"},
    {"left p1", 9, 124, "left_us.p1", .scale = 1, .digits = 1,
        .help = "99 of 100 calls left at least this much of their budget, in microseconds"},
    {"least", 9, 134, "left_us.least", .scale = 1, .digits = 1,
        .help = "least that a call left of its budget; negative: it took more"},
    {"variables  (man aloe-words)", 0, 0, .text = variables_text,
        .help = "variables of the instance that are not 0"},
};

/* ---- lanes ---- */

static double lane_rank(const struct view_row *row)
{
	const json_t *left = json_object_get(row->item, "left_us");
	const double load = report_number(row->item, "load_mean"),
	             late =
	                 report_number(row->item, "missed") + report_number(row->item, "skipped");
	double rank = fmax(fmin(load, 1), 0);

	rank += report_number(row->item, "load_p99") >= LOAD_HIGH ? HIGH : 0;
	rank += report_number(left, "over") > 0 ? TROUBLE : 0;
	return rank + rank_of_errors(late);
}

static void bar_text(const struct view_row *row, char ret[CELL_TEXT])
{
	enum { BAR = 10 };
	const double load = report_number(row->item, "load_mean");
	const int filled = (int)fmax(0, fmin(BAR, ceil(BAR * load)));

	snprintf(ret, CELL_TEXT, "[%.*s%*s]", filled, "##########", BAR - filled, "");
}

static void priority_text(const struct view_row *row, char ret[CELL_TEXT])
{
	snprintf(ret, CELL_TEXT, "%s", report_text(row->item, "realtime"));
}

static const struct view_column lanes[] = {
    {"lane", 4, 0, .text = lane_text, .help = "number of the lane in the waveform"},
    {"CPU", 4, 42, "cpu", .scale = 1, .help = "CPU of the lane"},
    {"load", -12, 80, .text = bar_text, .help = "mean load as a bar"},
    {"mean", 8, 0, "load_mean", .scale = 100, .digits = 1, .unit = " %",
        .help = "mean load: the share of a slot in which the lane works"},
    {"p99", 8, 51, "load_p99", .scale = 100, .digits = 1, .unit = " %",
        .help = "load in 99 of 100 slots is at most this"},
    {"core", 8, 123, "core_mean", .scale = 100, .digits = 1, .unit = " %",
        .help = "share of the core that the lane takes, with waiting for its slots and waking up"},
    {"left p1 us", 10, 0, "left_us.p1", .scale = 1, .digits = 1,
        .help = "time left at the end of 99 of 100 slots is at least this, in microseconds"},
    {"least us", 10, 0, "left_us.least", .scale = 1, .digits = 1,
        .help = "least time left at the end of a slot; negative: the slot ended late"},
    {"missed", 6, 58, "missed", .scale = 1, .help = "slots that were not complete in time"},
    {"priority", -8, 67, .text = priority_text,
        .help = "FIFO or RR: real time, with its priority; other: without real time"},
    {"skipped", 8, 89, "skipped", .scale = 1, .help = "slots that did not run"},
    {"late us p99", 11, 102, "late_us.p99", .scale = 1, .digits = 1,
        .help = "99 of 100 slots begin at most this late after their edge"},
    {"slots", 11, 114, "slots", .scale = 1, .help = "slots that have run on these lanes"},
};

/* ---- copies ---- */

static double copy_rank(const struct view_row *row)
{
	const double mean = fmax(report_number(row->item, "mean_us"), 0);

	return rank_of_errors(report_number(row->item, "block_errors")) +
	    (report_number(row->item, "bit_errors") > 0 ? TROUBLE : 0) + mean / (mean + 1);
}

static double copy_bler(const struct view_row *row)
{
	const double blocks = report_number(row->item, "blocks");

	return blocks > 0 ? report_number(row->item, "block_errors") / blocks : NAN;
}

static const struct view_column copies[] = {
    {"copy", 5, 0, "copy", .scale = 1, .help = "number of the copy, from 1 on"},
    {"lane", 4, 0, .text = lane_text, .help = "lane of its first instance"},
    {"mean us", 9, 0, "mean_us", .scale = 1, .digits = 2,
        .help = "mean time of all its calls in a slot, in microseconds"},
    {"max us", 9, 72, "max_us", .scale = 1, .digits = 2,
        .help = "sum of the longest calls of all its instances"},
    {"over", 6, 80, "overruns", .scale = 1, .help = "calls that took longer than their budgets"},
    {"blocks", 10, 60, "blocks", .scale = 1, .help = "blocks that were checked"},
    {"block errors", 12, 0, "block_errors", .scale = 1, .help = "blocks with an error"},
    {"BLER", 10, 50, .number = copy_bler, .digits = 6,
        .help = "share of the blocks that had an error"},
    {"bits", 14, 110, "bits", .scale = 1, .help = "bits that were compared"},
    {"bit errors", 12, 94, "bit_errors", .scale = 1, .help = "bits that were wrong"},
};

/* ---- causes ---- */

static double cause_rank(const struct view_row *row)
{
	const double us = fmax(report_number(row->item, "us"), 0);

	return us / (us + 1);
}

static void kind_text(const struct view_row *row, char ret[CELL_TEXT])
{
	snprintf(ret, CELL_TEXT, "%s", report_text(row->item, "kind"));
}

static void own_text(const struct view_row *row, char ret[CELL_TEXT])
{
	snprintf(ret, CELL_TEXT, "%s",
	    json_is_true(json_object_get(row->item, "own")) ? "its own doing" : "");
}

static const struct view_column causes[] = {
    {"cause", -16, 0, .text = kind_text, .help = "kind of cause, which `man aloe-words` explains"},
    {"records", 8, 0, "count", .scale = 1, .help = "records of late slots in which it was found"},
    {"slots", 8, 50, "slots", .scale = 1, .help = "slots of these records"},
    {"total us", 12, 0, "us", .scale = 1, .digits = 1,
        .help = "what it took in all of them, in microseconds"},
    {"worst us", 12, 62, "worst_us", .scale = 1, .digits = 1,
        .help = "what it took in the worst record"},
    {"worst slot", 12, 75, "worst_slot", .scale = 1,
        .help = "slot of that record; `aloe why W SLOT` tells its story"},
    {"", 0, 88, .text = own_text, .help = NULL},
};

/* ---- waveforms ---- */

static double lanes_extreme(const json_t *report, const char *path, bool most)
{
	const struct view_column column = {.path = path, .scale = 1};
	double extreme = NAN;
	json_t *lane;
	size_t n;

	json_array_foreach(json_object_get(report, "lanes"), n, lane)
	{
		const struct view_row row = {.item = lane};
		const double value = view_number(&column, &row);

		extreme = most ? fmax(extreme, value) : fmin(extreme, value);
	}
	return extreme;
}

static double waveform_load(const struct view_row *row)
{
	return 100 * lanes_extreme(row->report, "load_mean", true);
}

static double waveform_p99(const struct view_row *row)
{
	return 100 * lanes_extreme(row->report, "load_p99", true);
}

static double waveform_p1(const struct view_row *row)
{
	return lanes_extreme(row->report, "left_us.p1", false);
}

static double waveform_least(const struct view_row *row)
{
	return lanes_extreme(row->report, "left_us.least", false);
}

static double waveform_errors(const struct view_row *row)
{
	double errors = 0;
	json_t *i;
	size_t n;

	json_array_foreach(json_object_get(row->report, "instances"), n, i)
	{
		errors += report_number(json_object_get(i, "variables"), "block_errors");
	}
	return errors;
}

static double waveform_rank(const struct view_row *row)
{
	const double load = fmax(lanes_extreme(row->report, "load_mean", true), 0);
	double rank = fmin(load, 1);

	rank += lanes_extreme(row->report, "load_p99", true) >= LOAD_HIGH ? HIGH : 0;
	rank += report_clean(row->report) ? 0 : TROUBLE;
	rank += report_failed(row->report) || report_text(row->report, "damaged")[0] ? FAULT : 0;
	return rank + rank_of_errors(waveform_errors(row));
}

static void state_text(const struct view_row *row, char ret[CELL_TEXT])
{
	snprintf(ret, CELL_TEXT, "%s", report_text(row->report, "state"));
}

static void causes_text(const struct view_row *row, char ret[CELL_TEXT])
{
	report_causes_line(row->report, ret, CELL_TEXT);
}

static const struct view_column waveforms[] = {
    {"waveform", -14, 0, .text = waveform_text, .help = "name of the waveform"},
    {"state", -7, 0, .text = state_text,
        .help = "RUN, PAUSE, STOP, or ABNSTOP: a fault stopped it"},
    {"index", 10, 86, "index", .scale = 1, .help = "indices that all its instances are done with"},
    {"load", 8, 0, .number = waveform_load, .digits = 1, .unit = " %",
        .help = "mean load of its lane that has most"},
    {"p99", 8, 95, .number = waveform_p99, .digits = 1, .unit = " %",
        .help = "load in 99 of 100 slots, of the lane that has most"},
    {"left p1 us", 10, 51, .number = waveform_p1, .digits = 1,
        .help = "time left at the end of 99 of 100 slots, of the lane that has least"},
    {"least us", 10, 62, .number = waveform_least, .digits = 1,
        .help = "least time left at the end of a slot; negative: it ended late"},
    {"missed", 6, 0, "slots.missed", .scale = 1, .help = "slots that were not complete in time"},
    {"absent", 7, 103, "messages.absent", .scale = 1,
        .help = "messages that were missing when they were read"},
    {"block errors", 12, 75, .number = waveform_errors,
        .help = "blocks with an error, of all instances that count them"},
    {"late by", 0, 110, .text = causes_text, .help = "the largest causes of late slots"},
};

/* ---- pages ---- */

#define COLUMNS(array) array, sizeof(array) / sizeof((array)[0])

const struct view_column view_waveform = {"waveform", -12, 0, .text = waveform_text,
    .help = "name of the waveform, if there are several"};

const struct view_table view_tables[VIEW_PAGES] = {
    [VIEW_INSTANCES] = {"instances", "instance", "instances", "there is no instance",
        "The instances, and below them the lanes. First come instances with block errors, then "
        "those that lost or missed messages or took longer than a budget that was given, then "
        "those that take half of a slot or more.",
        instance_rank, COLUMNS(instances)},
    [VIEW_LANES] = {"lanes", "lane", "lanes", "there is no lane",
        "The lanes, with the time that they have left. First come lanes that missed or skipped "
        "slots, then those that ended one late, then those with a p99 of 90 % or more.",
        lane_rank, COLUMNS(lanes)},
    [VIEW_COPIES] = {"copies", "copy", "per_copy", "the waveform has no copies",
        "The copies of a waveform that was loaded with --copies. First come copies with errors.",
        copy_rank, COLUMNS(copies)},
    [VIEW_CAUSES] = {"causes", "cause", "causes", "there is no record of a late slot",
        "Why slots were late, as `aloe why` tells it. What took most comes first.", cause_rank,
        COLUMNS(causes)},
    [VIEW_WAVEFORMS] = {"waveforms", "waveform", NULL, "no waveform is loaded",
        "The waveforms of the node. First come those that a fault stopped, then those with block "
        "errors, then those with slots or messages that were not in time.",
        waveform_rank, COLUMNS(waveforms)},
};
