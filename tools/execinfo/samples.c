/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures and histograms out of samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/calibrate.h"
#include "core/base/hist.h"
#include "core/base/text.h"
#include "core/report/report.h"
#include "tools/execinfo/execinfo.h"

static int by_size(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* times_of gives the newest times of one instance of the file, of all its copies, smallest first,
 * in ns; the caller frees them. */
static uint32_t *times_of(const struct profile_source *source, uint32_t instance, size_t *ret_n)
{
	const size_t instances = json_array_size(json_object_get(source->report, "instances"));
	uint32_t *times = malloc((source->wanted + 1) * sizeof(*times));
	size_t n = 0;

	for (size_t i = source->n_events; times && instances && i-- > 0 && n < source->wanted;)
		if (source->events[i].instance % instances == instance)
			times[n++] = source->events[i].ns;
	if (times)
		qsort(times, n, sizeof(*times), by_size);
	*ret_n = n;
	return times;
}

/* The sample of rank ceil(q n), in us. */
static double quantile_us(const uint32_t *times, size_t n, double q)
{
	const size_t rank = (size_t)ceil(q * (double)n);

	return n ? times[rank ? rank - 1 : 0] / 1e3 : 0;
}

static void number_put(json_t *instance, const char *key, double value)
{
	json_object_set_new(instance, key, json_real(value));
}

static void figures_put(json_t *instance, const uint32_t *times, size_t n, double mmac_per_s,
    double slot_ns, double copies)
{
	double sum = 0, mean;

	for (size_t i = 0; i < n; i++)
		sum += times[i];
	mean = n ? sum / (double)n : 0;
	json_object_set_new(instance, "calls", json_integer((json_int_t)n));
	json_object_set_new(instance, "timed", json_integer((json_int_t)n));
	number_put(instance, "mean_us", mean / 1e3);
	number_put(instance, "p50_us", quantile_us(times, n, 0.5));
	number_put(instance, "p99_us", quantile_us(times, n, 0.99));
	number_put(instance, "p999_us", quantile_us(times, n, 0.999));
	number_put(instance, "max_us", quantile_us(times, n, 1));
	number_put(instance, "kmac", calibrate_kmac(mean, mmac_per_s));
	number_put(instance, "share", slot_ns > 0 ? copies * mean / slot_ns : 0);
}

int samples_apply(struct profile_source *source)
{
	const json_t *report = source->report;
	json_t *instance;
	size_t i, n;

	json_array_foreach(json_object_get(report, "instances"), i, instance)
	{
		uint32_t *times = times_of(source, (uint32_t)i, &n);
		if (!times)
			return CLI_FAILED;
		figures_put(instance, times, n, report_number(report, "capacity_mmac"),
		    report_number(report, "slot_ns"), fmax(report_number(report, "copies"), 1));
		free(times);
	}
	return CLI_OK;
}

/* ---- histogram ------------------------------------------------------------------------ */

enum { BINS = 20, BAR = 60 };

/* Cells from the smallest time to the largest, each as many times as long as the one before: a tail
 * of ten times the median has cells of its own, and those about the median are fine. */
struct bins {
	double least, ratio; /* ns */
	uint64_t counts[BINS];
};

static struct bins bins_from(double least, double most)
{
	struct bins bins = {.least = fmax(least, 1)};

	bins.ratio = fmax(pow(most / bins.least, 1.0 / BINS), 1.001);
	return bins;
}

static void bins_add(struct bins *bins, double ns, uint64_t count)
{
	const double bin = log(fmax(ns / bins->least, 1)) / log(bins->ratio);

	bins->counts[bin < BINS - 1 ? (size_t)bin : BINS - 1] += count;
}

static void bins_draw(const struct bins *bins)
{
	uint64_t most = 1;

	for (size_t b = 0; b < BINS; b++)
		most = bins->counts[b] > most ? bins->counts[b] : most;
	for (size_t b = 0; b < BINS; b++) {
		const int filled = (int)ceil((double)bins->counts[b] * BAR / (double)most);
		printf("%10.3f us %8llu%s%.*s\n", bins->least * pow(bins->ratio, (double)b) / 1e3,
		    (unsigned long long)bins->counts[b], filled ? " " : "", filled,
		    "############################################################");
	}
}

static void draw_samples(const uint32_t *times, size_t n)
{
	struct bins bins = bins_from(times[0], quantile_us(times, n, 1) * 1e3);

	for (size_t i = 0; i < n; i++)
		bins_add(&bins, times[i], 1);
	bins_draw(&bins);
}

/* The report's own histogram: [[lowest ns of the cell, count], ...], in order. */
static int draw_cells(const json_t *cells)
{
	const size_t last = json_array_size(cells) - 1;
	struct bins bins = bins_from(json_number_value(json_array_get(json_array_get(cells, 0), 0)),
	    json_number_value(json_array_get(json_array_get(cells, last), 0)));
	json_t *cell;
	size_t n;

	json_array_foreach(cells, n, cell)
	{
		bins_add(&bins, json_number_value(json_array_get(cell, 0)),
		    (uint64_t)json_integer_value(json_array_get(cell, 1)));
	}
	bins_draw(&bins);
	return CLI_OK;
}

static int instance_find(const json_t *report, const char *name)
{
	json_t *instance;
	size_t i;

	json_array_foreach(json_object_get(report, "instances"), i, instance)
	{
		if (!strcmp(report_text(instance, "name"), name))
			return (int)i;
	}
	fprintf(stderr,
	    "execinfo: %s has no instance `%s`; it has:", report_text(report, "waveform"), name);
	json_array_foreach(json_object_get(report, "instances"), i, instance)
	{
		fprintf(stderr, " %s", report_text(instance, "name"));
	}
	fputc('\n', stderr);
	return -1;
}

static int none_say(const char *instance)
{
	fprintf(stderr, "execinfo: %s has no execution times yet; start the waveform first\n",
	    instance);
	return CLI_FAILED;
}

static json_t *figure_begin(const struct profile_source *source, const char *name, struct plot *ret)
{
	*ret =
	    (struct plot){.x = "time [us]", .y = "calls in a cell", .log_x = true, .log_y = true};
	ret->title = plot_text(
	    ret, "Times of a call of %s, of %s", name, report_text(source->report, "waveform"));
	return plot_series(ret, PLOT_COUNTS, "calls in a cell of the histogram");
}

static void point_add(json_t *points, uint32_t cell, double count)
{
	json_array_append_new(points,
	    json_pack(
	        "[f, f]", (double)(hist_cell_low(cell) + hist_cell_high(cell) + 1) / 2e3, count));
}

/* In the cells of a report, which are finer than the rows of the terminal. */
static void samples_figure(const struct profile_source *source, const char *name,
    const uint32_t *times, size_t n, struct plot *ret)
{
	json_t *points = figure_begin(source, name, ret);

	for (size_t i = 0, first = 0; i < n; i++)
		if (i + 1 == n || hist_cell(times[i + 1]) != hist_cell(times[first])) {
			point_add(points, hist_cell(times[first]), (double)(i + 1 - first));
			first = i + 1;
		}
}

static void report_cells_figure(
    const struct profile_source *source, const char *name, const json_t *cells, struct plot *ret)
{
	json_t *points = figure_begin(source, name, ret), *cell;
	size_t n;

	json_array_foreach(cells, n, cell)
	{
		const double low = fmax(json_number_value(json_array_get(cell, 0)), 0);

		point_add(points, hist_cell((uint64_t)fmin(low, 1e18)),
		    json_number_value(json_array_get(cell, 1)));
	}
}

static int hist_report(const struct profile_source *source, const json_t *instance,
    const char *name, struct plot *ret_plot)
{
	const json_t *cells = json_object_get(instance, "histogram_ns");
	const double timed = json_timed(instance);

	if (!json_array_size(cells))
		return none_say(name);
	printf("%s: %.0f call%s, %.3f us p50, %.3f p99, %.3f max\n", name, timed, plural(timed),
	    report_number(instance, "p50_us"), report_number(instance, "p99_us"),
	    report_number(instance, "max_us"));
	report_cells_figure(source, name, cells, ret_plot);
	return draw_cells(cells);
}

int hist_show(const struct profile_source *source, const char *instance, struct plot *ret_plot)
{
	const int number = instance_find(source->report, instance);
	uint32_t *times;
	size_t n;

	if (number < 0)
		return CLI_USAGE;
	if (!source->wanted)
		return hist_report(source,
		    json_array_get(json_object_get(source->report, "instances"), (size_t)number),
		    instance, ret_plot);
	times = times_of(source, (uint32_t)number, &n);
	if (!times || !n)
		return free(times), none_say(instance);
	printf("%s: %zu sample%s, %.3f us p50, %.3f p99, %.3f max\n", instance, n, plural(n),
	    quantile_us(times, n, 0.5), quantile_us(times, n, 0.99), quantile_us(times, n, 1));
	draw_samples(times, n);
	samples_figure(source, instance, times, n, ret_plot);
	free(times);
	return CLI_OK;
}
