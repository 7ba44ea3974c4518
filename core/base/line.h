/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/line.h - a straight line through measurements that are wrong in proportion: a pure
 * function.
 */
#ifndef ALOE_BASE_LINE_H
#define ALOE_BASE_LINE_H

#include <stddef.h>

struct line_least { /* y = base + slope x */
	double base, slope;
	/* standard errors of both, where the relative error of one y is 1 */
	double base_error, slope_error;
};

/* line_least draws the line through n points [x, y] that is of least squares in y / its own size; y
 * above 0. NAN without two different x. */
struct line_least line_least(const double (*points)[2], size_t n);

#endif
