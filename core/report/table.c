/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The live table, the progress line, the list and the profile. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/report/print.h"

/* ---- what there is room for ---- */

/* What a user looks for first in a table: errors and other results, then what takes most of a
 * slot. */
static double instance_rank(const json_t *instance)
{
	enum { RESULTS = 2, ERRORS = 4 };
	const json_t *variables = json_object_get(instance, "variables");
	double rank = fmin(report_number(instance, "share"), 1);
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)variables, key, value)
	{
		if (json_number_value(value) != 0) {
			rank += RESULTS;
			break;
		}
	}
	return json_object_get(variables, "block_errors") ? rank + ERRORS : rank;
}

static double lane_rank(const json_t *lane)
{
	return report_number(lane, "load_mean");
}

/* rows_choose marks the `most` of highest rank; NULL: there is room for all, or no memory. The
 * caller frees it. */
static bool *rows_choose(const json_t *array, size_t most, double (*rank)(const json_t *))
{
	const size_t len = json_array_size(array);
	bool *chosen = most < len ? calloc(len, sizeof(*chosen)) : NULL;

	for (size_t n = 0; chosen && n < most; n++) {
		double best = -1;
		size_t at = 0;

		for (size_t i = 0; i < len; i++) {
			const double is = chosen[i] ? -1 : rank(json_array_get(array, i));

			if (is > best) {
				best = is;
				at = i;
			}
		}
		chosen[at] = true;
	}
	return chosen;
}

/* rows_for: how many of `len` rows are shown where there is room for `room`; the last row then
 * counts the others. */
static size_t rows_for(size_t len, size_t room)
{
	return len <= room ? len : room > 0 ? room - 1 : 0;
}

static void rows_left_out(size_t len, size_t shown, const char *what, FILE *out)
{
	if (len > shown)
		fprintf(out, "  ... and %zu more %s%s\n", len - shown, what, plural(len - shown));
}

/* ---- parts ------------------------------------------------------------------------ */

enum { MIDDLING = 100, NARROW = 72 }; /* columns below which some are left out for the variables */

static void instance_columns(const json_t *i, unsigned cols, FILE *out)
{
	fprintf(out, " %9.2f", report_number(i, "mean_us"));
	if (cols >= MIDDLING)
		fprintf(out, " %9.2f", report_number(i, "p99_us"));
	if (cols >= NARROW)
		fprintf(out, " %9.2f", report_number(i, "max_us"));
	if (cols >= MIDDLING)
		fprintf(out, " %9.2f", report_number(i, "kmac"));
	fprintf(out, " %6.2f %%", 100 * report_number(i, "share"));
}

static void instance_titles(unsigned cols, FILE *out)
{
	fprintf(out, "  %-14s %4s %9s", "instance", "lane", "mean us");
	if (cols >= MIDDLING)
		fprintf(out, " %9s", "p99 us");
	if (cols >= NARROW)
		fprintf(out, " %9s", "max us");
	if (cols >= MIDDLING)
		fprintf(out, " %9s", "kMAC");
	fprintf(out, " %8s  variables  (man aloe-words)\n", "share");
}

static void table_instances(const json_t *report, size_t room, unsigned cols, FILE *out)
{
	const json_t *instances = json_object_get(report, "instances");
	const size_t len = json_array_size(instances), shown = rows_for(len, room);
	bool *chosen = rows_choose(instances, shown, instance_rank);
	json_t *i;
	size_t n;

	instance_titles(cols, out);
	json_array_foreach(instances, n, i)
	{
		if (chosen ? !chosen[n] : n >= shown)
			continue;
		fprintf(out, "  %-14.14s", report_text(i, "name"));
		lane_print(i, out);
		instance_columns(i, cols, out);
		variables_print(i, out);
		fputc('\n', out);
	}
	rows_left_out(len, shown, "instance", out);
	free(chosen);
}

static void table_lanes(const json_t *report, size_t room, unsigned cols, FILE *out)
{
	const json_t *lanes = json_object_get(report, "lanes");
	const size_t len = json_array_size(lanes), shown = rows_for(len, room);
	const int bar = cols >= MIDDLING ? 30 : cols >= NARROW ? 20 : 10;
	bool *chosen = rows_choose(lanes, shown, lane_rank);
	json_t *lane;
	size_t n;

	json_array_foreach(lanes, n, lane)
	{
		const double load = report_number(lane, "load_mean");
		const int filled = (int)fmin(bar, ceil(bar * fmax(load, 0)));
		const json_t *left = json_object_get(lane, "left_us");

		if (chosen ? !chosen[n] : n >= shown)
			continue;
		fprintf(out, "  lane %-2.0f CPU %-3.0f [%.*s%*s] %5.1f %% mean, %5.1f %% p99, %s",
		    report_number(lane, "lane"), report_number(lane, "cpu"), filled,
		    "##############################", bar - filled, "", 100 * load,
		    100 * report_number(lane, "load_p99"), report_text(lane, "realtime"));
		if (report_number(left, "count") > 0)
			fprintf(out, ", left %.1f us p1, %.1f least", report_number(left, "p1"),
			    report_number(left, "least"));
		fputc('\n', out);
	}
	rows_left_out(len, shown, "lane", out);
	free(chosen);
}

