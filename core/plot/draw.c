/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A figure: what it is made of, as JSON, and as a file. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/cli/cli.h"
#include "core/plot/picture.h"
#include "core/plot/plot.h"

enum { POINTS_MAX = 1000000, HEIGHT = 600, ROW_HEIGHT = 18, FRAME_HEIGHT = 220, LEGEND_USUAL = 4 };

static const struct picture_tool gnuplot = {
    .program = "gnuplot",
    .package = "gnuplot",
    .debian = "gnuplot-nox",
    .instead = "--plot FILE.gp needs no gnuplot",
};

/* ---- what it is made of ---- */

json_t *plot_series(struct plot *plot, enum plot_style style, const char *title)
{
	struct plot_series *series = &plot->series[plot->n];

	if (plot->n == PLOT_SERIES_MAX)
		return NULL;
	plot->n++;
	snprintf(series->title, sizeof(series->title), "%s", title);
	text_whole(series->title);
	series->style = style;
	series->points = json_array();
	return series->points;
}

json_t *plot_named(struct plot *plot, enum plot_style style, const char *title)
{
	char cut[sizeof(plot->series[0].title)];

	snprintf(cut, sizeof(cut), "%s", title);
	text_whole(cut);
	for (size_t i = 0; i < plot->n; i++)
		if (strcmp(plot->series[i].title, cut) == 0)
			return plot->series[i].points;
	return plot_series(plot, style, title);
}

void plot_note(struct plot *plot, const char *format, ...)
{
	char text[1024];
	va_list args;

	if (!plot->notes)
		plot->notes = json_array();
	if (json_array_size(plot->notes) == PLOT_NOTES_MAX)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	text_whole(text);
	json_array_append_new(plot->notes, json_string(text));
}

const char *plot_text(struct plot *plot, const char *format, ...)
{
	json_t *text;
	va_list args;

	va_start(args, format);
	text = json_vsprintf(format, args);
	va_end(args);
	if (!plot->texts)
		plot->texts = json_array();
	json_array_append_new(plot->texts, text);
	return text ? json_string_value(text) : "";
}

void plot_fini(struct plot *plot)
{
	for (size_t i = 0; i < plot->n; i++)
		json_decref(plot->series[i].points);
	json_decref(plot->notes);
	json_decref(plot->texts);
	*plot = (struct plot){.title = NULL};
}

/* ---- as JSON ---- */

static const char *const styles[PLOT_STYLES] = {[PLOT_LINE] = "line",
    [PLOT_MARKS] = "marks",
    [PLOT_COUNTS] = "counts",
    [PLOT_TAIL] = "tail",
    [PLOT_ROWS] = "rows",
    [PLOT_SPANS] = "spans",
    [PLOT_RULES] = "rules"};
/* How many values a point has; of rows the first one is a text. */
static const size_t lengths[PLOT_STYLES] = {[PLOT_LINE] = 4,
    [PLOT_MARKS] = 2,
    [PLOT_COUNTS] = 2,
    [PLOT_TAIL] = 2,
    [PLOT_ROWS] = 2,
    [PLOT_SPANS] = 3,
    [PLOT_RULES] = 1};

json_t *plot_json(const struct plot *plot)
{
	json_t *json, *series;

	if (plot_is_empty(plot))
		return NULL;
	series = json_array();
	for (size_t s = 0; s < plot->n; s++)
		json_array_append_new(series,
		    json_pack("{s:s, s:s, s:O}", "title", plot->series[s].title, "style",
		        styles[plot->series[s].style], "points", plot->series[s].points));
	json = json_pack("{s:s, s:s, s:s, s:b, s:b, s:s?, s:s?, s:O?, s:o}", "title", plot->title,
	    "x", plot->x, "y", plot->y, "log_x", plot->log_x, "log_y", plot->log_y, "bars",
	    plot->bars, "invalid", plot->invalid, "notes", plot->notes, "series", series);
	return json;
}

