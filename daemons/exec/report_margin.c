/* SPDX-License-Identifier: BSD-3-Clause
 *
 * report_margin.c - how much time was left at deadlines: of slots, of a radio, of budgets. */
#include <math.h>

#include "core/image/margin.h"
#include "daemons/exec/report.h"

/* By the share of ends at which so little was left, or less. */
static const struct {
	const char *key;
	double q;
} shares[] = {{"least", 0}, {"p01", 0.001}, {"p1", 0.01}, {"p50", 0.5}};

enum { SHARES = sizeof(shares) / sizeof(shares[0]) };

static void cells_put(json_t *array, const struct hist *hist, bool over)
{
	for (uint32_t i = 0; i < HIST_CELLS; i++) {
		const uint32_t c = over ? HIST_CELLS - 1 - i : i;
		const uint64_t count = hist_cells_get(&hist->cells, c);
		const json_int_t low = (json_int_t)hist_cell_low(c);

		if (count > 0)
			json_array_append_new(
			    array, json_pack("[I, I]", over ? -low : low, (json_int_t)count));
	}
}

json_t *report_margin(const struct image_margin *margin)
{
	const bool sound = image_hist_sound(&margin->left) && image_hist_sound(&margin->over),
	           any = sound && image_margin_count(margin) > 0;
	json_t *o = json_object(), *cells = json_array();

	put_u64(o, "count", image_margin_count(margin));
	put_u64(o, "over", hist_count(&margin->over));
	for (size_t i = 0; i < SHARES; i++)
		put_real(
		    o, shares[i].key, any ? us(image_margin_quantile(margin, shares[i].q)) : NAN);
	if (any) {
		cells_put(cells, &margin->over, true);
		cells_put(cells, &margin->left, false);
	}
	json_object_set_new(o, "histogram_ns", cells);
	return o;
}

json_t *report_budget_margin(const struct hist *time, uint64_t budget_ns, uint64_t overruns)
{
	const bool any = image_hist_sound(time) && hist_count(time) > 0;
	json_t *o;

	if (budget_ns == 0)
		return json_null();
	o = json_object();
	put_u64(o, "count", hist_count(time));
	put_u64(o, "over", overruns);
	for (size_t i = 0; i < SHARES; i++)
		put_real(o, shares[i].key,
		    any ? us((double)budget_ns - (double)hist_quantile(time, 1 - shares[i].q))
		        : NAN);
	return o;
}
