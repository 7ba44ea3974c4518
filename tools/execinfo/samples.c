/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures and histograms out of samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/calibrate.h"
#include "core/report/report.h"
#include "tools/execinfo/execinfo.h"

static int by_size(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* times_of gives the newest times of one instance, smallest first, in ns; the caller frees them. */
static uint32_t *times_of(const struct profile_source *source, uint32_t instance, size_t *ret_n)
{
	uint32_t *times = malloc((source->wanted + 1) * sizeof(*times));
	size_t n = 0;

	for (size_t i = source->n_events; times && i-- > 0 && n < source->wanted;)
		if (source->events[i].instance == instance)
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

static void put(json_t *instance, const char *key, double value)
{
	json_object_set_new(instance, key, json_real(value));
}

static void figures(json_t *instance, const uint32_t *times, size_t n, double mmac_per_s, double slot_ns)
{
	double sum = 0, mean;

	for (size_t i = 0; i < n; i++)
		sum += times[i];
	mean = n ? sum / (double)n : 0;
	json_object_set_new(instance, "calls", json_integer((json_int_t)n));
	put(instance, "mean_us", mean / 1e3);
	put(instance, "p50_us", quantile_us(times, n, 0.5));
	put(instance, "p99_us", quantile_us(times, n, 0.99));
	put(instance, "p999_us", quantile_us(times, n, 0.999));
	put(instance, "max_us", quantile_us(times, n, 1));
	put(instance, "kmac", calibrate_kmac(mean, mmac_per_s));
	put(instance, "share", slot_ns > 0 ? mean / slot_ns : 0);
}

int samples_apply(struct profile_source *source)
{
	const json_t *report = source->report;
	json_t *instance;
	size_t i, n;

	json_array_foreach(json_object_get(report, "instances"), i, instance) {
		uint32_t *times = times_of(source, (uint32_t)i, &n);
		if (!times)
			return CLI_FAILED;
		figures(instance, times, n, report_number(report, "capacity_mmac"), report_number(report, "slot_ns"));
		free(times);
	}
	return CLI_OK;
}

/* ---- histogram -------------------------------------------------------------------------------------------------------------- */

enum { BINS = 20, BAR = 60 };

/* From the smallest to the 99.5th percentile in equal steps; what is above in a line of its own. */
static void draw(const uint32_t *times, size_t n)
{
	const double least = times[0], top = quantile_us(times, n, 0.995) * 1e3;
	const double step = fmax((top - least) / BINS, 1);
	size_t counts[BINS + 1] = {0}, most = 1;

	for (size_t i = 0; i < n; i++) {
		const double bin = (times[i] - least) / step;
		counts[bin < BINS ? (size_t)bin : BINS]++;
	}
	for (size_t b = 0; b <= BINS; b++)
		most = counts[b] > most ? counts[b] : most;
	for (size_t b = 0; b <= BINS; b++) {
		const int filled = (int)ceil((double)counts[b] * BAR / (double)most);
		printf("%10.3f us %s %8zu %.*s\n", (least + step * (double)b) / 1e3, b == BINS ? "up" : "  ", counts[b],
		       filled, "############################################################");
	}
}

static int instance_find(const json_t *report, const char *name)
{
	json_t *instance;
	size_t i;

	json_array_foreach(json_object_get(report, "instances"), i, instance)
		if (!strcmp(report_text(instance, "name"), name))
			return (int)i;
	fprintf(stderr, "execinfo: %s has no instance `%s`; it has:", report_text(report, "waveform"), name);
	json_array_foreach(json_object_get(report, "instances"), i, instance)
		fprintf(stderr, " %s", report_text(instance, "name"));
	fputc('\n', stderr);
	return -1;
}

int hist_show(const struct profile_source *source, const char *instance)
{
	const int number = instance_find(source->report, instance);
	uint32_t *times;
	size_t n;

	if (number < 0)
		return CLI_USAGE;
	times = times_of(source, (uint32_t)number, &n);
	if (!times || !n) {
		fprintf(stderr, "execinfo: no samples of %s: does the waveform run?\n", instance);
		free(times);
		return CLI_FAILED;
	}
	printf("%s: %zu samples, %.3f us p50, %.3f p99, %.3f max\n", instance, n, quantile_us(times, n, 0.5),
	       quantile_us(times, n, 0.99), quantile_us(times, n, 1));
	draw(times, n);
	free(times);
	return CLI_OK;
}
