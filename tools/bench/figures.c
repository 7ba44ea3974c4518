/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/line.h"

enum { RANGE_MAX = 1000 };

#define GROUPS_CHANCE 0.01

/* ---- what the command line says ---- */

/* number_read reads one that ends at `until` (or at the end of the text); NULL if there is none. */
static const char *number_read(const char *text, char until, double *ret)
{
	char *end;

	*ret = strtod(text, &end);
	if (end == text || !isfinite(*ret) || (*end && *end != until))
		return NULL;
	return end + (*end != 0);
}

int range_parse(const char *text, struct range *ret)
{
	struct range range;
	const char *at = number_read(text, ':', &range.from);

	range.to = range.from;
	range.step = 1;
	if (at && *at) {
		at = number_read(at, ':', &range.to);
		at = at && *at ? number_read(at, 0, &range.step) : NULL;
	} else if (at && at[-1] == ':') {
		at = NULL;
	}
	if (!at || range.step <= 0 || range.to < range.from ||
	    (range.to - range.from) / range.step > RANGE_MAX - 1)
		return -EINVAL;
	*ret = range;
	return 0;
}

size_t range_count(const struct range *range)
{
	return 1 + (size_t)((range->to - range->from) / range->step + 1e-6);
}

double range_at(const struct range *range, size_t i)
{
	return range->from + (double)i * range->step;
}

int list_parse(const char *text, double min, double max, size_t n, double *ret)
{
	size_t len = 0;
	const char *at = text;

	do {
		if (len == n)
			return -EINVAL;
		at = number_read(at, ',', &ret[len]);
		if (!at || ret[len] < min || ret[len] > max)
			return -EINVAL;
		for (size_t i = 0; i < len; i++)
			if (ret[i] == ret[len])
				return -EINVAL;
		len++;
	} while (*at || at[-1] == ',');
	return (int)len;
}

/* ---- rates ------------------------------------------------------------------------ */

struct interval interval_wilson(uint64_t hits, uint64_t of)
{
	const double z = 1.959963984540054, n = (double)of, p = of ? (double)hits / n : 0;
	const double scale = 1 + z * z / n, middle = (p + z * z / (2 * n)) / scale;
	const double half = z / scale * sqrt(p * (1 - p) / n + z * z / (4 * n * n));

	if (!of)
		return (struct interval){0, 1};
	return (struct interval){hits ? middle - half : 0, hits < of ? middle + half : 1};
}

/* Half a hit where there is none, so that it has a logarithm. */
static double rate_of(const struct rate_point *point)
{
	return point->of ? fmax((double)point->hits, 0.5) / (double)point->of : 1;
}

static double low_of(const struct rate_point *point)
{
	const double low = interval_wilson(point->hits, point->of).low;

	return point->of ? fmax(low, 0.025 / (double)point->of) : 1;
}

static double high_of(const struct rate_point *point)
{
	return interval_wilson(point->hits, point->of).high;
}

static double crossing_between(
    const struct rate_point *points, size_t n, double rate, double (*of)(const struct rate_point *))
{
	for (size_t i = 0; i + 1 < n; i++) {
		const double left = of(&points[i]), right = of(&points[i + 1]);
		if (left >= rate && right < rate)
			return points[i].x +
			    (points[i + 1].x - points[i].x) * log(left / rate) / log(left / right);
	}
	return NAN;
}

struct crossing crossing_find(const struct rate_point *points, size_t n, double rate)
{
	return (struct crossing){
	    .x = crossing_between(points, n, rate, rate_of),
	    .range = {crossing_between(points, n, rate, low_of),
	        crossing_between(points, n, rate, high_of)},
	};
}

/* ---- lines ------------------------------------------------------------------------ */

/* The two-sided 95 % quantile of Student's distribution. */
static double student_95(size_t freedom)
{
	static const double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
	    2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
	const size_t n = sizeof(table) / sizeof(table[0]);

	if (freedom == 0)
		return NAN;
	return freedom <= n ? table[freedom - 1] : 1.96 + 2.45 / (double)freedom;
}

static struct interval interval_about(double middle, double half)
{
	return (struct interval){middle - half, middle + half};
}

struct line line_fit(const double (*points)[2], size_t n)
{
	const struct line_least least = line_least(points, n);
	struct line line = {.base = least.base, .slope = least.slope};
	double left = 0, t;

	for (size_t i = 0; i < n; i++)
		left +=
		    pow((points[i][1] - line.base - line.slope * points[i][0]) / points[i][1], 2);
	t = n > 2 ? student_95(n - 2) * sqrt(left / (double)(n - 2)) : NAN;
	line.base_range = interval_about(line.base, t * least.base_error);
	line.slope_range = interval_about(line.slope, t * least.slope_error);
	return line;
}

/* ---- samples ------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median(double *values, size_t n)
{
	if (!n)
		return NAN;
	qsort(values, n, sizeof(*values), by_size);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

struct interval interval_mean(const double *values, size_t n, double *ret_mean)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	*ret_mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - *ret_mean) * (values[i] - *ret_mean);
	if (n < 2)
		return (struct interval){NAN, NAN};
	return interval_about(
	    *ret_mean, student_95(n - 1) * sqrt(squares / (double)(n - 1) / (double)n));
}

/* Where of the sorted values the widest gap is that leaves `least` of them on either side: the
 * place after it. */
static size_t gap_widest(const double *values, size_t n, size_t least)
{
	size_t cut = least;

	for (size_t i = least + 1; i <= n - least; i++)
		if (values[i] - values[i - 1] > values[cut] - values[cut - 1])
			cut = i;
	return cut;
}

bool two_groups(double *values, size_t n, double *ret_low, double *ret_high)
{
	const double middle = median(values, n);
	const size_t least = n < 10 ? 2 : (n + 4) / 5, ends = n / 10;
	double gap, range, chance;
	size_t cut;

	if (n < 5)
		return false;
	cut = gap_widest(values, n, least);
	gap = values[cut] - values[cut - 1];
	range = values[n - 1 - ends] - values[ends];
	chance = (double)(n - 2 * least + 1) * pow(1 - gap / range, (double)(n - 2 * ends - 2));
	if (!(range > 0) || chance >= GROUPS_CHANCE || gap <= 0.05 * middle)
		return false;
	*ret_low = median(values, cut);
	*ret_high = median(values + cut, n - cut);
	return true;
}

/* ---- search ------------------------------------------------------------------------ */

void search_init(struct figure_search *search, uint64_t max)
{
	*search = (struct figure_search){0, max + 1};
}

uint64_t search_next(const struct figure_search *search)
{
	if (search->holds + 1 >= search->fails)
		return 0;
	if (search->holds == 0)
		return 1;
	if (2 * search->holds < search->fails)
		return 2 * search->holds;
	return search->holds + (search->fails - search->holds) / 2;
}

void search_update(struct figure_search *search, uint64_t n, bool holds)
{
	if (holds)
		search->holds = n;
	else
		search->fails = n;
}
