/* SPDX-License-Identifier: BSD-3-Clause
 *
 * clocks.c - of a waveform on nodes of a platform: how their clocks stand. */
#include <math.h>

#include "core/base/text.h"
#include "core/report/print.h"

static void other_print(const char *node, const json_t *other, FILE *out)
{
	const double ahead = report_number(other, "ahead_us");

	fprintf(out, "clock      node \"%s\": the clock of node \"%s\" is %.1f us %s, +- %.1f us\n",
	    node, report_text(other, "node"), fabs(ahead), ahead < 0 ? "behind" : "ahead",
	    report_number(other, "within_us"));
}

static void clock_print(const json_t *clock, FILE *out)
{
	const char *node = report_text(clock, "node"), *follows = report_text(clock, "follows");
	const double steps = report_number(clock, "clock_steps"),
	             moved = report_number(clock, "moved_s");
	json_t *other;
	size_t n;

	if (follows[0])
		fprintf(out,
		    "clock      node \"%s\" follows the clock of node \"%s\": error %.1f us, "
		    "+- %.1f us\n",
		    node, follows, report_number(clock, "error_us"),
		    report_number(clock, "within_us"));
	if (steps > 0) {
		fprintf(out,
		    "clock      node \"%s\": the clock was set %.0f time%s while the node was up",
		    node, steps, plural(steps));
		if (moved != 0) /* 0: an earlier exec had noticed it */
			fprintf(out, ", the last time by %+.6f s", moved);
		fputc('\n', out);
	}
	json_array_foreach(json_object_get(clock, "others"), n, other)
	{
		other_print(node, other, out);
	}
}

void clocks_print(const json_t *report, FILE *out)
{
	json_t *clock;
	size_t n;

	json_array_foreach(json_object_get(report, "clocks"), n, clock)
	{
		clock_print(clock, out);
	}
}
