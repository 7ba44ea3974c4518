/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

/* Mixes all bits of a into all bits of the result (multiply, fold, twice). */
static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * 0x9e3779b97f4a7c15ull;
	a = (a ^ a >> 32) * 0xd6e8feb86659fd93ull;
	return a ^ a >> 29;
}

/* 0..n-1. */
static uint32_t draw(uint64_t *state, uint32_t n)
{
	*state += 0x9e3779b97f4a7c15ull;
	return (uint32_t)(mix(*state, 0x1234567) >> 20) % (n ? n : 1);
}

static bool one_in(uint64_t *state, uint32_t n)
{
	return draw(state, n) == 0;
}

/* ---- building ---- */

int graph_add_node(struct test_graph *graph)
{
	struct test_node *node = &graph->nodes[graph->n_nodes];

	*node = (struct test_node){.n_outputs = 1, .period = 1, .pin = -1, .kmac = 1};
	for (int i = 0; i < GRAPH_INPUTS_MAX; i++)
		node->in_link[i] = -1;
	return graph->n_nodes++;
}

int graph_add_link(struct test_graph *graph, int from, int from_port, int to, uint32_t delay)
{
	struct test_node *reader = &graph->nodes[to];
	const int to_port = reader->n_inputs++;

	reader->in_link[to_port] = graph->n_links;
	if (graph->nodes[from].n_outputs <= from_port)
		graph->nodes[from].n_outputs = from_port + 1;
	graph->links[graph->n_links] = (struct test_link){from, from_port, to, to_port, delay};
	return graph->n_links++;
}

static void link_draw(struct test_graph *graph, uint64_t *state, int from, int to, uint32_t delay)
{
	if (graph->nodes[to].n_inputs < GRAPH_INPUTS_MAX)
		graph_add_link(graph, from, (int)draw(state, GRAPH_OUTPUTS_MAX), to, delay);
}

/* rank[i]: the i-th node of a topological order, so that file order is another. */
static void rank_draw(int n, uint64_t *state, int *rank)
{
	for (int i = 0; i < n; i++)
		rank[i] = i;
	for (int i = n - 1; i > 0; i--) {
		const int j = (int)draw(state, (uint32_t)i + 1), keep = rank[i];

		rank[i] = rank[j];
		rank[j] = keep;
	}
}

static void links_draw(struct test_graph *graph, uint64_t *state)
{
	const uint32_t n = (uint32_t)graph->n_nodes,
	               backward = one_in(state, 2) ? 0 : 1 + draw(state, 3);
	int rank[GRAPH_NODES_MAX] = {0};

	rank_draw(graph->n_nodes, state, rank);
	for (uint32_t i = 1; i < n; i++) {
		const uint32_t inputs =
		    one_in(state, 8) ? 0 : 1 + draw(state, one_in(state, 3) ? 3 : 1);

		for (uint32_t j = 0; j < inputs; j++) {
			/* most links are short, as in a chain */
			const uint32_t near = i < 3 ? 0 : i - 3;
			const uint32_t from =
			    one_in(state, 4) ? draw(state, i) : near + draw(state, i - near);

			link_draw(graph, state, rank[from], rank[i],
			    one_in(state, 6) ? 1 + draw(state, 3) : 0);
		}
	}
	for (uint32_t i = 0; i < backward; i++) {
		const uint32_t to = draw(state, n), from = to + draw(state, n - to);

		link_draw(
		    graph, state, rank[from], rank[to], one_in(state, 10) ? 0 : 1 + draw(state, 3));
	}
}

static void pins_draw(struct test_graph *graph, uint64_t *state)
{
	const uint32_t kind = draw(state, 8); /* 0: all, 1..3: some, else none */

	for (int i = 0; i < graph->n_nodes; i++)
		if (kind == 0 || (kind < 4 && one_in(state, 3)))
			graph->nodes[i].pin = (int)draw(state, (uint32_t)graph->n_lanes);
}

static void isolation_draw(struct test_graph *graph, uint64_t *state)
{
	const bool mixed = one_in(state, 4);

	graph->isolation = (enum wf_isolation)draw(state, 3);
	for (int i = 0; i < graph->n_nodes; i++)
		graph->nodes[i].isolation = mixed && one_in(state, 2)
		    ? (enum wf_isolation)draw(state, 3)
		    : graph->isolation;
}

static void nodes_draw(struct test_graph *graph, uint64_t *state)
{
	for (int i = 0; i < graph->n_nodes; i++) {
		struct test_node *node = &graph->nodes[i];

		node->kmac = 1 + draw(state, 50);
		if (one_in(state, 5)) {
			node->period = 2 + draw(state, 3);
			node->phase = draw(state, node->period);
		}
		if (one_in(state, 10) && node->n_inputs < GRAPH_INPUTS_MAX)
			node->n_inputs++; /* not connected */
		if (one_in(state, 10))
			node->n_outputs = GRAPH_OUTPUTS_MAX;
	}
}

