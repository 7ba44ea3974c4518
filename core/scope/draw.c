/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures as text. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/scope/scope.h"

/* Where a column or row of a heat lies. */
static double place_of(double low, double high, size_t i, size_t n)
{
	return n > 1 ? low + (high - low) * (double)i / (double)(n - 1) : low;
}

static void heat_each(const struct scope_figure *figure, char between, FILE *out)
{
	for (size_t r = 0; r < figure->rows; r++)
		for (size_t c = 0; c < figure->columns; c++)
			fprintf(out, "%.12g%c%.9g%c%.6g\n",
			    place_of(figure->x_low, figure->x_high, c, figure->columns), between,
			    place_of(figure->y_low, figure->y_high, r, figure->rows), between,
			    figure->y[r * figure->columns + c]);
}

void scope_csv(const struct scope_figure *figure, FILE *out)
{
	if (figure->kind == SCOPE_HEAT) {
		fprintf(out, "%s,%s,%s\n", figure->x_label, figure->y_label, figure->z_label);
		heat_each(figure, ',', out);
		return;
	}
	fprintf(out, "%s", figure->x_label);
	for (size_t s = 0; s < figure->n_series; s++)
		fprintf(out, ",%s%s%s", figure->y_label, figure->n_series > 1 ? " " : "",
		    figure->n_series > 1 ? figure->series[s] : "");
	fputc('\n', out);
	for (size_t i = 0; i < figure->n; i++) {
		if (isnan(figure->y[i]))
			continue;
		fprintf(out, "%.12g", figure->x[i]);
		for (size_t s = 0; s < figure->n_series; s++)
			fprintf(out, ",%.6g", figure->y[s * figure->n + i]);
		fputc('\n', out);
	}
}

/* ---- gnuplot ---- */

/* In gnuplot's single quotes only the quote itself is special. */
static void text_set(const char *what, const char *text, FILE *out)
{
	fprintf(out, "set %s '", what);
	for (; *text; text++)
		if (*text >= ' ' && *text <= '~')
			fprintf(out, "%s%c", *text == '\'' ? "'" : "", *text);
	fputs("' noenhanced\n", out);
}

static void series_put(const struct scope_figure *figure, size_t series, FILE *out)
{
	fprintf(out, "$data%zu << END\n", series);
	for (size_t i = 0; i < figure->n; i++) {
		const double y = figure->y[series * figure->n + i];

		if (isnan(y))
			fputc('\n', out);
		else
			fprintf(out, "%.12g %.6g\n", figure->x[i], y);
	}
	fputs("END\n", out);
}

/* Digits of a frequency: so many that neighbours on the axis differ. */
static unsigned digits_of(const struct scope_figure *figure)
{
	const bool heat = figure->kind == SCOPE_HEAT;
	const double low = heat ? figure->x_low : figure->x[0],
	             high = heat ? figure->x_high : figure->x[figure->n - 1],
	             most = fmax(fabs(low), fabs(high));

	return high > low ? (unsigned)fmin(9, fmax(3, ceil(log10(most / (high - low))) + 2)) : 3;
}

void scope_gnuplot(const struct scope_figure *figure, const char *title, FILE *out)
{
	static const char *const styles[] = {[SCOPE_LINES] = "lines lw 1.2",
	    [SCOPE_DOTS] = "points pt 7 ps 0.4",
	    [SCOPE_BARS] = "steps lw 1.5",
	    [SCOPE_HEAT] = "image"};
	static const char *const colours[] = {"#0b5fa5", "#c0570a"};

	text_set("title", title, out);
	text_set("xlabel", figure->x_label, out);
	text_set("ylabel", figure->y_label, out);
	fputs("set grid lt 1 lw 1 lc rgb '#c8c8c8'\nset rmargin 5\n"
	      "set key outside top right horizontal noenhanced\n",
	    out);
	if (strstr(figure->x_label, "in Hz"))
		fprintf(out, "set format x '%%.%us %%c'\n", digits_of(figure));
	if (figure->kind == SCOPE_HEAT) {
		text_set("cblabel", figure->z_label, out);
		fputs("set cblabel offset 3\nset rmargin 16\n"
		      "set palette defined (0 '#00224e', 0.35 '#575d6d', 0.7 "
		      "'#a59c74', 1 '#fee838')\nset autoscale xfix\nset autoscale yfix\n"
		      "$data << END\n",
		    out);
		heat_each(figure, ' ', out);
		fputs("END\nplot $data using 1:2:3 with image notitle\n", out);
		return;
	}
	if (figure->kind == SCOPE_DOTS)
		fputs("set size ratio -1\n", out);
	for (size_t s = 0; s < figure->n_series; s++)
		series_put(figure, s, out);
	for (size_t s = 0; s < figure->n_series && s < sizeof(colours) / sizeof(colours[0]); s++)
		fprintf(out, "%s $data%zu using 1:2 with %s lc rgb '%s' %s%s%s",
		    s > 0 ? "," : "plot", s, styles[figure->kind], colours[s],
		    figure->n_series > 1 ? "title '" : "notitle",
		    figure->n_series > 1 ? figure->series[s] : "", figure->n_series > 1 ? "'" : "");
	fputc('\n', out);
}

