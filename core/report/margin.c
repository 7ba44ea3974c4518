/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How much time was left: at the ends of slots, of budgets, until a radio transmits. */
#include <string.h>

#include "core/base/text.h"
#include "core/report/print.h"

/* "12.3 us p50, 3.1 p1, 0.5 p0.1, -2.0 least; 4 late" */
static void margin_figures(const json_t *margin, FILE *out)
{
	const double over = report_number(margin, "over");

	fprintf(out, "%.1f us p50, %.1f p1, %.1f p0.1, %.1f least", report_number(margin, "p50"),
	    report_number(margin, "p1"), report_number(margin, "p01"),
	    report_number(margin, "least"));
	if (over > 0)
		fprintf(out, "; %.0f late", over);
	fputc('\n', out);
}

void margins_print(const json_t *report, const char *label, FILE *out)
{
	const json_t *radio = json_object_get(json_object_get(report, "radio"), "left_us");
	const double slot_us = report_number(report, "slot_ns") / 1e3;
	json_t *lane;
	size_t n;

	json_array_foreach(json_object_get(report, "lanes"), n, lane)
	{
		const json_t *left = json_object_get(lane, "left_us");

		if (report_number(left, "count") == 0)
			continue;
		fprintf(
		    out, "%slane %.0f: of %.0f us, ", label, report_number(lane, "lane"), slot_us);
		margin_figures(left, out);
	}
	if (report_number(radio, "count") == 0)
		return;
	fprintf(out, "%sradio: until it transmits, ", label);
	margin_figures(radio, out);
}

void untimed_print(const json_t *report, FILE *out)
{
	double calls = 0, timed = 0;
	json_t *i;
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		calls += report_number(i, "calls");
		timed += json_timed(i);
	}
	if (timed < calls)
		fprintf(out,
		    "  the times are of %.0f out of %.0f call%s: where calls are short, the "
		    "virtual clock times one step of 17\n",
		    timed, calls, plural(calls));
}

void budgets_print(const json_t *report, FILE *out)
{
	bool any = false;
	json_t *i;
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, i)
	{
		const json_t *left = json_object_get(i, "left_us");

		if (report_number(left, "count") == 0)
			continue;
		if (!any)
			fprintf(out,
			    "\nleft of the budget of a call, us\n"
			    "%-16s %9s %6s %9s %9s %9s %9s %9s\n",
			    "instance", "budget", "", "p50", "p1", "p0.1", "least", "over");
		any = true;
		fprintf(out, "%-16s %9.3f %6s %9.3f %9.3f %9.3f %9.3f %9.0f\n",
		    report_text(i, "name"), report_number(i, "budget_us"),
		    json_is_true(json_object_get(i, "budget_given")) ? "given" : "plan",
		    report_number(left, "p50"), report_number(left, "p1"),
		    report_number(left, "p01"), report_number(left, "least"),
		    report_number(left, "over"));
	}
}
