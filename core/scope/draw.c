/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures as text. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/plot/plot.h"
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

/* A frequency is drawn in the unit that leaves three digits before the point at most; `hz` of it,
 * and its label. Anything else is drawn as it is. */
static double unit_take(const struct scope_figure *figure, char *ret_label, size_t size)
{
	static const char *const prefixes[] = {"", "k", "M", "G"};
	const char *hz = strstr(figure->x_label, "in Hz");
	const bool heat = figure->kind == SCOPE_HEAT;
	const double low = heat ? figure->x_low
	    : figure->n > 0     ? figure->x[0]
	                        : 0,
	             high = heat ? figure->x_high
	    : figure->n > 0      ? figure->x[figure->n - 1]
	                         : 0,
	             most = fmax(fabs(low), fabs(high));
	unsigned prefix = 0;
	double unit = 1;

	for (; hz && prefix + 1 < sizeof(prefixes) / sizeof(prefixes[0]) && most >= 1000 * unit;
	     prefix++)
		unit *= 1000;
	snprintf(ret_label, size, "%.*s%s%s", hz ? (int)(hz - figure->x_label) + 3 : (int)size,
	    figure->x_label, prefixes[prefix], hz ? hz + 3 : "");
	return unit;
}

void scope_gnuplot(const struct scope_figure *figure, const char *title, FILE *out)
{
	static const char *const styles[] = {[SCOPE_LINES] = "lines lw 1.2",
	    [SCOPE_DOTS] = "points pt 7 ps 0.4",
	    [SCOPE_BARS] = "steps lw 1.5",
	    [SCOPE_HEAT] = "image"};

	char label[sizeof(figure->x_label) + 1];
	const double unit = unit_take(figure, label, sizeof(label));

	plot_frame(title, label, figure->y_label, out);
	fputs("set format x '%.10g'\n", out);
	if (figure->kind == SCOPE_HEAT) {
		plot_label("cblabel", figure->z_label, out);
		fputs("set cblabel offset 3\nset rmargin 16\n"
		      "set palette defined (0 '#00224e', 0.35 '#575d6d', 0.7 "
		      "'#a59c74', 1 '#fee838')\nset autoscale xfix\nset autoscale yfix\n"
		      "$data << END\n",
		    out);
		heat_each(figure, ' ', out);
		fprintf(out, "END\nplot $data using ($1/%g):2:3 with image notitle\n", unit);
		return;
	}
	if (figure->kind == SCOPE_DOTS)
		fputs("set size ratio -1\n", out);
	for (size_t s = 0; s < figure->n_series; s++)
		series_put(figure, s, out);
	for (size_t s = 0; s < figure->n_series; s++)
		fprintf(out, "%s $data%zu using ($1/%g):2 with %s lc rgb '%s' %s%s%s",
		    s > 0 ? "," : "plot", s, unit, styles[figure->kind], plot_colour(s),
		    figure->n_series > 1 ? "title '" : "notitle",
		    figure->n_series > 1 ? figure->series[s] : "", figure->n_series > 1 ? "'" : "");
	fputc('\n', out);
}

/* ---- characters ---- */

enum { MARGIN = 12, LEVELS = 64 };
static const char ramp[] = " .:-=+*#%@";
enum { SERIES_MARK = 1, OTHER_MARK };

struct canvas {
	/* of a heat how much; else which series; 0: nothing */
	uint8_t *cells;
	uint32_t columns, rows;
	uint32_t room; /* columns that there are */
	double x_low, x_high, y_low, y_high;
	bool colours;
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
		canvas->cells[row * canvas->columns + column] =
		    i < figure->n ? SERIES_MARK : OTHER_MARK;
		for (; figure->kind == SCOPE_BARS && i < figure->n && row > 0; row--)
			canvas->cells[(row - 1) * canvas->columns + column] = SERIES_MARK;
	}
}

/* A cell shows the largest of its values. */
static void heat_draw(const struct scope_figure *figure, struct canvas *canvas)
{
	const uint32_t levels = canvas->colours ? LEVELS : sizeof(ramp) - 1;
	double low = INFINITY, high = -INFINITY;

	canvas->x_low = figure->x_low;
	canvas->x_high = figure->x_high;
	canvas->y_low = figure->y_low;
	canvas->y_high = figure->y_high;
	range_take(figure->y, figure->rows * figure->columns, &low, &high);
	for (size_t r = 0; r < figure->rows; r++)
		for (size_t c = 0; c < figure->columns; c++) {
			const double value = figure->y[r * figure->columns + c];
			uint8_t *cell =
			    &canvas->cells[r * canvas->rows / figure->rows * canvas->columns +
			        c * canvas->columns / figure->columns];
			const uint32_t level =
			    isfinite(value) ? cell_of(value, low, high, levels) : 0;

			*cell = level > *cell ? (uint8_t)level : *cell;
		}
}

/* ---- colours ---- */

struct colour {
	double red, green, blue;
};

/* Blue to yellow, as gnuplot draws it: seen by everybody, and brighter where there is more. */
static struct colour level_colour(double level)
{
	static const struct {
		double at;
		struct colour colour;
	} stops[] = {
	    {0, {0, 34, 78}}, {0.35, {87, 93, 109}}, {0.7, {165, 156, 116}}, {1, {254, 232, 56}}};
	const struct colour *low, *high;
	double share;
	size_t s = 0;

