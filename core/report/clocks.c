/* SPDX-License-Identifier: BSD-3-Clause
 *
 * clocks.c - of a waveform on nodes of a platform: how their clocks stand. */
#include <math.h>

#include "core/base/text.h"
#include "core/report/print.h"

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
	const char *string = json_string_value(json_object_get(object, key));

	return string != NULL ? string : "";
}

static void other_print(const char *node, const json_t *other, FILE *out)
{
	const double ahead = number(other, "ahead_us");

	fprintf(out, "clock      node \"%s\": the clock of node \"%s\" is %.1f us %s, +- %.1f us\n",
	    node, text(other, "node"), fabs(ahead), ahead < 0 ? "behind" : "ahead",
	    number(other, "within_us"));
}

static void clock_print(const json_t *clock, FILE *out)
{
	const char *node = text(clock, "node"), *follows = text(clock, "follows");
	const double steps = number(clock, "clock_steps"), moved = number(clock, "moved_s");
	json_t *other;
	size_t n;

	if (follows[0])
		fprintf(out,
		    "clock      node \"%s\" follows the clock of node \"%s\": error %.1f us, "
		    "+- %.1f us\n",
		    node, follows, number(clock, "error_us"), number(clock, "within_us"));
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
