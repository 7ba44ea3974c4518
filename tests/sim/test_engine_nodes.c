/* SPDX-License-Identifier: BSD-3-Clause
 * Random graphs whose lanes lie on two nodes, between which word of what was done takes 1 to 3
 * slots, and which one of the sources ends: the sinks have the bits of the plain interpreter, and
 * every slot runs a step. Sources that are gated to one step of each other, as on one node, take as
 * many times the slots as the word takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/common/aloe.h"
#include "tests/common/engine.h"
#include "tests/common/interpreter.h"

enum { GRAPHS = ALOE_SLOWER(500, 100), LENGTH = 40, SLOTS_MAX = 100000, LONGER = 100 };

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static bool is_source(const struct test_graph *graph, int node)
{
	for (int p = 0; p < graph->nodes[node].n_inputs; p++)
		if (graph->nodes[node].in_link[p] >= 0)
			return false;
	return true;
}

static bool is_sink(const struct test_graph *graph, int node)
{
	for (int l = 0; l < graph->n_links; l++)
		if (graph->links[l].from == node)
			return false;
	return !is_source(graph, node);
}

/* A random graph, of which every node is on some lane of the two nodes; and the source that ends
 * it, -1: it has none. */
static int graph_make(uint64_t seed, struct test_graph *graph)
{
	uint64_t state = seed * 2654435761u + 99;
	int ender = -1, sources = 0;

	graph_random(seed, graph);
	graph->names_lanes = false;
	graph->n_lanes = GRAPH_LANES_MAX;
	for (int i = 0; i < graph->n_nodes; i++) {
		graph->nodes[i].pin = (int)(random_next(&state) % GRAPH_LANES_MAX);
		if (is_source(graph, i) && random_next(&state) % (uint64_t)++sources == 0)
			ender = i;
	}
	return ender;
}

/* Lanes in a random order, segments left out with probability leave/256: the slots that it took. */
static uint64_t run(struct engine *engine, uint64_t seed, uint32_t leave)
{
	uint64_t state = seed * 2654435761u + 1, slot;
	uint32_t ended = 0;

	for (slot = 0; ended < engine_segments(engine) && slot < SLOTS_MAX; slot++) {
		const uint32_t first = (uint32_t)(random_next(&state) % GRAPH_LANES_MAX);

		engine_word(engine);
		ended = 0;
		for (uint32_t l = 0; l < GRAPH_LANES_MAX; l++)
			for (uint32_t s = 0; s < engine_segments(engine); s++)
				if (engine_view(engine)->segments[s].lane ==
				        (first + l) % GRAPH_LANES_MAX &&
				    random_next(&state) % 256 >= leave)
					ended += engine_slot(engine, s, slot) == SEGMENT_ENDED;
	}
	assert_true(slot < SLOTS_MAX);
	return slot;
}

static void node_check(const struct test_graph *graph, struct engine *engine,
    const struct interpreter *truth, int node)
{
	const bool exact = is_sink(graph, node) || engine_view(engine)->instances[node].run_on > 0;

	for (int port = 0; port < graph->nodes[node].n_outputs; port++)
		for (uint64_t k = 0; k < LENGTH + LONGER; k++) {
			const bool within = k < interpreter_length(truth, node);
			bool called;
			const struct graph_msg *have =
			    engine_message(engine, node, port, k, &called);

			if ((within || exact) && called != (within && graph_calls(graph, node, k)))
				fail_msg("seed %d: n%d was %scalled at index %d", (int)graph->seed,
				    node, called ? "" : "not ", (int)k);
			if (within && called &&
			    !graph_msg_equal(interpreter_message(truth, node, port, k), have))
				fail_msg("seed %d: n%d.%d differs at index %d", (int)graph->seed,
				    node, port, (int)k);
		}
}

static void bits_check(const struct test_graph *graph, struct engine *engine, int ender)
{
	uint64_t length = LENGTH;
	struct interpreter *truth;

	while (!graph_calls(graph, ender, length - 1))
		length--;
	truth = interpreter_new(graph, length);
	assert_non_null(truth);
	for (int node = 0; node < graph->n_nodes; node++) {
		const struct image_instance_state *it =
		    image_instance_state(engine_view(engine), (uint32_t)node);

		node_check(graph, engine, truth, node);
		assert_int_equal(it->absent, 0);
		assert_int_equal(it->overwritten, 0);
	}
	interpreter_free(truth);
}

static bool has_source(const struct test_graph *graph, struct engine *engine, uint32_t segment)
{
	for (int i = 0; i < graph->n_nodes; i++)
		if (engine_view(engine)->instances[i].segment == segment && is_source(graph, i))
			return true;
	return false;
}

/* As sources are gated on one node; false: all sources are on one. */
static bool gate_sources(const struct test_graph *graph, struct engine *engine)
{
	bool any = false;

	for (uint32_t s = 0; s < engine_segments(engine); s++)
		for (uint32_t o = 0; o < engine_segments(engine); o++)
			if (has_source(graph, engine, s) && has_source(graph, engine, o) &&
			    image_node_of(engine_view(engine), s) !=
			        image_node_of(engine_view(engine), o)) {
				engine_gate(engine, s, o, 0);
				any = true;
			}
	return any;
}

static uint32_t end_of(struct engine *engine)
{
	uint32_t most = 0;

	for (uint32_t s = 0; s < engine_segments(engine); s++)
		if (engine_view(engine)->segments[s].end > most)
			most = engine_view(engine)->segments[s].end;
	return most;
}

static void test_bits(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct test_graph graph;
		const int ender = graph_make(seed, &graph);
		struct engine *engine =
		    ender < 0 ? NULL : engine_new_nodes(&graph, LENGTH, 1 + seed % 3, ender);

		if (engine == NULL)
			continue;
		run(engine, seed, 40);
		bits_check(&graph, engine, ender);
		engine_free(engine);
	}
}

static void test_speed(void **state)
{
	uint32_t graphs = 0, on_both = 0;
	uint64_t slots = 0, gated = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct test_graph graph;
		const uint32_t delay = 2;
		const int ender = graph_make(seed, &graph);
		struct engine *engine =
		    ender < 0 ? NULL : engine_new_nodes(&graph, LENGTH, delay, ender);
		uint64_t took;

		if (engine == NULL)
			continue;
		took = run(engine, seed, 0);
		bits_check(&graph, engine, ender);
		/* and until all have heard that it has ended */
		if (took > engine_length(engine) + end_of(engine) + delay + 1)
			fail_msg("seed %d: %d slots for %d indices and %d behind them", (int)seed,
			    (int)took, (int)engine_length(engine), (int)end_of(engine));
		graphs++;
		engine_free(engine);
		engine = engine_new_nodes(&graph, LENGTH, delay, ender);
		if (gate_sources(&graph, engine)) {
			slots += took;
			gated += run(engine, seed, 0);
			bits_check(&graph, engine, ender);
			on_both++;
		}
		engine_free(engine);
	}
	print_message("%u graphs on two nodes run a step each slot; %u have sources on both: %llu "
	              "slots, %llu with their sources gated to each other\n",
	    graphs, on_both, (unsigned long long)slots, (unsigned long long)gated);
	assert_true(graphs > GRAPHS / 4 && on_both > graphs / 10 && gated > slots * 3 / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bits),
	    cmocka_unit_test(test_speed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
