/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *plot_series(struct plot *plot, enum plot_style style, const char *title)
{
	struct plot_series *series = &plot->series[plot->n];

	if (plot->n == PLOT_SERIES_MAX)
		return NULL;
	plot->n++;
	snprintf(series->title, sizeof(series->title), "%s", title);
	series->style = style;
	series->points = json_array();
	return series->points;
}

void plot_fini(struct plot *plot)
{
	for (size_t i = 0; i < plot->n; i++)
		json_decref(plot->series[i].points);
}

static bool name_ends(const char *file, const char *with)
{
	const size_t len = strlen(file), tail = strlen(with);

	return len > tail && !strcmp(file + len - tail, with);
}

int plot_check(const char *file)
{
	if (name_ends(file, ".gp"))
		return 0;
	if (!name_ends(file, ".svg") && !name_ends(file, ".png"))
		return -EINVAL;
	return system("command -v gnuplot >/dev/null 2>&1") == 0 ? 0 : -ENOENT;
}

/* In gnuplot's single quotes only the quote itself is special. */
static void text_quote(const char *text, FILE *out)
{
	fputc('\'', out);
	for (; *text; text++)
		fprintf(out, "%s%c", *text == '\'' ? "'" : "", *text);
	fputc('\'', out);
}

static void set_text(const char *what, const char *text, FILE *out)
{
	fprintf(out, "set %s ", what);
	text_quote(text, out);
	fputs(" noenhanced\n", out);
}

static void head_write(const struct plot *plot, const char *file, FILE *out)
{
	if (name_ends(file, ".svg"))
		fputs("set terminal svg size 900,600 background rgb 'white'\n", out);
	else if (name_ends(file, ".png"))
		fputs("set terminal pngcairo size 900,600\n", out);
	if (!name_ends(file, ".gp")) {
		fputs("set output ", out);
		text_quote(file, out);
		fputc('\n', out);
	}
	set_text("title", plot->title, out);
	set_text("xlabel", plot->x, out);
	set_text("ylabel", plot->y, out);
	fputs("set grid xtics ytics lt 1 lw 1 lc rgb '#c0c0c0'\n", out);
	/* Above the plot the key meets no labels; the last tick's label is half beside the axis. */
	fputs("set key outside top center horizontal noenhanced\nset rmargin 5\n", out);
	fputs("set style fill solid 0.7\nset boxwidth 0.8\n", out);
	if (plot->log_x)
		fputs("set logscale x\n", out);
	if (!plot->log_y)
		fputs("set yrange [0:*]\n", out);
	if (plot->log_y)
		fputs("set logscale y\nset format y '10^{%L}'\nset mytics 10\n", out);
}

static void point_write(const struct plot *plot, const json_t *point, FILE *out)
{
	json_t *value;
	size_t i;

	json_array_foreach(point, i, value)
	{
		if (json_is_string(value))
			fprintf(out, "\"%s\"", json_string_value(value));
		else if (plot->log_y && i > 0 && json_number_value(value) <= 0)
			fputs("NaN", out);
		else
			fprintf(out, "%.9g", json_number_value(value));
		fputc(' ', out);
	}
	fputc('\n', out);
}

/* A single x has no range of its own. */
static void range_of_one(const struct plot *plot, FILE *out)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t s = 0; s < plot->n; s++) {
		json_t *row;
		size_t i;

		if (plot->series[s].style == PLOT_BARS)
			return;
		json_array_foreach(plot->series[s].points, i, row)
		{
			low = fmin(low, json_number_value(json_array_get(row, 0)));
			high = fmax(high, json_number_value(json_array_get(row, 0)));
		}
	}
	if (low == high)
		fprintf(out, "set xrange [%.9g:%.9g]\n", low > 0 ? low / 2 : low - 1,
		    low > 0 ? low * 2 : low + 1);
}

static void data_write(const struct plot *plot, FILE *out)
{
	for (size_t s = 0; s < plot->n; s++) {
		json_t *row;
		size_t i;
		fprintf(out, "$data%zu << END\n", s);
		json_array_foreach(plot->series[s].points, i, row)
		{
			point_write(plot, row, out);
		}
		fputs("END\n", out);
	}
}

void plot_script(const struct plot *plot, const char *file, FILE *out)
{
	static const char *const styles[] = {
	    [PLOT_LINE] = "using 1:2:3:4 with yerrorlines lw 1.5 pt 7 ps 0.5",
	    [PLOT_MARKS] = "using 1:2 with points pt 2 ps 1.5 lw 2 lc rgb 'black'",
	    [PLOT_COUNTS] = "using 1:2 with impulses lw 2",
	    [PLOT_BARS] = "using 2:xtic(1) with histograms",
	};
	bool bars = false, counts = false;

	head_write(plot, file, out);
	range_of_one(plot, out);
	data_write(plot, out);
	for (size_t s = 0; s < plot->n; s++) {
		bars = bars || plot->series[s].style == PLOT_BARS;
		counts = counts || plot->series[s].style == PLOT_COUNTS;
	}
	if (counts && plot->log_y)
		fputs("set yrange [0.5:*]\n", out);
	if (bars)
		fputs("set xtics rotate by 45 right noenhanced\nset style histogram clustered\nset "
		      "bmargin 11\n",
		    out);
	for (size_t s = 0; s < plot->n; s++) {
		fprintf(out, "%s $data%zu %s title ", s ? "," : "plot", s,
		    styles[plot->series[s].style]);
		text_quote(plot->series[s].title, out);
	}
	fputs("\n", out);
}

int plot_draw(const struct plot *plot, const char *file)
{
	const bool script = name_ends(file, ".gp");
	FILE *out = script ? fopen(file, "we") : popen("gnuplot", "we");
	int rc = 0;

	if (!out)
		return -errno;
	plot_script(plot, file, out);
	if (ferror(out))
		rc = -EIO;
	if (script)
		return fclose(out) < 0 ? -errno : rc;
	return pclose(out) != 0 ? -EIO : rc;
}
