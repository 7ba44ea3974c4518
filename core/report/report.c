/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/report/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/report/print.h"

json_t *report_read(const char *file, const char *text, size_t len, struct diag *diag)
{
	json_t *report = json_read(file, text, len, diag);
	const double schema = report_number(report, "schema");

	if (report && schema != REPORT_SCHEMA) {
		diag_error(diag, file, 0, "report of schema %g, this program reads schema %d",
		    schema, REPORT_SCHEMA);
		json_decref(report);
		return NULL;
	}
	return report;
}

double report_number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
}

const char *report_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

void report_duration(double seconds, char *ret_text, size_t size)
{
	const double s = fabs(seconds);

	if (s == 0)
		snprintf(ret_text, size, "0 s");
	else if (s < 1e-3)
		snprintf(ret_text, size, "%.4g us", seconds * 1e6);
	else if (s < 1)
		snprintf(ret_text, size, "%.4g ms", seconds * 1e3);
	else
		snprintf(ret_text, size, "%.2f s", seconds);
}

bool report_failed(const json_t *report)
{
	return !strcmp(report_text(report, "state"), "ABNSTOP");
}

bool report_ended(const json_t *report)
{
	return report_failed(report) || json_is_true(json_object_get(report, "drained"));
}

/* What a radio counts that should not be, and the words for it. */
static const char *const radio_faults[][2] = {{"lost", "lost"}, {"behind", "behind"},
    {"overruns", "overruns"}, {"late", "late"}, {"no_room", "without room"},
    {"underruns", "underruns"}, {"restarts", "set up anew"}, {"sequence", "out of order"},
    {"flywheeled", "slots flywheeled"}};

enum { RADIO_FAULTS = sizeof(radio_faults) / sizeof(radio_faults[0]) };

void print_radio_faults(const json_t *radio, FILE *out)
{
	unsigned n = 0;

	fprintf(out, "  radio:");
	for (size_t i = 0; i < RADIO_FAULTS; i++)
		if (report_number(radio, radio_faults[i][0]) > 0)
			fprintf(out, "%s %.0f %s", n++ ? "," : "",
			    report_number(radio, radio_faults[i][0]), radio_faults[i][1]);
	fprintf(out, n ? "" : " nothing lost or late");
}

bool report_clean(const json_t *report)
{
	static const char *const slots[] = {"skipped", "missed", "slipped"};
	static const char *const messages[] = {"absent", "late", "overwritten", "lost"};
	double bad = 0;

	for (size_t i = 0; i < 3; i++)
		bad += report_number(json_object_get(report, "slots"), slots[i]);
	for (size_t i = 0; i < 4; i++)
		bad += report_number(json_object_get(report, "messages"), messages[i]);
	for (size_t i = 0; i < RADIO_FAULTS; i++)
		bad += report_number(json_object_get(report, "radio"), radio_faults[i][0]);
	return bad == 0;
}

/* ---- final report ------------------------------------------------------------------------------------------------------ */

/* In words for people; the states' names for those between. */
static const char *state_word(const json_t *report)
{
	if (report_failed(report))
		return "stopped by a fault (ABNSTOP)";
	return report_ended(report) ? "ended" : report_text(report, "state");
}

void print_head(const json_t *report, FILE *out)
{
	const double wanted = report_number(report, "slots_wanted");
	char slot[32];

	report_duration(report_number(report, "slot_ns") * 1e-9, slot, sizeof(slot));
	fprintf(out, "%s: %s, index %.0f", report_text(report, "waveform"), state_word(report),
	    report_number(report, "index"));
	if (wanted > 0)
		fprintf(out, " of %.0f", wanted);
	if (report_number(report, "copies") > 1)
		fprintf(out, ", %.0f copies", report_number(report, "copies"));
	fprintf(out, ", slot %s, clock %s, late %s, isolation %s\n", slot,
	    report_text(report, "clock"), report_text(report, "late"),
	    report_text(report, "isolation"));
	if (report_text(report, "reason")[0])
		fprintf(out, "reason     %s\n", report_text(report, "reason"));
}

