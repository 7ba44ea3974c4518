/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/resources.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/map/radios.h"

/* Of a slot that is shorter than what a lane costs itself: it is mapped all the same, and admission
 * says why it is not held. */
static const double LEAST_ROOM = 1e-3;

double resources_rate(const struct lane_resource *lane)
{
	return lane->mmac_per_s > 0 ? lane->mmac_per_s : 1000;
}

const char *resources_node(const struct resources *resources, size_t lane)
{
	const struct platform_model *platform = resources->platform;

	assert(lane < resources->n_lanes);
	return platform->name && platform->n_nodes
	    ? platform->nodes[resources->lanes[lane].node].name
	    : "";
}

const char *resources_arch(const struct resources *resources, size_t lane)
{
	const struct platform_model *platform = resources->platform;
	const uint32_t node = resources->lanes[lane].node;

	assert(lane < resources->n_lanes);
	return node < platform->n_nodes && platform->nodes[node].arch ? platform->nodes[node].arch
	                                                              : "";
}

uint32_t resources_most(const struct resources *resources)
{
	uint32_t most = 1;

	for (size_t i = 0; i < resources->n_lanes * resources->n_lanes; i++)
		most = resources->delay[i] > most ? resources->delay[i] : most;
	return most;
}

/* ---- lanes ------------------------------------------------------------------------ */

static void lane_fill(const struct waveform *wf, const struct platform_model *platform,
    double margin, size_t core, struct lane_resource *lane)
{
	const double slot_ns = (double)wf->slot_ns * (1 - margin);
	/* else nothing is waited for, and noise costs no slot */
	const bool timed = waveform_timed(wf);

	*lane = (struct lane_resource){
	    .cpu = platform->cpus[core], .mmac_per_s = platform->mmac_per_s, .room_ns = slot_ns};
	if (platform->cores) {
		lane->node = platform->cores[core].node;
		lane->kind = platform->cores[core].kind;
		lane->mmac_per_s = platform->cores[core].mmac_per_s;
		lane->taken_ns = platform->cores[core].taken_ns;
	}
	if (lane->node < platform->n_nodes) {
		const struct platform_node *node = &platform->nodes[lane->node];
		const double noise_ns = timed ? node->noise_ns : 0;

		lane->arch =
		    platform->assume_builds || wf->admit == WF_ADMIT_ALWAYS ? NULL : node->arch;
		lane->base_ns = timed ? node->base_ns : 0;
		lane->module_ns = node->module_ns;
		lane->handover_ns = node->handover_ns;
		lane->room_ns = fmax(slot_ns - lane->base_ns - noise_ns, slot_ns * LEAST_ROOM);
	}
}

static int lane_find(const struct waveform *wf, const struct platform_model *platform,
    double margin, int cpu, struct lane_resource *lane, struct diag *diag)
{
	for (size_t core = 0; core < platform->n_lanes; core++)
		if (platform->cpus[core] == cpu) {
			lane_fill(wf, platform, margin, core, lane);
			return 0;
		}
	if (platform->name)
		return diag_error(diag, wf->file, 0,
		    "lanes: platform \"%s\" has no core %d, only the cores [0, %zu]",
		    platform->name, cpu, platform->n_lanes - 1);
	/* here: exec says whether there is such a CPU */
	*lane = (struct lane_resource){.cpu = cpu,
	    .mmac_per_s = platform->cores && platform->n_lanes ? platform->cores[0].mmac_per_s
	                                                       : platform->mmac_per_s,
	    .room_ns = (double)wf->slot_ns * (1 - margin)};
	return 0;
}

/* Where a radio is the clock, the one lane is on the node of the radio. */
static int radio_lane_check(const struct resources *resources, const struct waveform *wf,
    const struct platform_model *platform, size_t core, struct diag *diag)
{
	const uint32_t wanted = platform->cores[core].node, node = resources->lanes[0].node;

	return node == wanted
	    ? 0
	    : diag_error(diag, wf->file, 0,
	          "lanes: core %d is on node \"%s\", but the radio is on node \"%s\"",
	          resources->lanes[0].cpu, platform->nodes[node].name,
	          platform->nodes[wanted].name);
}

static int lanes_init(struct resources *resources, const struct waveform *wf,
    const struct platform_model *platform, struct diag *diag)
{
	size_t first;
	int rc = radios_core(wf, platform, diag, &first);

	resources->lanes = calloc(resources->n_lanes, sizeof(*resources->lanes));
	if (!resources->lanes)
		return -ENOMEM;
	resources->known = true;
	for (size_t lane = 0; !rc && lane < resources->n_lanes; lane++) {
		if (resources->named)
			rc = lane_find(wf, platform, resources->margin, wf->lanes[lane],
			    &resources->lanes[lane], diag);
		else
			lane_fill(
			    wf, platform, resources->margin, first + lane, &resources->lanes[lane]);
		resources->known = resources->known && resources->lanes[lane].mmac_per_s > 0;
	}
	if (!rc && first > 0 && resources->named)
		rc = radio_lane_check(resources, wf, platform, first, diag);
	return rc;
}

