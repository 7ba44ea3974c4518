/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/admission.h"
#include "core/base/text.h"
#include "core/map/units.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const double SLACK = 1e-9; /* of rounding */

/* ---- what there is of each lane ---- */

static void instance_write(const struct lane_resource *resource, const struct cost *cost,
    struct plan_instance *instance, struct plan_lane *lane)
{
	const bool known = cost_known(cost, resource);
	const double module = resource->module_ns, budget = cost_budget_ns(cost, resource),
	             call = cost_need_ns(cost, resource),
	             need = cost_slot_ns(cost, resource, call + module);

	instance->budget_ns = known ? (uint64_t)budget : 0;
	instance->admitted_ns = known ? (uint64_t)(need - module) : 0;
	lane->need_ns += need;
	lane->fixed_ns += call + module > 0
	    ? need * (cost_fixed_ns(cost, resource) + module) / (call + module)
	    : 0;
	lane->n_lined += cost_lined(cost, resource);
	lane->reserve_ns = fmax(lane->reserve_ns, budget - call);
	lane->typical_ns += cost_slot_ns(cost, resource, cost_typical_ns(cost, resource) + module);
	lane->n_instances++;
	lane->n_guessed += !known;
}

static void starts_write(const struct resources *resources, struct plan *plan)
{
	for (size_t lane = 0; lane < plan->n_lanes; lane++) {
		const struct lane_resource *resource = &resources->lanes[lane];
		double at = resource->base_ns;
		bool known = plan->lanes[lane].n_guessed == 0;
		size_t segments = 0;

		for (size_t s = 0; known && s < plan->n_segments; s++) {
			if (plan->segments[s].lane != lane)
				continue;
			at += segments++ ? resource->handover_ns : 0;
			for (size_t i = 0; i < plan->segments[s].n_instances; i++) {
				struct plan_instance *instance =
				    &plan->instances[plan->segments[s].instances[i]];

				instance->start_ns = (uint64_t)at;
				at += (double)instance->budget_ns + resource->module_ns;
			}
		}
	}
}

/* What crosses to other nodes is sent and received by the cores of both. */
static void carry_write(
    const struct waveform *wf, const struct resources *resources, struct plan *plan)
{
	for (size_t i = 0; i < wf->n_links && waveform_timed(wf); i++) {
		const uint32_t ends[] = {
		    plan->instances[wf->links[i].from].lane, plan->instances[wf->links[i].to].lane};
		const double ns = resources_carry(
		    resources, ends[0], ends[1], 1, units_link_kbit(wf, &wf->links[i]));

		for (int end = 0; end < 2; end++)
			if (resources_carries(resources, ends[end]))
				plan->lanes[ends[end]].carry_ns += ns;
	}
	for (size_t lane = 0; lane < plan->n_lanes; lane++)
		plan->lanes[lane].base_ns += plan->lanes[lane].carry_ns;
}

void admission_write(const struct waveform *wf, const struct resources *resources,
    const struct cost *costs, struct plan *plan)
{
	const double limit_ns = (double)wf->slot_ns * (1 - resources->margin);

	assert(plan->n_instances == wf->n_instances);
	assert(plan->n_lanes == resources->n_lanes);
	for (size_t l = 0; l < plan->n_lanes; l++) {
		const struct lane_resource *resource = &resources->lanes[l];

		plan->lanes[l] = (struct plan_lane){.mmac_per_s = resource->mmac_per_s,
		    .limit_ns = limit_ns,
		    .base_ns = limit_ns - resource->room_ns - resource->handover_ns,
		    .taken_ns = resource->taken_ns};
		snprintf(plan->lanes[l].node, sizeof(plan->lanes[l].node), "%s",
		    resources_node(resources, l));
		snprintf(plan->lanes[l].arch, sizeof(plan->lanes[l].arch), "%s",
		    resources_arch(resources, l));
	}
	for (size_t s = 0; s < plan->n_segments; s++)
		plan->lanes[plan->segments[s].lane].base_ns +=
		    resources->lanes[plan->segments[s].lane].handover_ns;
	for (size_t i = 0; i < plan->n_instances; i++) {
		const uint32_t l = plan->instances[i].lane;

		instance_write(
		    &resources->lanes[l], &costs[i], &plan->instances[i], &plan->lanes[l]);
		plan->n_stated += cost_stated(&costs[i], &resources->lanes[l]);
	}
	/* a lane that is shared is handed over once more */
	for (size_t l = 0; l < plan->n_lanes; l++)
		plan->lanes[l].base_ns += !plan->lanes[l].n_instances || plan->lanes[l].taken_ns > 0
		    ? resources->lanes[l].handover_ns
		    : 0;
	carry_write(wf, resources, plan);
	starts_write(resources, plan);
}

