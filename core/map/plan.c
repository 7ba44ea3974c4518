/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/plan.h"
#include "core/base/text.h"
#include "core/map/admission.h"
#include "core/map/map.h"
#include "core/map/profile.h"
#include "core/map/tails.h"
#include "core/map/where.h"
#include "core/waveform/neighbours.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- costs ---- */

static int costs_make(
    const struct waveform *wf, const struct profile *profile, struct plan *plan, struct cost **ret)
{
	struct cost *costs = calloc(wf->n_instances, sizeof(*costs));

	if (!costs)
		return -ENOMEM;
	for (size_t i = 0; i < wf->n_instances; i++) {
		const struct wf_instance *row = &wf->instances[i];

		costs[i] = cost_of(wf, row, profile);
		plan->instances[i].kmac = costs[i].kmac;
		plan->instances[i].guessed = !costs[i].timed;
		plan->instances[i].bytes = length_of(row);
		plan->instances[i].length = costs[i].length;
		if (i < waveform_originals(wf) && costs[i].timed)
			plan->hash = plan_profile_hash(plan->hash,
			    plan_profile_find(profile, row->original ? row->original : row->name));
	}
	*ret = costs;
	return 0;
}

/* ---- hosts: the shared one of each node ("none"), then the waveform's own of each node, then one
 * for each instance that wants its own. Who is beside another one is in the same ---- */

/* One host on each node that has instances of this isolation. */
static void hosts_by_node(const struct waveform *wf, const struct resources *resources,
    enum wf_isolation isolation, struct plan *plan, uint32_t *hosts)
{
	const size_t n_nodes = resources->platform->n_nodes ? resources->platform->n_nodes : 1;

	for (size_t node = 0; node < n_nodes; node++) {
		bool any = false;

		for (size_t i = 0; i < wf->n_instances; i++)
			if (wf->instances[i].isolation == isolation &&
			    resources->lanes[plan->instances[i].lane].node == node) {
				hosts[i] = plan->n_hosts;
				any = true;
			}
		plan->n_hosts += any;
	}
}

static void hosts_write(const struct waveform *wf, const struct resources *resources,
    struct plan *plan, uint32_t *hosts)
{
	hosts_by_node(wf, resources, WF_ISOLATION_NONE, plan, hosts);
	plan->n_shared = plan->n_hosts;
	hosts_by_node(wf, resources, WF_ISOLATION_WAVEFORM, plan, hosts);
	for (size_t i = 0; i < wf->n_instances; i++)
		if (wf->instances[i].isolation == WF_ISOLATION_COMPONENT &&
		    waveform_beside(wf, i) < 0 && wf->instances[i].place == 0)
			hosts[i] = plan->n_hosts++;
	for (size_t i = 0; i < wf->n_instances; i++)
		if (wf->instances[i].place > 0) /* all places write one ring */
			hosts[i] = hosts[wf->instances[i].named];
	for (size_t i = 0; i < wf->n_instances; i++)
		if (waveform_beside(wf, i) >= 0)
			hosts[i] = hosts[waveform_beside(wf, i)];
}

/* ---- segments: runs of one host in a lane's order ---- */

/* Places of instances work on some indices only: in one segment are those that have the same steps
 * for them. */
static bool same_steps(const struct waveform *wf, const struct plan *plan, uint32_t a, uint32_t b)
{
	return waveform_places(&wf->instances[a]) == waveform_places(&wf->instances[b]) &&
	    plan_turn(wf, plan, a) == plan_turn(wf, plan, b);
}

/* How many instances from `begin` on run on one lane in one host in the same steps. */
static size_t run_len(const struct waveform *wf, const struct plan *plan, const uint32_t *sequence,
    const uint32_t *hosts, size_t begin)
{
	const uint32_t first = sequence[begin];
	size_t end = begin + 1;

	assert(begin < plan->n_instances);
	while (end < plan->n_instances && same_steps(wf, plan, first, sequence[end]) &&
	    hosts[sequence[end]] == hosts[first] &&
	    plan->instances[sequence[end]].lane == plan->instances[first].lane)
		end++;
	return end - begin;
}

static int segment_add(struct plan *plan, const uint32_t *sequence, size_t len, uint32_t host)
{
	struct plan_segment *segment = &plan->segments[plan->n_segments];

	assert(plan->n_segments < plan->n_instances);
	assert(len > 0);
	segment->instances = calloc(len, sizeof(*segment->instances));
	if (!segment->instances)
		return -ENOMEM;
	segment->lane = plan->instances[sequence[0]].lane;
	segment->host = host;
	segment->n_instances = len;
	for (size_t i = 0; i < len; i++) {
		segment->instances[i] = sequence[i];
		plan->instances[sequence[i]].segment = (uint32_t)plan->n_segments;
		plan->instances[sequence[i]].order = (uint32_t)i;
	}
	plan->n_segments++;
	return 0;
}

