/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/base/line.h"

#include <math.h>

struct line_least line_least(const double (*points)[2], size_t n)
{
	double w = 0, x = 0, y = 0, xx = 0, xy = 0, scale, slope;

	for (size_t i = 0; i < n; i++) {
		const double weight = 1 / (points[i][1] * points[i][1]);

		w += weight;
		x += weight * points[i][0];
		y += weight * points[i][1];
		xx += weight * points[i][0] * points[i][0];
		xy += weight * points[i][0] * points[i][1];
	}
	scale = w * xx - x * x;
	if (!(scale > 1e-12 * w * xx))
		return (struct line_least){NAN, NAN, NAN, NAN};
	slope = (w * xy - x * y) / scale;
	return (struct line_least){(y - slope * x) / w, slope, sqrt(xx / scale), sqrt(w / scale)};
}
