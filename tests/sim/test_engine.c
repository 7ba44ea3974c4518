/* SPDX-License-Identifier: BSD-3-Clause
 * 1 000 random graphs (cycles, declared delays, periods, pins, isolations) on the real engine: the
 * bits are those of the plain interpreter on free-running threads and slot by slot, also when
 * segments are left out of slots at random; each instance works on index k exactly lag slots after
 * slot k, and runs on until the last message has gone through; under skip what is left out is
 * ABSENT, never old data. */
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
	GRAPHS = ALOE_SLOWER(1000, 150),
	LENGTH = 40,
	SLOTS_MAX = 100000,
	LONGER = 100 /* than any node of them runs on */
};

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void bits_check(const struct test_graph *graph, struct engine *engine, const char *how)
{
	struct interpreter *truth = interpreter_new(graph, LENGTH);

	assert_non_null(truth);
	for (int node = 0; node < graph->n_nodes; node++)
		for (int port = 0; port < graph->nodes[node].n_outputs; port++)
			for (uint64_t k = 0; k < LENGTH + LONGER; k++) {
				bool called;
				const struct graph_msg *have =
				    engine_message(engine, node, port, k, &called);

				if (called !=
				    (k < interpreter_length(truth, node) &&
				        graph_calls(graph, node, k)))
					fail_msg("seed %d, %s: n%d was %scalled at index %d",
					    (int)graph->seed, how, node, called ? "" : "not ",
					    (int)k);
				if (called &&
				    !graph_msg_equal(
				        interpreter_message(truth, node, port, k), have))
					fail_msg("seed %d, %s: n%d.%d differs at index %d",
					    (int)graph->seed, how, node, port, (int)k);
			}
	interpreter_free(truth);
}

/* Slot by slot, lanes in a random order, segments left out with probability leave/256: the slots
 * that it took. */
static uint64_t run_slots(struct engine *engine, uint64_t seed, uint32_t leave)
{
	const struct image_view *view = engine_view(engine);
	uint64_t state = seed * 2654435761u + 1, slot;
	uint32_t ended = 0;

	for (slot = 0; ended < engine_segments(engine) && slot < SLOTS_MAX; slot++) {
		const uint32_t first = (uint32_t)(random_next(&state) % view->head->lanes.count);

		ended = 0;
		for (uint32_t l = 0; l < view->head->lanes.count; l++)
			for (uint32_t s = 0; s < engine_segments(engine); s++) {
				if (view->segments[s].lane != (first + l) % view->head->lanes.count)
					continue;
				if (random_next(&state) % 256 >= leave)
					engine_slot(engine, s, slot);
				ended += atomic_load(&engine_segment(engine, s)->state->done) >=
				    engine_length(engine) + view->segments[s].end;
			}
	}
	for (uint32_t s = 0; s < engine_segments(engine) && slot == SLOTS_MAX; s++) {
		const struct segment_gate *gate;
		const enum segment_status status = segment_ready(engine_segment(engine, s), &gate);

		print_message("segment %u stands at %llu: status %d, gate %d\n", s,
		    (unsigned long long)atomic_load(&engine_segment(engine, s)->state->done),
		    (int)status, gate ? (int)gate->offset : -999);
	}
	assert_true(slot < SLOTS_MAX);
	return slot;
}

static uint32_t end_of(const struct engine *engine)
{
	const struct image_view *view = engine_view(engine);
	uint32_t most = 0;

	for (uint32_t s = 0; s < view->head->segments.count; s++)
		most = view->segments[s].end > most ? view->segments[s].end : most;
	return most;
}

static void lags_check(const struct test_graph *graph, struct engine *engine)
{
	for (int node = 0; node < graph->n_nodes; node++)
		for (uint64_t k = 0; k < engine_length(engine); k++)
			if (graph_calls(graph, node, k))
				assert_int_equal(engine_when(engine, node, k),
				    k + engine_view(engine)->instances[node].lag);
}

static void latency_check(const struct test_graph *graph, struct engine *engine)
{
	const struct image_view *view = engine_view(engine);

	for (int node = 0; node < graph->n_nodes; node++) {
		const struct image_latency *sink = image_latency(view, (uint32_t)node);

		if (sink == NULL || !view->instances[view->instances[node].sink - 1].source ||
		    hist_count(&sink->ns) == 0)
			continue;
		assert_int_equal(atomic_load(&sink->slots_min),
		    view->instances[node].lag -
		        view->instances[view->instances[node].sink - 1].lag + 1);
		assert_int_equal(atomic_load(&sink->slots_max), atomic_load(&sink->slots_min));
	}
}

static void no_absent(struct engine *engine)
{
	const struct image_view *view = engine_view(engine);

	for (uint32_t i = 0; i < view->head->instances.count; i++) {
		assert_int_equal(atomic_load(&image_instance_state(view, i)->absent), 0);
		assert_int_equal(atomic_load(&image_instance_state(view, i)->overwritten), 0);
	}
}

