/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/plan_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRONG(...)                                                                                 \
	do {                                                                                       \
		snprintf(text, 256, __VA_ARGS__);                                                  \
		return text;                                                                       \
	} while (0)

/* ---- legality ------------------------------------------------------------------------ */

static uint32_t least_distance(
    const struct test_graph *graph, const struct plan *plan, const struct test_link *link)
{
	return graph->pipelined ||
	        plan->instances[link->from].lane != plan->instances[link->to].lane
	    ? 1
	    : 0;
}

/* Position in the lane: segments in order, instances in order. */
static size_t place_of(const struct plan *plan, uint32_t instance)
{
	size_t place = 0;

	for (size_t s = 0; s < plan->n_segments; s++) {
		for (size_t i = 0; i < plan->segments[s].n_instances; i++, place++)
			if (plan->segments[s].instances[i] == instance)
				return place;
	}
	return SIZE_MAX;
}

static const char *links_wrong(
    const struct test_graph *graph, const struct plan *plan, char text[256])
{
	for (int l = 0; l < graph->n_links; l++) {
		const struct test_link *link = &graph->links[l];
		const struct plan_instance *u = &plan->instances[link->from],
		                           *v = &plan->instances[link->to];
		const int64_t distance = (int64_t)link->delay + v->lag - u->lag;

		if (distance != plan->links[l].distance)
			WRONG("link %d: distance %u is not w + lag(v) - lag(u)", l,
			    plan->links[l].distance);
		if (distance < (int64_t)least_distance(graph, plan, link))
			WRONG("link %d: distance %d is too short", l, (int)distance);
		if (distance == 0 &&
		    place_of(plan, (uint32_t)link->from) >= place_of(plan, (uint32_t)link->to))
			WRONG("link %d: distance 0 and the reader goes first", l);
	}
	return NULL;
}

/* The least lags, found without the library's algorithm: grow from 0, one slot at a time, only
 * where a link demands it. */
static const char *lags_wrong(
    const struct test_graph *graph, const struct plan *plan, char text[256])
{
	uint32_t lags[GRAPH_NODES_MAX] = {0};
	bool moved = true;

	while (moved) {
		moved = false;
		for (int l = 0; l < graph->n_links; l++) {
			const struct test_link *link = &graph->links[l];

			if (lags[link->to] + link->delay <
			    lags[link->from] + least_distance(graph, plan, link)) {
				lags[link->to]++;
				moved = true;
			}
		}
	}
	for (int i = 0; i < graph->n_nodes; i++)
		if (lags[i] != plan->instances[i].lag)
			WRONG("n%d: lag %u, the least is %u", i, plan->instances[i].lag, lags[i]);
	return NULL;
}

static const char *host_wrong(
    const struct test_graph *graph, const struct plan *plan, int node, char text[256])
{
	const uint32_t host = plan->segments[plan->instances[node].segment].host;

	for (int i = 0; i < graph->n_nodes; i++) {
		const uint32_t other = plan->segments[plan->instances[i].segment].host;
		const bool alike = graph->nodes[i].isolation == graph->nodes[node].isolation &&
		    graph->nodes[node].isolation != WF_ISOLATION_COMPONENT;

		if (i != node && alike != (host == other))
			WRONG("n%d and n%d: hosts %u and %u do not fit their isolation", node, i,
			    host, other);
	}
	if (host >= plan->n_hosts)
		WRONG("n%d: host %u of %u", node, host, plan->n_hosts);
	if (graph->nodes[node].isolation == WF_ISOLATION_NONE && host >= plan->n_shared)
		WRONG("n%d: is to share and is in host %u", node, host);
	if (graph->nodes[node].isolation != WF_ISOLATION_NONE && host < plan->n_shared)
		WRONG("n%d: is in the shared host", node);
	return NULL;
}

