/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/length.h"
#include "core/base/line.h"

#include <assert.h>
#include <math.h>

static uint64_t ports_bytes(const struct wf_port *ports, uint32_t n)
{
	uint64_t bytes = 0;

	for (uint32_t p = 0; p < n; p++)
		if (ports[p].link >= 0)
			bytes += (uint64_t)ports[p].max * aloe_item_bytes(ports[p].type);
	return bytes;
}

uint64_t length_of(const struct wf_instance *instance)
{
	return ports_bytes(instance->in, instance->n_in) +
	    ports_bytes(instance->out, instance->n_out);
}

/* Sums of n points, each weighed by its own size: of least squares among the lines that are flat,
 * and among those through 0. */
static double flat_least(const double (*points)[2], size_t n)
{
	double w = 0, y = 0;

	for (size_t i = 0; i < n; i++) {
		w += 1 / (points[i][1] * points[i][1]);
		y += 1 / points[i][1];
	}
	return y / w;
}

static double slope_least(const double (*points)[2], size_t n)
{
	double xx = 0, xy = 0;

	for (size_t i = 0; i < n; i++) {
		const double x = points[i][0] / points[i][1];

		xx += x * x;
		xy += x;
	}
	return xy / xx;
}

/* NAN without two lengths at which something was measured. */
static struct line_least line_of(const struct length_point *points, size_t n, bool p99)
{
	double of[LENGTH_POINTS_MAX][2];
	const double(*const all)[2] = (const double(*)[2])of;
	struct line_least line;
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		if (!points[i].bytes || !(points[i].kmac_p50 > 0))
			continue;
		of[used][0] = (double)points[i].bytes;
		of[used++][1] = p99 ? points[i].kmac_p99 : points[i].kmac_p50;
	}
	line = line_least(all, used);
	if (line.slope < 0)
		line = (struct line_least){.base = flat_least(all, used)};
	else if (line.base < 0)
		line = (struct line_least){.slope = slope_least(all, used)};
	return line;
}

static double line_at(const struct line_least *line, uint64_t bytes)
{
	return line->base + line->slope * (double)bytes;
}

struct length_cost length_cost(const struct length_point *points, size_t n, uint64_t bytes)
{
	const struct length_point *newest = &points[0], *same = NULL;
	struct length_cost cost = {LENGTH_UNKNOWN, newest->kmac_p50, newest->kmac_p99, NAN};
	struct line_least line, tails;

	assert(n >= 1);
	assert(n <= LENGTH_POINTS_MAX);
	if (!bytes && !newest->bytes)
		cost.source = LENGTH_MEASURED;
	if (!bytes || !newest->bytes)
		return cost;
	line = line_of(points, n, false);
	tails = line_of(points, n, true);
	for (size_t i = 0; i < n && !same; i++)
		same = points[i].bytes == bytes ? &points[i] : NULL;
	if (same) {
		cost = (struct length_cost){LENGTH_MEASURED, same->kmac_p50, same->kmac_p99, NAN};
	} else if (isnan(line.slope)) {
		const double times = (double)bytes / (double)newest->bytes;

		cost.source = LENGTH_SCALED;
		cost.kmac_p50 = fmin(cost.kmac_p50 * times, LENGTH_KMAC_MAX);
		cost.kmac_p99 = fmin(cost.kmac_p99 * times, LENGTH_KMAC_MAX);
	} else {
		cost.source = LENGTH_FITTED;
		cost.kmac_p50 = fmin(line_at(&line, bytes), LENGTH_KMAC_MAX);
		cost.kmac_p99 = fmin(fmax(cost.kmac_p50, line_at(&tails, bytes)), LENGTH_KMAC_MAX);
	}
	if (!isnan(line.slope) && cost.kmac_p50 > 0)
		cost.fixed = fmin(1, line.base / cost.kmac_p50);
	return cost;
}

const char *length_source_name(enum length_source source)
{
	static const char *const names[] = {
	    [LENGTH_NONE] = NULL,
	    [LENGTH_MEASURED] = "measured",
	    [LENGTH_FITTED] = "fitted",
	    [LENGTH_SCALED] = "scaled",
	    [LENGTH_UNKNOWN] = "unknown",
	};

	return names[source];
}