/* sequence: all instances, lane by lane, in order of execution. */
static int segments_write(
    const struct waveform *wf, struct plan *plan, const uint32_t *sequence, const uint32_t *hosts)
{
	size_t len;
	int rc = 0;

	plan->segments = calloc(plan->n_instances, sizeof(*plan->segments));
	if (!plan->segments)
		return -ENOMEM;
	for (size_t begin = 0; !rc && begin < plan->n_instances; begin += len) {
		len = run_len(wf, plan, sequence, hosts, begin);
		rc = segment_add(plan, sequence + begin, len, hosts[sequence[begin]]);
	}
	return rc;
}

static void sequence_write(const struct plan *plan, const uint32_t *order, uint32_t *sequence)
{
	size_t begin = 0;

	for (uint32_t lane = 0; lane < plan->n_lanes; lane++) {
		size_t len = 0;

		for (size_t i = 0; i < plan->n_instances; i++) {
			if (plan->instances[i].lane != lane)
				continue;
			sequence[begin + order[i]] = (uint32_t)i;
			len++;
		}
		begin += len;
	}
}

static int segments_make(
    const struct waveform *wf, const struct resources *resources, struct plan *plan)
{
	uint32_t *hosts = calloc(wf->n_instances, sizeof(*hosts));
	uint32_t *order = calloc(wf->n_instances, sizeof(*order));
	uint32_t *side = calloc(wf->n_instances, sizeof(*side));
	uint32_t *sequence = calloc(wf->n_instances, sizeof(*sequence));
	int rc = -ENOMEM;

	assert(wf->n_instances == plan->n_instances);
	if (hosts && order && side && sequence) {
		hosts_write(wf, resources, plan, hosts);
		rc = order_lanes(wf, plan->instances, plan->links, hosts, order, side);
	}
	for (size_t i = 0; !rc && i < wf->n_instances; i++)
		plan->instances[i].side = side[i];
	if (!rc) {
		sequence_write(plan, order, sequence);
		rc = segments_write(wf, plan, sequence, hosts);
	}
	free(sequence);
	free(side);
	free(order);
	free(hosts);
	return rc;
}

/* A process is told of so many segments at most. */
static int hosts_check(const struct waveform *wf, const struct plan *plan, struct diag *diag)
{
	uint32_t *n = calloc(plan->n_hosts + 1, sizeof(*n));
	int rc = n ? 0 : -ENOMEM;

	for (size_t s = 0; n && s < plan->n_segments; s++)
		n[plan->segments[s].host]++;
	for (uint32_t h = 0; n && h < plan->n_hosts; h++) {
		if (n[h] <= PLAN_HOST_SEGMENTS_MAX)
			continue;
		diag_error(diag, wf->file, 0,
		    "one process would run %" PRIu32 " segment%s, which are places of replicas and "
		    "runs of instances on a lane; a process runs at most %d: fewer replicas or "
		    "lanes, or isolation = \"component\" are needed",
		    n[h], plural(n[h]), PLAN_HOST_SEGMENTS_MAX);
		rc = -EINVAL;
	}
	free(n);
	return rc;
}

/* ---- buffers ---- */

/* How many messages lie in a ring at once, at least: its distance, and those that are written until
 * word is back that the first was read: a reader in r places reads for r slots. Between nodes one
 * more, which is sent again. */
static uint32_t link_depth(
    const struct waveform *wf, const struct resources *resources, const struct plan *plan, size_t l)
{
	const struct wf_link *link = &wf->links[l];
	const size_t n = resources->n_lanes, from = plan->instances[link->from].lane,
	             to = plan->instances[link->to].lane;

	return plan->links[l].distance + waveform_places(&wf->instances[link->to]) - 1 +
	    resources->delay[from * n + to] + resources->delay[to * n + from] +
	    (resources->lanes[from].node != resources->lanes[to].node);
}

/* The most of all links of an output of one row; 0 when it is not connected. */
static uint32_t depth_row(const struct waveform *wf, const struct resources *resources,
    const struct plan *plan, const struct neighbours *readers, size_t instance, uint32_t port)
{
	uint32_t most = 0;

	assert(instance < wf->n_instances);
	for (int l = readers->first[instance]; l >= 0; l = readers->next[l])
		if (wf->links[l].from_port == (int)port) {
			const uint32_t depth = link_depth(wf, resources, plan, (size_t)l);

			most = depth > most ? depth : most;
		}
	return most;
}

