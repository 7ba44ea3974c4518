/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/image/margin.h"

#include <math.h>

uint64_t image_margin_count(const struct image_margin *margin)
{
	return hist_count(&margin->left) + hist_count(&margin->over);
}

/* Ranks count from the latest end to the earliest. */
double image_margin_quantile(const struct image_margin *margin, double q)
{
	const double over = (double)hist_count(&margin->over),
	             left = (double)hist_count(&margin->left);
	const double rank = fmax(ceil(fmin(q, 1) * (over + left)), 1);

	if (over + left == 0)
		return 0;
	if (rank <= over)
		return -(double)hist_quantile(&margin->over, (over - rank + 1) / over);
	return (double)hist_quantile(&margin->left, rank - over > 1 ? (rank - over) / left : 0);
}
