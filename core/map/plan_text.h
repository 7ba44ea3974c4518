/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/plan_text.h - a plan on the way to text, for core/map alone.
 */
#ifndef ALOE_MAP_PLAN_TEXT_H
#define ALOE_MAP_PLAN_TEXT_H

#include <stdio.h>

#include "core/json/json.h"
#include "core/map/plan.h"

/* What a lane takes of its slot. */
static inline double plan_lane_ns(const struct plan_lane *lane)
{
	return lane->base_ns + lane->taken_ns + lane->need_ns;
}

void plan_print_to(FILE *out, const struct waveform *waveform, const struct plan *plan);
json_t *plan_json_root(const struct waveform *waveform, const struct plan *plan);

#endif
