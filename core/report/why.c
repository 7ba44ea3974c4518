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

static void causes_print(const json_t *report, FILE *out)
{
	json_t *cause;
	size_t n;

	fprintf(out, "  %-16s %8s %8s %12s %12s %12s\n", "cause", "records", "slots", "total us",
	    "worst us", "worst slot");
	json_array_foreach(json_object_get(report, "causes"), n, cause)
	{
		fprintf(out, "  %-16s %8.0f %8.0f %12.1f %12.1f %12.0f%s\n",
		    report_text(cause, "kind"), report_number(cause, "count"),
		    report_number(cause, "slots"), report_number(cause, "us"),
		    report_number(cause, "worst_us"), report_number(cause, "worst_slot"),
		    json_is_true(json_object_get(cause, "own")) ? "  its own doing" : "");
	}
}

static void lost_print(const json_t *report, FILE *out)
{
	const double records = report_number(report, "misses_lost"),
	             kernel = report_number(report, "evidence_lost"),
	             corrupt = report_number(report, "evidence_corrupt");

	if (records > 0)
		fprintf(out, "  %.0f record%s of late slots came too fast to be read\n", records,
		    plural(records));
	if (kernel + corrupt > 0)
		fprintf(out, "  records of the kernel: %.0f lost, %.0f corrupt\n", kernel, corrupt);
}

void report_why(const json_t *report, FILE *out)
{
	const char *name = report_text(report, "waveform");

	if (json_array_size(json_object_get(report, "causes")) == 0) {
		fprintf(out, "no slot of %s was late\n", name);
	} else {
		fprintf(out, "%s: records of late slots and absent messages: %.0f\n", name,
		    report_number(report, "misses_counted"));
		causes_print(report, out);
	}
	lost_print(report, out);
	report_sources(report, out);
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
	if (first != slot)
		fprintf(out, "; the row of late slots began with slot %.0f", first);
	fputc('\n', out);
}

void report_miss(const json_t *report, const json_t *miss, FILE *out)
{
	const json_t *left = json_object_get(miss, "left_us");

	if (strcmp(report_text(miss, "what"), "on time") != 0) {
		miss_head(report, miss, out);
		miss_causes(miss, out);
		miss_tail(miss, out);
		return;
	}
	fprintf(out, "slot %.0f of %s was on time", report_number(miss, "slot"),
	    report_text(report, "waveform"));
	if (json_is_number(left))
		fprintf(out, ", %.1f us left", json_number_value(left));
	fputc('\n', out);
}
