/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/rank.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double STEP = 1.05;  /* loads that differ by less are as good */
static const double SLACK = 1e-9; /* of rounding */

int ranker_init(struct ranker *ranker, const struct units *units)
{
	const struct waveform *wf = units->waveform;

	assert(units->n > 0);
	*ranker = (struct ranker){.units = units};
	ranker->arcs = calloc(wf->n_links + 1, sizeof(*ranker->arcs));
	ranker->lags = calloc(wf->n_instances + 1, sizeof(*ranker->lags));
	ranker->lanes = calloc(wf->n_instances + 1, sizeof(*ranker->lanes));
	ranker->changes = calloc(units->n + 1, sizeof(*ranker->changes));
	ranker->loads = calloc(2 * units->resources->n_lanes, sizeof(*ranker->loads));
	ranker->pools = calloc(units->resources->n_pools, sizeof(*ranker->pools));
	return ranker->arcs && ranker->lags && ranker->lanes && ranker->changes && ranker->loads &&
	        ranker->pools
	    ? 0
	    : -ENOMEM;
}

void ranker_fini(struct ranker *ranker)
{
	free(ranker->arcs);
	free(ranker->lags);
	free(ranker->lanes);
	free(ranker->changes);
	free(ranker->loads);
	free(ranker->pools);
}

static double load_ratio(double load, double room)
{
	if (load <= 0)
		return 0;
	return room > 0 ? load / room : 1e6 + load;
}

/* Everything spread over all lanes without a rest, or the largest unit alone on the lane where it
 * is least. */
static double floor_of(const struct units *units, const double *demand)
{
	const struct resources *resources = units->resources;
	double sum = 0, room = 0, most = 0;

	for (size_t lane = 0; lane < resources->n_lanes; lane++) {
		room += fmax(0, resources->lanes[lane].room_ns);
		sum += resources->lanes[lane].taken_ns;
	}
	for (size_t unit = 0; unit < units->n; unit++) {
		double least = INFINITY, least_ratio = INFINITY;

		for (size_t lane = 0; lane < resources->n_lanes; lane++) {
			const double load = demand[unit * resources->n_lanes + lane];

			least = fmin(least, load);
			if (load < INFINITY)
				least_ratio = fmin(
				    least_ratio, load_ratio(load, resources->lanes[lane].room_ns));
		}
		sum += least;
		most = fmax(most, least_ratio);
	}
	return fmax(most, load_ratio(sum, room));
}

void ranker_use(struct ranker *ranker, const double *demand, bool spread)
{
	assert(demand != NULL);
	ranker->demand = demand;
	ranker->spread = spread;
	ranker->floor = floor_of(ranker->units, demand);
}

/* ---- loads ------------------------------------------------------------------------ */

/* Messages to other nodes. */
static void loads_carry(struct ranker *ranker, const uint32_t *cores)
{
	const struct units *units = ranker->units;
	const struct resources *resources = units->resources;
	double *needs = ranker->loads + resources->n_lanes;

	for (size_t i = 0; i < units->n_links; i++) {
		const struct mapping_link *link = &units->links[i];
		const uint32_t ends[] = {cores[link->from], cores[link->to]};
		const double ns =
		    resources_carry(resources, ends[0], ends[1], units->counts[i], link->bandwidth);

		for (int end = 0; end < 2 && ns > 0; end++)
			if (resources_carries(resources, ends[end])) {
				ranker->loads[ends[end]] += ns;
				needs[ends[end]] += ns;
			}
	}
}

static void rank_loads(struct ranker *ranker, const uint32_t *cores, struct rank *rank)
{
	const struct units *units = ranker->units;
	const struct resources *resources = units->resources;
	const size_t n = resources->n_lanes;
	double *needs = ranker->loads + n;

	for (size_t lane = 0; lane < n; lane++)
		ranker->loads[lane] = needs[lane] = 0;
	for (size_t unit = 0; unit < units->n; unit++) {
		ranker->loads[cores[unit]] += ranker->demand[unit * n + cores[unit]];
		needs[cores[unit]] += units->need[unit * n + cores[unit]];
	}
	loads_carry(ranker, cores);
	for (size_t lane = 0; lane < n; lane++) {
		const struct lane_resource *resource = &resources->lanes[lane];

		if (needs[lane] <= 0)
			continue;
		rank->lanes++;
		rank->peak = fmax(rank->peak,
		    load_ratio(ranker->loads[lane] + resource->taken_ns, resource->room_ns));
		if (needs[lane] + resource->taken_ns > resource->room_ns * (1 + SLACK))
			rank->fits = false;
	}
	if (ranker->spread && ranker->floor > 0 && rank->peak > ranker->floor)
		rank->bucket = (uint32_t)fmin(1e6, log(rank->peak / ranker->floor) / log(STEP));
}

