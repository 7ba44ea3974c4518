/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/whatif.h"
#include "core/base/text.h"
#include "core/map/admission.h"
#include "core/map/units.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lanes and links as they are ---- */

static double need_ns(const struct waveform *wf, const struct profile *profile,
    const struct resources *resources, const struct plan *plan, uint32_t i)
{
	const struct cost cost = cost_of(wf, &wf->instances[i], profile);

	assert(i < plan->n_instances);
	const struct lane_resource *lane = &resources->lanes[plan->instances[i].lane];

	return cost_slot_ns(&cost, lane, cost_need_ns(&cost, lane));
}

static double lane_ns(const struct plan *plan, size_t lane)
{
	assert(lane < plan->n_lanes);
	return plan->lanes[lane].base_ns + plan->lanes[lane].taken_ns + plan->lanes[lane].need_ns;
}

/* The fullest lane that has instances, and how full the next one is. */
static size_t lane_fullest(const struct plan *plan, double *ret_next_ns)
{
	size_t best = plan->n_lanes;
	double next = 0;

	assert(plan->n_lanes > 0);
	for (size_t lane = 0; lane < plan->n_lanes; lane++) {
		if (!plan->lanes[lane].n_instances)
			continue;
		if (best == plan->n_lanes || lane_ns(plan, lane) > lane_ns(plan, best)) {
			next = best == plan->n_lanes ? 0 : lane_ns(plan, best);
			best = lane;
		} else {
			next = fmax(next, lane_ns(plan, lane));
		}
	}
	*ret_next_ns = next;
	return best;
}

/* Links between nodes: the shortest slot for them, and how much more they carry. */
static int links_look(const struct waveform *wf, const struct resources *resources,
    const struct plan *plan, struct plan_whatif *whatif)
{
	double *sums = admission_kbit(wf, resources, plan);

	if (!sums)
		return -ENOMEM;
	for (size_t pool = 0; pool < resources->n_pools; pool++) {
		if (sums[pool] <= 0 || resources->pool_links[pool] == MAPPING_NONE)
			continue;
		whatif->slot_ns =
		    fmax(whatif->slot_ns, sums[pool] / resources->kbit[pool] * (double)wf->slot_ns);
		whatif->scale = fmin(whatif->scale, resources->kbit[pool] / sums[pool]);
		if (sums[pool] > resources->kbit[pool]) /* whatever the slot: both grow with it */
			whatif->stream_ns = 0;
	}
	free(sums);
	return 0;
}

static void lanes_look(const struct waveform *wf, const struct resources *resources,
    const struct plan *plan, struct plan_whatif *whatif)
{
	bool stream = true;

	for (size_t l = 0; l < plan->n_lanes; l++) {
		const struct plan_lane *lane = &plan->lanes[l];
		const double stays = lane->base_ns + lane->taken_ns + lane->fixed_ns,
		             grows = lane->need_ns - lane->fixed_ns;

		if (!lane->n_instances)
			continue;
		whatif->slot_ns = fmax(whatif->slot_ns, lane_ns(plan, l) / (1 - resources->margin));
		if (grows > 0)
			whatif->scale =
			    fmin(whatif->scale, fmax(0, lane->limit_ns - stays) / grows);
		whatif->guessed += lane->n_guessed;
		stream = stream && lane->n_lined == lane->n_instances && grows < lane->limit_ns;
		whatif->stream_ns =
		    fmax(whatif->stream_ns, stays / (lane->limit_ns - grows) * (double)wf->slot_ns);
	}
	if (!stream)
		whatif->stream_ns = 0;
}

static void first_look(const struct waveform *wf, const struct profile *profile,
    const struct resources *resources, const struct plan *plan, struct plan_whatif *whatif)
{
	double next_ns;
	const size_t lane = lane_fullest(plan, &next_ns);
	const double over = lane_ns(plan, lane) - plan->lanes[lane].limit_ns;

	for (uint32_t i = 0; i < plan->n_instances; i++) {
		const double ns =
		    plan->instances[i].lane == lane ? need_ns(wf, profile, resources, plan, i) : 0;

		if (ns > whatif->first_ns) {
			whatif->first = i;
			whatif->first_ns = ns;
		}
	}
	whatif->over = over > 0;
	whatif->enough_ns = whatif->first_ns - (over > 0 ? over : lane_ns(plan, lane) - next_ns);
	if (over <= 0)
		whatif->enough_ns = fmax(whatif->enough_ns, 0);
	whatif->then_ns =
	    fmax(next_ns, lane_ns(plan, lane) - whatif->first_ns + fmax(whatif->enough_ns, 0)) /
	    (1 - resources->margin);
}

/* ---- how many cores ------------------------------------------------------------------------ */

struct alike { /* a platform of so many cores like one of another, on one node */
	struct platform_model model;
	struct platform_node node;
	struct platform_core cores[WHATIF_CORES_MAX];
	int cpus[WHATIF_CORES_MAX];
};

static void alike_make(const struct resources *resources, struct alike *alike)
{
	const struct platform_model *platform = resources->platform;
	const struct lane_resource *lane = &resources->lanes[0];

	*alike = (struct alike){0};
	if (lane->node < platform->n_nodes)
		alike->node = platform->nodes[lane->node];
	alike->node.memory_bytes = 0;
	for (int i = 0; i < WHATIF_CORES_MAX; i++) {
		alike->cpus[i] = i;
		alike->cores[i] =
		    (struct platform_core){.kind = lane->kind, .mmac_per_s = lane->mmac_per_s};
	}
	alike->model = (struct platform_model){.cpus = alike->cpus,
	    .mmac_per_s = lane->mmac_per_s,
	    .cores = alike->cores,
	    .margin = platform->margin,
	    .assume_builds = platform->assume_builds,
	    .nodes = &alike->node,
	    .n_nodes = 1};
}

