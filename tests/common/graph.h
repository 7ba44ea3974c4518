/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/graph.h - random waveforms with a meaning that needs no engine: nodes are small
 * integer functions.
 *
 * 	struct test_graph graph;
 * 	graph_random(seed, &graph);                       // the same seed, the same graph
 *      struct waveform *wf = graph_waveform(&graph);     // the same graph for plan_make and the
 *                                                        engine
 * 	struct interpreter *truth = interpreter_new(&graph, 40); // tests/common/interpreter.h
 * 	const struct graph_msg *msg = interpreter_message(truth, node, port, index);
 * 	// what must come out
 *
 * Node i is instance i ("n0", "n1", ...) and link l is link l of the waveform. At index k a node is
 * called unless its period leaves k out (graph_calls); then all its outputs are IDLE. Its input
 * over a link with delay w is the writer's message k - w, ABSENT where k < w, IDLE where the writer
 * had ended before it, and ABSENT on an input that is not connected. graph_node computes its
 * outputs from nothing but (graph, node, index, inputs), so an engine that calls it on the right
 * inputs gives the right bits.
 */
#ifndef TESTS_COMMON_GRAPH_H
#define TESTS_COMMON_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/waveform/waveform.h"

enum {
	GRAPH_NODES_MAX = 12,
	GRAPH_LANES_MAX = 4,
	GRAPH_INPUTS_MAX = 4,
	GRAPH_OUTPUTS_MAX = 2,
	GRAPH_LINKS_MAX = GRAPH_NODES_MAX * GRAPH_INPUTS_MAX,
	GRAPH_PLACES_MAX = 5,
	/* instances, each in some places */
	GRAPH_ROWS_MAX = GRAPH_NODES_MAX * GRAPH_PLACES_MAX,
	GRAPH_ROW_LINKS_MAX = GRAPH_LINKS_MAX * GRAPH_PLACES_MAX * GRAPH_PLACES_MAX,
	/* a message is 0..8 bytes of ALOE_BYTE: the first `len` of `value`, little end first */
	GRAPH_MSG_BYTES = 8,
};

struct graph_msg {
	uint32_t state; /* enum aloe_state */
	uint32_t len;   /* bytes; 0 unless VALID */
	uint64_t value; /* bytes beyond len are 0 */
};

struct test_link {
	int from, from_port, to, to_port;
	uint32_t delay;
};

struct test_node {
	int n_inputs;
	int in_link[GRAPH_INPUTS_MAX]; /* by input: link, or -1: not connected */
	int n_outputs;                 /* some may have no reader */
	uint32_t period, phase;        /* 1, 0; phase < period */
	/* indices that it is called for beyond its last input; nothing for a source */
	uint32_t tail;
	int pin; /* lane or -1 */
	enum wf_isolation isolation;
	uint32_t kmac;
	uint32_t replicas; /* 0, 1: one place */
};

struct test_graph {
	uint64_t seed;
	int n_nodes, n_links, n_lanes;
	struct test_node nodes[GRAPH_NODES_MAX];
	struct test_link links[GRAPH_LINKS_MAX];
	bool pipelined;
	bool names_lanes; /* as if the user had written lanes = (0, 1, ...) */
	enum wf_isolation isolation;
	bool marks; /* see graph_marked */
	uint64_t mark_index;
};

/* graph_random makes the graph of a seed: 2..12 nodes, 1..4 lanes, joins, several readers of an
 * output, outputs without a reader, inputs without a writer, declared delays on and off cycles (not
 * always enough), periods, pins, every isolation, pipelined or not. File order is not topological
 * order. */
void graph_random(uint64_t seed, struct test_graph *ret);

/* graph_replicas puts one in two of the nodes that may be there into 2 .. GRAPH_PLACES_MAX places,
 * in half of the graphs all into equally many; it returns how many. */
int graph_replicas(struct test_graph *graph);

/* graph_marked makes a copy for measuring latency: every node is called at every index, all
 * messages are VALID with 8 bytes, and the value is a set of nodes: the union of the inputs, with
 * bit i added by node i at index `index` alone. The plan is the same, and the index at which bit i
 * comes to node j is the same on any engine. */
void graph_marked(const struct test_graph *graph, uint64_t index, struct test_graph *ret);

/* graph_add_node and graph_add_link build one by hand from a zeroed graph; they give the number. A
 * link goes to the next input of its reader and comes from output `from_port`. */
int graph_add_node(struct test_graph *graph);
int graph_add_link(struct test_graph *graph, int from, int from_port, int to, uint32_t delay);

/* graph_calls says whether the node's work is called at this index. */
bool graph_calls(const struct test_graph *graph, int node, uint64_t index);

/* graph_node is the node's work: `in` by input, `out` by output. No state, no allocation; may run
 * on any thread. */
void graph_node(const struct test_graph *graph, int node, uint64_t index,
    const struct graph_msg *in, struct graph_msg *out);

/* graph_waveform gives the same graph as a waveform, as if parsed and shaped (every port of type
 * byte, 8 items); free it with graph_waveform_free, not with waveform_free. NULL without memory. */
struct waveform *graph_waveform(const struct test_graph *graph);
void graph_waveform_free(struct waveform *waveform);

bool graph_msg_equal(const struct graph_msg *a, const struct graph_msg *b);

#endif
