/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/interpreter.h"

#include <stdlib.h>

enum progress { OPEN, BUSY, DONE };

struct step { /* one node at one index */
	enum progress progress;
	struct graph_msg out[GRAPH_OUTPUTS_MAX];
};

struct interpreter {
	const struct test_graph *graph; /* while computing */
	uint64_t length[GRAPH_NODES_MAX], longest;
	bool cycle; /* met a node that waits for itself */
	struct step *steps;
};

static struct step *step_at(const struct interpreter *interpreter, int node, uint64_t index)
{
	return &interpreter->steps[(uint64_t)node * interpreter->longest + index];
}

static void step_compute(struct interpreter *interpreter, int node, uint64_t index);

static struct graph_msg input_get(struct interpreter *interpreter, int l, uint64_t index)
{
	const struct test_link *link = l < 0 ? NULL : &interpreter->graph->links[l];

	if (!link || index < link->delay)
		return (struct graph_msg){ALOE_ABSENT, 0, 0};
	if (index - link->delay >= interpreter->length[link->from])
		return (struct graph_msg){ALOE_IDLE, 0, 0};
	step_compute(interpreter, link->from, index - link->delay);
	return step_at(interpreter, link->from, index - link->delay)->out[link->from_port];
}

static void step_compute(struct interpreter *interpreter, int node, uint64_t index)
{
	const struct test_node *n = &interpreter->graph->nodes[node];
	struct step *step = step_at(interpreter, node, index);
	struct graph_msg in[GRAPH_INPUTS_MAX];

	interpreter->cycle |= step->progress == BUSY;
	if (step->progress != OPEN)
		return;
	step->progress = BUSY;
	for (int i = 0; i < n->n_inputs; i++)
		in[i] = input_get(interpreter, n->in_link[i], index);
	if (graph_calls(interpreter->graph, node, index))
		graph_node(interpreter->graph, node, index, in, step->out);
	else
		for (int i = 0; i < n->n_outputs; i++)
			step->out[i] = (struct graph_msg){ALOE_IDLE, 0, 0};
	step->progress = DONE;
}

static bool leads_to(const struct test_graph *graph, int from, int to, bool *seen)
{
	if (from == to)
		return true;
	seen[from] = true;
	for (int l = 0; l < graph->n_links; l++)
		if (graph->links[l].from == from && !seen[graph->links[l].to] &&
		    leads_to(graph, graph->links[l].to, to, seen))
			return true;
	return false;
}

/* How far beyond the sources the node goes on: by the longest way from a source, of delays and
 * tails. A delay on a cycle brings nothing more. `steps`: of the walk, to see a cycle without any
 * delay. */
static uint64_t run_on(struct interpreter *interpreter, int node, int steps)
{
	const struct test_graph *graph = interpreter->graph;
	uint64_t most = 0;
	bool source = true;

	interpreter->cycle |= steps > graph->n_nodes;
	for (int l = 0; l < graph->n_links && !interpreter->cycle; l++) {
		const struct test_link *link = &graph->links[l];
		bool seen[GRAPH_NODES_MAX] = {false};

		if (link->to != node)
			continue;
		source = false;
		if (link->delay == 0 || !leads_to(graph, node, link->from, seen)) {
			const uint64_t brings =
			    run_on(interpreter, link->from, steps + 1) + link->delay;

			most = brings > most ? brings : most;
		}
	}
	return source ? 0 : most + graph->nodes[node].tail;
}

/* A delay on a cycle brings nothing that has an end. */
static bool counted(const struct test_graph *graph, const struct test_link *link)
{
	bool seen[GRAPH_NODES_MAX] = {false};

	return link->delay == 0 || !leads_to(graph, link->to, link->from, seen);
}

/* The nodes that messages at `node` began in, a bit each; *ret_ways: links that bring some. */
static uint32_t origins(const struct test_graph *graph, int node, int *ret_ways)
{
	uint32_t all = 0;
	int ways;

	*ret_ways = 0;
	for (int l = 0; l < graph->n_links; l++)
		if (graph->links[l].to == node && counted(graph, &graph->links[l])) {
			all |= origins(graph, graph->links[l].from, &ways);
			++*ret_ways;
		}
	return *ret_ways == 0 ? 1u << node : all;
}

/* The tails on the longest way from `node` to where messages of several sources meet; -1: they
 * never do. */
static int64_t until_meeting(const struct test_graph *graph, int node)
{
	int64_t most = -1;

	for (int l = 0; l < graph->n_links; l++) {
		const struct test_link *link = &graph->links[l];
		int64_t later;
		uint32_t begun;
		int ways;

		if (link->from != node || !counted(graph, link))
			continue;
		begun = origins(graph, link->to, &ways);
		if (ways > 1 && (begun & (begun - 1)) != 0 && most < 0)
			most = 0;
		later = until_meeting(graph, link->to);
		if (later >= 0 && later + graph->nodes[link->to].tail > most)
			most = later + graph->nodes[link->to].tail;
	}
	return most;
}

/* What a source has sent before index `length` meets the other sources' messages whole. */
static uint64_t length_whole(const struct test_graph *graph, uint64_t length)
{
	uint64_t whole = length;

	for (int node = 0; node < graph->n_nodes; node++) {
		const int64_t tails = until_meeting(graph, node);
		uint64_t parts = tails > 0 ? (uint64_t)tails + 1 : 1;

		for (int l = 0; l < graph->n_links; l++)
			parts = graph->links[l].to == node ? 0 : parts; /* no source */
		if (parts > graph->nodes[node].period)
			parts = graph->nodes[node].period;
		for (uint64_t k = 0; k < length && parts > 0; k++)
			if (graph_calls(graph, node, k) && k + parts > whole)
				whole = k + parts;
	}
	return whole;
}

static void lengths_find(struct interpreter *interpreter, uint64_t length)
{
	for (int node = 0; node < interpreter->graph->n_nodes; node++) {
		uint64_t *own = &interpreter->length[node];

		*own = length + run_on(interpreter, node, 0);
		interpreter->longest = *own > interpreter->longest ? *own : interpreter->longest;
	}
}

struct interpreter *interpreter_new(const struct test_graph *graph, uint64_t length)
{
	struct interpreter *interpreter = calloc(1, sizeof(*interpreter));

	if (!interpreter)
		return NULL;
	*interpreter = (struct interpreter){.graph = graph};
	lengths_find(interpreter, length);
	if (!interpreter->cycle)
		lengths_find(interpreter, length_whole(graph, length));
	if (!interpreter->cycle)
		interpreter->steps = calloc(
		    (size_t)graph->n_nodes * interpreter->longest, sizeof(*interpreter->steps));
	for (uint64_t index = 0; interpreter->steps && index < interpreter->longest; index++)
		for (int node = 0; node < graph->n_nodes; node++)
			if (index < interpreter->length[node])
				step_compute(interpreter, node, index);
	if (interpreter->steps && !interpreter->cycle)
		return interpreter;
	interpreter_free(interpreter);
	return NULL;
}

uint64_t interpreter_length(const struct interpreter *interpreter, int node)
{
	return interpreter->length[node];
}

void interpreter_free(struct interpreter *interpreter)
{
	if (!interpreter)
		return;
	free(interpreter->steps);
	free(interpreter);
}

const struct graph_msg *interpreter_message(
    const struct interpreter *interpreter, int node, int port, uint64_t index)
{
	return &step_at(interpreter, node, index)->out[port];
}
