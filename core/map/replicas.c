/* SPDX-License-Identifier: BSD-3-Clause
 *
 * replicas.c - how many places an instance with replicas = "auto" gets. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/text.h"
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
	return (uint32_t)fmin(UINT32_MAX, ceil(least - 1e-9));
}

static uint32_t places_allowed(
    const struct wf_instance *instance, uint32_t needed, struct diag *diag)
{
	if (needed <= WF_REPLICAS_MAX)
		return needed;
	diag_note(diag,
	    "replicas: a call of %s is as long as %" PRIu32
	    " slot%s; it is in %d place%s, the most "
	    "that are allowed",
	    instance->name, needed, plural(needed), WF_REPLICAS_MAX, plural(WF_REPLICAS_MAX));
	return WF_REPLICAS_MAX;
}

/* Rows and links of all places are as many as a file may have, at most. */
static int size_check(const struct waveform *wf, struct diag *diag)
{
	const struct wf_size size = waveform_spread_size(wf);

	if (size.n_instances <= WF_INSTANCES_MAX && size.n_links <= WF_LINKS_MAX)
		return 0;
	diag_error(diag, wf->file, 0,
	    "with their replicas there are %zu instance%s and %zu link%s; at most %d instances and "
	    "%d links are allowed: fewer replicas are needed",
	    size.n_instances, plural(size.n_instances), size.n_links, plural(size.n_links),
	    WF_INSTANCES_MAX, WF_LINKS_MAX);
	return -EINVAL;
}

int plan_spread(struct waveform *wf, const struct platform_model *platform,
    const struct profile *profile, struct diag *diag)
{
	struct resources resources = {0};
	int rc = resources_init(&resources, wf, platform, diag);

	for (size_t i = 0; !rc && i < wf->n_instances; i++) {
		const struct cost cost = cost_of(wf, &wf->instances[i], profile);

		if (wf->instances[i].replicas == 0)
			wf->instances[i].replicas = places_allowed(
			    &wf->instances[i], places_needed(wf, &resources, &cost), diag);
	}
	resources_fini(&resources);
	if (!rc)
		rc = size_check(wf, diag);
	return rc ? rc : waveform_spread(wf);
}
