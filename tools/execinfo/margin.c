/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How much time was left, drawn. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/report/report.h"
#include "tools/execinfo/execinfo.h"

enum { ROWS = 20, BAR = 60 };

/* Rows of equal height, because what is left may be negative. */
struct margin_rows {
	double least, height; /* ns */
	uint64_t counts[ROWS];
};

static double cell_ns(const json_t *cell)
{
	return json_number_value(json_array_get(cell, 0));
}

/* Of a time where `budget_ns` is given: what it left of the budget. */
static double left_ns(const json_t *cell, double budget_ns)
{
	return isnan(budget_ns) ? cell_ns(cell) : budget_ns - cell_ns(cell);
}

static struct margin_rows rows_fill(const json_t *cells, double budget_ns)
{
	const double first = left_ns(json_array_get(cells, 0), budget_ns),
	             last = left_ns(json_array_get(cells, json_array_size(cells) - 1), budget_ns);
	struct margin_rows rows = {
	    .least = fmin(first, last), .height = fmax(fabs(last - first) / (ROWS - 1), 1)};
	json_t *cell;
	size_t n;

	json_array_foreach(cells, n, cell)
	{
		const double row = (left_ns(cell, budget_ns) - rows.least) / rows.height;

		rows.counts[row < ROWS - 1 ? (size_t)fmax(row, 0) : ROWS - 1] +=
		    (uint64_t)json_integer_value(json_array_get(cell, 1));
	}
	return rows;
}

static void rows_draw(const struct margin_rows *rows)
{
	static const char bar[] = "############################################################";
	uint64_t most = 1;

	for (size_t r = 0; r < ROWS; r++)
		most = rows->counts[r] > most ? rows->counts[r] : most;
	for (size_t r = 0; r < ROWS; r++)
		printf("%10.3f us %8llu%s%.*s\n", (rows->least + (double)r * rows->height) / 1e3,
		    (unsigned long long)rows->counts[r], rows->counts[r] > 0 ? " " : "",
		    (int)ceil((double)rows->counts[r] * BAR / (double)most), bar);
}

static const json_t *by_name(const json_t *array, const char *key, const char *name)
{
	char number[32];
	json_t *one;
	size_t n;

	json_array_foreach(array, n, one)
	{
		const json_t *value = json_object_get(one, key);

		snprintf(number, sizeof(number), "%.0f", json_number_value(value));
		if (!strcmp(json_is_string(value) ? json_string_value(value) : number, name))
			return one;
	}
	return NULL;
}

static int unknown_say(const json_t *report, const char *what)
{
	json_t *one;
	size_t n;

	fprintf(stderr,
	    "execinfo: --margin %s: %s has no such lane, radio or instance; it has:", what,
	    report_text(report, "waveform"));
	json_array_foreach(json_object_get(report, "lanes"), n, one)
	{
		fprintf(stderr, " %.0f", report_number(one, "lane"));
	}
	if (json_object_get(report, "radio"))
		fprintf(stderr, " radio");
	json_array_foreach(json_object_get(report, "instances"), n, one)
	{
		fprintf(stderr, " %s", report_text(one, "name"));
	}
	fputc('\n', stderr);
	return CLI_USAGE;
}

/* What is left may be negative, so that the axis of times is not logarithmic. */
static void margin_figure(
    const json_t *report, const json_t *cells, double budget_ns, const char *what, struct plot *ret)
{
	json_t *points, *cell;
	size_t n;

	*ret = (struct plot){.x = "time left [us]", .log_y = true};
	ret->y = isnan(budget_ns) ? "number of slots" : "number of calls";
	ret->title = plot_text(ret, "Time left %s%s, of %s",
	    !isnan(budget_ns)            ? "of the budget by "
	        : !strcmp(what, "radio") ? "until the transmission of the "
	                                 : "at the ends of the slots of lane ",
	    what, report_text(report, "waveform"));
	points = plot_series(ret, PLOT_COUNTS, "in a cell of the histogram");
	json_array_foreach(cells, n, cell)
	{
		json_array_append_new(points,
		    json_pack("[f, O]", left_ns(cell, budget_ns) / 1e3, json_array_get(cell, 1)));
	}
}

int margin_show(const struct profile_source *source, const char *what, struct plot *ret_plot)
{
	const json_t *report = source->report, *of = NULL, *left, *cells;
	double budget_ns = NAN;
	struct margin_rows rows;

	if (!strcmp(what, "radio"))
		of = json_object_get(report, "radio");
	else if (isdigit((unsigned char)what[0]))
		of = by_name(json_object_get(report, "lanes"), "lane", what);
	if (!of && (of = by_name(json_object_get(report, "instances"), "name", what)) != NULL)
		budget_ns = report_number(of, "budget_us") * 1e3;
	if (!of)
		return unknown_say(report, what);
	left = json_object_get(of, "left_us");
	cells = json_object_get(isnan(budget_ns) ? left : of, "histogram_ns");
	if (report_number(left, "count") == 0 || json_array_size(cells) == 0) {
		fprintf(stderr,
		    "execinfo: --margin %s: no time left was counted; slots need a clock with "
		    "deadlines, calls a budget, a radio a tx_advance\n",
		    what);
		return CLI_FAILED;
	}
	printf("%s: %.0f end%s, %.3f us left p50, %.3f p1, %.3f p0.1, %.3f least, %.0f over\n",
	    what, report_number(left, "count"), plural(report_number(left, "count")),
	    report_number(left, "p50"), report_number(left, "p1"), report_number(left, "p01"),
	    report_number(left, "least"), report_number(left, "over"));
	rows = rows_fill(cells, budget_ns);
	rows_draw(&rows);
	margin_figure(report, cells, budget_ns, what, ret_plot);
	return CLI_OK;
}
