/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/plan_sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NEVER = -1 };

/* Keeps the first reason. */
#define FAIL(sim, ...) snprintf((sim)->why, (sim)->why[0] ? 0 : sizeof((sim)->why), __VA_ARGS__)

struct cell { /* a place in a ring */
	struct graph_msg msg;
	int64_t index; /* whose message it holds */
	int64_t written_slot, read_slot;
	uint32_t written_lane;
	uint64_t read_lanes; /* set of lanes that read it in read_slot */
};

struct plan_sim {
	const struct test_graph *graph; /* while running */
	const struct plan *plan;
	uint64_t length, slot;
	struct cell *rings[GRAPH_NODES_MAX][GRAPH_OUTPUTS_MAX]; /* NULL: not connected */
	uint32_t depths[GRAPH_NODES_MAX][GRAPH_OUTPUTS_MAX];
	struct graph_msg *messages; /* by node, port, index */
	uint64_t *slots;            /* by node, index */
	char why[256];
};

static void *zeroed(size_t n, size_t size)
{
	void *memory = calloc(n ? n : 1, size);

	if (!memory)
		abort();
	return memory;
}

static struct graph_msg *message_at(const struct plan_sim *sim, int node, int port, uint64_t index)
{
	return &sim->messages[((uint64_t)node * GRAPH_OUTPUTS_MAX + (uint64_t)port) * sim->length +
	    index];
}

static struct cell *cell_at(struct plan_sim *sim, int node, int port, uint64_t index)
{
	return &sim->rings[node][port][index & (sim->depths[node][port] - 1)];
}

static struct graph_msg input_read(struct plan_sim *sim, int l, uint64_t index)
{
	const struct test_link *link = l < 0 ? NULL : &sim->graph->links[l];
	uint32_t lane;
	int64_t wanted;
	struct cell *cell;

	if (!link || index < link->delay)
		return (struct graph_msg){ALOE_ABSENT, 0, 0};
	lane = sim->plan->instances[link->to].lane;
	wanted = (int64_t)(index - link->delay);
	cell = cell_at(sim, link->from, link->from_port, (uint64_t)wanted);
	if (cell->index != wanted)
		FAIL(sim,
		    "slot %" PRIu64 ": link %d: n%d needs message %" PRId64
		    " of n%d, the ring has %" PRId64,
		    sim->slot, l, link->to, wanted, link->from, cell->index);
	else if (cell->written_slot == (int64_t)sim->slot && cell->written_lane != lane)
		FAIL(sim,
		    "slot %" PRIu64
		    ": link %d: n%d reads what n%d writes on another lane in this slot",
		    sim->slot, l, link->to, link->from);
	if (cell->read_slot != (int64_t)sim->slot)
		cell->read_lanes = 0;
	cell->read_slot = (int64_t)sim->slot;
	cell->read_lanes |= 1ull << lane;
	return cell->msg;
}

static void output_write(
    struct plan_sim *sim, int node, int port, uint64_t index, const struct graph_msg *msg)
{
	const uint32_t lane = sim->plan->instances[node].lane;
	struct cell *cell;

	*message_at(sim, node, port, index) = *msg;
	if (!sim->rings[node][port])
		return;
	cell = cell_at(sim, node, port, index);
	if (cell->read_slot == (int64_t)sim->slot && (cell->read_lanes & ~(1ull << lane)))
		FAIL(sim,
		    "slot %" PRIu64 ": n%d overwrites message %" PRId64
		    " that another lane reads in this slot",
		    sim->slot, node, cell->index);
	*cell = (struct cell){*msg, (int64_t)index, (int64_t)sim->slot, NEVER, lane, 0};
}

static void instance_run(struct plan_sim *sim, int node)
{
	const struct test_node *n = &sim->graph->nodes[node];
	const uint32_t lag = sim->plan->instances[node].lag;
	const uint64_t index = sim->slot - lag;
	struct graph_msg in[GRAPH_INPUTS_MAX], out[GRAPH_OUTPUTS_MAX];

	if (sim->slot < lag || index >= sim->length)
		return;
	for (int i = 0; i < n->n_inputs; i++)
		in[i] = input_read(sim, n->in_link[i], index);
	for (int i = 0; i < n->n_outputs; i++)
		out[i] = (struct graph_msg){ALOE_IDLE, 0, 0};
	if (graph_calls(sim->graph, node, index))
		graph_node(sim->graph, node, index, in, out);
	for (int i = 0; i < n->n_outputs; i++)
		output_write(sim, node, i, index, &out[i]);
	sim->slots[(uint64_t)node * sim->length + index] = sim->slot;
}

static void lane_run(struct plan_sim *sim, uint32_t lane)
{
	for (size_t s = 0; s < sim->plan->n_segments; s++)
		for (size_t i = 0;
		     sim->plan->segments[s].lane == lane && i < sim->plan->segments[s].n_instances;
		     i++)
			instance_run(sim, (int)sim->plan->segments[s].instances[i]);
}

/* Forwards, backwards, and beginning at each lane in turn. */
static void slot_run(struct plan_sim *sim)
{
	const uint32_t n = (uint32_t)sim->plan->n_lanes, first = (uint32_t)(sim->slot / 2 % n);

	for (uint32_t i = 0; i < n; i++)
		lane_run(sim, sim->slot % 2 ? (first + n - i) % n : (first + i) % n);
}

static void rings_make(struct plan_sim *sim)
{
	for (size_t i = 0; i < sim->plan->n_buffers; i++) {
		const struct plan_buffer *buffer = &sim->plan->buffers[i];
		struct cell *ring = zeroed(buffer->depth, sizeof(*ring));

		for (uint32_t c = 0; c < buffer->depth; c++)
			ring[c].index = ring[c].written_slot = ring[c].read_slot = NEVER;
		sim->rings[buffer->instance][buffer->port] = ring;
		sim->depths[buffer->instance][buffer->port] = buffer->depth;
	}
}

struct plan_sim *plan_sim_new(
    const struct test_graph *graph, const struct plan *plan, uint64_t length)
{
	struct plan_sim *sim = zeroed(1, sizeof(*sim));
	uint32_t lag_max = 0;

	*sim = (struct plan_sim){.graph = graph, .plan = plan, .length = length};
	sim->messages =
	    zeroed((size_t)graph->n_nodes * GRAPH_OUTPUTS_MAX * length, sizeof(*sim->messages));
	sim->slots = zeroed((size_t)graph->n_nodes * length, sizeof(*sim->slots));
	rings_make(sim);
	for (size_t i = 0; i < plan->n_instances; i++)
		lag_max = plan->instances[i].lag > lag_max ? plan->instances[i].lag : lag_max;
	for (sim->slot = 0; sim->slot < length + lag_max && !sim->why[0]; sim->slot++)
		slot_run(sim);
	return sim;
}

void plan_sim_free(struct plan_sim *sim)
{
	if (!sim)
		return;
	for (int i = 0; i < GRAPH_NODES_MAX; i++)
		for (int p = 0; p < GRAPH_OUTPUTS_MAX; p++)
			free(sim->rings[i][p]);
	free(sim->messages);
	free(sim->slots);
	free(sim);
}

const char *plan_sim_why(const struct plan_sim *sim)
{
	return sim->why[0] ? sim->why : NULL;
}

const struct graph_msg *plan_sim_message(
    const struct plan_sim *sim, int node, int port, uint64_t index)
{
	return message_at(sim, node, port, index);
}

uint64_t plan_sim_slot(const struct plan_sim *sim, int node, uint64_t index)
{
	return sim->slots[(uint64_t)node * sim->length + index];
}
