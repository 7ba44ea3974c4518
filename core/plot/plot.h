/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/plot/plot.h - figures with axes, drawn by gnuplot. The one way in which this project draws
 * curves, whatever they are of.
 *
 *      plot_series, plot_named, plot_note --> plot_draw --> FILE.svg, FILE.png
 *             |                                        FILE.gp: the script with its data, for
 *             v                                       gnuplot elsewhere, or to change it
 *      plot_json --> plot_read: the same figure again, later or elsewhere
 *
 * The title says what was measured; an axis names its unit; the legend stands outside of the axes;
 * nothing is joined or set side by side that is not of one kind (a mean and a maximum).
 */
#ifndef CORE_PLOT_PLOT_H
#define CORE_PLOT_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/json/json.h"

struct cli_args;

enum plot_style {
	PLOT_LINE,  /* points [x, y, low, high] with bars from low to high, joined */
	PLOT_MARKS, /* points [x, y], each a mark of its own: figures to compare with */
	/* points [x, y], each a line up from the axis, which, if it is logarithmic, begins at
	 * 0.5: a histogram */
	PLOT_COUNTS,
	/* points [x, count] by increasing x, x the lower edge of a cell of a histogram: drawn is
	 * which share of all lies at x or beyond, so that several of them can be told apart, and
	 * quantiles be read */
	PLOT_TAIL,
	/* points [label, x]: a mark in the row of that label. The rows stand from the top in the
	 * order in which their labels come first in any series */
	PLOT_ROWS,
	/* points [label, low, high]: a bar in the row of that label. On a logarithmic axis the bar
	 * of a span or of a line whose low end is 0 or below reaches the edge */
	PLOT_SPANS,
	PLOT_RULES, /* points [x]: a line over the whole height */
	PLOT_STYLES
};

enum { PLOT_SERIES_MAX = 64, PLOT_ROWS_MAX = 256, PLOT_NOTES_MAX = 6 };

struct plot {
	const char *title, *x, *y; /* with units: "Eb/N0 [dB]" */
	bool log_x, log_y;         /* a y axis that is not logarithmic begins at 0, but of rows */
	const char *bars;          /* what the bars of points are, or NULL: there are none */
	const char *invalid;       /* why the figure is no result ("VOID: ..."), or NULL */
	json_t *notes;             /* of plot_note */
	size_t n;
	struct plot_series {
		char title[80];
		enum plot_style style;
		json_t *points;
	} series[PLOT_SERIES_MAX];
	json_t *texts; /* of plot_text, or what plot_read has them from */
};

/* plot_series adds one and gives its points, to be appended to (json_pack("[f, f, f, f]", ...));
 * NULL: no room. */
json_t *plot_series(struct plot *plot, enum plot_style style, const char *title);
/* plot_named gives the points of the series of that title, which it adds if there is none. */
json_t *plot_named(struct plot *plot, enum plot_style style, const char *title);
/* plot_note adds a line below the axes: how, where and when it was measured. */
__attribute__((format(printf, 2, 3))) void plot_note(struct plot *plot, const char *format, ...);
/* plot_text gives a text that lives as long as the figure, as for its title. */
__attribute__((format(printf, 2, 3))) const char *plot_text(
    struct plot *plot, const char *format, ...);
void plot_fini(struct plot *plot);
/* plot_is_empty: no series has a point that can be drawn: 0 has no place on a logarithmic axis, and
 * rules alone show nothing. */
bool plot_is_empty(const struct plot *plot);

/* plot_json gives the figure as JSON, NULL if there is nothing in it. plot_read takes it back, from
 * anywhere: 0, or -EINVAL with the reasons in diag; ends with plot_fini. */
json_t *plot_json(const struct plot *plot);
int plot_read(const json_t *json, const char *file, struct diag *diag, struct plot *ret);

/* plot_possible tells before anything is measured whether the file that --plot (or another option)
 * names can be drawn: CLI_OK, or CLI_USAGE after saying which endings are allowed, or that there is
 * no gnuplot. */
int plot_possible(const struct cli_args *args, const char *option);
/* plot_draw draws the file, whole or not at all. The exit status; what went wrong has been said by
 * `who`. */
int plot_draw(const struct plot *plot, const char *who, const char *file);

/* ---- parts, for figures of other kinds ---- */

/* What gnuplot is to do, without `set terminal`. */
void plot_script(const struct plot *plot, FILE *out);
/* plot_frame writes title, labels, grid and the place of the legend; `title` may have lines. */
void plot_frame(const char *title, const char *x, const char *y, FILE *out);
/* plot_label writes `set WHAT 'text'`. */
void plot_label(const char *what, const char *text, FILE *out);
const char *plot_colour(size_t series); /* "#rrggbb" */

/* plot_gnuplot has what `write` writes drawn into `file`, of `height` points; the format is "svg",
 * "png" or "gp" (the script). `instead` is what needs no gnuplot: a sentence's end. The exit
 * status. */
int plot_gnuplot(const char *who, const char *file, const char *format, unsigned height,
    const char *instead, void (*write)(const void *of, FILE *out), const void *of);

#endif
