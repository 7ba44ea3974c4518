/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/plan_text.h - a plan on the way to text, for core/map and core/graph.
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

/* The name of a port, by its position among the inputs or among the outputs; "?" beyond. */
const char *plan_port_name(const struct wf_instance *instance, int output, int port);
/* The ring that a link is read from; NULL: none. */
const struct plan_buffer *plan_buffer_of(
    const struct waveform *wf, const struct plan *plan, const struct wf_link *link);

void plan_print_to(FILE *out, const struct waveform *waveform, const struct plan *plan);
json_t *plan_json_root(const struct waveform *waveform, const struct plan *plan);

#endif