static const char *instances_wrong(
    const struct test_graph *graph, const struct plan *plan, char text[256])
{
	size_t seen = 0;

	for (size_t s = 0; s < plan->n_segments; s++) {
		const struct plan_segment *segment = &plan->segments[s];

		if (!segment->n_instances || segment->lane >= plan->n_lanes)
			WRONG("segment %zu: %zu instances on lane %u", s, segment->n_instances,
			    segment->lane);
		if (s && segment->lane == segment[-1].lane && segment->host == segment[-1].host)
			WRONG("segments %zu and %zu are one", s - 1, s);
		for (size_t i = 0; i < segment->n_instances; i++, seen++) {
			const struct plan_instance *instance =
			    &plan->instances[segment->instances[i]];

			if (instance->segment != s || instance->order != i ||
			    instance->lane != segment->lane)
				WRONG("n%u: says segment %u order %u, is in %zu at %zu",
				    segment->instances[i], instance->segment, instance->order, s,
				    i);
		}
	}
	if (seen != plan->n_instances || (int)seen != graph->n_nodes)
		WRONG("%zu instances in segments, %d nodes", seen, graph->n_nodes);
	for (int i = 0; i < graph->n_nodes; i++) {
		if (graph->nodes[i].pin >= 0 &&
		    plan->instances[i].lane != (uint32_t)graph->nodes[i].pin)
			WRONG("n%d: pinned to %d, is on lane %u", i, graph->nodes[i].pin,
			    plan->instances[i].lane);
		if (host_wrong(graph, plan, i, text))
			return text;
	}
	return NULL;
}

static const char *buffer_wrong(
    const struct test_graph *graph, const struct plan *plan, int node, int port, char text[256])
{
	const struct plan_buffer *buffer = NULL;
	uint32_t found = 0, needed = 0, links = 0;

	for (int l = 0; l < graph->n_links; l++) {
		if (graph->links[l].from != node || graph->links[l].from_port != port)
			continue;
		links++;
		needed =
		    plan->links[l].distance + 2 > needed ? plan->links[l].distance + 2 : needed;
	}
	for (size_t b = 0; b < plan->n_buffers; b++) {
		if (plan->buffers[b].instance != (uint32_t)node ||
		    plan->buffers[b].port != (uint32_t)port)
			continue;
		found++;
		buffer = &plan->buffers[b];
	}
	if (found != (links > 0))
		WRONG("n%d.%d: %u buffers for %u links", node, port, found, links);
	if (buffer &&
	    (buffer->depth < needed || buffer->depth >= 2 * needed ||
	        (buffer->depth & (buffer->depth - 1))))
		WRONG("n%d.%d: depth %u, %u are needed", node, port, buffer->depth, needed);
	if (buffer && (buffer->type != ALOE_BYTE || buffer->max != GRAPH_MSG_BYTES))
		WRONG("n%d.%d: %u items of type %u", node, port, buffer->max, buffer->type);
	return NULL;
}

const char *plan_check(const struct test_graph *graph, const struct plan *plan, char text[256])
{
	if (instances_wrong(graph, plan, text) || links_wrong(graph, plan, text) ||
	    lags_wrong(graph, plan, text))
		return text;
	for (int i = 0; i < graph->n_nodes; i++)
		for (int port = 0; port < GRAPH_OUTPUTS_MAX; port++)
			if (buffer_wrong(graph, plan, i, port, text))
				return text;
	return NULL;
}

/* ---- the longest path ------------------------------------------------------------------------ */

struct walk {
	const struct test_graph *graph;
	const struct plan *plan;
	bool on_path[GRAPH_NODES_MAX];
	struct path_cores cores;
	uint64_t lanes; /* set */
};

/* Walks back over links that are as short as they may be, to where the lag begins. */
static bool walk_back(struct walk *walk, int node)
{
	const struct plan_instance *instances = walk->plan->instances;
	const struct walk before = *walk;

	walk->on_path[node] = true;
	walk->lanes |= 1ull << instances[node].lane;
	if (instances[node].lag == 0)
		return true;
	for (int l = 0; l < walk->graph->n_links; l++) {
		const struct test_link *link = &walk->graph->links[l];
		const struct walk here = *walk;

		if (link->to != node || walk->on_path[link->from] ||
		    walk->plan->links[l].distance != least_distance(walk->graph, walk->plan, link))
			continue;
		walk->cores.visits += instances[link->from].lane != instances[node].lane;
		if (walk_back(walk, link->from))
			return true;
		*walk = here;
	}
	*walk = before;
	return false;
}

struct path_cores path_cores(const struct test_graph *graph, const struct plan *plan, int node)
{
	struct walk walk = {.graph = graph, .plan = plan, .cores = {1, 0}};