/* ---- what joins them ------------------------------------------------------------------------ */

static bool link_joins(const struct platform_link *link, uint32_t node)
{
	for (size_t i = 0; i < link->n_nodes; i++)
		if (link->nodes[i] == node)
			return true;
	return false;
}

/* The link with the most bandwidth that joins two nodes; the first of several; n_links: there is
 * none. */
static size_t link_between(const struct platform_model *platform, uint32_t from, uint32_t to)
{
	size_t best = platform->n_links;

	for (size_t i = 0; i < platform->n_links; i++)
		if (link_joins(&platform->links[i], from) && link_joins(&platform->links[i], to) &&
		    (best == platform->n_links ||
		        platform->links[i].mbit_per_s > platform->links[best].mbit_per_s))
			best = i;
	return best;
}

/* Pools: one for the memory of each node, then two for each link: there, and (full duplex) back. */
static void pair_join(struct resources *resources, size_t n_nodes, size_t from, size_t to)
{
	const struct platform_model *platform = resources->platform;
	const uint32_t a = resources->lanes[from].node, b = resources->lanes[to].node;
	const size_t at = from * resources->n_lanes + to;
	const size_t link = a == b ? 0 : link_between(platform, a, b);

	resources->delay[at] =
	    a == b || link == platform->n_links ? 1 : platform->links[link].delay;
	resources->pool[at] = MAPPING_NONE;
	if (a == b)
		resources->pool[at] = a;
	else if (link < platform->n_links)
		resources->pool[at] = (uint32_t)(n_nodes + 2 * link +
		    (platform->links[link].kind == PLATFORM_FULL && a > b ? 1 : 0));
}

static int joints_init(struct resources *resources, uint64_t slot_ns)
{
	const struct platform_model *platform = resources->platform;
	const size_t n = resources->n_lanes, n_nodes = platform->n_nodes ? platform->n_nodes : 1;

	assert(slot_ns > 0);
	resources->n_pools = n_nodes + 2 * platform->n_links;
	resources->delay = calloc(n * n, sizeof(*resources->delay));
	resources->pool = calloc(n * n, sizeof(*resources->pool));
	resources->kbit = calloc(resources->n_pools, sizeof(*resources->kbit));
	resources->pool_links = calloc(resources->n_pools, sizeof(*resources->pool_links));
	if (!resources->delay || !resources->pool || !resources->kbit || !resources->pool_links)
		return -ENOMEM;
	for (size_t pool = 0; pool < resources->n_pools; pool++) {
		const size_t link = pool < n_nodes ? 0 : (pool - n_nodes) / 2;

		resources->pool_links[pool] = pool < n_nodes ? MAPPING_NONE : (uint32_t)link;
		resources->kbit[pool] = pool < n_nodes
		    ? INFINITY
		    : platform->links[link].mbit_per_s * (double)slot_ns * 1e-6;
	}
	for (size_t from = 0; from < n; from++)
		for (size_t to = 0; to < n; to++)
			pair_join(resources, n_nodes, from, to);
	return 0;
}

int resources_init(struct resources *resources, const struct waveform *wf,
    const struct platform_model *platform, struct diag *diag)
{
	int rc;

	*resources = (struct resources){.platform = platform, .named = wf->n_lanes > 0};
	resources->n_lanes = wf->n_lanes ? wf->n_lanes : platform->n_lanes;
	if (wf->clock == WF_CLOCK_RADIO) /* which is the clock of one lane */
		resources->n_lanes = resources->n_lanes ? 1 : 0;
	resources->margin = wf->margin > platform->margin ? wf->margin : platform->margin;
	if (!resources->n_lanes)
		return diag_error(
		    diag, wf->file, 0, "the platform has no lanes, and at least 1 is needed");
	rc = lanes_init(resources, wf, platform, diag);
	return rc ? rc : joints_init(resources, wf->slot_ns);
}

double resources_carry(
    const struct resources *resources, size_t from, size_t to, double messages, double kbit)
{
	const uint32_t pool = resources->pool[from * resources->n_lanes + to];
	const struct platform_link *link;

	assert(from < resources->n_lanes && to < resources->n_lanes);
	if (from == to || pool == MAPPING_NONE || resources->pool_links[pool] == MAPPING_NONE)
		return 0;
	link = &resources->platform->links[resources->pool_links[pool]];
	return messages * link->message_ns + kbit * 125 * link->byte_ns;
}

bool resources_carries(const struct resources *resources, size_t lane)
{
	const struct platform_model *platform = resources->platform;
	const uint32_t node = resources->lanes[lane].node;

	return node < platform->n_nodes && platform->nodes[node].housekeeping.n == 0;
}

void resources_fini(struct resources *resources)
{
	free(resources->lanes);
	free(resources->delay);
	free(resources->pool);
	free(resources->kbit);
	free(resources->pool_links);
}