static void table_counts(const json_t *report, FILE *out)
{
	const json_t *slots = json_object_get(report, "slots"),
	             *messages = json_object_get(report, "messages");
	const json_t *radio = json_object_get(report, "radio");
	char causes[200];

	fprintf(out,
	    "  slots: %.0f run, %.0f skipped, %.0f missed, %.0f slipped; messages: %.0f absent, "
	    "%.0f late\n",
	    report_number(slots, "run"), report_number(slots, "skipped"),
	    report_number(slots, "missed"), report_number(slots, "slipped"),
	    report_number(messages, "absent"), report_number(messages, "late"));
	if (radio) {
		fputs("  radio: ", out);
		radio_counts_print(radio, out);
		radio_slots_print(radio, "         ", out);
		radio_troubles_print(radio, "  radio ", out);
	}
	batons_print(report, "  ", out);
	report_modes_print(report, "  ", out);
	report_causes_line(report, causes, sizeof(causes));
	if (causes[0])
		fprintf(out, "  late: %s\n", causes);
}

/* lines_cut copies lines, each at most `cols` characters, at most `rows` of them; returns how
 * many. */
static unsigned lines_cut(const char *text, unsigned rows, unsigned cols, FILE *out)
{
	unsigned lines = 0;

	while (*text && (!rows || lines < rows)) {
		const size_t len = strcspn(text, "\n");
		fprintf(out, "%.*s\n", (int)(cols && len > cols ? cols : len), text);
		text += len + (text[len] == '\n');
		lines++;
	}
	return lines;
}

/* table_print takes at most `rows` lines: of those that the head, the titles and the counts leave,
 * lanes have a third where not all of both fits. */
static void table_print(const json_t *report, size_t rows, unsigned cols, FILE *out)
{
	const size_t lanes = json_array_size(json_object_get(report, "lanes"));
	const size_t instances = json_array_size(json_object_get(report, "instances"));
	const json_t *counts = json_object_get(report, "radio");
	const size_t radio = counts ? 2 + radio_troubles_print(counts, "", NULL) : 0,
	             reason = report_text(report, "reason")[0] != 0,
	             causes = json_array_size(json_object_get(report, "causes")) > 0;
	const size_t fixed = 3 + radio + reason + causes + batons_print(report, "", NULL),
	             room = rows > fixed ? rows - fixed : 0;
	const size_t third = room / 3 > 1 ? room / 3 : 1;
	const size_t for_lanes = lanes + instances <= room || lanes <= third ? lanes : third;

	head_print(report, out);
	table_instances(report, room > for_lanes ? room - for_lanes : 0, cols, out);
	table_lanes(report, for_lanes, cols, out);
	table_counts(report, out);
}

unsigned report_table(const json_t *report, unsigned rows, unsigned cols, FILE *out)
{
	unsigned lines = 0;
	char *text = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&text, &len);

	if (!memory)
		return 0;
	table_print(report, rows ? rows : SIZE_MAX, cols ? cols : UINT_MAX, memory);
	if (fclose(memory) == 0)
		lines = lines_cut(text, rows, cols, out);
	free(text);
	return lines;
}

void report_progress(const json_t *report, FILE *out)
{
	const json_t *slots = json_object_get(report, "slots"),
	             *messages = json_object_get(report, "messages");
	const json_t *radio = json_object_get(report, "radio");
	const double index = report_number(report, "index"),
	             wanted = report_number(report, "slots_wanted");
	char done[32];
	json_t *lane;
	size_t n;

	report_duration(index * report_number(report, "slot_ns") * 1e-9, done, sizeof(done));
	fprintf(
	    out, "%s: %s, index ", report_text(report, "waveform"), report_text(report, "state"));
	index_print(report, 0, out);
	if (wanted > 0)
		fprintf(out, " of %.0f", wanted);
	fprintf(out, " (%s), load", done);
	json_array_foreach(json_object_get(report, "lanes"), n, lane)
	{
		fprintf(out, "%s %.1f %%", n ? "," : "", 100 * report_number(lane, "load_mean"));
	}
	fprintf(out, "; %.0f skipped, %.0f missed, %.0f slipped; %.0f absent, %.0f late",
	    report_number(slots, "skipped"), report_number(slots, "missed"),
	    report_number(slots, "slipped"), report_number(messages, "absent"),
	    report_number(messages, "late"));
	if (radio)
		fprintf(out, "; radio %.0f lost, %.0f late, %.0f underrun%s",
		    report_number(radio, "lost"), report_number(radio, "late"),
		    report_number(radio, "underruns"), plural(report_number(radio, "underruns")));
	fputc('\n', out);
	report_modes_print(report, "  ", out);
	radio_troubles_print(radio, "radio ", out);
}

