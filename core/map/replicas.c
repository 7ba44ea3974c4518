/* SPDX-License-Identifier: BSD-3-Clause
 *
 * replicas.c - how many places an instance with replicas = "auto" gets. */
#include <math.h>
#include <stdlib.h>

#include "core/map/costs.h"

/* One place, unless a call is longer than the time of a slot on every lane: then as few places as
 * give it enough slots. Calls that fit in a slot take no less of it in several places. */
static uint32_t places_needed(
    const struct waveform *wf, const struct resources *resources, const struct cost *cost)
{
	double least = INFINITY;

	for (size_t lane = 0; lane < resources->n_lanes; lane++) {
		const struct lane_resource *row = &resources->lanes[lane];
		const double need = cost_need_ns(cost, row) + row->module_ns;

		if (row->room_ns > 0 && cost_known(cost, row))
			least = fmin(least, need / row->room_ns);
	}
	if (!waveform_timed(wf) || least == INFINITY || least <= 1)
		return 1;
	return (uint32_t)fmin(PLAN_PLACES_MAX, ceil(least - 1e-9));
}

int plan_spread(struct waveform *wf, const struct platform_model *platform,
    const struct profile *profile, struct diag *diag)
{
	struct resources resources = {0};
	const int rc = resources_init(&resources, wf, platform, diag);

	for (size_t i = 0; !rc && i < wf->n_instances; i++) {
		const struct cost cost = cost_of(wf, &wf->instances[i], profile);

		if (wf->instances[i].replicas == 0)
			wf->instances[i].replicas = places_needed(wf, &resources, &cost);
	}
	resources_fini(&resources);
	return rc ? rc : waveform_spread(wf);
}
