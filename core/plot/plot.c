/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A figure as a script for gnuplot. */
#include "core/plot/plot.h"

#include <math.h>
#include <string.h>

enum { COLOURS = 8, TITLE_CHARS = 96, NOTE_CHARS = 150, TICS_MAX = 400 };

/* Told apart also by who sees no red, and on grey paper by their marks. */
const char *plot_colour(size_t series)
{
	static const char *const colours[] = {
	    "#0b5fa5", "#c0570a", "#1b7f3b", "#8a2b8f", "#b01030", "#3a3a3a", "#00808a", "#8a6d00"};

	return colours[series % COLOURS];
}

/* ---- texts ---- */

/* In gnuplot's single quotes only the quote itself is special; what is not printable ASCII becomes
 * a question mark. */
static void text_quote(const char *text, size_t len, FILE *out)
{
	fputc('\'', out);
	for (size_t i = 0; i < len; i++) {
		const char c = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';

		fprintf(out, "%s%c", c == '\'' ? "'" : "", c);
	}
	fputc('\'', out);
}

/* How many characters of a text stand in its first line: at most `most`, up to a space if there is
 * one. */
static size_t line_len(const char *text, size_t most)
{
	size_t len = strcspn(text, "\n"), at;

	if (len <= most)
		return len;
	for (at = most; at > most / 2; at--)
		if (text[at] == ' ')
			return at;
	return most;
}

/* A text as an expression of lines; how many there are. */
static unsigned lines_put(const char *text, size_t most, FILE *out)
{
	unsigned n = 0;

	do {
		const size_t len = line_len(text, most);

		fputs(n > 0 ? ".\"\\n\"." : "", out);
		text_quote(text, len, out);
		text += len;
		text += *text == ' ' || *text == '\n';
		n++;
	} while (*text);
	return n;
}

void plot_label(const char *what, const char *text, FILE *out)
{
	fprintf(out, "set %s ", what);
	lines_put(text, TITLE_CHARS, out);
	fputs(" noenhanced\n", out);
}

void plot_frame(const char *title, const char *x, const char *y, FILE *out)
{
	plot_label("title", title, out);
	plot_label("xlabel", x, out);
	plot_label("ylabel", y, out);
	fputs("set grid xtics ytics lt 1 lw 1 lc rgb '#c8c8c8'\n", out);
	/* Above the axes the legend meets no label; the last tick's label is half beside the
	 * axis. */
	fputs("set key outside top center horizontal noenhanced\nset rmargin 5\n", out);
}

static void title_put(const struct plot *plot, FILE *out)
{
	char title[600];

	snprintf(title, sizeof(title), "%s%s%s%s%s", plot->invalid ? plot->invalid : "",
	    plot->invalid ? "\n" : "", plot->title, plot->bars ? "\n" : "",
	    plot->bars ? plot->bars : "");
	plot_frame(title, plot->x, plot->y, out);
	if (plot->invalid)
		fputs("set title textcolor rgb '#b01030'\n", out);
}

/* The notes stand at the bottom, one below the other. */
static void notes_put(const struct plot *plot, FILE *out)
{
	unsigned lines = 0;
	json_t *note;
	size_t i;

	if (json_array_size(plot->notes) == 0)
		return;
	fputs("notes = ", out);
	json_array_foreach(plot->notes, i, note)
	{
		fputs(i > 0 ? ".\"\\n\"." : "", out);
		lines += lines_put(json_string_value(note), NOTE_CHARS, out);
	}
	fprintf(out,
	    "\nset label 1 notes at character 1, character %g left noenhanced font ',9' textcolor "
	    "rgb '#505050'\nset bmargin %g\n",
	    0.75 * lines, 3.5 + 0.75 * lines);
}

/* ---- axes ---- */

struct axis_range {
	double low, high;
};

static bool is_rows(enum plot_style style)
{
	return style == PLOT_ROWS || style == PLOT_SPANS;
}

/* The rows of all series by their labels, in the order in which they come; NULL: there are none.
 * The caller frees it. */
static json_t *rows_of(const struct plot *plot)
{
	json_t *rows = NULL, *point;
	size_t i;

	for (size_t s = 0; s < plot->n; s++) {
		if (!is_rows(plot->series[s].style))
			continue;
		rows = rows ? rows : json_object();
		json_array_foreach(plot->series[s].points, i, point)
		{
			const char *label = json_string_value(json_array_get(point, 0));

			if (label && !json_object_get(rows, label))
				json_object_set_new(
				    rows, label, json_integer((json_int_t)json_object_size(rows)));
		}
	}
	return rows;
}