static void tails_draw(struct test_graph *graph, uint64_t *state)
{
	for (int i = 0; i < graph->n_nodes; i++)
		graph->nodes[i].tail = one_in(state, 5) ? 1 + draw(state, 4) : 0;
}

void graph_random(uint64_t seed, struct test_graph *ret)
{
	uint64_t state = mix(seed, 0xa10e);

	*ret = (struct test_graph){.seed = seed};
	ret->n_lanes = 1 + (int)draw(&state, GRAPH_LANES_MAX);
	ret->pipelined = one_in(&state, 5);
	ret->names_lanes = !one_in(&state, 4);
	for (uint32_t n = 2 + draw(&state, GRAPH_NODES_MAX - 1); n; n--)
		graph_add_node(ret);
	links_draw(ret, &state);
	nodes_draw(ret, &state);
	pins_draw(ret, &state);
	isolation_draw(ret, &state);
	tails_draw(ret, &state);
}

int graph_replicas(struct test_graph *graph)
{
	uint64_t state = mix(graph->seed, 0x4e9);
	const uint32_t all = one_in(&state, 2) ? 2 + draw(&state, GRAPH_PLACES_MAX - 1) : 0;
	int n = 0;

	for (int i = 0; i < graph->n_nodes; i++) {
		struct test_node *node = &graph->nodes[i];

		if (node->period > 1 || node->tail > 0 || one_in(&state, 2))
			continue;
		node->replicas = all ? all : 2 + draw(&state, GRAPH_PLACES_MAX - 1);
		n++;
	}
	return n;
}

void graph_marked(const struct test_graph *graph, uint64_t index, struct test_graph *ret)
{
	*ret = *graph;
	ret->marks = true;
	ret->mark_index = index;
	for (int i = 0; i < ret->n_nodes; i++) {
		ret->nodes[i].period = 1;
		ret->nodes[i].phase = 0;
	}
}

/* ---- meaning ---- */

bool graph_calls(const struct test_graph *graph, int node, uint64_t index)
{
	return index % graph->nodes[node].period == graph->nodes[node].phase;
}

static void marks_pass(const struct test_graph *graph, int node, uint64_t index,
    const struct graph_msg *in, struct graph_msg *out)
{
	uint64_t marks = index == graph->mark_index ? 1ull << node : 0;

	for (int i = 0; i < graph->nodes[node].n_inputs; i++)
		marks |= in[i].value;
	for (int i = 0; i < graph->nodes[node].n_outputs; i++)
		out[i] = (struct graph_msg){ALOE_VALID, GRAPH_MSG_BYTES, marks};
}

/* One message in 16 is ABSENT and one IDLE, of the node's own accord; the others have 1..8
 * bytes. */
static struct graph_msg message_of(uint64_t hash)
{
	const uint32_t kind = hash >> 8 & 15, len = 1 + (hash >> 12 & 7);

	if (kind < 2)
		return (struct graph_msg){kind ? ALOE_IDLE : ALOE_ABSENT, 0, 0};
	return (struct graph_msg){ALOE_VALID, len, mix(hash, 99) >> (64 - 8 * len)};
}

void graph_node(const struct test_graph *graph, int node, uint64_t index,
    const struct graph_msg *in, struct graph_msg *out)
{
	uint64_t hash = mix(mix(graph->seed, (uint64_t)node), index);

	if (graph->marks) {
		marks_pass(graph, node, index, in, out);
		return;
	}
	for (int i = 0; i < graph->nodes[node].n_inputs; i++) {
		hash = mix(hash, in[i].state);
		hash = mix(hash, in[i].len);
		hash = mix(hash, in[i].value);
	}
	for (int i = 0; i < graph->nodes[node].n_outputs; i++)
		out[i] = message_of(mix(hash, (uint64_t)i));
}

bool graph_msg_equal(const struct graph_msg *a, const struct graph_msg *b)
{
	return a->state == b->state && a->len == b->len && a->value == b->value;
}

/* ---- the same as a waveform ---- */

struct block {                    /* everything that the waveform points to */
	struct waveform waveform; /* first, for graph_waveform_free */
	struct wf_instance instances[GRAPH_NODES_MAX], rows[GRAPH_ROWS_MAX];
	struct wf_link links[GRAPH_LINKS_MAX], row_links[GRAPH_ROW_LINKS_MAX];
	struct component_type types[GRAPH_NODES_MAX];
	struct aloe_port ports[GRAPH_NODES_MAX][GRAPH_INPUTS_MAX + GRAPH_OUTPUTS_MAX];
	char names[GRAPH_NODES_MAX][16], row_names[GRAPH_ROWS_MAX][24],
	    type_names[GRAPH_NODES_MAX][32];
	char port_names[GRAPH_INPUTS_MAX + GRAPH_OUTPUTS_MAX][16];
	char file[32];
	int lanes[GRAPH_LANES_MAX];
};