	if (!walk_back(&walk, node))
		abort(); /* lags that are not the least: plan_check comes first */
	walk.cores.distinct = (uint32_t)__builtin_popcountll(walk.lanes);
	return walk.cores;
}

/* ---- brute force ------------------------------------------------------------------------ */

enum { CYCLES_MAX = 200000 };

struct ring { /* a simple cycle */
	uint8_t nodes[GRAPH_NODES_MAX];
	uint8_t len;
	uint32_t delay;
};

struct search {
	int n;
	int64_t delays[GRAPH_NODES_MAX][GRAPH_NODES_MAX]; /* least declared, -1: no link */
	struct ring path, *rings;
	size_t n_rings;
	bool pipelined;
	int lanes[GRAPH_NODES_MAX]; /* being tried */
};

/* All simple cycles whose smallest node is the first of the path. */
static void rings_find(struct search *search, uint32_t taken)
{
	struct ring *path = &search->path;
	const int last = path->nodes[path->len - 1], first = path->nodes[0];
	const uint32_t delay = path->delay;

	for (int next = first; next < search->n; next++) {
		if (search->delays[last][next] < 0 || (next != first && taken >> next & 1))
			continue;
		path->delay = delay + (uint32_t)search->delays[last][next];
		if (next == first) {
			if (search->n_rings == CYCLES_MAX)
				abort();
			search->rings[search->n_rings++] = *path;
		} else {
			path->nodes[path->len++] = (uint8_t)next;
			rings_find(search, taken | 1u << next);
			path->len--;
		}
	}
	path->delay = delay;
}

static bool placement_legal(const struct search *search)
{
	for (size_t r = 0; r < search->n_rings; r++) {
		const struct ring *ring = &search->rings[r];
		uint32_t needed = 0;

		for (int i = 0; i < ring->len; i++) {
			const int from = ring->nodes[i], to = ring->nodes[(i + 1) % ring->len];

			needed += search->pipelined || search->lanes[from] != search->lanes[to];
		}
		if (ring->delay < (needed ? needed : 1))
			return false;
	}
	return true;
}

/* Tries all lanes that pins of cycles name (another lane never helps) for each node of `open`. */
static bool placements_try(struct search *search, const int *open, int n_open, uint32_t lanes)
{
	if (!n_open)
		return placement_legal(search);
	for (int lane = 0; lane < GRAPH_LANES_MAX; lane++) {
		search->lanes[open[0]] = lane;
		if (lanes >> lane & 1 && placements_try(search, open + 1, n_open - 1, lanes))
			return true;
	}
	return false;
}

static void search_init(struct search *search, const struct test_graph *graph)
{
	*search = (struct search){.n = graph->n_nodes, .pipelined = graph->pipelined};
	search->rings = malloc(CYCLES_MAX * sizeof(*search->rings));
	if (!search->rings)
		abort();
	memset(search->delays, 0xff, sizeof(search->delays));
	for (int l = 0; l < graph->n_links; l++) {
		int64_t *delay = &search->delays[graph->links[l].from][graph->links[l].to];

		if (*delay < 0 || graph->links[l].delay < *delay)
			*delay = graph->links[l].delay;
	}
	for (int i = 0; i < graph->n_nodes; i++) {
		search->path = (struct ring){.nodes = {(uint8_t)i}, .len = 1};
		rings_find(search, 1u << i);
	}
}

bool cycles_possible(const struct test_graph *graph)
{
	struct search search;
	uint32_t on_cycle = 0, lanes = 0;
	int open[GRAPH_NODES_MAX], n_open = 0;
	bool possible;

	search_init(&search, graph);
	for (size_t r = 0; r < search.n_rings; r++)
		for (int i = 0; i < search.rings[r].len; i++)
			on_cycle |= 1u << search.rings[r].nodes[i];
	for (int i = 0; i < graph->n_nodes; i++) {
		search.lanes[i] = graph->nodes[i].pin < 0 ? 0 : graph->nodes[i].pin;
		if (!(on_cycle >> i & 1))
			continue;
		if (graph->nodes[i].pin < 0)
			open[n_open++] = i;
		else
			lanes |= 1u << graph->nodes[i].pin;
	}
	possible = placements_try(&search, open, n_open, lanes ? lanes : 1);
	free(search.rings);
	return possible;
}