void print_lane(const json_t *instance, FILE *out)
{
	const json_t *lane = json_object_get(instance, "lane");

	if (json_is_integer(lane))
		fprintf(out, " %4" JSON_INTEGER_FORMAT, json_integer_value(lane));
	else
		fprintf(out, " %4s", "all"); /* copies on several */
}

static int name_width(const json_t *instances)
{
	size_t i, width = 8;
	json_t *instance;

	json_array_foreach(instances, i, instance)
	{
		const size_t len = strlen(report_text(instance, "name"));
		width = len > width ? len : width;
	}
	return width < 32 ? (int)width : 32;
}

static void print_instances(const json_t *report, FILE *out)
{
	const json_t *instances = json_object_get(report, "instances");
	const int width = name_width(instances);
	json_t *i;
	size_t n;

	fprintf(out, "\n  %-*s  %-20s %4s %9s %9s %9s %9s %9s %9s %7s\n", width, "instance",
	    "component", "lane", "calls", "mean us", "p50 us", "p99 us", "max us", "kMAC", "share");
	json_array_foreach(instances, n, i)
	{
		fprintf(out, "  %-*.*s  %-20.20s", width, width, report_text(i, "name"),
		    report_text(i, "component"));
		print_lane(i, out);
		fprintf(out, " %9.0f %9.2f %9.2f %9.2f %9.2f %9.2f %5.2f %%\n",
		    report_number(i, "calls"), report_number(i, "mean_us"),
		    report_number(i, "p50_us"), report_number(i, "p99_us"),
		    report_number(i, "max_us"), report_number(i, "kmac"),
		    100 * report_number(i, "share"));
	}
}

/* What the plan counts for a usual slot, beside one as it was. */
static void print_planned(const json_t *report, const json_t *lane, FILE *out)
{
	const double planned = report_number(lane, "planned_us");
	const double median =
	    report_number(lane, "load_p50") * report_number(report, "slot_ns") * 1e-3;

	if (planned > 0 && median > 0)
		fprintf(out,
		    "           planned %.2f us of a slot, measured %.2f us (median, %+.1f %%)\n",
		    planned, median, 100 * (median / planned - 1));
	else if (median > 0 && json_object_get(lane, "planned_us"))
		fprintf(out,
		    "           planned with guesses, measured %.2f us of a slot (median)\n",
		    median);
}

static void print_lanes(const json_t *report, FILE *out)
{
	json_t *lane;
	size_t n;

	fputc('\n', out);
	json_array_foreach(json_object_get(report, "lanes"), n, lane)
	{
		const json_t *late = json_object_get(lane, "late_us");
		fprintf(out, "lane %.0f     CPU %.0f, %s: load %.2f %% mean, %.2f %% p99",
		    report_number(lane, "lane"), report_number(lane, "cpu"),
		    report_text(lane, "realtime"), 100 * report_number(lane, "load_mean"),
		    100 * report_number(lane, "load_p99"));
		if (report_number(late, "max") > 0)
			fprintf(out,
			    "; begins %.1f us after the slot's edge (p50), %.1f p99, %.1f max",
			    report_number(late, "p50"), report_number(late, "p99"),
			    report_number(late, "max"));
		fprintf(out, "; overhead %.2f us\n",
		    report_number(json_object_get(lane, "overhead_us"), "mean"));
		print_planned(report, lane, out);
	}
	if (report_number(report, "remaps") > 0)
		fprintf(out,
		    "remapped   %.0f time%s: the lines of lanes count from the last one on\n",
		    report_number(report, "remaps"),
		    report_number(report, "remaps") == 1 ? "" : "s");
}