/* The same of all places of an instance, which write one ring. */
static uint32_t depth_least(const struct waveform *wf, const struct resources *resources,
    const struct plan *plan, const struct neighbours *readers, size_t instance, uint32_t port)
{
	const struct wf_instance *it = &wf->instances[instance];
	uint32_t most = depth_row(wf, resources, plan, readers, instance, port);

	for (uint32_t j = 1; j < waveform_places(it); j++) {
		const uint32_t depth = depth_row(wf, resources, plan, readers,
		    (size_t)waveform_place(wf->instances, (int)instance, j), port);

		most = depth > most ? depth : most;
	}
	return most;
}

static uint32_t depth_for(uint32_t least)
{
	uint32_t depth = 2;

	while (depth < least)
		depth *= 2;
	return depth;
}

static int buffers_make(const struct waveform *wf, const struct resources *resources,
    const struct neighbours *readers, struct plan *plan)
{
	assert(plan->n_links == wf->n_links);
	plan->buffers = calloc(wf->n_links + 1, sizeof(*plan->buffers));
	if (!plan->buffers)
		return -ENOMEM;
	for (size_t i = 0; i < wf->n_instances; i++) {
		for (uint32_t port = 0; port < wf->instances[i].n_out; port++) {
			const uint32_t least = wf->instances[i].place == 0
			    ? depth_least(wf, resources, plan, readers, i, port)
			    : 0;

			if (!least)
				continue;
			plan->buffers[plan->n_buffers++] = (struct plan_buffer){
			    .instance = (uint32_t)i,
			    .port = port,
			    .type = wf->instances[i].out[port].type,
			    .max = wf->instances[i].out[port].max,
			    .depth = depth_for(least),
			};
		}
	}
	return 0;
}

/* ---- the plan ---- */

static void latency_write(
    const struct waveform *wf, const struct neighbours *readers, struct plan *plan)
{
	uint32_t largest = 0, largest_sink = 0;
	bool sinks = false;

	assert(plan->n_instances == wf->n_instances);
	for (size_t i = 0; i < wf->n_instances; i++) {
		const bool sink = readers->first[i] < 0;

		if (plan->instances[i].lag > largest)
			largest = plan->instances[i].lag;
		if (sink && plan->instances[i].lag > largest_sink)
			largest_sink = plan->instances[i].lag;
		sinks |= sink;
	}
	plan->latency_slots = (sinks ? largest_sink : largest) + 1;
}

static int buffers_and_latency(
    const struct waveform *wf, const struct resources *resources, struct plan *plan)
{
	struct neighbours readers = {0};
	int rc = neighbours_init(&readers, wf, true, NULL, NULL);

	if (!rc)
		rc = buffers_make(wf, resources, &readers, plan);
	if (!rc)
		latency_write(wf, &readers, plan);
	neighbours_fini(&readers);
	return rc;
}

static int plan_init(
    const struct waveform *wf, const struct resources *resources, struct plan *plan)
{
	assert(resources->n_lanes > 0);
	plan->n_links = wf->n_links;
	plan->n_lanes = resources->n_lanes;
	plan->links = calloc(plan->n_links + 1, sizeof(*plan->links));
	plan->cpus = calloc(plan->n_lanes, sizeof(*plan->cpus));
	plan->lanes = calloc(plan->n_lanes, sizeof(*plan->lanes));
	if (!plan->links || !plan->cpus || !plan->lanes)
		return -ENOMEM;
	for (size_t lane = 0; lane < plan->n_lanes; lane++)
		plan->cpus[lane] = resources->lanes[lane].cpu;
	return 0;
}

/* A ring that several nodes write does not cross between nodes. */
static int places_check(
    const struct waveform *wf, const struct resources *resources, struct diag *diag)
{
	for (size_t i = 0; i < wf->n_instances && resources->platform->n_nodes > 1; i++)
		if (wf->instances[i].places > 1)
			return diag_error(diag, wf->file, wf->instances[i].line,
			    "%s has replicas = %u, and the platform has several nodes, between "
			    "which replicas cannot lie: leave replicas out, or name a platform of "
			    "one node",
			    wf->instances[i].name, wf->instances[i].places);
	return 0;
}