/* ---- links ------------------------------------------------------------------------ */

/* Links by rising writer: what a unit's path has changed lanes is known when its own links come. */
static void rank_links(struct ranker *ranker, const uint32_t *cores, struct rank *rank)
{
	const struct units *units = ranker->units;
	const struct resources *resources = units->resources;
	uint32_t most = 0;

	memset(ranker->changes, 0, units->n * sizeof(*ranker->changes));
	for (size_t pool = 0; pool < resources->n_pools; pool++)
		ranker->pools[pool] = 0;
	for (size_t i = 0; i < units->n_links; i++) {
		const struct mapping_link *link = &units->links[i];
		const bool crosses = cores[link->from] != cores[link->to];
		const uint32_t changes = ranker->changes[link->from] + crosses;
		const uint32_t pool =
		    resources->pool[cores[link->from] * resources->n_lanes + cores[link->to]];

		if (link->from < link->to && changes > ranker->changes[link->to])
			ranker->changes[link->to] = changes;
		most = link->from < link->to && changes > most ? changes : most;
		rank->crossings += crosses ? units->counts[i] : 0;
		rank->backward += cores[link->from] > cores[link->to] ? units->counts[i] : 0;
		if (crosses && pool == MAPPING_NONE)
			rank->joined = false;
		else if (crosses)
			ranker->pools[pool] += link->bandwidth;
	}
	rank->returns = most >= rank->lanes ? most + 1 - rank->lanes : 0;
	for (size_t pool = 0; pool < resources->n_pools; pool++)
		if (ranker->pools[pool] > resources->kbit[pool] * (1 + SLACK))
			rank->fits = false;
}

static void rank_latency(struct ranker *ranker, struct rank *rank)
{
	const struct waveform *wf = ranker->units->waveform;
	int64_t most = 0;

	for (size_t i = 0; i < wf->n_instances; i++)
		most = ranker->lags[i] > most ? ranker->lags[i] : most;
	rank->latency = (uint32_t)(most < UINT32_MAX ? most + 1 : UINT32_MAX);
}

int rank_make(struct ranker *ranker, const uint32_t *cores, struct rank *ret)
{
	const struct units *units = ranker->units;
	const struct lag_lanes lanes = {
	    ranker->lanes, units->resources->delay, units->resources->n_lanes, units->tails};
	struct rank rank = {.legal = true, .joined = true, .fits = true, .cost = INFINITY};
	int rc;

	assert(cores != NULL);
	assert(ranker->demand != NULL);
	rank_loads(ranker, cores, &rank);
	rank_links(ranker, cores, &rank);
	for (size_t i = 0; i < units->waveform->n_instances; i++)
		ranker->lanes[i] = cores[units->of[i]];
	rc = lags_values(units->waveform, &lanes, ranker->arcs, ranker->lags, NULL);
	if (rc == -ELOOP)
		rank.legal = false;
	else if (rc)
		return rc;
	else
		rank_latency(ranker, &rank);
	*ret = rank;
	return 0;
}

/* By more than rounding does. */
static bool loads_differ(double a, double b)
{
	return a != b && !(fabs(a - b) <= SLACK * fmax(fabs(a), fabs(b)));
}

/* Whether a is better: each line decides unless both are equal there. */
bool rank_better(const struct ranker *ranker, const struct rank *a, const struct rank *b)
{
	const bool late_a = a->latency > 2 * a->lanes, late_b = b->latency > 2 * b->lanes;

	if (a->legal != b->legal)
		return a->legal;
	if (a->joined != b->joined)
		return a->joined;
	if (a->fits != b->fits && ranker->units->resources->known)
		return a->fits;
	if (ranker->spread && a->returns != b->returns)
		return a->returns < b->returns;
	if (ranker->spread && a->bucket != b->bucket)
		return a->bucket < b->bucket;
	if (!ranker->spread && late_a != late_b)
		return late_b;
	if (a->latency != b->latency)
		return a->latency < b->latency;
	if (a->crossings != b->crossings)
		return a->crossings < b->crossings;
	if (ranker->spread && loads_differ(a->peak, b->peak))
		return a->peak < b->peak;
	if (loads_differ(a->cost, b->cost))
		return a->cost < b->cost;
	if (loads_differ(a->peak, b->peak))
		return a->peak < b->peak;
	return a->backward < b->backward;
}