static void test_slots(void **state)
{
	uint32_t planned = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct test_graph graph;
		struct engine *engine;

		graph_random(seed, &graph);
		engine = engine_new(&graph, LENGTH, IMAGE_STEP, IMAGE_SLIP);
		if (engine == NULL)
			continue;
		planned++;
		assert_int_equal(
		    run_slots(engine, seed, 0), engine_length(engine) + end_of(engine));
		bits_check(&graph, engine, "slot by slot");
		lags_check(&graph, engine);
		latency_check(&graph, engine);
		no_absent(engine);
		engine_free(engine);
	}
	assert_true(planned > GRAPHS / 2);
	print_message("%u of %d graphs planned and run\n", planned, GRAPHS);
}

static void test_slips(void **state)
{
	uint64_t slipped = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct test_graph graph;
		struct engine *engine;

		graph_random(seed, &graph);
		engine = engine_new(&graph, LENGTH, IMAGE_STEP, IMAGE_SLIP);
		if (engine == NULL)
			continue;
		run_slots(engine, seed, 40);
		bits_check(&graph, engine, "with slips");
		no_absent(engine);
		for (uint32_t s = 0; s < engine_segments(engine); s++)
			slipped += atomic_load(&engine_segment(engine, s)->state->slipped);
		engine_free(engine);
	}
	assert_true(slipped > 0); /* gates did close: the test is not empty */
}

static void test_free_running(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct test_graph graph;
		struct engine *engine;

		graph_random(seed, &graph);
		engine = engine_new(&graph, LENGTH, IMAGE_VIRTUAL, IMAGE_SLIP);
		if (engine == NULL)
			continue;
		engine_run_free(engine);
		bits_check(&graph, engine, "free-running");
		no_absent(engine);
		engine_free(engine);
	}
}

/* With the gates taken away the same runs must go wrong: the test can fail. */
static void test_without_gates(void **state)
{
	uint32_t wrong = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct test_graph graph;
		struct engine *engine;

		graph_random(seed, &graph);
		engine = engine_new(&graph, LENGTH, IMAGE_STEP, IMAGE_SLIP);
		if (engine == NULL)
			continue;
		for (uint32_t s = 0; s < engine_segments(engine); s++)
			engine_segment(engine, s)->n_gates = 0;
		run_slots(engine, seed, 40);
		for (uint32_t i = 0; i < engine_view(engine)->head->instances.count; i++) {
			const struct image_instance_state *it =
			    image_instance_state(engine_view(engine), i);

			if (atomic_load(&it->absent) + atomic_load(&it->overwritten) > 0) {
				wrong++;
				break;
			}
		}
		engine_free(engine);
	}
	assert_true(wrong > 10);
}

/* Under skip nothing waits; a message that was not made in time is counted, and bits are right
 * where nothing is. */
static void test_skip(void **state)
{
	uint64_t absent = 0, late = 0, skipped = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= GRAPHS / 2; seed++) {
		struct test_graph graph;
		struct engine *engine;

		graph_random(seed, &graph);
		engine = engine_new(&graph, LENGTH, IMAGE_STEP, IMAGE_SKIP);
		if (engine == NULL)
			continue;
		assert_int_equal(
		    run_slots(engine, seed, 0), engine_length(engine) + end_of(engine));
		bits_check(&graph, engine, "clean skip");
		no_absent(engine);
		engine_free(engine);
		engine = engine_new(&graph, LENGTH, IMAGE_STEP, IMAGE_SKIP);
		run_slots(engine, seed, 40);
		for (uint32_t i = 0; i < engine_view(engine)->head->instances.count; i++) {
			absent +=
			    atomic_load(&image_instance_state(engine_view(engine), i)->absent);
			late += atomic_load(&image_instance_state(engine_view(engine), i)->late);
		}
		for (uint32_t s = 0; s < engine_segments(engine); s++)
			skipped += atomic_load(&engine_segment(engine, s)->state->skipped);
		engine_free(engine);
	}
	assert_true(absent > 0);
	assert_int_equal(late, 0); /* what was left out never came; see test_late */
	assert_true(skipped > 0);
}

/* A writer that is run after its reader in each slot: every message is missed, and found to have
 * come late. */
static void test_late(void **state)
{
	struct test_graph graph = {.n_lanes = 2};
	struct engine *engine;
	int writer, reader;

	(void)state;
	writer = graph_add_node(&graph);
	reader = graph_add_node(&graph);
	graph_add_link(&graph, writer, 0, reader, 0);
	graph.nodes[writer].pin = 0;
	graph.nodes[reader].pin = 1;
	engine = engine_new(&graph, LENGTH, IMAGE_STEP, IMAGE_SKIP);
	assert_non_null(engine);
	for (uint64_t slot = 0; slot < LENGTH + 1; slot++) { /* the writer comes one slot late */
		engine_slot(engine, engine_view(engine)->instances[reader].segment, slot);
		if (slot >= 1)
			engine_slot(
			    engine, engine_view(engine)->instances[writer].segment, slot - 1);
	}
	assert_true(
	    atomic_load(&image_instance_state(engine_view(engine), (uint32_t)reader)->absent) >=
	    LENGTH - 1);
	assert_true(
	    atomic_load(&image_instance_state(engine_view(engine), (uint32_t)reader)->late) >=
	    LENGTH - 3);
	engine_free(engine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_slots),
	    cmocka_unit_test(test_slips),
	    cmocka_unit_test(test_free_running),
	    cmocka_unit_test(test_without_gates),
	    cmocka_unit_test(test_skip),
	    cmocka_unit_test(test_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
