/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/plan.h"
#include "core/map/admission.h"
#include "core/map/map.h"
#include "core/map/neighbours.h"
#include "core/map/profile.h"
#include "core/map/whatif.h"

#include <errno.h>
#include <stdlib.h>

/* ---- costs
 * ------------------------------------------------------------------------------------------------------------- */

static int costs_make(
    const struct waveform *wf, const struct profile *profile, struct plan *plan, struct cost **ret)
{
	struct cost *costs = calloc(wf->n_instances, sizeof(*costs));

	if (!costs)
		return -ENOMEM;
	for (size_t i = 0; i < wf->n_instances; i++) {
		const struct wf_instance *row = &wf->instances[i];

		costs[i] = cost_of(row, profile, wf->admit);
		plan->instances[i].kmac = costs[i].kmac;
		plan->instances[i].guessed = !costs[i].timed;
		if (i < waveform_originals(wf) && costs[i].timed)
			plan->hash = plan_profile_hash(plan->hash,
			    plan_profile_find(profile, row->original ? row->original : row->name));
	}
	*ret = costs;
	return 0;
}

/* ---- hosts: 0 is the shared one ("none"), then the waveform's own, then one for each instance that wants its own
 * -------- */

static void hosts_write(const struct waveform *wf, struct plan *plan, uint32_t *hosts)
{
	bool own = false;
	uint32_t n;

	for (size_t i = 0; i < wf->n_instances; i++) {
		plan->shared_host |= wf->instances[i].isolation == WF_ISOLATION_NONE;
		own |= wf->instances[i].isolation == WF_ISOLATION_WAVEFORM;
	}
	n = (uint32_t)plan->shared_host + own;
	for (size_t i = 0; i < wf->n_instances; i++) {
		if (wf->instances[i].isolation == WF_ISOLATION_NONE)
			hosts[i] = 0;
		else if (wf->instances[i].isolation == WF_ISOLATION_WAVEFORM)
			hosts[i] = plan->shared_host;
		else
			hosts[i] = n++;
	}
	plan->n_hosts = n;
}

/* ---- segments: runs of one host in a lane's order
 * ------------------------------------------------------------------------ */

/* How many instances from `begin` on run on one lane in one host. */
static size_t run_len(
    const struct plan *plan, const uint32_t *sequence, const uint32_t *hosts, size_t begin)
{
	const uint32_t first = sequence[begin];
	size_t end = begin + 1;

	while (end < plan->n_instances && hosts[sequence[end]] == hosts[first] &&
	    plan->instances[sequence[end]].lane == plan->instances[first].lane)
		end++;
	return end - begin;
}