static void type_write(struct block *block, const struct test_node *node, int i)
{
	struct component_type *type = &block->types[i];

	snprintf(block->type_names[i], sizeof(block->type_names[i]), "node_%d_%d", node->n_inputs,
	    node->n_outputs);
	*type = (struct component_type){
	    .name = block->type_names[i], .summary = "a node", .ports = block->ports[i]};
	type->kmac = node->kmac;
	for (int p = 0; p < node->n_inputs; p++)
		block->ports[i][type->n_ports++] =
		    (struct aloe_port)ALOE_IN_OPTIONAL(block->port_names[p], ALOE_BYTE, "in");
	for (int p = 0; p < node->n_outputs; p++)
		block->ports[i][type->n_ports++] = (struct aloe_port)ALOE_OUT_OPTIONAL(
		    block->port_names[GRAPH_INPUTS_MAX + p], ALOE_BYTE, "out");
}

static void instance_write(struct block *block, const struct test_node *node, int i)
{
	struct wf_instance *instance = &block->instances[i];

	type_write(block, node, i);
	snprintf(block->names[i], sizeof(block->names[i]), "n%d", i);
	*instance = (struct wf_instance){
	    .name = block->names[i], .type = &block->types[i], .pin = node->pin};
	instance->isolation = node->isolation;
	instance->period = node->period;
	instance->phase = node->phase;
	instance->tail = node->tail;
	instance->replicas = node->replicas > 1 ? node->replicas : 1;
	instance->n_in = (uint32_t)node->n_inputs;
	instance->n_out = (uint32_t)node->n_outputs;
	instance->line = 10 + i;
	for (int p = 0; p < node->n_inputs; p++) {
		instance->in[p].link = node->in_link[p];
		if (node->in_link[p] >= 0)
			instance->in[p] =
			    (struct wf_port){ALOE_BYTE, GRAPH_MSG_BYTES, node->in_link[p]};
	}
	for (int p = 0; p < node->n_outputs; p++)
		instance->out[p] = (struct wf_port){ALOE_BYTE, GRAPH_MSG_BYTES, -1};
}

static void link_write(struct block *block, const struct test_link *link, int l)
{
	struct wf_port *out = &block->instances[link->from].out[link->from_port];

	block->links[l] = (struct wf_link){.from = link->from,
	    .from_port = link->from_port,
	    .to = link->to,
	    .to_port = link->to_port,
	    .delay = link->delay,
	    .line = 100 + l};
	if (out->link < 0)
		out->link = l;
}

static void rows_write(struct block *block)
{
	struct waveform *waveform = &block->waveform;
	const struct wf_size size = waveform_spread_size(waveform);

	if (size.n_instances == waveform->n_instances)
		return;
	waveform_spread_rows(waveform, block->rows, block->row_links);
	for (size_t i = 0; i < size.n_instances; i++) {
		if (block->rows[i].place == 0)
			continue;
		snprintf(block->row_names[i], sizeof(block->row_names[i]), "%s/%u",
		    block->rows[i].name, block->rows[i].place + 1);
		block->rows[i].name = block->row_names[i];
	}
	waveform->instances = block->rows;
	waveform->links = block->row_links;
	waveform->n_instances = size.n_instances;
	waveform->n_links = size.n_links;
}

struct waveform *graph_waveform(const struct test_graph *graph)
{
	struct block *block = calloc(1, sizeof(*block));
	struct waveform *waveform;

	if (!block)
		return NULL;
	waveform = &block->waveform;
	snprintf(block->file, sizeof(block->file), "graph.conf");
	*waveform = (struct waveform){.file = block->file, .name = block->file, .slot_ns = 1000000};
	waveform->clock = WF_CLOCK_VIRTUAL;
	waveform->isolation = graph->isolation;
	waveform->pipelined = graph->pipelined;
	waveform->instances = block->instances;
	waveform->n_instances = (size_t)graph->n_nodes;
	waveform->links = block->links;
	waveform->n_links = (size_t)graph->n_links;
	waveform->lanes = graph->names_lanes ? block->lanes : NULL;
	waveform->n_lanes = graph->names_lanes ? (size_t)graph->n_lanes : 0;
	for (int p = 0; p < GRAPH_INPUTS_MAX + GRAPH_OUTPUTS_MAX; p++)
		snprintf(block->port_names[p], sizeof(block->port_names[p]),
		    p < GRAPH_INPUTS_MAX ? "in%d" : "out%d", p % GRAPH_INPUTS_MAX);
	for (int i = 0; i < graph->n_nodes; i++)
		instance_write(block, &graph->nodes[i], i);
	for (int l = 0; l < graph->n_links; l++)
		link_write(block, &graph->links[l], l);
	rows_write(block);
	return waveform;
}

void graph_waveform_free(struct waveform *waveform)
{
	free(waveform); /* the block begins with it */
}