/* One point, and what is wrong with it. */
static int point_check(
    const json_t *point, enum plot_style style, const char *at, size_t i, struct diag *diag)
{
	const bool labelled = style == PLOT_ROWS || style == PLOT_SPANS;
	json_t *value;
	size_t n;

	if (json_array_size(point) != lengths[style])
		return diag_error(diag, NULL, 0,
		    "%s.points[%zu]: found %zu value%s; a point of this style has %zu", at, i,
		    json_array_size(point), plural((double)json_array_size(point)), lengths[style]);
	json_array_foreach(point, n, value)
	{
		const bool text = labelled && n == 0;

		if (text ? !json_is_string(value) : !json_is_number(value) && !json_is_null(value))
			return diag_error(diag, NULL, 0, "%s.points[%zu][%zu]: %s is needed", at, i,
			    n, text ? "a text" : "a number or null");
	}
	return 0;
}

static int series_read(const json_t *json, const char *at, struct diag *diag, struct plot *plot)
{
	const char *title, *style;
	json_t *points, *point;
	unsigned which = 0;
	size_t i;
	int rc = json_want_text(json, "title", at, diag, &title);

	rc = rc < 0 ? rc : json_want_text(json, "style", at, diag, &style);
	rc = rc < 0 ? rc : json_want_array(json, "points", POINTS_MAX, at, diag, &points);
	if (rc < 0)
		return rc;
	while (which < PLOT_STYLES && strcmp(styles[which], style) != 0)
		which++;
	if (which == PLOT_STYLES)
		return diag_error(diag, NULL, 0,
		    "%s.style: found \"%s\"; allowed: line, marks, counts, tail, rows, spans, "
		    "rules",
		    at, style);
	json_array_foreach(points, i, point)
	{
		rc = point_check(point, which, at, i, diag);
		if (rc < 0)
			return rc;
	}
	json_array_extend(plot_series(plot, which, title), points);
	return 0;
}

static int notes_read(const json_t *json, const char *at, struct diag *diag, struct plot *plot)
{
	json_t *notes, *note;
	size_t i;
	int rc;

	if (json_is_null(json_object_get(json, "notes")) || !json_object_get(json, "notes"))
		return 0;
	rc = json_want_array(json, "notes", PLOT_NOTES_MAX, at, diag, &notes);
	if (rc < 0)
		return rc;
	json_array_foreach(notes, i, note)
	{
		if (!json_is_string(note))
			return diag_error(diag, NULL, 0, "%s.notes[%zu]: a text is needed", at, i);
	}
	plot->notes = json_incref(notes);
	return 0;
}

int plot_read(const json_t *json, const char *file, struct diag *diag, struct plot *ret)
{
	char at[300];
	json_t *series, *one;
	size_t i;
	int rc;

	*ret = (struct plot){.title = NULL};
	snprintf(at, sizeof(at), "%s: plot", file);
	if (!json_is_object(json))
		return diag_error(diag, NULL, 0, "%s: there is no such object", at);
	rc = json_want_text(json, "title", at, diag, &ret->title);
	rc |= json_want_text(json, "x", at, diag, &ret->x);
	rc |= json_want_text(json, "y", at, diag, &ret->y);
	rc |= json_want_bool(json, "log_x", at, diag, &ret->log_x);
	rc |= json_want_bool(json, "log_y", at, diag, &ret->log_y);
	rc |= json_want_text_or_null(json, "bars", at, diag, &ret->bars);
	rc |= json_want_text_or_null(json, "invalid", at, diag, &ret->invalid);
	rc |= notes_read(json, at, diag, ret);
	rc |= json_want_array(json, "series", PLOT_SERIES_MAX, at, diag, &series);
	ret->texts = json_incref((json_t *)json);
	for (i = 0; rc == 0 && i < json_array_size(series); i++) {
		one = json_array_get(series, i);
		snprintf(at, sizeof(at), "%s: plot.series[%zu]", file, i);
		rc = series_read(one, at, diag, ret);
	}
	if (rc == 0 && plot_is_empty(ret))
		rc = diag_error(diag, NULL, 0, "%s: plot.series: there is no point to draw", file);
	if (rc == 0)
		return 0;
	plot_fini(ret);
	return -EINVAL;
}