static void print_counts(const json_t *report, FILE *out)
{
	const json_t *slots = json_object_get(report, "slots"),
	             *messages = json_object_get(report, "messages");

	fprintf(out, "slots      %.0f run, %.0f skipped, %.0f missed, %.0f slipped\n",
	    report_number(slots, "run"), report_number(slots, "skipped"),
	    report_number(slots, "missed"), report_number(slots, "slipped"));
	fprintf(out, "messages   %.0f absent, %.0f late, %.0f overwritten, %.0f lost\n",
	    report_number(messages, "absent"), report_number(messages, "late"),
	    report_number(messages, "overwritten"), report_number(messages, "lost"));
}

static void print_radio(const json_t *report, FILE *out)
{
	const json_t *radio = json_object_get(report, "radio");
	json_t *c;
	size_t n;

	json_array_foreach(json_object_get(radio, "channels"), n, c)
	{
		fprintf(out,
		    "radio      channel %zu: %.0f packets in, %.0f lost, %.0f behind their slot, %.0f overruns, %.0f "
		    "times set up anew; "
		    "%.0f out, %.0f late, %.0f underruns, %.0f out of order, %.0f without room\n",
		    n, report_number(c, "packets"), report_number(c, "lost"),
		    report_number(c, "behind"), report_number(c, "overruns"),
		    report_number(c, "restarts"), report_number(c, "sent"),
		    report_number(c, "late"), report_number(c, "underruns"),
		    report_number(c, "sequence"), report_number(c, "no_room"));
	}
	if (radio)
		fprintf(out,
		    "           %.0f slots caught up, %.0f flywheeled, %.0f with samples missing\n",
		    report_number(radio, "caught_up"), report_number(radio, "flywheeled"),
		    report_number(radio, "partial"));
}

/* A rate: "0", "0.0123", "1.3e-05"; with nothing counted there is none. */
static void print_rate(double errors, double of, const char *name, FILE *out)
{
	if (of > 0)
		fprintf(out, " (%s %.3g)", name, errors / of);
}

static void print_blocks(const json_t *report, FILE *out)
{
	json_t *i;
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		const json_t *v = json_object_get(i, "variables");
		const double blocks = report_number(v, "blocks"), bits = report_number(v, "bits");
		if (!json_object_get(v, "block_errors"))
			continue;
		fprintf(out, "blocks     %s: %.0f blocks, %.0f block errors",
		    report_text(i, "name"), blocks, report_number(v, "block_errors"));
		print_rate(report_number(v, "block_errors"), blocks, "BLER", out);
		if (json_object_get(v, "bit_errors")) {
			fprintf(out, ", %.0f bits, %.0f bit errors", bits,
			    report_number(v, "bit_errors"));
			print_rate(report_number(v, "bit_errors"), bits, "BER", out);
		}
		if (json_object_get(i, "worst"))
			fprintf(out, "; worst is copy %.0f with %.0f block errors",
			    report_number(json_object_get(i, "worst"), "copy"),
			    report_number(json_object_get(i, "worst"), "block_errors"));
		fputc('\n', out);
	}
}

static void print_latency(const json_t *report, FILE *out)
{
	const json_t *latency = json_object_get(report, "latency"),
	             *us = json_object_get(latency, "measured_us");
	const double stated = report_number(latency, "slots"),
	             least = report_number(latency, "measured_slots_min"),
	             most = report_number(latency, "measured_slots_max");

	fprintf(out, "latency    stated %.0f slot%s = %.0f us", stated, stated == 1 ? "" : "s",
	    report_number(latency, "us"));
	if (report_number(us, "count") > 0) {
		fprintf(out, "; measured %.0f", least);
		if (most != least)
			fprintf(out, " .. %.0f", most);
		fprintf(out, " slot%s; source to sink %.1f us mean, %.1f p50, %.1f p99, %.1f max",
		    most == 1 ? "" : "s", report_number(us, "mean"), report_number(us, "p50"),
		    report_number(us, "p99"), report_number(us, "max"));
	}
	fputc('\n', out);
}