/* ---- does it fit? ------------------------------------------------------------------------ */

static const struct plan_instance *instance_largest(const struct plan *plan, size_t lane)
{
	const struct plan_instance *most = NULL;

	assert(lane < plan->n_lanes);
	for (size_t i = 0; i < plan->n_instances; i++)
		if (plan->instances[i].lane == lane &&
		    (!most || plan->instances[i].admitted_ns > most->admitted_ns))
			most = &plan->instances[i];
	return most;
}

/* What the instances whose cost is known need. */
static double known_ns(const struct plan *plan, const struct resources *resources, size_t lane)
{
	double sum = 0;

	assert(lane < plan->n_lanes);
	for (size_t i = 0; i < plan->n_instances; i++)
		if (plan->instances[i].lane == lane && plan->instances[i].budget_ns)
			sum += (double)plan->instances[i].admitted_ns +
			    resources->lanes[lane].module_ns;
	return sum;
}

static void lane_name(const struct resources *resources, size_t lane, char *text, size_t size)
{
	const char *node = resources_node(resources, lane);

	snprintf(text, size, "lane %zu (%s%sCPU %d)", lane, node, node[0] ? " " : "",
	    resources->lanes[lane].cpu);
}

static int lane_check(const struct waveform *wf, const struct resources *resources, bool refuse,
    const struct plan *plan, size_t number, struct diag *diag)
{
	const struct plan_lane *lane = &plan->lanes[number];
	const double fixed = lane->base_ns + lane->taken_ns,
	             sure = known_ns(plan, resources, number);
	const struct plan_instance *most = instance_largest(plan, number);
	char name[96], carry[96] = "", text[512];

	assert(plan->n_lanes == resources->n_lanes);
	if (lane->carry_ns > 0)
		snprintf(carry, sizeof(carry), " (%.1f us of it: messages to and from other nodes)",
		    lane->carry_ns / 1e3);
	if (!most || fixed + lane->need_ns <= lane->limit_ns * (1 + SLACK))
		return 0;
	lane_name(resources, number, name, sizeof(name));
	if (sure <= 0 || fixed + sure <= lane->limit_ns * (1 + SLACK)) {
		if (resources->known)
			diag_note(diag,
			    "%s may not hold its %zu instance%s: the instances need %.1f us of "
			    "%.1f us by the components' own figures (not measured yet: %zu)",
			    name, lane->n_instances, plural(lane->n_instances),
			    (fixed + lane->need_ns) / 1e3, lane->limit_ns / 1e3, lane->n_guessed);
		return 0;
	}
	snprintf(text, sizeof(text),
	    "%s cannot hold its %zu instance%s: the instances need %.1f us, and the slot has "
	    "%.1f us for them (margin %g %%): instances %.1f us, overhead %.1f us%s, admitted "
	    "before %.1f us; the largest instance is %s with %.1f us",
	    name, lane->n_instances, plural(lane->n_instances), (fixed + sure) / 1e3,
	    lane->limit_ns / 1e3, 100 * resources->margin, sure / 1e3, lane->base_ns / 1e3, carry,
	    lane->taken_ns / 1e3, wf->instances[most - plan->instances].name,
	    (double)most->admitted_ns / 1e3);
	if (refuse)
		return diag_error(diag, wf->file, 0, "%s", text);
	diag_note(diag, "%s", text);
	return 0;
}

