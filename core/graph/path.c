/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The path from a source to a sink that gives the latency: of all paths to the sink with the
 * largest lag that one with the most slots, and of these the one with the most instances. A link
 * with a declared delay brings an earlier message and is on no path. */
#include <errno.h>
#include <stdlib.h>

#include "core/graph/graph.h"

enum { NONE = UINT32_MAX };

struct path_end { /* the best path to an instance */
	uint64_t slots;
	uint32_t hops;
	uint32_t link; /* its last link; NONE */
};

/* rows_number numbers the rows: always the first instance of the file whose writers all stand. Of a
 * cycle without a delay, which no waveform has, the first instance goes first. */
static void rows_number(struct graph *graph, uint32_t *waits, uint32_t *ret_order)
{
	for (uint32_t l = 0; l < graph->n_links; l++)
		if (graph->links[l].delay == 0)
			waits[graph->links[l].to]++;
	for (uint32_t i = 0; i < graph->n_instances; i++)
		graph->instances[i].row = NONE;
	for (uint32_t row = 0; row < graph->n_instances; row++) {
		uint32_t next = NONE;

		for (uint32_t i = 0; i < graph->n_instances; i++) {
			if (graph->instances[i].row != NONE)
				continue;
			if (waits[i] == 0 || next == NONE)
				next = i;
			if (waits[i] == 0)
				break;
		}
		graph->instances[next].row = row;
		ret_order[row] = next;
		for (uint32_t l = 0; l < graph->n_links; l++)
			if (graph->links[l].from == next && graph->links[l].delay == 0 &&
			    waits[graph->links[l].to] > 0)
				waits[graph->links[l].to]--;
	}
}

static bool is_longer(const struct path_end *a, const struct path_end *b)
{
	return a->slots != b->slots ? a->slots > b->slots : a->hops > b->hops;
}

static void ends_find(const struct graph *graph, const uint32_t *order, struct path_end *ends)
{
	for (uint32_t i = 0; i < graph->n_instances; i++)
		ends[i] = (struct path_end){.link = NONE};
	for (uint32_t row = 0; row < graph->n_instances; row++)
		for (uint32_t l = 0; l < graph->n_links; l++) {
			const struct graph_link *link = &graph->links[l];
			const struct path_end *from = &ends[link->from];
			const struct path_end way = {
			    from->slots + link->distance, from->hops + 1, l};

			if (link->from == order[row] && link->delay == 0 &&
			    graph->instances[link->to].row > row &&
			    is_longer(&way, &ends[link->to]))
				ends[link->to] = way;
		}
}

static bool has_readers(const struct graph *graph, uint32_t instance)
{
	for (uint32_t l = 0; l < graph->n_links; l++)
		if (graph->links[l].from == instance)
			return true;
	return false;
}

/* Where the path ends: the plan counts the latency to an instance without readers. */
static uint32_t sink_find(const struct graph *graph, const struct path_end *ends)
{
	uint32_t best = NONE;

	for (int any = 0; any < 2 && best == NONE; any++)
		for (uint32_t i = 0; i < graph->n_instances; i++) {
			const uint32_t lag = graph->instances[i].lag;

			if (!any && has_readers(graph, i))
				continue;
			if (best == NONE || lag > graph->instances[best].lag ||
			    (lag == graph->instances[best].lag && is_longer(&ends[i], &ends[best])))
				best = i;
		}
	return best;
}

static void path_mark(struct graph *graph, const struct path_end *ends, uint32_t sink)
{
	uint32_t at = sink;

	graph->path_steps = ends[sink].hops + 1;
	while (ends[at].link != NONE) {
		graph->instances[at].on_path = true;
		graph->instances[at].step = ends[at].hops;
		graph->links[ends[at].link].on_path = true;
		at = graph->links[ends[at].link].from;
	}
	graph->instances[at].on_path = true;
	graph->instances[at].step = 0;
}

int graph_path_find(struct graph *graph)
{
	uint32_t *waits = calloc(graph->n_instances + 1u, sizeof(*waits)),
	         *order = calloc(graph->n_instances + 1u, sizeof(*order));
	struct path_end *ends = calloc(graph->n_instances + 1u, sizeof(*ends));
	const bool ok = waits && order && ends;

	if (ok && graph->n_instances > 0) {
		rows_number(graph, waits, order);
		ends_find(graph, order, ends);
		path_mark(graph, ends, sink_find(graph, ends));
	}
	free(waits);
	free(order);
	free(ends);
	return ok ? 0 : -ENOMEM;
}