void print_variables(const json_t *instance, FILE *out)
{
	const char *key;
	json_t *value;

	json_object_foreach(json_object_get(instance, "variables"), key, value)
	{
		if (json_is_integer(value) && json_integer_value(value))
			fprintf(out, "  %s %" JSON_INTEGER_FORMAT, key, json_integer_value(value));
		else if (json_is_real(value) && json_real_value(value) != 0)
			fprintf(out, "  %s %.6g", key, json_real_value(value));
	}
}

static bool has_variables(const json_t *instance)
{
	const char *key;
	json_t *value;

	json_object_foreach(json_object_get(instance, "variables"), key, value)
	{
		if (json_number_value(value) != 0)
			return true;
	}
	return false;
}

static void print_all_variables(const json_t *report, FILE *out)
{
	json_t *i;
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		if (!has_variables(i) ||
		    json_object_get(json_object_get(i, "variables"), "block_errors"))
			continue;
		fprintf(out, "variables  %s:", report_text(i, "name"));
		print_variables(i, out);
		fputc('\n', out);
	}
}

/* Over budget but in time: how often in all, and who most often. */
static void print_overruns(const json_t *report, FILE *out)
{
	const json_t *worst = NULL;
	double sum = 0;
	json_t *i;
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		sum += report_number(i, "overruns");
		if (report_number(i, "overruns") > report_number(worst, "overruns"))
			worst = i;
	}
	if (worst)
		fprintf(out, "budgets    exceeded %.0f times, most often by %s: %.0f times\n", sum,
		    report_text(worst, "name"), report_number(worst, "overruns"));
}

/* Of copies: where the last has written, if that is another file. */
static void print_last_path(const json_t *instance, const char *key, const char *first, FILE *out)
{
	const char *last = report_text(json_object_get(instance, "paths_last"), key);

	if (last[0] && strcmp(last, first) != 0)
		fprintf(out, " ... %s", last);
}

/* Where the sinks have written. */
static void print_files(const json_t *report, FILE *out)
{
	json_t *i, *path;
	const char *key;
	struct stat st;
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		if (!json_is_true(json_object_get(i, "sink")))
			continue;
		json_object_foreach(json_object_get(i, "paths"), key, path)
		{
			const char *text = json_string_value(path);
			if (!text || !text[0])
				continue;
			fprintf(out, "written    %s: %s", report_text(i, "name"), text);
			print_last_path(i, key, text, out);
			if (stat(text, &st) == 0)
				fprintf(out, " (%lld bytes)", (long long)st.st_size);
			fputc('\n', out);
		}
	}
}

enum { MISSES_SHOWN = 10 };

static void print_misses(const json_t *report, FILE *out)
{
	const json_t *misses = json_object_get(report, "misses");
	const size_t len = json_array_size(misses);
	json_t *m;
	size_t n;

	json_array_foreach(misses, n, m)
	{
		if (n == MISSES_SHOWN)
			break;
		fprintf(out, "miss       slot %.0f, lane %.0f, %s, %.1f us late: %s\n",
		    report_number(m, "slot"), report_number(m, "lane"), report_text(m, "instance"),
		    report_number(m, "late_us"), report_text(m, "cause"));
	}
	if (len > MISSES_SHOWN)
		fprintf(
		    out, "miss       ... and %zu more in the report as JSON\n", len - MISSES_SHOWN);
}

void report_losses(const json_t *report, FILE *out)
{
	json_t *line;
	size_t n;

	json_array_foreach(json_object_get(report, "losses"), n, line)
	{
		fprintf(out, "what you lose: %s\n",
		    json_string_value(line) ? json_string_value(line) : "");
	}
}

void report_print(const json_t *report, FILE *out)
{
	print_head(report, out);
	print_instances(report, out);
	print_lanes(report, out);
	print_counts(report, out);
	print_radio(report, out);
	print_latency(report, out);
	print_blocks(report, out);
	print_all_variables(report, out);
	print_overruns(report, out);
	print_misses(report, out);
	print_files(report, out);
}