static int segment_add(struct plan *plan, const uint32_t *sequence, size_t len, uint32_t host)
{
	struct plan_segment *segment = &plan->segments[plan->n_segments];

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
static int segments_write(struct plan *plan, const uint32_t *sequence, const uint32_t *hosts)
{
	size_t len;
	int rc = 0;

	plan->segments = calloc(plan->n_instances, sizeof(*plan->segments));
	if (!plan->segments)
		return -ENOMEM;
	for (size_t begin = 0; !rc && begin < plan->n_instances; begin += len) {
		len = run_len(plan, sequence, hosts, begin);
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

static int segments_make(const struct waveform *wf, struct plan *plan)
{
	uint32_t *hosts = calloc(wf->n_instances, sizeof(*hosts));
	uint32_t *order = calloc(wf->n_instances, sizeof(*order));
	uint32_t *sequence = calloc(wf->n_instances, sizeof(*sequence));
	int rc = -ENOMEM;

	if (hosts && order && sequence) {
		hosts_write(wf, plan, hosts);
		rc = order_lanes(wf, plan->instances, plan->links, hosts, order);
	}
	if (!rc) {
		sequence_write(plan, order, sequence);
		rc = segments_write(plan, sequence, hosts);
	}
	free(sequence);
	free(order);
	free(hosts);
	return rc;
}

/* ---- buffers
 * --------------------------------------------------------------------------------------------------------------- */

/* The largest distance over the links of an output; -1 when it is not connected. */
static int64_t distance_max(const struct waveform *wf, const struct plan *plan,
    const struct neighbours *readers, size_t instance, uint32_t port)
{
	int64_t largest = -1;

	for (int l = readers->first[instance]; l >= 0; l = readers->next[l])
		if (wf->links[l].from_port == (int)port && plan->links[l].distance > largest)
			largest = plan->links[l].distance;
	return largest;
}

static uint32_t depth_for(uint32_t distance)
{
	uint32_t depth = 2;

	while (depth < distance + 2)
		depth *= 2;
	return depth;
}

static int buffers_make(
    const struct waveform *wf, const struct neighbours *readers, struct plan *plan)
{
	plan->buffers = calloc(wf->n_links + 1, sizeof(*plan->buffers));
	if (!plan->buffers)
		return -ENOMEM;
	for (size_t i = 0; i < wf->n_instances; i++) {
		for (uint32_t port = 0; port < wf->instances[i].n_out; port++) {
			const int64_t distance = distance_max(wf, plan, readers, i, port);

			if (distance < 0)
				continue;
			plan->buffers[plan->n_buffers++] = (struct plan_buffer){
			    .instance = (uint32_t)i,
			    .port = port,
			    .type = wf->instances[i].out[port].type,
			    .max = wf->instances[i].out[port].max,
			    .depth = depth_for((uint32_t)distance),
			};
		}
	}
	return 0;
}

/* ---- the plan
 * -------------------------------------------------------------------------------------------------------------- */

static void latency_write(
    const struct waveform *wf, const struct neighbours *readers, struct plan *plan)
{
	uint32_t largest = 0, largest_sink = 0;
	bool sinks = false;

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

static int buffers_and_latency(const struct waveform *wf, struct plan *plan)
{
	struct neighbours readers = {0};
	int rc = neighbours_init(&readers, wf, true, NULL);

	if (!rc)
		rc = buffers_make(wf, &readers, plan);
	if (!rc)
		latency_write(wf, &readers, plan);
	neighbours_fini(&readers);
	return rc;
}

static int plan_init(
    const struct waveform *wf, const struct resources *resources, struct plan *plan)
{
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

static int lanes_make(const struct waveform *wf, const struct resources *resources,
    const struct cost *costs, const struct plan_options *options, uint32_t *lanes,
    struct diag *diag, struct plan *plan)
{
	struct units units = {0};
	int rc = cycles_zero_delay(wf, diag);

	if (!rc)
		rc = pins_check(wf, resources->n_lanes, diag);
	if (!rc)
		rc = resources_builds(resources, wf, diag);
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
    const struct cost *costs, const struct plan_options *options, struct diag *diag,
    struct plan *plan)
{
	uint32_t *lanes = calloc(wf->n_instances, sizeof(*lanes)),
	         *lags = calloc(wf->n_instances, sizeof(*lags));
	const struct lag_lanes of = {lanes, resources->delay, resources->n_lanes};
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

static void nearest_note(const struct waveform *wf, const struct platform_model *platform,
    const struct profile *profile, const struct plan_options *options, const struct plan *plan,
    struct diag *diag)
{
	struct plan_whatif whatif;

	if (plan_whatif(wf, platform, profile, options, plan, &whatif) == 0)
		plan_whatif_note(wf, &whatif, diag);
}

static int plan_fill(const struct waveform *wf, const struct platform_model *platform,
    const struct profile *profile, const struct plan_options *options, struct diag *diag,
    struct plan *plan)
{
	struct resources resources = {0};
	struct cost *costs = NULL;
	int rc = resources_init(&resources, wf, platform, diag);

	if (!rc)
		rc = costs_make(wf, profile, plan, &costs);
	if (!rc)
		rc = plan_init(wf, &resources, plan);
	if (!rc)
		rc = lanes_and_lags(wf, &resources, costs, options, diag, plan);
	if (!rc)
		rc = segments_make(wf, plan);
	if (!rc)
		rc = buffers_and_latency(wf, plan);
	if (!rc) {
		admission_write(wf, &resources, costs, plan);
		rc = admission_check(wf, &resources, options, plan, diag);
		if (rc == -EINVAL)
			nearest_note(wf, platform, profile, options, plan, diag);
	}
	free(costs);
	resources_fini(&resources);
	return rc;
}

int plan_make_with(const struct waveform *wf, const struct platform_model *platform,
    const struct profile *profile, const struct plan_options *options, struct diag *diag,
    struct plan **ret)
{
	struct plan *plan;
	int rc;

	if (!wf->n_instances)
		return diag_error(
		    diag, wf->file, 0, "the waveform has no instances, at least 1 is needed");
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return -ENOMEM;
	plan->n_instances = wf->n_instances;
	plan->instances = calloc(plan->n_instances, sizeof(*plan->instances));
	rc = plan->instances ? plan_fill(wf, platform, profile, options, diag, plan) : -ENOMEM;
	if (rc) {
		plan_free(plan);
		return rc;
	}
	*ret = plan;
	return 0;
}

int plan_make(const struct waveform *wf, const struct platform_model *platform,
    const struct profile *profile, struct diag *diag, struct plan **ret)
{
	const struct plan_options options = PLAN_OPTIONS;

	return plan_make_with(wf, platform, profile, &options, diag, ret);
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