/* What crosses, by pool; the caller frees it. */
double *admission_kbit(
    const struct waveform *wf, const struct resources *resources, const struct plan *plan)
{
	double *sums = calloc(resources->n_pools, sizeof(*sums));

	assert(plan->n_instances == wf->n_instances);
	for (size_t i = 0; sums && i < wf->n_links; i++) {
		const uint32_t from = plan->instances[wf->links[i].from].lane;
		const uint32_t to = plan->instances[wf->links[i].to].lane;
		const uint32_t pool = resources->pool[from * resources->n_lanes + to];

		if (from != to && pool != MAPPING_NONE)
			sums[pool] += units_link_kbit(wf, &wf->links[i]);
	}
	return sums;
}

static int links_check(const struct waveform *wf, const struct resources *resources, bool refuse,
    const struct plan *plan, struct diag *diag)
{
	double *sums = admission_kbit(wf, resources, plan);
	int rc = sums ? 0 : -ENOMEM;

	for (size_t pool = 0; sums && pool < resources->n_pools; pool++) {
		const struct platform_link *link;
		char text[256];

		if (sums[pool] <= resources->kbit[pool] * (1 + SLACK))
			continue;
		link = &resources->platform->links[resources->pool_links[pool]];
		snprintf(text, sizeof(text),
		    "the link between %s and %s is too slow: the waveform sends %.1f kbit per "
		    "slot, and the link carries %.1f kbit (%g Mbit/s)",
		    resources->platform->nodes[link->nodes[0]].name,
		    resources->platform->nodes[link->nodes[link->n_nodes - 1]].name, sums[pool],
		    resources->kbit[pool], link->mbit_per_s);
		if (refuse)
			rc = diag_error(diag, wf->file, 0, "%s", text);
		else
			diag_note(diag, "%s", text);
	}
	free(sums);
	return rc;
}

static int memory_check(const struct waveform *wf, const struct resources *resources, bool refuse,
    const struct plan *plan, struct diag *diag)
{
	const struct platform_model *platform = resources->platform;
	int rc = 0;

	for (size_t node = 0; node < platform->n_nodes; node++) {
		const double there = platform->nodes[node].memory_bytes;
		double bytes = 0;

		for (size_t b = 0; b < plan->n_buffers; b++)
			if (resources->lanes[plan->instances[plan->buffers[b].instance].lane]
			        .node == node)
				bytes += (double)plan->buffers[b].depth * plan->buffers[b].max *
				    aloe_item_bytes(plan->buffers[b].type);
		if (there <= 0 || bytes <= there)
			continue;
		if (refuse)
			rc = diag_error(diag, wf->file, 0,
			    "the links take %.1f MB of the %.1f MB of memory of node %s",
			    bytes / 1e6, there / 1e6, platform->nodes[node].name);
		else
			diag_note(diag,
			    "the links take %.1f MB of the %.1f MB of memory of node %s",
			    bytes / 1e6, there / 1e6, platform->nodes[node].name);
	}
	return rc;
}

int admission_check(const struct waveform *wf, const struct resources *resources,
    const struct plan_options *options, const struct plan *plan, struct diag *diag)
{
	const bool refuse = waveform_timed(wf) && wf->admit != WF_ADMIT_ALWAYS && !options->admit;
	int rc = 0, one;

	assert(plan->n_links == wf->n_links);
	if (!waveform_timed(wf))
		return 0;
	for (size_t lane = 0; lane < plan->n_lanes; lane++) {
		one = lane_check(wf, resources, refuse, plan, lane, diag);
		rc = rc ? rc : one;
	}
	one = links_check(wf, resources, refuse, plan, diag);
	rc = rc ? rc : one;
	one = memory_check(wf, resources, refuse, plan, diag);
	return rc ? rc : one;
}
