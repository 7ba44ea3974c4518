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
	uint64_t length;
	bool cycle; /* met a node that waits for itself */
	struct step *steps;
};

static struct step *step_at(const struct interpreter *interpreter, int node, uint64_t index)
{
	return &interpreter->steps[(uint64_t)node * interpreter->length + index];
}

static void step_compute(struct interpreter *interpreter, int node, uint64_t index);

static struct graph_msg input_get(struct interpreter *interpreter, int l, uint64_t index)
{
	const struct test_link *link = l < 0 ? NULL : &interpreter->graph->links[l];

	if (!link || index < link->delay)
		return (struct graph_msg){ALOE_ABSENT, 0, 0};
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

struct interpreter *interpreter_new(const struct test_graph *graph, uint64_t length)
{
	struct interpreter *interpreter = calloc(1, sizeof(*interpreter));

	if (!interpreter)
		return NULL;
	*interpreter = (struct interpreter){.graph = graph, .length = length};
	interpreter->steps = calloc((size_t)graph->n_nodes * length, sizeof(*interpreter->steps));
	for (uint64_t index = 0; interpreter->steps && index < length; index++)
		for (int node = 0; node < graph->n_nodes; node++)
			step_compute(interpreter, node, index);
	if (interpreter->steps && !interpreter->cycle)
		return interpreter;
	interpreter_free(interpreter);
	return NULL;
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