	while (s < 2 && level > stops[s + 1].at)
		s++;
	low = &stops[s].colour;
	high = &stops[s + 1].colour;
	share = fmin(1, (level - stops[s].at) / (stops[s + 1].at - stops[s].at));
	return (struct colour){low->red + share * (high->red - low->red),
	    low->green + share * (high->green - low->green),
	    low->blue + share * (high->blue - low->blue)};
}

static void colour_put(bool ground, struct colour colour, FILE *out)
{
	fprintf(out, "\033[%d;2;%.0f;%.0f;%.0fm", ground ? 48 : 38, colour.red, colour.green,
	    colour.blue);
}

/* A row; the colour is written where it changes. */
static void row_colours(const struct canvas *canvas, const uint8_t *cells, bool heat, FILE *out)
{
	static const struct colour series[] = {
	    [SERIES_MARK] = {90, 175, 255}, [OTHER_MARK] = {255, 160, 70}};
	int now = -1;

	for (uint32_t c = 0; c < canvas->columns; c++) {
		if (cells[c] != now && (heat || cells[c] != 0))
			colour_put(heat,
			    heat ? level_colour((double)cells[c] / (LEVELS - 1)) : series[cells[c]],
			    out);
		now = heat || cells[c] != 0 ? cells[c] : now;
		fputc(heat || cells[c] == 0 ? ' ' : cells[c] == SERIES_MARK ? '*' : 'o', out);
	}
	fputs("\033[0m", out);
}

static void row_plain(const struct canvas *canvas, const uint8_t *cells, bool heat, FILE *out)
{
	static const char marks[] = {' ', [SERIES_MARK] = '*', [OTHER_MARK] = 'o'};

	for (uint32_t c = 0; c < canvas->columns; c++)
		fputc(heat ? ramp[cells[c]] : marks[cells[c]], out);
}

/* ---- lines ---- */

static void axis_put(const struct scope_figure *figure, const struct canvas *canvas, FILE *out)
{
	const int room = (int)(canvas->room - MARGIN), digits = room >= 40 ? 9 : 6;
	char low[32], high[32];
	int gap;

	snprintf(low, sizeof(low), "%.*g", digits, canvas->x_low);
	snprintf(high, sizeof(high), "%.*g", digits, canvas->x_high);
	gap = (int)canvas->columns - (int)strlen(low) - (int)strlen(high);
	fprintf(out, "%*s +", MARGIN - 2, "");
	for (uint32_t c = 0; c < canvas->columns; c++)
		fputc('-', out);
	fprintf(out, "\n%*s%s%*s%s\n%*s%.*s\n", MARGIN, "", low, gap > 1 ? gap : 1, "", high,
	    MARGIN, "", room, figure->x_label);
}

static void canvas_put(const struct scope_figure *figure, const struct canvas *canvas, FILE *out)
{
	const bool heat = figure->kind == SCOPE_HEAT;
	char label[128];

	snprintf(label, sizeof(label), "%s%s%s", figure->y_label, figure->z_label[0] ? "; " : "",
	    figure->z_label);
	fprintf(out, "%.*s\n", (int)canvas->room, label);
	for (uint32_t r = canvas->rows; r > 0; r--) {
		const uint8_t *cells = canvas->cells + (size_t)(r - 1) * canvas->columns;

		if (r == canvas->rows || r == 1 || r == (canvas->rows + 1) / 2)
			fprintf(out, "%*.4g |", MARGIN - 2,
			    place_of(canvas->y_low, canvas->y_high, r - 1, canvas->rows));
		else
			fprintf(out, "%*s |", MARGIN - 2, "");
		if (canvas->colours)
			row_colours(canvas, cells, heat, out);
		else
			row_plain(canvas, cells, heat, out);
		fputc('\n', out);
	}
	axis_put(figure, canvas, out);
}

int scope_text(
    const struct scope_figure *figure, uint32_t columns, uint32_t rows, bool colours, FILE *out)
{
	struct canvas canvas = {.room = columns > SCOPE_TEXT_COLUMNS ? columns : SCOPE_TEXT_COLUMNS,
	    .rows = rows > SCOPE_TEXT_ROWS ? rows - 4 : SCOPE_TEXT_ROWS - 4,
	    .x_low = INFINITY,
	    .x_high = -INFINITY,
	    .y_low = INFINITY,
	    .y_high = -INFINITY,
	    .colours = colours};

	canvas.columns = canvas.room - MARGIN;
	/* few rows or columns of a heat are not spread */
	if (figure->kind == SCOPE_HEAT && figure->rows < canvas.rows)
		canvas.rows = (uint32_t)figure->rows;
	if (figure->kind == SCOPE_HEAT && figure->columns < canvas.columns)
		canvas.columns = (uint32_t)figure->columns;
	canvas.cells = calloc((size_t)canvas.columns * canvas.rows + 1, 1);
	if (!canvas.cells)
		return -ENOMEM;
	if (figure->kind == SCOPE_HEAT)
		heat_draw(figure, &canvas);
	else
		values_draw(figure, &canvas);
	canvas_put(figure, &canvas, out);
	free(canvas.cells);
	return 0;
}
