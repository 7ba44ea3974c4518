/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The report for people. */
#include <string.h>

#include "core/base/text.h"
#include "tools/aloe/doctor/bench.h"
#include "tools/aloe/doctor/report.h"

static const char *word_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? text : "";
}

static double number_of(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static bool is_set(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

/* ---- knobs ------------------------------------------------------------------------ */

static void knob_print(const json_t *knob, bool root, FILE *out)
{
	const char *want = word_of(knob, "want"), *how = word_of(knob, "how");

	fprintf(out, "  %-15s  %s", word_of(knob, "name"), word_of(knob, "now"));
	if (want[0] != 0)
		fprintf(out, ", should be %s", want);
	fprintf(out, ": %s", word_of(knob, "why"));
	if (json_array_size(json_object_get(knob, "changes")) > 0)
		fprintf(out, "; --apply%s", root ? "" : " (as root)");
	fprintf(out, "%s%s\n", how[0] != 0 ? "; " : "", how);
}

static void knobs_print(const json_t *report, FILE *out)
{
	bool wants_lanes = false;
	const json_t *knobs_found = json_object_get(report, "knobs");
	json_t *knob;
	size_t n;

	for (size_t v = 0; v < VERDICTS; v++) {
		bool any = false;

		json_array_foreach(knobs_found, n, knob)
		{
			if (strcmp(word_of(knob, "verdict"), doctor_verdicts[v]) != 0)
				continue;
			if (!any)
				fprintf(out, "%s\n", doctor_verdicts[v]);
			any = true;
			wants_lanes |= strcmp(word_of(knob, "how"), "needs --lanes") == 0;
			knob_print(knob, is_set(report, "root"), out);
		}
	}
	if (wants_lanes)
		fprintf(out,
		    "no --lanes given, so every CPU counts as a lane; name the real-time CPUs "
		    "with --lanes and leave at least one CPU free\n");
}

static void done_print(const json_t *report, const char *key, const char *title, FILE *out)
{
	const json_t *done = json_object_get(report, key);
	json_t *one;
	size_t n;

	if (done == NULL)
		return;
	fprintf(out, "%s%s\n", title, json_array_size(done) == 0 ? ": nothing" : "");
	json_array_foreach(done, n, one)
	{
		fprintf(out, "  %-7s  %s  %s\n", is_set(one, "done") ? "ok" : "NOT",
		    word_of(one, "path"), word_of(one, "said"));
	}
}

/* ---- measured ------------------------------------------------------------------------ */

static void loop_print(const json_t *cpu, const char *kind, FILE *out)
{
	const json_t *loop = json_object_get(cpu, kind), *late = json_object_get(loop, "late_us");
	const json_t *woken = json_object_get(loop, "woken_us");
	const json_t *gaps = json_object_get(loop, "gaps_us");
	const char *why = word_of(loop, "why_not_fifo");

	fprintf(out, "  CPU %-3d %-8s ", (int)number_of(cpu, "cpu"), kind);
	if (json_object_get(loop, "error") != NULL) {
		fprintf(out, "not measured: %s\n", word_of(loop, "error"));
		return;
	}
	fprintf(out, "%s: ",
	    is_set(loop, "fifo")       ? "FIFO 50"
	        : is_set(loop, "nice") ? "nice -20"
	                               : "ordinary priority");
	if (late != NULL)
		fprintf(out,
		    "wakes %.1f us late p50, %.1f p99, begins %.1f us after the edge p99, %.1f "
		    "p99.9, %.1f max; ",
		    number_of(woken, "p50"), number_of(woken, "p99"), number_of(late, "p99"),
		    number_of(late, "p99.9"), number_of(late, "max"));
	fprintf(out, "%.0f gap%s a second, %.1f us p50, %.1f p99, %.1f max, %.2f %% of the time",
	    number_of(loop, "gaps_per_s"), plural(number_of(loop, "gaps_per_s")),
	    number_of(gaps, "p50"), number_of(gaps, "p99"), number_of(gaps, "max"),
	    number_of(loop, "gaps_percent"));
	fprintf(out, "%s%s\n", why[0] != 0 ? "; no FIFO: " : "", why);
}

static void cell_print(const json_t *slot, const char *kind, FILE *out)
{
	const json_t *cell = json_object_get(slot, kind);

	if (cell == NULL)
		fprintf(out, "  %14s %9s", "-", "");
	else
		fprintf(out, "  %14.*f %9.0f", number_of(cell, "missed_per_million") < 100 ? 1 : 0,
		    number_of(cell, "missed_per_million"), number_of(cell, "of_slots"));
}

static void length_print(unsigned us, const char *what, FILE *out)
{
	if (us == 0)
		fprintf(out, "  %s: no slot up to 20 ms", what);
	else
		fprintf(out, us < 1000 ? "  %s: %.0f us" : "  %s: %.3g ms", what,
		    us < 1000 ? us : us / 1e3);
}

static void measured_print(const json_t *measured, FILE *out)
{
	const json_t *least = json_object_get(measured, "shortest_us");
	json_t *one;
	size_t n;

	fprintf(out, "measured CPU time as a lane would get it\n");
	json_array_foreach(json_object_get(measured, "cpus"), n, one)
	{
		for (size_t k = 0; k < MEASURE_KINDS; k++)
			loop_print(one, doctor_kinds[k], out);
	}
	fprintf(out,
	    "slots missed per million on the worst CPU, if the work fills half of each slot (in "
	    "brackets: slots counted)\n");
	fprintf(out, "  %8s  %14s %9s  %14s %9s\n", "slot us", "on the timer", "(of)", "polling",
	    "(of)");
	json_array_foreach(json_object_get(measured, "slots"), n, one)
	{
		fprintf(out, "  %8.0f", number_of(one, "slot_us"));
		for (size_t k = 0; k < MEASURE_KINDS; k++)
			cell_print(one, doctor_kinds[k], out);
		fprintf(out, "\n");
	}
	fprintf(out, "shortest slot that this machine sustained in the measurement\n");
	for (size_t k = 0; k < MEASURE_KINDS; k++) {
		const json_t *of = json_object_get(least, doctor_kinds[k]);

		fprintf(out, "  %-13s", k == 0 ? "on the timer" : "polling");
		length_print((unsigned)number_of(of, "one_in_100"), "1 in 100 missed", out);
		length_print((unsigned)number_of(of, "one_in_1000"), "1 in 1000", out);
		length_print((unsigned)number_of(of, "none_seen"), "no slot missed", out);
		fprintf(out, "\n");
	}
}

void doctor_print(const json_t *report, FILE *out)
{
	const json_t *measured = json_object_get(report, "measured");

	if (is_set(report, "stale"))
		fprintf(out,
		    "the machine was restarted since the last --apply, which undid all its "
		    "changes\n");
	done_print(report, "undone", "settings put back", out);
	if (json_object_get(report, "knobs") != NULL)
		fprintf(out, "lanes on CPUs %s\n", word_of(report, "lanes"));
	knobs_print(report, out);
	done_print(report, "done", "applied", out);
	if (number_of(report, "pending") > 0)
		fprintf(out,
		    "changes of --apply in force: %.0f; %s lists the changes, and --revert undoes "
		    "them\n",
		    number_of(report, "pending"), word_of(report, "record"));
	if (measured != NULL)
		measured_print(measured, out);
	if (json_object_get(report, "bench") != NULL)
		doctor_bench_print(json_object_get(report, "bench"), out);
}
