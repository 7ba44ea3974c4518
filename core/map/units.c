/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/units.h"
#include "core/map/cycles.h"
#include "core/map/where.h"
#include "core/waveform/neighbours.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double units_link_kbit(const struct waveform *wf, const struct wf_link *link)
{
	const struct wf_port *port = &wf->instances[link->from].out[link->from_port];

	assert(link->from >= 0 && (size_t)link->from < wf->n_instances);
	assert(link->to >= 0 && (size_t)link->to < wf->n_instances);
	return 8e-3 * port->max * aloe_item_bytes(port->type);
}

/* ---- who stays together ---- */

/* Copies have no links between them: each lies on one lane, unless the file itself pins parts of
 * it, or an instance is in several places. */
static bool whole_copies(const struct waveform *wf)
{
	for (size_t i = 0; i < waveform_originals(wf); i++)
		if (wf->instances[i].pin >= 0 || wf->instances[i].node ||
		    waveform_places(&wf->instances[i]) > 1)
			return false;
	return wf->copies > 1;
}

/* Names each unit by its first instance. */
static void firsts_write(const struct waveform *wf, const struct knots *knots, uint32_t *firsts)
{
	const size_t n = waveform_originals(wf);
	const bool whole = n > 0 && whole_copies(wf);

	for (size_t i = 0; i < wf->n_instances; i++) {
		firsts[i] = knots->together[knots->of[i]] ? knots->of[i] : (uint32_t)i;
		if (waveform_beside(wf, i) >= 0)
			firsts[i] = firsts[waveform_beside(wf, i)];
		if (whole)
			firsts[i] = (uint32_t)(i / n * n);
	}
}

/* Must the writer's unit stand before the reader's? Inside a knot that may be spread only links
 * without delay say so: the others close its cycles. */
static bool link_precedes(
    const struct knots *knots, const uint32_t *firsts, const struct wf_link *link)
{
	if (firsts[link->from] == firsts[link->to])
		return false;
	return knots->of[link->from] != knots->of[link->to] || link->delay == 0;
}

/* The rows of each copy, place by place: so the first places of all instances stand together, then
 * the second ones, for each lane to have all of its own. Writes the rows and where each stands. */
static void rows_write(const struct waveform *wf, uint32_t *rows, uint32_t *stands)
{
	const size_t each = waveform_originals(wf);
	uint32_t places = 1, n = 0;

	for (size_t i = 0; i < wf->n_instances; i++)
		places = waveform_places(&wf->instances[i]) > places
		    ? waveform_places(&wf->instances[i])
		    : places;
	for (size_t copy = 0; each > 0 && copy < wf->n_instances; copy += each)
		for (uint32_t place = 0; place < places; place++)
			for (size_t i = copy; i < copy + each; i++)
				if (wf->instances[i].place == place) {
					stands[i] = n;
					rows[n++] = (uint32_t)i;
				}
}

/* Numbers the units in topological order, ties by file order, place by place. */
static int numbers_write(struct units *units, const struct knots *knots,
    const struct neighbours *readers, const uint32_t *firsts, const uint32_t *rows,
    const uint32_t *stands, uint32_t *open, uint32_t *numbers)
{
	const struct waveform *wf = units->waveform;
	size_t at = 0, rest = 0;

	for (size_t i = 0; i < wf->n_instances; i++)
		numbers[i] = MAPPING_NONE;
	for (size_t i = 0; i < wf->n_links; i++)
		open[firsts[wf->links[i].to]] += link_precedes(knots, firsts, &wf->links[i]);
	while (at < wf->n_instances) {
		const uint32_t unit = rows[at];
		size_t next = at + 1;

		if (firsts[unit] == unit && numbers[unit] == MAPPING_NONE && !open[unit]) {
			numbers[unit] = (uint32_t)units->n++;
			for (int l = readers->first[unit]; l >= 0; l = readers->next[l]) {
				const uint32_t to = firsts[wf->links[l].to];

				if (link_precedes(knots, firsts, &wf->links[l]) &&
				    --open[to] == 0 && stands[to] < next)
					next = stands[to];
			}
		}
		at = next;
	}
	for (size_t i = 0; i < wf->n_instances; i++)
		rest += firsts[i] == i && numbers[i] == MAPPING_NONE;
	return rest ? -ELOOP : 0;
}

