/* SPDX-License-Identifier: BSD-3-Clause
 *
 * "Why here?": the same mapping with one unit elsewhere, on each lane in turn. */
#include "core/map/explain.h"
#include "core/map/rank.h"
#include "core/map/where.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct scene { /* the input of a plan, as the mappers saw it */
	struct resources resources;
	struct cost *costs;
	struct units units;
	struct units_problem made;
	struct mapping_graph graph;
	struct mapping_state state;
	struct ranker ranker;
	uint32_t *cores;
};

static int scene_init(struct scene *scene, const struct waveform *wf,
    const struct platform_model *platform, const struct profile *profile, double q,
    const struct plan *plan)
{
	struct diag diag;
	int rc;

	diag_init(&diag);
	scene->costs = calloc(wf->n_instances, sizeof(*scene->costs));
	rc = scene->costs ? resources_init(&scene->resources, wf, platform, &diag) : -ENOMEM;
	for (size_t i = 0; !rc && i < wf->n_instances; i++)
		scene->costs[i] = cost_of(wf, &wf->instances[i], profile);
	if (!rc)
		rc = units_init(&scene->units, wf, &scene->resources, scene->costs);
	if (!rc)
		rc = units_problem_init(&scene->made, &scene->units, scene->units.need, 1, q);
	if (!rc)
		rc = mapping_graph_init(&scene->graph, &scene->made.problem);
	if (!rc)
		rc = mapping_state_init(&scene->state, &scene->made.problem, &scene->graph);
	if (!rc)
		rc = ranker_init(&scene->ranker, &scene->units);
	scene->cores = calloc(scene->units.n + 1, sizeof(*scene->cores));
	if (!rc)
		rc = scene->cores ? 0 : -ENOMEM;
	for (size_t i = 0; !rc && i < wf->n_instances; i++)
		scene->cores[scene->units.of[i]] = plan->instances[i].lane;
	if (!rc)
		ranker_use(&scene->ranker, scene->units.need, false);
	diag_fini(&diag);
	return rc;
}

static void scene_fini(struct scene *scene)
{
	ranker_fini(&scene->ranker);
	mapping_state_fini(&scene->state);
	mapping_graph_fini(&scene->graph);
	units_problem_fini(&scene->made);
	units_fini(&scene->units);
	resources_fini(&scene->resources);
	free(scene->costs);
	free(scene->cores);
}

/* ---- places ------------------------------------------------------------------------ */

static double load_ns(const struct scene *scene, uint32_t lane)
{
	double sum = scene->resources.lanes[lane].taken_ns;

	for (size_t unit = 0; unit < scene->units.n; unit++)
		if (scene->cores[unit] == lane)
			sum += scene->units.need[unit * scene->resources.n_lanes + lane];
	return sum;
}

/* Why one of the unit may not run there. */
static void where_write(
    const struct scene *scene, uint32_t unit, uint32_t lane, char *text, size_t size)
{
	const struct waveform *wf = scene->units.waveform;

	for (size_t i = 0; i < wf->n_instances && !text[0]; i++)
		if (scene->units.of[i] == unit)
			where_not(&scene->resources, lane, &wf->instances[i], text, size);
}

/* The first reason that is found. */
static void breaks_write(const struct scene *scene, const struct rank *rank, uint32_t unit,
    uint32_t lane, double load, struct plan_place *place)
{
	const struct lane_resource *resource = &scene->resources.lanes[lane];
	const int pin = scene->units.pins[unit];
	char *text = place->breaks;

	if (pin >= 0 && pin != (int)lane)
		snprintf(text, sizeof(place->breaks), "pinned to lane %d", pin);
	else if (scene->units.need[unit * scene->resources.n_lanes + lane] == INFINITY)
		where_write(scene, unit, lane, text, sizeof(place->breaks));
	else if (!rank->legal)
		snprintf(text, sizeof(place->breaks),
		    "the declared delays of a cycle would not cover it");
	else if (!rank->joined)
		snprintf(text, sizeof(place->breaks),
		    "no link joins its node and the node of a neighbour");
	else if (scene->resources.known && load > resource->room_ns * (1 + 1e-9))
		snprintf(text, sizeof(place->breaks), "the lane would need %.1f us of %.1f us",
		    load / 1e3, resource->room_ns / 1e3);
	else if (!rank->fits && scene->resources.known)
		snprintf(text, sizeof(place->breaks),
		    "a link between nodes would be too slow, or another lane would be too full");
}

static int place_make(struct scene *scene, uint32_t unit, uint32_t lane, struct plan_place *place)
{
	const uint32_t was = scene->cores[unit];
	struct rank rank;
	double load;
	int rc;

	*place = (struct plan_place){.lane = lane, .here = was == lane};
	scene->cores[unit] = lane;
	rc = rank_make(&scene->ranker, scene->cores, &rank);
	if (!rc) {
		load = load_ns(scene, lane);
		place->load = scene->resources.lanes[lane].room_ns > 0
		    ? load / scene->resources.lanes[lane].room_ns
		    : INFINITY;
		place->cost = mapping_cost(&scene->state, scene->cores);
		place->latency_slots = rank.latency;
		place->crossings = rank.crossings;
		breaks_write(scene, &rank, unit, lane, load, place);
	}
	scene->cores[unit] = was;
	return rc;
}

static int along_make(const struct scene *scene, size_t number, struct plan_why *why)
{
	const struct waveform *wf = scene->units.waveform;

	why->along = calloc(wf->n_instances, sizeof(*why->along));
	if (!why->along)
		return -ENOMEM;
	for (size_t i = 0; i < wf->n_instances; i++)
		if (i != number && scene->units.of[i] == scene->units.of[number])
			why->along[why->n_along++] = wf->instances[i].name;
	return 0;
}

static int why_fill(struct scene *scene, size_t number, struct plan_why *why)
{
	int rc = along_make(scene, number, why);

	why->instance = scene->units.waveform->instances[number].name;
	why->places = calloc(scene->resources.n_lanes, sizeof(*why->places));
	if (!why->places)
		return -ENOMEM;
	for (uint32_t lane = 0; !rc && lane < scene->resources.n_lanes; lane++)
		rc =
		    place_make(scene, scene->units.of[number], lane, &why->places[why->n_places++]);
	return rc;
}

int plan_why(const struct waveform *wf, const struct platform_model *platform,
    const struct profile *profile, const struct plan_options *options, const struct plan *plan,
    const char *instance, struct plan_why **ret)
{
	struct scene scene = {0};
	struct plan_why *why;
	size_t number = 0;
	int rc;

	while (number < wf->n_instances && strcmp(wf->instances[number].name, instance) != 0)
		number++;
	if (number == wf->n_instances)
		return -ENOENT;
	why = calloc(1, sizeof(*why));
	if (!why)
		return -ENOMEM;
	rc = scene_init(&scene, wf, platform, profile, options->q, plan);
	if (!rc)
		rc = why_fill(&scene, number, why);
	scene_fini(&scene);
	if (rc)
		plan_why_free(why);
	else
		*ret = why;
	return rc;
}

void plan_why_free(struct plan_why *why)
{
	if (!why)
		return;
	free(why->along);
	free(why->places);
	free(why);
}