static int lanes_make(const struct waveform *wf, const struct resources *resources,
    const struct cost *costs, const struct plan_options *options, uint32_t *lanes,
    struct diag *diag, struct plan *plan)
{
	struct units units = {0};
	int rc = cycles_zero_delay(wf, diag);

	if (!rc)
		rc = places_check(wf, resources, diag);
	if (!rc)
		rc = pins_check(wf, resources->n_lanes, diag);
	if (!rc)
		rc = where_nodes(resources, wf, diag);
	if (!rc)
		rc = where_builds(resources, wf, diag);
	if (!rc)
		rc = units_init(&units, wf, resources, costs);
	if (!rc)
		rc = units_placeable(&units, diag);
	if (!rc)
		rc = map_lanes(&units, options, diag, lanes, &plan->choice);
	units_fini(&units);
	return rc;
}

static int lanes_and_lags(const struct waveform *wf, const struct resources *resources,
    const struct cost *costs, const struct tail *tails, const struct plan_options *options,
    struct diag *diag, struct plan *plan)
{
	uint32_t *lanes = calloc(wf->n_instances, sizeof(*lanes)),
	         *lags = calloc(wf->n_instances, sizeof(*lags));
	const struct lag_lanes of = {lanes, resources->delay, resources->n_lanes, tails};
	int rc =
	    lanes && lags ? lanes_make(wf, resources, costs, options, lanes, diag, plan) : -ENOMEM;

	if (!rc)
		rc = lags_make(wf, &of, lags, diag);
	for (size_t i = 0; !rc && i < wf->n_instances; i++) {
		plan->instances[i].lane = lanes[i];
		plan->instances[i].lag = lags[i];
	}
	for (size_t i = 0; !rc && i < wf->n_links; i++)
		plan->links[i].distance =
		    wf->links[i].delay + lags[wf->links[i].to] - lags[wf->links[i].from];
	free(lags);
	free(lanes);
	return rc;
}

static int tails_make(const struct waveform *wf, struct plan *plan, struct tail **ret)
{
	struct tail *tails = calloc(wf->n_instances, sizeof(*tails));
	const int rc = tails ? tails_find(wf, tails) : -ENOMEM;

	for (size_t i = 0; !rc && i < wf->n_instances; i++) {
		plan->instances[i].run_on = tails[i].run_on;
		plan->instances[i].holds = tails[i].holds;
		plan->instances[i].waits = tails[i].waits;
	}
	*ret = tails;
	return rc;
}

static int plan_fill(const struct waveform *wf, const struct platform_model *platform,
    const struct profile *profile, const struct plan_options *options, struct diag *diag,
    struct plan *plan, bool *ret_refused)
{
	struct resources resources = {0};
	struct cost *costs = NULL;
	struct tail *tails = NULL;
	int rc = resources_init(&resources, wf, platform, diag);

	if (!rc)
		rc = costs_make(wf, profile, plan, &costs);
	if (!rc)
		rc = plan_init(wf, &resources, plan);
	if (!rc)
		rc = tails_make(wf, plan, &tails);
	if (!rc)
		rc = lanes_and_lags(wf, &resources, costs, tails, options, diag, plan);
	if (!rc)
		rc = segments_make(wf, &resources, plan);
	if (!rc)
		rc = hosts_check(wf, plan, diag);
	if (!rc)
		rc = buffers_and_latency(wf, &resources, plan);
	if (!rc) {
		admission_write(wf, &resources, costs, plan);
		rc = admission_check(wf, &resources, options, plan, diag);
		*ret_refused = rc == -EINVAL;
	}
	free(tails);
	free(costs);
	resources_fini(&resources);
	return rc;
}

int plan_build(const struct waveform *wf, const struct platform_model *platform,
    const struct profile *profile, const struct plan_options *options, struct diag *diag,
    struct plan **ret)
{
	bool refused = false;
	struct plan *plan;
	int rc;

	if (!wf->n_instances)
		return diag_error(
		    diag, wf->file, 0, "the waveform has no instances, and at least 1 is needed");
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return -ENOMEM;
	plan->n_instances = wf->n_instances;
	plan->instances = calloc(plan->n_instances, sizeof(*plan->instances));
	rc = plan->instances ? plan_fill(wf, platform, profile, options, diag, plan, &refused)
	                     : -ENOMEM;
	if (rc && !refused) {
		plan_free(plan);
		return rc;
	}
	*ret = plan;
	return rc;
}

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->n_segments; i++)
		free(plan->segments[i].instances);
	free(plan->segments);
	free(plan->instances);
	free(plan->links);
	free(plan->buffers);
	free(plan->cpus);
	free(plan->lanes);
	free(plan);
}
