/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/plot.h - the result of a benchmark as a picture, drawn by gnuplot.
 *
 * 	--plot FILE.svg | FILE.png     drawn
 *         --plot FILE.gp                 the script with its data, for gnuplot elsewhere, or to
 *                                        change it
 */
#ifndef TOOLS_BENCH_PLOT_H
#define TOOLS_BENCH_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/json/json.h"

enum plot_style {
	PLOT_LINE,  /* points [x, y, low, high] with error bars, joined */
	PLOT_MARKS, /* points [x, y], each a cross: figures to compare with */
	/* points [x, y], each a line up from the axis, which, if it is logarithmic, begins at
	 * 0.5: a histogram */
	PLOT_COUNTS,
	/* [label, y], side by side, labels without quotes; one such series makes the x axis one
	 * of labels */
	PLOT_BARS
};

enum { PLOT_SERIES_MAX = 64 };

struct plot {
	const char *title, *x, *y; /* with units: "Eb/N0 [dB]" */
	bool log_x, log_y;         /* an axis y that is not logarithmic begins at 0 */
	size_t n;
	struct plot_series {
		char title[80];
		enum plot_style style;
		json_t *points;
	} series[PLOT_SERIES_MAX];
};

/* plot_series adds one and gives its points, to be appended to (json_pack("[f, f, f, f]", ...));
 * NULL: no room. */
json_t *plot_series(struct plot *plot, enum plot_style style, const char *title);
void plot_fini(struct plot *plot);

/* plot_check tells before anything is measured whether FILE can be drawn: 0; -EINVAL: not one of
 * the endings above; -ENOENT: there is no gnuplot. */
int plot_check(const char *file);

/* plot_script writes what gnuplot is to do. */
void plot_script(const struct plot *plot, const char *file, FILE *out);
/* plot_draw does it: 0, or -errno (-EIO: gnuplot has said why). */
int plot_draw(const struct plot *plot, const char *file);

#endif