static int units_number(struct units *units, const struct knots *knots)
{
	const struct waveform *wf = units->waveform;
	uint32_t *firsts = calloc(wf->n_instances + 1, sizeof(*firsts));
	uint32_t *open = calloc(wf->n_instances + 1, sizeof(*open));
	uint32_t *numbers = calloc(wf->n_instances + 1, sizeof(*numbers));
	uint32_t *rows = calloc(wf->n_instances + 1, sizeof(*rows));
	uint32_t *stands = calloc(wf->n_instances + 1, sizeof(*stands));
	struct neighbours readers = {0};
	int rc = -ENOMEM;

	if (firsts && open && numbers && rows && stands) {
		firsts_write(wf, knots, firsts);
		rows_write(wf, rows, stands);
		rc = neighbours_init(&readers, wf, true, firsts, NULL);
	}
	if (!rc)
		rc = numbers_write(units, knots, &readers, firsts, rows, stands, open, numbers);
	neighbours_fini(&readers);
	for (size_t i = 0; !rc && i < wf->n_instances; i++)
		units->of[i] = numbers[firsts[i]];
	free(stands);
	free(rows);
	free(numbers);
	free(open);
	free(firsts);
	return rc;
}

/* ---- demands ------------------------------------------------------------------------ */

/* Whoever has a lane for itself has the time for calling it, too. */
static double slot_ns(const struct cost *cost, const struct lane_resource *lane,
    double (*call_ns)(const struct cost *cost, const struct lane_resource *lane))
{
	return cost_slot_ns(cost, lane, call_ns(cost, lane) + lane->module_ns);
}

static void demands_write(struct units *units, const struct knots *knots)
{
	const struct waveform *wf = units->waveform;
	const size_t n = units->resources->n_lanes;

	for (size_t unit = 0; unit < units->n; unit++)
		units->pins[unit] = -1;
	for (size_t i = 0; i < wf->n_instances; i++) {
		if (knots->pins[i] >= 0)
			units->pins[units->of[i]] = knots->pins[i];
		for (size_t lane = 0; lane < n; lane++) {
			const struct lane_resource *resource = &units->resources->lanes[lane];
			const size_t at = units->of[i] * n + lane;

			units->typical[at] += slot_ns(&units->costs[i], resource, cost_typical_ns);
			units->need[at] += slot_ns(&units->costs[i], resource, cost_need_ns);
			if (!where_runs(units->resources, lane, &wf->instances[i]))
				units->typical[at] = units->need[at] = INFINITY;
		}
	}
	for (size_t at = 0; at < units->n * n; at++)
		if (units->pins[at / n] >= 0 && units->pins[at / n] != (int)(at % n))
			units->typical[at] = units->need[at] = INFINITY;
}

/* ---- links ------------------------------------------------------------------------ */

