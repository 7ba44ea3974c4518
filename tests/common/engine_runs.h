/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/engine_runs.h - runs of a random graph on the real engine, and whether its bits are
 * those of the interpreter.
 */
#ifndef TESTS_COMMON_ENGINE_RUNS_H
#define TESTS_COMMON_ENGINE_RUNS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/common/engine.h"
#include "tests/common/interpreter.h"

enum {
	LENGTH = 40,
	SLOTS_MAX = 100000,
	LONGER = 100 /* than any node of them runs on */
};

static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static inline void bits_check(
    const struct test_graph *graph, struct engine *engine, const char *how)
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
static inline uint64_t run_slots(struct engine *engine, uint64_t seed, uint32_t leave)
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

static inline uint32_t end_of(const struct engine *engine)
{
	const struct image_view *view = engine_view(engine);
	uint32_t most = 0;

	for (uint32_t s = 0; s < view->head->segments.count; s++)
		most = view->segments[s].end > most ? view->segments[s].end : most;
	return most;
}

static inline void no_absent(struct engine *engine)
{
	const struct image_view *view = engine_view(engine);

	for (uint32_t i = 0; i < view->head->instances.count; i++) {
		assert_int_equal(atomic_load(&image_instance_state(view, i)->absent), 0);
		assert_int_equal(atomic_load(&image_instance_state(view, i)->overwritten), 0);
	}
}

#endif
