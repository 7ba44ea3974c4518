/* SPDX-License-Identifier: BSD-3-Clause
 * 10 000 times a waveform goes to other lanes while it runs, on the real engine in this process:
 * random graphs (cycles, declared delays, periods, isolations), each moved at random slots to
 * random lanes, also before the last move has settled, with segments left out of slots in between.
 * Every instance is called once for each index and no other; all bits are those of the plain
 * interpreter; no message is absent, none overwritten. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/common/aloe.h"
#include "tests/common/engine.h"
#include "tests/common/interpreter.h"

enum {
	REMAPS = ALOE_SLOWER(10000, 1000),
	LENGTH = 60,
	SLOTS_MAX = 20000,
	HALT_MAX = 200,
	LONGER = 100 /* than any node runs on */
};

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Of all nodes and indices, how many were not called as they should be, or gave other bits. */
static uint64_t wrong(const struct test_graph *graph, const struct engine *engine)
{
	struct interpreter *truth = interpreter_new(graph, LENGTH);
	uint64_t n = 0;

	assert_non_null(truth);
	for (int node = 0; node < graph->n_nodes; node++)
		for (uint64_t k = 0; k < LENGTH + LONGER; k++) {
			bool called;

			(void)engine_message(engine, node, 0, k, &called);
			n += called !=
			    (k < interpreter_length(truth, node) && graph_calls(graph, node, k));
			for (int port = 0; called && port < graph->nodes[node].n_outputs; port++)
				n += !graph_msg_equal(interpreter_message(truth, node, port, k),
				    engine_message(engine, node, port, k, &called));
		}
	interpreter_free(truth);
	return n + engine_twice(engine);
}

static bool over(struct engine *engine)
{
	for (uint32_t s = 0; s < engine_segments(engine); s++)
		if (atomic_load(&engine_segment(engine, s)->state->done) <
		    engine_length(engine) + engine_view(engine)->segments[s].end)
			return false;
	return true;
}

static void slot_run(struct engine *engine, uint64_t slot, uint64_t *state)
{
	for (uint32_t s = 0; s < engine_segments(engine); s++)
		if (random_next(state) % 256 >= 40)
			engine_slot(engine, s, slot);
}

/* Lets all segments come to one step, as exec does: the one that the furthest has reached. Where
 * one has ended they do not. */
static uint64_t halt(struct engine *engine, uint64_t slot, uint64_t *state)
{
	struct node_control *control = engine_control(engine);
	uint64_t most = 0;

	for (uint32_t s = 0; s < engine_segments(engine); s++) {
		const uint64_t done = atomic_load(&engine_segment(engine, s)->state->done);

		most = done > most ? done : most;
	}
	atomic_store(&control->limit, most);
	for (const uint64_t end = slot + HALT_MAX; !engine_stands(engine) && slot < end; slot++)
		slot_run(engine, slot, state);
	return slot;
}

/* One graph from its first to its last index, moved every few slots: how often. */
static uint32_t run(const struct test_graph *graph, struct engine *engine, enum engine_spoil spoil)
{
	uint64_t state = graph->seed * 2654435761u + 7, slot = 0;
	uint32_t moved = 0;

	while (!over(engine) && slot < SLOTS_MAX) {
		int pins[GRAPH_NODES_MAX];

		for (uint64_t n = random_next(&state) % 8; n > 0 && !over(engine); n--)
			slot_run(engine, slot++, &state);
		slot = halt(engine, slot, &state);
		for (int i = 0; i < graph->n_nodes; i++)
			pins[i] = (int)(random_next(&state) % (uint64_t)(graph->n_lanes + 1)) - 1;
		if (engine_stands(engine) && !over(engine))
			moved += engine_remap(engine, pins, spoil) == 0;
		atomic_store(&engine_control(engine)->limit, IMAGE_FOREVER);
		slot_run(engine, slot++, &state);
	}
	return moved;
}

static void test_remaps(void **unused)
{
	uint64_t moved = 0, graphs = 0;

	(void)unused;
	for (uint64_t seed = 1; moved < REMAPS; seed++) {
		struct test_graph graph;
		struct engine *engine;

		graph_random(seed, &graph);
		engine = engine_new(&graph, LENGTH, IMAGE_STEP, IMAGE_SLIP);
		if (engine == NULL)
			continue;
		graphs++;
		moved += run(&graph, engine, ENGINE_WHOLE);
		if (!over(engine))
			fail_msg("seed %d does not come to its end", (int)seed);
		if (wrong(&graph, engine) != 0)
			fail_msg("seed %d: %d calls missing, twice or with other bits", (int)seed,
			    (int)wrong(&graph, engine));
		for (uint32_t i = 0; i < engine_view(engine)->head->instances.count; i++) {
			assert_int_equal(
			    atomic_load(&image_instance_state(engine_view(engine), i)->absent), 0);
			assert_int_equal(
			    atomic_load(&image_instance_state(engine_view(engine), i)->overwritten),
			    0);
		}
		engine_free(engine);
	}
	print_message("%d graphs, moved %d times\n", (int)graphs, (int)moved);
}

/* Without the messages in flight, or without the steps in which an instance rests, the same runs go
 * wrong. */
static void test_spoilt(void **unused)
{
	static const enum engine_spoil spoils[] = {ENGINE_NO_MESSAGES, ENGINE_NO_REST};

	(void)unused;
	for (size_t i = 0; i < 2; i++) {
		uint32_t graphs = 0, bad = 0;

		for (uint64_t seed = 1; seed <= 40; seed++) {
			struct test_graph graph;
			struct engine *engine;

			graph_random(seed, &graph);
			engine = engine_new(&graph, LENGTH, IMAGE_STEP, IMAGE_SLIP);
			if (engine == NULL)
				continue;
			graphs++;
			run(&graph, engine, spoils[i]);
			bad += !over(engine) || wrong(&graph, engine) > 0;
			engine_free(engine);
		}
		print_message("%u of %u graphs go wrong without %s\n", bad, graphs,
		    i == 0 ? "the messages in flight" : "resting");
		assert_true(bad > graphs / 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_remaps),
	    cmocka_unit_test(test_spoilt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