static int by_ends(const void *a, const void *b)
{
	const struct mapping_link *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static void links_write(struct units *units)
{
	const struct waveform *wf = units->waveform;
	size_t n = 0;

	for (size_t i = 0; i < wf->n_links; i++) {
		const uint32_t from = units->of[wf->links[i].from], to = units->of[wf->links[i].to];

		if (from != to)
			units->links[n++] =
			    (struct mapping_link){from, to, units_link_kbit(wf, &wf->links[i])};
	}
	if (n)
		qsort(units->links, n, sizeof(*units->links), by_ends);
	for (size_t i = 0; i < n; i++) {
		struct mapping_link *last =
		    units->n_links ? &units->links[units->n_links - 1] : NULL;

		units->kbit += units->links[i].bandwidth;
		if (last && by_ends(last, &units->links[i]) == 0) {
			last->bandwidth += units->links[i].bandwidth;
			units->counts[units->n_links - 1]++;
		} else {
			units->links[units->n_links] = units->links[i];
			units->counts[units->n_links++] = 1;
		}
	}
}

int units_init(struct units *units, const struct waveform *wf, const struct resources *resources,
    const struct cost *costs)
{
	const size_t n = wf->n_instances + 1;
	struct knots *knots = NULL;
	int rc = knots_new(wf, resources_most(resources), &knots);

	assert(resources->n_lanes > 0);
	*units = (struct units){.waveform = wf, .resources = resources, .costs = costs};
	units->of = calloc(n, sizeof(*units->of));
	units->pins = calloc(n, sizeof(*units->pins));
	units->links = calloc(wf->n_links + 1, sizeof(*units->links));
	units->counts = calloc(wf->n_links + 1, sizeof(*units->counts));
	if (!rc && resources->platform->n_nodes > 1) {
		units->tails = calloc(n, sizeof(*units->tails));
		rc = units->tails ? tails_find(wf, units->tails) : -ENOMEM;
	}
	if (!rc)
		rc = units->of && units->pins && units->links && units->counts
		    ? units_number(units, knots)
		    : -ENOMEM;
	if (!rc) {
		units->typical = calloc(units->n * resources->n_lanes + 1, sizeof(*units->typical));
		units->need = calloc(units->n * resources->n_lanes + 1, sizeof(*units->need));
		rc = units->typical && units->need ? 0 : -ENOMEM;
	}
	if (!rc) {
		demands_write(units, knots);
		links_write(units);
	}
	knots_free(knots);
	return rc;
}

void units_fini(struct units *units)
{
	free(units->of);
	free(units->pins);
	free(units->typical);
	free(units->need);
	free(units->links);
	free(units->counts);
	free(units->tails);
}

static bool unit_placeable(const struct units *units, size_t unit)
{
	assert(unit < units->n);
	for (size_t lane = 0; lane < units->resources->n_lanes; lane++)
		if (units->need[unit * units->resources->n_lanes + lane] < INFINITY)
			return true;
	return false;
}

int units_placeable(const struct units *units, struct diag *diag)
{
	for (size_t i = 0; i < units->waveform->n_instances; i++)
		if (!unit_placeable(units, units->of[i]))
			return diag_error(diag, units->waveform->file,
			    units->waveform->instances[i].line,
			    "%s must share a lane with other instances, and no node has builds "
			    "of all of them, or their `node` and their paths are on different "
			    "nodes",
			    units->waveform->instances[i].name);
	return 0;
}

void units_restrict(struct units *units, const bool *allowed)
{
	const size_t n = units->resources->n_lanes;

	for (size_t at = 0; at < units->n * n; at++)
		if (!allowed[at % n])
			units->typical[at] = units->need[at] = INFINITY;
}

/* ---- the problem ------------------------------------------------------------------------ */

/* Memory joins the lanes of a node: 40 Gbit/s, so that a link between lanes costs a little, but
 * never too little for what there is to send. */
static double memory_kbit(const struct units *units)
{
	return fmax(40e3 * (double)units->waveform->slot_ns * 1e-6, 4 * units->kbit);
}

int units_problem_init(struct units_problem *made, const struct units *units, const double *demand,
    double scale, double q)
{
	const struct resources *resources = units->resources;

	assert(units->n > 0);
	made->capacity = calloc(resources->n_lanes, sizeof(*made->capacity));
	made->bandwidth = calloc(resources->n_pools, sizeof(*made->bandwidth));
	if (!made->capacity || !made->bandwidth)
		return -ENOMEM;
	for (size_t lane = 0; lane < resources->n_lanes; lane++)
		made->capacity[lane] = fmax(
		    0, scale * resources->lanes[lane].room_ns - resources->lanes[lane].taken_ns);
	for (size_t pool = 0; pool < resources->n_pools; pool++)
		made->bandwidth[pool] = resources->pool_links[pool] == MAPPING_NONE
		    ? memory_kbit(units)
		    : fmax(1, scale) * resources->kbit[pool];
	made->problem = (struct mapping_problem){
	    .n_units = units->n,
	    .n_cores = resources->n_lanes,
	    .n_pools = resources->n_pools,
	    .n_links = units->n_links,
	    .demand = demand,
	    .capacity = made->capacity,
	    .pool = resources->pool,
	    .bandwidth = made->bandwidth,
	    .links = units->links,
	    .q = q,
	};
	return 0;
}

void units_problem_fini(struct units_problem *made)
{
	free(made->capacity);
	free(made->bandwidth);
}