/* ---- characters ---- */

enum { MARGIN = 12 };
static const char ramp[] = " .:-=+*#%@";

struct canvas {
	char *cells;
	uint32_t columns, rows;
	double x_low, x_high, y_low, y_high;
};

static void range_take(const double *values, size_t n, double *low, double *high)
{
	for (size_t i = 0; i < n; i++)
		if (isfinite(values[i])) {
			*low = fmin(*low, values[i]);
			*high = fmax(*high, values[i]);
		}
	if (!(*low < *high)) {
		*low = isfinite(*low) ? *low - 1 : 0;
		*high = *low + 2;
	}
}

static uint32_t cell_of(double value, double low, double high, uint32_t n)
{
	const double at = (value - low) / (high - low) * n;

	return !(at > 0) ? 0 : at >= n ? n - 1 : (uint32_t)at;
}

static void values_draw(const struct scope_figure *figure, struct canvas *canvas)
{
	range_take(figure->x, figure->n, &canvas->x_low, &canvas->x_high);
	range_take(figure->y, figure->n * figure->n_series, &canvas->y_low, &canvas->y_high);
	for (size_t i = 0; i < figure->n * figure->n_series; i++) {
		const double y = figure->y[i];
		uint32_t column, row;

		if (!isfinite(y))
			continue;
		column = cell_of(
		    figure->x[i % figure->n], canvas->x_low, canvas->x_high, canvas->columns);
		row = cell_of(y, canvas->y_low, canvas->y_high, canvas->rows);
		canvas->cells[row * canvas->columns + column] = i < figure->n ? '*' : 'o';
		for (; figure->kind == SCOPE_BARS && i < figure->n && row > 0; row--)
			canvas->cells[(row - 1) * canvas->columns + column] = '*';
	}
}

/* A cell shows the largest of its values. */
static void heat_draw(const struct scope_figure *figure, struct canvas *canvas)
{
	double low = INFINITY, high = -INFINITY;

	canvas->x_low = figure->x_low;
	canvas->x_high = figure->x_high;
	canvas->y_low = figure->y_low;
	canvas->y_high = figure->y_high;
	range_take(figure->y, figure->rows * figure->columns, &low, &high);
	for (size_t r = 0; r < figure->rows; r++)
		for (size_t c = 0; c < figure->columns; c++) {
			const double value = figure->y[r * figure->columns + c];
			char *cell =
			    &canvas->cells[r * canvas->rows / figure->rows * canvas->columns +
			        c * canvas->columns / figure->columns];
			const char mark = isfinite(value)
			    ? ramp[cell_of(value, low, high, sizeof(ramp) - 1)]
			    : ' ';

			if (strchr(ramp, mark) > strchr(ramp, *cell))
				*cell = mark;
		}
}

static void canvas_put(const struct scope_figure *figure, const struct canvas *canvas, FILE *out)
{
	fprintf(out, "%s%s%s\n", figure->y_label, figure->z_label[0] ? "; " : "", figure->z_label);
	for (uint32_t r = canvas->rows; r > 0; r--) {
		if (r == canvas->rows || r == 1 || r == (canvas->rows + 1) / 2)
			fprintf(out, "%*.5g |", MARGIN - 2,
			    place_of(canvas->y_low, canvas->y_high, r - 1, canvas->rows));
		else
			fprintf(out, "%*s |", MARGIN - 2, "");
		fprintf(out, "%.*s\n", (int)canvas->columns,
		    canvas->cells + (size_t)(r - 1) * canvas->columns);
	}
	fprintf(out, "%*s +", MARGIN - 2, "");
	for (uint32_t c = 0; c < canvas->columns; c++)
		fputc('-', out);
	fprintf(out, "\n%*s%-*.9g%*.9g\n%*s%s\n", MARGIN, "", (int)(canvas->columns / 2),
	    canvas->x_low, (int)(canvas->columns - canvas->columns / 2), canvas->x_high, MARGIN, "",
	    figure->x_label);
}

int scope_text(const struct scope_figure *figure, uint32_t columns, uint32_t rows, FILE *out)
{
	struct canvas canvas = {.columns = columns > MARGIN + 20 ? columns - MARGIN : 20,
	    .rows = rows > 8 ? rows - 4 : 4,
	    .x_low = INFINITY,
	    .x_high = -INFINITY,
	    .y_low = INFINITY,
	    .y_high = -INFINITY};
	size_t n;

	/* few rows or columns of a heat are not spread */
	if (figure->kind == SCOPE_HEAT && figure->rows < canvas.rows)
		canvas.rows = (uint32_t)figure->rows;
	if (figure->kind == SCOPE_HEAT && figure->columns < canvas.columns)
		canvas.columns = (uint32_t)figure->columns;
	n = (size_t)canvas.columns * canvas.rows;
	canvas.cells = malloc(n);
	if (!canvas.cells)
		return -ENOMEM;
	memset(canvas.cells, ' ', n);
	if (figure->kind == SCOPE_HEAT)
		heat_draw(figure, &canvas);
	else
		values_draw(figure, &canvas);
	canvas_put(figure, &canvas, out);
	free(canvas.cells);
	return 0;
}