/* ---- as a file ---- */

static const char *ending_of(const char *file)
{
	static const char *const endings[] = {"svg", "png", "gp"};
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file,
	           *dot = strrchr(name, '.');

	for (size_t i = 0; dot && dot > name && i < 3; i++)
		if (strcmp(dot + 1, endings[i]) == 0)
			return endings[i];
	return NULL;
}

int plot_possible(const struct cli_args *args, const char *option)
{
	const char *file = cli_get(args, option), *ending = file ? ending_of(file) : "gp";

	if (!ending)
		return cli_fail(args,
		    "--%s %s: a file name that ends in .svg, .png or .gp (gnuplot script) is "
		    "needed",
		    option, file);
	return strcmp(ending, "gp") == 0 ? CLI_OK : picture_possible(args->program->name, &gnuplot);
}

static void terminal_put(const char *format, unsigned height, FILE *out)
{
	if (strcmp(format, "svg") == 0)
		fprintf(out,
		    "set terminal svg size 900,%u font 'sans-serif,12' background rgb 'white'\n",
		    height);
	else if (strcmp(format, "png") == 0)
		fprintf(out, "set terminal pngcairo size 900,%u font 'sans-serif,11'\n", height);
}

int plot_gnuplot(const char *who, const char *file, const char *format, unsigned height,
    const char *instead, void (*write)(const void *of, FILE *out), const void *of)
{
	/* without what ~/.gnuplot says */
	const char *const argv[] = {gnuplot.program, "-d", "-", NULL};
	const struct picture_tool tool = {
	    gnuplot.program, gnuplot.package, gnuplot.debian, instead};
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int status = CLI_FAILED;

	if (!out)
		return CLI_FAILED;
	terminal_put(format, height, out);
	write(of, out);
	if (fclose(out) == 0)
		status = strcmp(format, "gp") == 0
		    ? picture_write(who, file, text, len)
		    : picture_make(who, &tool, argv, text, len, file);
	free(text);
	return status;
}

static void script_put(const void *of, FILE *out)
{
	plot_script(of, out);
}

/* Rows and a legend of many lines want a height of their own. */
static unsigned height_of(const struct plot *plot)
{
	const size_t legend = plot->n > LEGEND_USUAL ? (plot->n - LEGEND_USUAL) / 2 : 0;
	size_t rows = 0;

	for (size_t s = 0; s < plot->n; s++)
		if (plot->series[s].style == PLOT_ROWS || plot->series[s].style == PLOT_SPANS)
			rows = rows > json_array_size(plot->series[s].points)
			    ? rows
			    : json_array_size(plot->series[s].points);
	rows = rows < PLOT_ROWS_MAX ? rows : PLOT_ROWS_MAX;
	rows = FRAME_HEIGHT + rows * ROW_HEIGHT;
	return (unsigned)((rows > HEIGHT ? rows : HEIGHT) + legend * ROW_HEIGHT);
}

int plot_draw(const struct plot *plot, const char *who, const char *file)
{
	const char *ending = ending_of(file);

	if (plot_is_empty(plot)) {
		fprintf(stderr,
		    "%s: --plot %s: there is no point to draw%s, so no file is written\n", who,
		    file, plot->log_x || plot->log_y ? " (a logarithmic axis has no 0)" : "");
		return CLI_FAILED;
	}
	return plot_gnuplot(
	    who, file, ending ? ending : "svg", height_of(plot), gnuplot.instead, script_put, plot);
}
