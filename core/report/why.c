/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Why slots were late, as people read it. */
#include <string.h>

#include "core/base/text.h"
#include "core/report/print.h"
#include "core/report/report.h"

enum { CAUSES_TOLD = 3, CAUSES_ON_LINE = 3 };

void report_causes_line(const json_t *report, char *ret_text, size_t size)
{
	const json_t *causes = json_object_get(report, "causes");
	json_t *cause;
	size_t n, len = 0;

	ret_text[0] = 0;
	json_array_foreach(causes, n, cause)
	{
		if (n == CAUSES_ON_LINE || len + 1 >= size)
			break;
		len += (size_t)snprintf(ret_text + len, size - len, "%s%s %.0f (%.2f ms)",
		    n ? ", " : "", report_text(cause, "kind"), report_number(cause, "count"),
		    report_number(cause, "us") / 1e3);
	}
	if (n > 0 && len + 1 < size)
		snprintf(
		    ret_text + len, size - len, "; `aloe why %s`", report_text(report, "waveform"));
}

void report_sources(const json_t *report, FILE *out)
{
	json_t *source;
	size_t n;

	if (json_array_size(json_object_get(report, "causes")) == 0)
		return;
	json_array_foreach(json_object_get(report, "sources"), n, source)
	{
		if (json_is_true(json_object_get(source, "here")))
			continue;
		fprintf(out, "evidence   no %s: %s\n", report_text(source, "source"),
		    report_text(source, "why"));
	}
}

/* ---- one slot ------------------------------------------------------------------------ */

static void miss_head(const json_t *report, const json_t *miss, FILE *out)
{
	const double count = report_number(miss, "count"), slot = report_number(miss, "slot"),
	             late = report_number(miss, "late_us");
	const char *what = report_text(miss, "what");

	if (count > 1)
		fprintf(out, "slots %.0f to %.0f of %s", slot, slot + count - 1,
		    report_text(report, "waveform"));
	else
		fprintf(out, "slot %.0f of %s", slot, report_text(report, "waveform"));
	if (strcmp(what, "absent") == 0)
		fprintf(out, ", lane %.0f: a message was absent\n", report_number(miss, "lane"));
	else if (strcmp(what, "missed") == 0)
		fprintf(out, ", lane %.0f: missed by %.1f us; began %.1f us late\n",
		    report_number(miss, "lane"), late, report_number(miss, "start_late_us"));
	else
		fprintf(out, ", lane %.0f: %s\n", report_number(miss, "lane"), what);
}

static void miss_causes(const json_t *miss, FILE *out)
{
	const json_t *causes = json_object_get(miss, "causes");
	const double late = report_number(miss, "late_us");
	json_t *cause;
	size_t n;

	json_array_foreach(causes, n, cause)
	{
		if (n == CAUSES_TOLD)
			break;
		fprintf(out, "  %3.0f %%  %s\n",
		    late > 0 ? 100 * report_number(cause, "us") / late : 100,
		    report_text(cause, "text"));
	}
	if (json_array_size(causes) == 0)
		fprintf(out, "         nothing is known of it\n");
}

static void miss_tail(const json_t *miss, FILE *out)
{
	const double slot = report_number(miss, "slot"), first = report_number(miss, "first");
	const char *before = report_text(miss, "before");
	json_t *evidence;
	size_t n;

	fprintf(out, "         evidence:");
	json_array_foreach(json_object_get(miss, "evidence"), n, evidence)
	{
		fprintf(out, "%s %s", n ? "," : "",
		    json_string_value(evidence) ? json_string_value(evidence) : "");
	}
	if (before[0])
		fprintf(out, "; before the lane's thread ran %s", before);
	if (json_is_true(json_object_get(miss, "heavy")))
		fprintf(out, "; the slot's own work is longer than the slot");
	if (first != slot)
		fprintf(out, "; the row of late slots began with slot %.0f", first);
	fputc('\n', out);
}

static void miss_story(const json_t *report, const json_t *miss, FILE *out)
{
	miss_head(report, miss, out);
	miss_causes(miss, out);
	miss_tail(miss, out);
}

void report_miss(const json_t *report, const json_t *miss, FILE *out)
{
	const json_t *left = json_object_get(miss, "left_us"), *other;
	size_t n;

	if (strcmp(report_text(miss, "what"), "no record") == 0) {
		const char *node = report_text(miss, "node");

		fprintf(out, "slot %.0f of %s%s%s%s: no record: %s\n", report_number(miss, "slot"),
		    report_text(report, "waveform"), node[0] ? ", node \"" : "", node,
		    node[0] ? "\"" : "", report_text(miss, "why"));
		return;
	}
	if (strcmp(report_text(miss, "what"), "on time") != 0) {
		miss_story(report, miss, out);
		json_array_foreach(json_object_get(miss, "others"), n, other)
		{
			miss_story(report, other, out);
		}
		return;
	}
	fprintf(out, "slot %.0f of %s was on time", report_number(miss, "slot"),
	    report_text(report, "waveform"));
	if (json_is_number(left))
		fprintf(out, ", %.1f us left", json_number_value(left));
	fputc('\n', out);
}

static double misses_sum(const json_t *reports, const char *key)
{
	double all = 0;
	json_t *report;
	size_t n;

	json_array_foreach(reports, n, report)
	{
		all += report_number(report, key);
	}
	return all;
}

void causes_lost_print(const json_t *reports, FILE *out)
{
	const double records = misses_sum(reports, "misses_lost"),
	             kernel = misses_sum(reports, "evidence_lost"),
	             corrupt = misses_sum(reports, "evidence_corrupt"),
	             unseen = misses_sum(reports, "misses_unseen"),
	             unwritten = misses_sum(reports, "misses_unwritten");

	if (records > 0)
		fprintf(out, "  %.0f record%s of late slots came too fast to be read\n", records,
		    plural(records));
	if (unseen > 0)
		fprintf(out,
		    "  %.0f record%s of late slots were not read, because aloe-exec was not "
		    "there\n",
		    unseen, plural(unseen));
	if (unwritten > 0)
		fprintf(out,
		    "  %.0f record%s of late slots are not in misses.jsonl, because it is full or "
		    "cannot be written\n",
		    unwritten, plural(unwritten));
	if (kernel + corrupt > 0)
		fprintf(out, "  records of the kernel: %.0f lost, %.0f corrupt\n", kernel, corrupt);
}