void report_list(const json_t *list, FILE *out)
{
	json_t *waveform, *lane;
	size_t n, l;

	if (json_array_size(list) == 0) {
		fprintf(out, "no waveform is loaded\n");
		return;
	}
	fprintf(out, "%-24s %-8s %12s  %s\n", "waveform", "state", "index", "lanes on CPU");
	json_array_foreach(list, n, waveform)
	{
		fprintf(out, "%-24s %-8s ", report_text(waveform, "name"),
		    report_text(waveform, "state"));
		index_print(waveform, 12, out);
		fputs("  ", out);
		json_array_foreach(json_object_get(waveform, "lanes"), l, lane)
		{
			fprintf(out, "%s%.0f", l ? "," : "", report_number(lane, "cpu"));
		}
		if (json_object_get(waveform, "radio"))
			radio_faults_print(json_object_get(waveform, "radio"), out);
		fputc('\n', out);
	}
}

/* ---- profile ------------------------------------------------------------------------ */

static void profile_ports(const json_t *instance, const char *key, FILE *out)
{
	json_t *port;
	size_t n;

	json_array_foreach(json_object_get(instance, key), n, port)
	{
		fprintf(out, "%s%s.%s %.3f us", n ? ", " : "  ", key, report_text(port, "port"),
		    report_number(port, "us"));
	}
}

static void profile_overhead(const json_t *report, FILE *out)
{
	json_t *lane;
	size_t n;

	json_array_foreach(json_object_get(report, "lanes"), n, lane)
	{
		fprintf(out,
		    "lane %.0f (CPU %.0f): %.0f slot%s, load %.2f %% mean, %.2f %% p99, "
		    "overhead %.3f us a slot\n",
		    report_number(lane, "lane"), report_number(lane, "cpu"),
		    report_number(lane, "slots"), plural(report_number(lane, "slots")),
		    100 * report_number(lane, "load_mean"), 100 * report_number(lane, "load_p99"),
		    report_number(json_object_get(lane, "overhead_us"), "mean"));
	}
}

void report_profile(const json_t *report, FILE *out)
{
	json_t *i;
	size_t n;

	head_print(report, out);
	fprintf(out, "capacity of a core: %.1f MMAC/s (1 kMAC = %.3f us)\n\n",
	    report_number(report, "capacity_mmac"),
	    report_number(report, "capacity_mmac") > 0
	        ? 1000 / report_number(report, "capacity_mmac")
	        : 0);
	fprintf(out, "%-16s %-18s %9s %9s %9s %9s %9s %9s %9s %8s\n", "instance", "component",
	    "calls", "mean us", "max us", "kMAC", "p50 us", "p99 us", "p99.9 us", "share");
	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		fprintf(out, "%-16s %-18s %9.0f %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f %6.3f %%\n",
		    report_text(i, "name"), report_text(i, "component"), report_number(i, "calls"),
		    report_number(i, "mean_us"), report_number(i, "max_us"),
		    report_number(i, "kmac"), report_number(i, "p50_us"),
		    report_number(i, "p99_us"), report_number(i, "p999_us"),
		    100 * report_number(i, "share"));
	}
	fprintf(out, "\ntime spent on inputs and outputs, mean of a call\n");
	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		fprintf(out, "%-16s", report_text(i, "name"));
		profile_ports(i, "in", out);
		profile_ports(i, "out", out);
		fputc('\n', out);
	}
	budgets_print(report, out);
	fputc('\n', out);
	profile_overhead(report, out);
	margins_print(report, "left at the end of a slot: ", out);
	fprintf(out, "`man aloe-words` explains the words of this profile\n");
}

void report_profile_csv(const json_t *report, FILE *out)
{
	static const char *const numbers[] = {"lane", "lag", "calls", "mean_us", "max_us", "kmac",
	    "p50_us", "p99_us", "p999_us", "share", "overruns"};
	const size_t len = sizeof(numbers) / sizeof(numbers[0]);
	json_t *i;
	size_t n;

	fprintf(out, "waveform,instance,component");
	for (size_t c = 0; c < len; c++)
		fprintf(out, ",%s", numbers[c]);
	fputc('\n', out);
	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		fprintf(out, "%s,%s,%s", report_text(report, "waveform"), report_text(i, "name"),
		    report_text(i, "component"));
		for (size_t c = 0; c < len; c++)
			fprintf(out, ",%.9g", report_number(i, numbers[c]));
		fputc('\n', out);
	}
}