/* Whether the nth value of a point lies on the x axis. */
static bool is_x(enum plot_style style, size_t n)
{
	return style == PLOT_RULES || (is_rows(style) ? n > 0 : n == 0);
}

static bool is_drawable(double value, bool log)
{
	return isfinite(value) && !(log && value <= 0);
}

static void range_take(struct axis_range *range, double value, bool log)
{
	if (!is_drawable(value, log))
		return;
	range->low = fmin(range->low, value);
	range->high = fmax(range->high, value);
}

/* Of all points of a tail. */
static double total_of(const struct plot_series *series)
{
	double total = 0;
	json_t *point;
	size_t i;

	json_array_foreach(series->points, i, point)
	{
		total += fmax(json_number_value(json_array_get(point, 1)), 0);
	}
	return total;
}

static double value_nth(const json_t *point, size_t n)
{
	const json_t *value = json_array_get(point, n);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool point_drawable(
    const struct plot *plot, const struct plot_series *series, const json_t *point)
{
	const bool x = is_drawable(value_nth(point, is_rows(series->style)), plot->log_x),
	           y = is_drawable(value_nth(point, 1), plot->log_y);

	switch (series->style) {
	case PLOT_ROWS:
		return x;
	case PLOT_SPANS: /* a low end beyond a logarithmic axis is drawn at its edge */
		return isfinite(value_nth(point, 1)) &&
		    is_drawable(value_nth(point, 2), plot->log_x);
	case PLOT_TAIL:
		return x && value_nth(point, 1) > 0;
	case PLOT_RULES:
		return false;
	default:
		return x && y;
	}
}

bool plot_is_empty(const struct plot *plot)
{
	json_t *point;
	size_t i;

	for (size_t s = 0; s < plot->n; s++) {
		json_array_foreach(plot->series[s].points, i, point)
		{
			if (point_drawable(plot, &plot->series[s], point))
				return !plot->title;
		}
	}
	return true;
}

static struct axis_range range_of(const struct plot *plot, bool x)
{
	struct axis_range range = {INFINITY, -INFINITY};

	for (size_t s = 0; s < plot->n; s++) {
		const struct plot_series *series = &plot->series[s];
		json_t *point, *value;
		size_t i, n;

		if (series->style == PLOT_TAIL && !x) {
			range_take(&range, 1, false);
			range_take(&range, 1 / total_of(series), plot->log_y);
			continue;
		}
		json_array_foreach(series->points, i, point)
		{
			json_array_foreach(point, n, value)
			{
				if (json_is_number(value) && is_x(series->style, n) == x)
					range_take(&range, json_number_value(value),
					    x ? plot->log_x : plot->log_y);
			}
		}
		if (!x && series->style == PLOT_COUNTS && plot->log_y)
			range_take(&range, 0.5, true);
	}
	return range;
}

/* 1000 rather than 1e+03, 1e-6 rather than 1e-06. */
static void tic_text(double value, char *ret, size_t size)
{
	char *e;

	snprintf(ret, size, value >= 1e-4 && value < 1e6 ? "%.6g" : "%.0e", value);
	e = strchr(ret, 'e');
	if (!e)
		return;
	if (e[2] == '0')
		memmove(e + 2, e + 3, strlen(e + 3) + 1);
	if (e[1] == '+')
		memmove(e + 1, e + 2, strlen(e + 2) + 1);
}

static bool is_told(int digit, double decades)
{
	return digit == 1 || (decades < 3 && (digit == 2 || digit == 5)) ||
	    (decades < 1 && (digit == 3 || digit == 7)) || decades < 0.5;
}

/* The ends of a logarithmic axis are no points. What is beyond all that can be measured is outside
 * of it. */
static struct axis_range log_ends(struct axis_range range)
{
	const double least = fmin(fmax(range.low, 1e-30), 1e30),
	             most = fmin(fmax(range.high, 1e-30), 1e30),
	             wide = most > least ? pow(most / least, 0.03) : 2;

	return (struct axis_range){least / wide, most * wide};
}

/* With so many labels that each tells something. */
static void log_axis(const char *axis, struct axis_range range, FILE *out)
{
	const struct axis_range ends = log_ends(range);
	const double low = ends.low, high = ends.high, decades = log10(high / low);
	const int from = (int)floor(log10(low)), to = (int)ceil(log10(high));
	const char *before = "";
	unsigned n = 0;

	fprintf(out, "set logscale %s\nset %srange [%.9g:%.9g]\nset %stics (", axis, axis, low,
	    high, axis);
	for (int power = from; power <= to; power++)
		for (int digit = 1; digit < 10 && n < TICS_MAX; digit++) {
			const double value = digit * pow(10, power);
			const bool told = is_told(digit, decades);
			char text[32] = "";

			if (value < low || value > high || (!told && decades > 8))
				continue;
			if (told)
				tic_text(value, text, sizeof(text));
			fprintf(out, "%s'%s' %.9g %d", before, text, value, !told);
			before = ", ";
			n++;
		}
	fputs(")\n", out);
}

/* No point lies at an end; a single value has no range of its own. */
static void linear_axis(const char *axis, struct axis_range range, bool from_zero, FILE *out)
{
	const double margin = range.high > range.low ? 0.03 * (range.high - range.low) : 1;

	if (from_zero && !(range.low < 0))
		fprintf(
		    out, "set %srange [0:%.9g]\n", axis, range.high > 0 ? 1.05 * range.high : 1);
	else
		fprintf(out, "set %srange [%.9g:%.9g]\n", axis, range.low - margin,
		    range.high + margin);
}

static void axis_put(const struct plot *plot, bool x, bool rows, FILE *out)
{
	const struct axis_range range = range_of(plot, x);
	const char *axis = x ? "x" : "y";

	if (!(range.low <= range.high))
		return;
	if (x ? plot->log_x : plot->log_y)
		log_axis(axis, range, out);
	else
		linear_axis(axis, range, x == rows, out);
}

/* The first row is at the top. */
static void rows_axis(const json_t *rows, FILE *out)
{
	const char *label, *before = "";
	json_t *row;

	fputs("set ytics noenhanced (", out);
	json_object_foreach((json_t *)rows, label, row)
	{
		fputs(before, out);
		text_quote(label, strlen(label), out);
		fprintf(out, " %g", json_number_value(row));
		before = ", ";
	}
	fprintf(out, ")\nset yrange [%g:-0.7]\n", (double)json_object_size(rows) - 0.3);
}

/* ---- data ---- */

static void value_put(double value, bool log, FILE *out)
{
	if (!is_drawable(value, log))
		fputs("NaN ", out);
	else
		fprintf(out, "%.9g ", value);
}

/* Which value of a point is the low end of a bar; 0: it has none. */
static size_t low_end(enum plot_style style)
{
	return style == PLOT_LINE ? 2 : style == PLOT_SPANS ? 1 : 0;
}

/* What the data are written for. */
struct plot_data {
	const struct plot *plot;
	json_t *rows;        /* of rows_of */
	double low_x, low_y; /* ends of the axes, if they are logarithmic */
};

/* The low end of a bar that reaches 0 or below lies at the edge of a logarithmic axis. */
static double value_clipped(
    const struct plot_data *data, const struct plot_series *series, const json_t *point, size_t n)
{
	const bool x = is_x(series->style, n), log = x ? data->plot->log_x : data->plot->log_y;
	const double value = value_nth(point, n);

	if (log && n > 0 && n == low_end(series->style) && value <= 0 &&
	    point_drawable(data->plot, series, point))
		return x ? data->low_x : data->low_y;
	return value;
}

static void point_put(
    const struct plot_data *data, const struct plot_series *series, const json_t *point, FILE *out)
{
	const struct plot *plot = data->plot;
	json_t *value;
	size_t i;

	if (is_rows(series->style))
		fprintf(out, "%g ",
		    json_number_value(
		        json_object_get(data->rows, json_string_value(json_array_get(point, 0)))));
	json_array_foreach(point, i, value)
	{
		const bool log = is_x(series->style, i) ? plot->log_x : plot->log_y;

		if (!json_is_string(value))
			value_put(value_clipped(data, series, point, i), log, out);
	}
	fputc('\n', out);
}

static void rules_put(const struct plot_series *series, const char *colour, FILE *out)
{
	json_t *point;
	size_t i;

	json_array_foreach(series->points, i, point)
	{
		const double x = json_number_value(json_array_get(point, 0));

		fprintf(out,
		    "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead lw 2 dt 2 lc "
		    "rgb '%s'\n",
		    x, x, colour);
	}
}

/* At the last point the line falls. */
static void tail_put(const struct plot *plot, const struct plot_series *series, FILE *out)
{
	double total = total_of(series), left = total, x = NAN;
	json_t *point;
	size_t i;

	json_array_foreach(series->points, i, point)
	{
		x = json_number_value(json_array_get(point, 0));
		value_put(x, plot->log_x, out);
		value_put(left / total, plot->log_y, out);
		fputc('\n', out);
		left -= fmax(json_number_value(json_array_get(point, 1)), 0);
	}
	if (plot->log_y && total > 0)
		fprintf(out, "%.9g %.9g\n", x, 0.1 / total);
}

static void data_put(const struct plot_data *data, FILE *out)
{
	const struct plot *plot = data->plot;

	for (size_t s = 0; s < plot->n; s++) {
		json_t *point;
		size_t i;

		if (json_array_size(plot->series[s].points) == 0)
			continue;
		if (plot->series[s].style == PLOT_RULES) {
			rules_put(&plot->series[s], plot_colour(s), out);
			continue;
		}
		fprintf(out, "$data%zu << END\n", s);
		json_array_foreach(plot->series[s].points, i, point)
		{
			if (plot->series[s].style != PLOT_TAIL)
				point_put(data, &plot->series[s], point, out);
		}
		if (plot->series[s].style == PLOT_TAIL)
			tail_put(plot, &plot->series[s], out);
		fputs("END\n", out);
	}
}

/* Whether the points say more than where they are. */
static bool has_bars(const struct plot_series *series)
{
	json_t *point;
	size_t i;

	json_array_foreach(series->points, i, point)
	{
		const double y = json_number_value(json_array_get(point, 1));

		if (json_number_value(json_array_get(point, 2)) < y ||
		    json_number_value(json_array_get(point, 3)) > y)
			return true;
	}
	return false;
}

/* With more series than colours the further lines are dashed. */
static void series_put(const struct plot *plot, size_t s, FILE *out)
{
	/* of outlines over one another each is seen */
	static const int outlines[COLOURS] = {6, 4, 8, 10, 12, 1, 2, 3};
	static const int marks[COLOURS] = {7, 5, 9, 11, 13, 4, 6, 8};
	const struct plot_series *series = &plot->series[s];
	const int mark = marks[s % COLOURS];
	const char *dash = s / COLOURS % 2 == 1 ? " dt 2" : "";

	switch (series->style) {
	case PLOT_LINE:
		fprintf(out, "using %s lw 1.5%s pt %d ps 0.7",
		    has_bars(series) ? "1:2:3:4 with yerrorlines" : "1:2 with linespoints", dash,
		    mark);
		break;
	case PLOT_MARKS:
		fputs("using 1:2 with points pt 2 ps 1.3 lw 2", out);
		break;
	case PLOT_COUNTS:
		fputs("using 1:2 with impulses lw 2", out);
		break;
	case PLOT_TAIL:
		fprintf(out, "using 1:2 with fsteps lw 1.8%s", dash);
		break;
	case PLOT_ROWS:
		fprintf(out, "using 2:1 with points pt %d ps 1.2 lw 2", outlines[s % COLOURS]);
		break;
	case PLOT_SPANS:
		fputs("using 2:1:($3-$2):(0) with vectors nohead lw 3", out);
		break;
	case PLOT_RULES:
	case PLOT_STYLES:
		fputs("with lines lw 2 dt 2", out); /* rules_put draws them */
		break;
	}
	fprintf(out, " lc rgb '%s' title ",
	    series->style == PLOT_MARKS       ? "#000000"
	        : series->style == PLOT_SPANS ? "#a8b8c8"
	                                      : plot_colour(s));
	text_quote(series->title, strlen(series->title), out);
}

void plot_script(const struct plot *plot, FILE *out)
{
	json_t *rows = rows_of(plot);
	const struct plot_data data = {
	    plot, rows, log_ends(range_of(plot, true)).low, log_ends(range_of(plot, false)).low};
	const char *before = "plot ";

	title_put(plot, out);
	axis_put(plot, true, rows != NULL, out);
	if (rows)
		rows_axis(rows, out);
	else
		axis_put(plot, false, false, out);
	notes_put(plot, out);
	data_put(&data, out);
	for (size_t s = 0; s < plot->n; s++) {
		if (json_array_size(plot->series[s].points) == 0)
			continue;
		fputs(before, out);
		if (plot->series[s].style == PLOT_RULES)
			fputs("NaN ", out);
		else
			fprintf(out, "$data%zu ", s);
		series_put(plot, s, out);
		before = ", ";
	}
	fputc('\n', out);
	json_decref(rows);
}
