/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/figures.h - the arithmetic of measurements: pure functions.
 */
#ifndef TOOLS_BENCH_FIGURES_H
#define TOOLS_BENCH_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- what the command line says ---- */

struct range {
	double from, to, step;
};

/* range_parse reads "FROM:TO:STEP" or one number: 0; -EINVAL if it is none, TO < FROM, STEP <= 0,
 * or more than 1000 values. range_count and range_at give the values, TO included where the steps
 * meet it to a millionth of a step. */
int range_parse(const char *text, struct range *ret);
size_t range_count(const struct range *range);
double range_at(const struct range *range, size_t i);

/* list_parse reads numbers min..max separated by commas: how many, or -EINVAL: none, one outside,
 * one twice, more than n. */
int list_parse(const char *text, double min, double max, size_t n, double *ret);

/* ---- rates ------------------------------------------------------------------------ */

struct interval {
	double low, high;
};

/* interval_wilson gives the 95 % confidence interval of a rate of which `hits` of `of` were seen
 * (Wilson's score interval); [0, 1] of none. */
struct interval interval_wilson(uint64_t hits, uint64_t of);

struct rate_point {
	double x;
	uint64_t hits, of;
};

struct crossing {
	double x; /* NAN: the points do not reach it on both sides */
	/* 95 %; NAN where the curve of the bounds does not cross among the points */
	struct interval range;
};

/* crossing_find gives where a falling rate, measured at n points in order of x, crosses `rate`:
 * straight lines between the points, in the logarithm of the rate. The interval is where the curves
 * of the lower and of the upper bounds of the points cross it. No hits count as half a one. */
struct crossing crossing_find(const struct rate_point *points, size_t n, double rate);

/* ---- lines ------------------------------------------------------------------------ */

struct line { /* y = base + slope x */
	double base, slope;
	struct interval base_range, slope_range; /* 95 % */
};

/* line_fit draws the line through n points [x, y] of least squares in y / its own size, for
 * measurements that are wrong in proportion; y above 0. The intervals are Student's, of n - 2
 * degrees of freedom. NAN without two different x; the intervals without a third point. */
struct line line_fit(const double (*points)[2], size_t n);

/* ---- samples ------------------------------------------------------------------------ */

/* median sorts the values; the mean of the middle two of an even number; NAN of none. */
double median(double *values, size_t n);

/* interval_mean gives the mean and its 95 % confidence interval, Student's; the interval is NAN of
 * fewer than 2. */
struct interval interval_mean(const double *values, size_t n, double *ret_mean);

/* two_groups tells whether n values, 5 or more, fall into two groups, each two or more and a fifth
 * of them: where the widest gap between such groups is one that values of one group show in fewer
 * than 1 of 100 cases, and than a twentieth of the median is wide. One group: spread evenly, which
 * of all that have one top leaves the widest gaps. Of m such values each of the m - 1 gaps is more
 * than a part g of the way from the first to the last with a chance of (1 - g)^(m - 2); as many
 * times that as there are places for the gap is a bound for any. The way is that without a tenth of
 * the values at either end, so that a run that was held up hides nothing. Sorts them; *ret_low and
 * *ret_high are the groups' medians. */
bool two_groups(double *values, size_t n, double *ret_low, double *ret_high);

/* ---- search ------------------------------------------------------------------------ */

/* The largest N in 1..max that holds, where all below hold and none above: doubling, then halving.
 *
 *	for (n = search_next(&search); n != 0; n = search_next(&search))
 *		search_update(&search, n, holds(n));
 */
struct figure_search {
	/* the largest known to hold, 0: none; the smallest known not to, max + 1: none */
	uint64_t holds, fails;
};

void search_init(struct figure_search *search, uint64_t max);
uint64_t search_next(const struct figure_search *search); /* 0: known */
void search_update(struct figure_search *search, uint64_t n, bool holds);

#endif
