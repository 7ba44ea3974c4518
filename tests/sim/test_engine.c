/* SPDX-License-Identifier: BSD-3-Clause
 * 1 000 random graphs (cycles, declared delays, periods, pins, isolations) on the real engine: the
 * bits are those of the plain interpreter on free-running threads and slot by slot, also when
 * segments are left out of slots at random; each instance works on index k exactly lag slots after
 * slot k, and runs on until the last message has gone through; under skip what is left out is
 * ABSENT, never old data. */
#include <stdio.h>

#include "tests/common/aloe.h"
#include "tests/common/engine.h"
#include "tests/common/engine_runs.h"

enum { GRAPHS = ALOE_SLOWER(1000, 150) };

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
