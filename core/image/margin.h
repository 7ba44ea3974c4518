/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/image/margin.h - how much time was left at deadlines: at the end of each slot of a lane, and
 * when the samples of a slot went out to a radio.
 *
 *   left   of what came in time: ns from then to the deadline
 *   over   of what came late: ns from the deadline to then
 *
 * One writer, any readers, as in core/base/hist.h. All zero bytes: nothing counted.
 */
#ifndef ALOE_IMAGE_MARGIN_H
#define ALOE_IMAGE_MARGIN_H

#include "core/base/hist.h"

struct image_margin {
	struct hist left, over;
};

/* image_margin_add counts one end against its deadline and returns the ns that were left; 0: none.
 * [slot] */
static inline uint64_t image_margin_add(
    struct image_margin *margin, uint64_t deadline_ns, uint64_t end_ns)
{
	if (__builtin_expect(end_ns > deadline_ns, 0)) {
		hist_add(&margin->over, end_ns - deadline_ns);
		return 0;
	}
	hist_add(&margin->left, deadline_ns - end_ns);
	return deadline_ns - end_ns;
}

uint64_t image_margin_count(const struct image_margin *margin);

/* image_margin_quantile gives the ns that were left at the share q of ends or at fewer: q 0.01
 * those that were exceeded by 99 in 100 ends, q <= 0 the fewest. Negative: so late. 0 when empty.
 * Within 1/128. */
double image_margin_quantile(const struct image_margin *margin, double q);

#endif