/* The same waveform, as free as can be: no pins, no lanes of the user. Ends with
 * free(instances). */
static int waveform_unpin(const struct waveform *wf, struct waveform *ret)
{
	*ret = *wf;
	ret->lanes = NULL;
	ret->n_lanes = 0;
	ret->instances = malloc(wf->n_instances * sizeof(*ret->instances));
	if (!ret->instances)
		return -ENOMEM;
	memcpy(ret->instances, wf->instances, wf->n_instances * sizeof(*ret->instances));
	for (size_t i = 0; i < wf->n_instances; i++) {
		ret->instances[i].pin = -1;
		ret->instances[i].node = NULL; /* of the other waveform, whose it is */
	}
	return 0;
}

static int cores_try(const struct waveform *wf, struct alike *alike, const struct profile *profile,
    const struct plan_options *options, size_t n, bool *ret_fits)
{
	struct plan_options free_options = *options;
	struct plan *plan = NULL;
	struct diag diag;
	int rc;

	diag_init(&diag);
	free_options.admit = true;
	alike->model.n_lanes = n;
	rc = plan_build(wf, &alike->model, profile, &free_options, &diag, &plan);
	*ret_fits = rc == 0 && plan->choice.mode == PLAN_TIERS;
	plan_free(plan);
	diag_fini(&diag);
	return rc == -ENOMEM ? rc : 0;
}

/* The least number that fits: from what all together take, one by one at first, then in steps that
 * grow by half. */
static int cores_look(const struct waveform *wf, const struct resources *resources,
    const struct profile *profile, const struct plan_options *options, const struct plan *plan,
    struct plan_whatif *whatif)
{
	struct alike *alike = malloc(sizeof(*alike));
	struct waveform unpinned = {0};
	double sum = 0;
	size_t n, tries = 0;
	int rc = alike ? waveform_unpin(wf, &unpinned) : -ENOMEM;

	if (!rc)
		alike_make(resources, alike);
	for (uint32_t i = 0; i < plan->n_instances; i++) {
		const struct cost cost = cost_of(wf, &wf->instances[i], profile);

		sum += cost_slot_ns(&cost, &resources->lanes[0],
		    cost_need_ns(&cost, &resources->lanes[0]) + resources->lanes[0].module_ns);
	}
	n = resources->lanes[0].room_ns > 0
	    ? (size_t)fmin(1e6, ceil(sum / resources->lanes[0].room_ns - 1e-9))
	    : 0;
	n += n == 0;
	while (!rc && !whatif->cores && n <= WHATIF_CORES_MAX && n <= plan->n_instances + 1) {
		bool fits;

		rc = cores_try(&unpinned, alike, profile, options, n, &fits);
		if (!rc && fits)
			whatif->cores = n;
		n += ++tries < 4 ? 1 : n / 2;
	}
	free(unpinned.instances);
	free(alike);
	return rc;
}

int plan_whatif(const struct waveform *wf, const struct platform_model *platform,
    const struct profile *profile, const struct plan_options *options, const struct plan *plan,
    struct plan_whatif *ret)
{
	struct plan_whatif whatif = {.scale = INFINITY};
	struct resources resources;
	struct diag diag;
	int rc;

	assert(plan->n_instances == wf->n_instances);
	diag_init(&diag);
	rc = resources_init(&resources, wf, platform, &diag);
	if (!rc) {
		whatif.known = resources.known;
		lanes_look(wf, &resources, plan, &whatif);
		first_look(wf, profile, &resources, plan, &whatif);
		rc = links_look(wf, &resources, plan, &whatif);
	}
	if (!rc && resources.known)
		rc = cores_look(wf, &resources, profile, options, plan, &whatif);
	if (!rc)
		rc = plan_bounds(wf, platform, &whatif.bounds);
	resources_fini(&resources);
	diag_fini(&diag);
	if (!rc)
		*ret = whatif;
	return rc;
}

void plan_whatif_note(
    const struct waveform *wf, const struct plan_whatif *whatif, struct diag *diag)
{
	const char *first = wf->instances[whatif->first].name;
	char faster[128] = "", cores[80] = "", smaller[64] = "";

	assert(whatif->first < wf->n_instances);
	if (whatif->over && whatif->enough_ns > 0)
		snprintf(faster, sizeof(faster), "; or if %s takes %.1f us (%.2f x as fast)", first,
		    whatif->enough_ns / 1e3, whatif->first_ns / whatif->enough_ns);
	if (whatif->cores)
		snprintf(cores, sizeof(cores),
		    "; or with %zu core%s like the first core and "
		    "without pins",
		    whatif->cores, plural(whatif->cores));
	if (whatif->scale > 0 && whatif->scale < 1)
		snprintf(smaller, sizeof(smaller), "; or with messages of %.2f x the size",
		    floor(whatif->scale * 100) / 100);
	diag_note(diag,
	    "the waveform fits with slots of %.0f us (--slot-us %.0f)%s%s%s; --force loads the "
	    "waveform anyway",
	    ceil(whatif->slot_ns / 1e3), ceil(whatif->slot_ns / 1e3), smaller, faster, cores);
}
