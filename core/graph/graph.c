/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/graph/graph.h"

#include <errno.h>
#include <stdlib.h>

int graph_new(uint32_t n_instances, uint32_t n_links, uint32_t n_lanes, struct graph **ret)
{
	struct graph *graph;

	if (n_instances > GRAPH_INSTANCES_MAX || n_links > GRAPH_LINKS_MAX ||
	    n_lanes > GRAPH_LANES_MAX)
		return -E2BIG;
	graph = calloc(1, sizeof(*graph));
	if (!graph)
		return -ENOMEM;
	graph->instances = calloc(n_instances + 1u, sizeof(*graph->instances));
	graph->links = calloc(n_links + 1u, sizeof(*graph->links));
	graph->lanes = calloc(n_lanes + 1u, sizeof(*graph->lanes));
	graph->n_instances = n_instances;
	graph->n_links = n_links;
	graph->n_lanes = n_lanes;
	if (!graph->instances || !graph->links || !graph->lanes) {
		graph_free(graph);
		return -ENOMEM;
	}
	*ret = graph;
	return 0;
}

void graph_free(struct graph *graph)
{
	if (!graph)
		return;
	free(graph->instances);
	free(graph->links);
	free(graph->lanes);
	free(graph);
}
