/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The graph of a waveform and its plan. */
#include <errno.h>
#include <stdlib.h>

#include "core/base/text.h"
#include "core/graph/graph.h"
#include "core/map/plan_text.h"
#include "core/registry/registry.h"

/* lanes_make fills in the lanes that have instances, and gives each lane of the plan its position
 * among them. */
static void lanes_make(struct graph *graph, const struct plan *plan, int *ret_position)
{
	uint32_t n = 0;

	for (size_t l = 0; l < plan->n_lanes; l++) {
		const struct plan_lane *row = &plan->lanes[l];
		struct graph_lane *lane = &graph->lanes[n];

		if (row->n_instances == 0)
			continue;
		ret_position[l] = (int)n++;
		*lane = (struct graph_lane){(uint32_t)l, row->node, plan->cpus[l], "", ""};
		if (row->mmac_per_s > 0 && row->limit_ns > 0)
			snprintf(lane->figures, sizeof(lane->figures), "%.1f %% taken",
			    100 * plan_lane_ns(row) / row->limit_ns);
	}
	graph->n_lanes = n;
}

/* The lane of an instance and of all its copies and places; -1: they are on several. */
static int lane_find(
    const struct waveform *waveform, const struct plan *plan, size_t i, const int *position)
{
	const size_t originals = waveform_originals(waveform);

	for (size_t copy = i; copy < plan->n_instances; copy += originals)
		for (uint32_t j = 0; j < waveform_places(&waveform->instances[copy]); j++) {
			const size_t row =
			    (size_t)waveform_place(waveform->instances, (int)copy, j);

			if (plan->instances[row].lane != plan->instances[i].lane)
				return -1;
		}
	return position[plan->instances[i].lane];
}

static void orders_make(struct graph *graph, const struct plan *plan, uint32_t *places)
{
	for (size_t s = 0; s < plan->n_segments; s++)
		for (size_t i = 0; i < plan->segments[s].n_instances; i++) {
			const uint32_t number = plan->segments[s].instances[i];

			if (number < graph->n_instances)
				graph->instances[number].order = ++places[plan->segments[s].lane];
		}
}

static void links_make(
    struct graph *graph, const struct waveform *waveform, const struct plan *plan)
{
	uint32_t n = 0;

	for (size_t l = 0; l < waveform_original_links(waveform); l++) {
		const struct wf_link *link = &waveform->links[l];
		const struct plan_buffer *buffer = plan_buffer_of(waveform, plan, link);
		const char *type = buffer ? item_type_name(buffer->type) : NULL;

		if (link->further)
			continue;
		graph->links[n++] = (struct graph_link){.from = (uint32_t)link->from,
		    .to = (uint32_t)waveform_named(waveform, link->to),
		    .from_port =
		        plan_port_name(&waveform->instances[link->from], 1, link->from_port),
		    .to_port = plan_port_name(&waveform->instances[link->to], 0, link->to_port),
		    .type = type ? type : "?",
		    .items = buffer ? buffer->max : 0,
		    .delay = link->delay,
		    .distance = plan->links[l].distance};
	}
}

enum { HEAD_FULL = 100 }; /* then no instance more is named */

static void head_make(struct graph *graph, const struct waveform *waveform, const struct plan *plan)
{
	const double slot_us = (double)waveform->slot_ns / 1e3;
	int len = snprintf(graph->head, sizeof(graph->head), "%u instance%s on %u lane%s",
	    graph->n_instances, plural(graph->n_instances), graph->n_lanes, plural(graph->n_lanes));

	graph->waveform = waveform->name;
	graph->copies = waveform->copies ? waveform->copies : 1;
	if (graph->copies > 1)
		len += snprintf(graph->head + len, sizeof(graph->head) - (size_t)len, ", %u copies",
		    graph->copies);
	len += snprintf(
	    graph->head + len, sizeof(graph->head) - (size_t)len, ", slots of %g us", slot_us);
	for (size_t i = 0; i < waveform_originals(waveform); i++) {
		const struct wf_instance *instance = &waveform->instances[i];

		if (instance->places > 1 && instance->place == 0 && len < HEAD_FULL)
			len += snprintf(graph->head + len, sizeof(graph->head) - (size_t)len,
			    ", %.64s in %u place%s",
			    instance->original ? instance->original : instance->name,
			    instance->places, plural(instance->places));
	}
	snprintf(graph->latency, sizeof(graph->latency), "latency %u slot%s = %g us",
	    plan->latency_slots, plural(plan->latency_slots), plan->latency_slots * slot_us);
}

/* How many instances of the file there are, and links between them: places of one are one. */
static struct wf_size named_size(const struct waveform *waveform)
{
	struct wf_size size = {0};

	for (size_t i = 0; i < waveform_originals(waveform); i++)
		size.n_instances += waveform->instances[i].place == 0;
	for (size_t l = 0; l < waveform_original_links(waveform); l++)
		size.n_links += !waveform->links[l].further;
	return size;
}

static int graph_fill(
    struct graph *graph, const struct waveform *waveform, const struct plan *plan, int *position)
{
	uint32_t *places = calloc(plan->n_lanes + 1, sizeof(*places));

	if (!places)
		return -1;
	lanes_make(graph, plan, position);
	for (uint32_t i = 0; i < graph->n_instances; i++) {
		const struct wf_instance *instance = &waveform->instances[i];

		graph->instances[i] = (struct graph_instance){
		    .name = instance->original ? instance->original : instance->name,
		    .component = instance->type->name,
		    .lane = lane_find(waveform, plan, i, position),
		    .lag = plan->instances[i].lag};
	}
	orders_make(graph, plan, places);
	links_make(graph, waveform, plan);
	head_make(graph, waveform, plan);
	free(places);
	return graph_path_find(graph);
}

int graph_of_plan(const struct waveform *waveform, const struct plan *plan, struct graph **ret)
{
	const struct wf_size size = named_size(waveform);
	int *position = calloc(plan->n_lanes + 1, sizeof(*position));
	struct graph *graph = NULL;
	int rc = position ? graph_new((uint32_t)size.n_instances, (uint32_t)size.n_links,
	                        (uint32_t)plan->n_lanes, &graph)
	                  : -ENOMEM;

	if (rc == 0 && graph_fill(graph, waveform, plan, position) < 0)
		rc = -ENOMEM;
	free(position);
	if (rc == 0)
		*ret = graph;
	else
		graph_free(graph);
	return rc;
}
