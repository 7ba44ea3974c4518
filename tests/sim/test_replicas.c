/* SPDX-License-Identifier: BSD-3-Clause
 * Random graphs with instances in 2 to 5 places on the real engine: the bits are those of the plain
 * interpreter, on free-running threads, slot by slot, and when segments are left out of slots at
 * random. A place that takes all of its slots for a step holds up nobody. Neighbours in 2 or 4
 * places are chains that exchange nothing. A cycle whose delay does not cover the places is refused
 * in words. ALOE_REPLICA_GRAPHS=1000 tries more graphs. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/map/plan.h"
#include "tests/common/aloe.h"
#include "tests/common/engine.h"
#include "tests/common/engine_runs.h"

static uint64_t graphs(void)
{
	const char *asked = getenv("ALOE_REPLICA_GRAPHS");

	return asked ? strtoull(asked, NULL, 10) : ALOE_SLOWER(100, 30);
}

/* The next graph with replicas that can be planned; `seed` is that of the graph before. */
static struct engine *engine_next(
    uint64_t *seed, struct test_graph *graph, enum image_clock clock, enum image_late late)
{
	struct engine *engine = NULL;

	while (engine == NULL) {
		graph_random(++*seed, graph);
		if (graph_replicas(graph) > 0)
			engine = engine_new(graph, LENGTH, clock, late);
	}
	return engine;
}

static void counts_check(const struct test_graph *graph, const struct engine *engine)
{
	const struct image_view *view = engine_view(engine);

	for (int node = 0; node < graph->n_nodes; node++) {
		const struct image_instance *row = &view->instances[node];
		uint64_t calls = 0;

		for (uint32_t j = 0; j < row->places; j++) {
			const struct image_instance *place = image_place(view, row, j);

			assert_int_equal(place->place, j);
			assert_int_equal(place->named, node);
			calls += hist_load(
			    &image_time(view, (uint32_t)(place - view->instances))->count);
		}
		if (row->places > 1)
			assert_int_equal(calls, engine_length(engine) + row->run_on);
	}
}

static void run(uint64_t graphs_wanted, enum image_clock clock, uint32_t leave, const char *how)
{
	uint64_t seed = 0;

	for (uint64_t n = 0; n < graphs_wanted; n++) {
		struct test_graph graph;
		struct engine *engine = engine_next(&seed, &graph, clock, IMAGE_SLIP);

		if (clock == IMAGE_VIRTUAL)
			engine_run_free(engine);
		else
			run_slots(engine, seed, leave);
		bits_check(&graph, engine, how);
		no_absent(engine);
		counts_check(&graph, engine);
		assert_int_equal(engine_twice(engine), 0);
		engine_free(engine);
	}
}

static void test_slots(void **state)
{
	(void)state;
	run(graphs(), IMAGE_STEP, 0, "slot by slot");
}

static void test_slips(void **state)
{
	(void)state;
	run(graphs(), IMAGE_STEP, 40, "with slips");
}

static void test_free_running(void **state)
{
	(void)state;
	run(graphs(), IMAGE_VIRTUAL, 0, "free-running");
}

/* ---- places that take all of their slots ---- */

/* Whether the reader reads at this input what the writer writes, at some index. */
static bool reads(const struct image_view *view, const struct image_instance *reader,
    const struct image_input *in, const struct image_instance *writer)
{
	if (in->buffer == IMAGE_NONE || view->buffers[in->buffer].instance != writer->named)
		return false;
	for (uint64_t k = writer->place; k < (uint64_t)writer->places * reader->places;
	     k += writer->places)
		if ((k + in->delay) % reader->places == reader->place)
			return true;
	return false;
}

/* Whether somebody else on the segment's lane reads what the writer writes. */
static bool read_on_lane(
    const struct image_view *view, uint32_t s, const struct image_instance *writer)
{
	for (uint32_t i = 0; i < view->head->instances.count; i++) {
		const struct image_instance *reader = &view->instances[i];

		if (reader->segment == s ||
		    view->segments[reader->segment].lane != view->segments[s].lane)
			continue;
		for (uint32_t p = 0; p < reader->n_inputs; p++)
			if (reads(view, reader, &view->inputs[reader->inputs + p], writer))
				return true;
	}
	return false;
}

/* Places whose readers are among them or on other lanes may take them; the others are done within a
 * slot. */
static bool takes_all(const struct image_view *view, uint32_t s)
{
	const struct image_segment *row = &view->segments[s];

	for (uint32_t i = 0; i < row->n_instances; i++)
		if (read_on_lane(view, s, &view->instances[view->order[row->order + i]]))
			return false;
	return row->stride > 1;
}

/* One slot: whoever takes all of its slots is done at the end of the last one. */
static void slot_run(struct engine *engine, uint64_t slot, uint64_t *held)
{
	const struct image_view *view = engine_view(engine);

	for (uint32_t s = 0; s < engine_segments(engine); s++)
		if (!takes_all(view, s))
			engine_slot(engine, s, slot);
	for (uint32_t s = 0; s < engine_segments(engine); s++) {
		const struct image_segment *row = &view->segments[s];

		if (!takes_all(view, s) || slot + 1 < row->stride ||
		    (slot + 1 - row->stride) % row->stride != row->turn)
			continue;
		engine_slot(engine, s, slot);
		++*held;
	}
}

static void test_whole_spans(void **state)
{
	uint64_t seed = 0, held = 0;

	(void)state;
	for (uint64_t n = 0; n < graphs(); n++) {
		struct test_graph graph;
		struct engine *engine = engine_next(&seed, &graph, IMAGE_STEP, IMAGE_SLIP);
		const uint64_t slots = engine_length(engine) + end_of(engine) + GRAPH_PLACES_MAX;

		for (uint64_t slot = 0; slot < slots; slot++)
			slot_run(engine, slot, &held);
		bits_check(&graph, engine, "taking all slots");
		no_absent(engine);
		for (uint32_t s = 0; s < engine_segments(engine); s++)
			if (atomic_load(&engine_segment(engine, s)->state->slipped) != 0)
				fail_msg("seed %d: segment %u slipped", (int)seed, s);
		engine_free(engine);
	}
	assert_true(held > 1000);
}

/* ---- chains ---- */

/* A chain, all of it in so many places: each lane has all of an index, and no message leaves it. */
static struct engine *chain_engine(struct test_graph *graph, uint32_t places)
{
	int before = graph_add_node(graph);

	graph->n_lanes = (int)places;
	graph->names_lanes = true;
	for (int i = 1; i < 5; i++) {
		const int node = graph_add_node(graph);

		graph_add_link(graph, before, 0, node, 0);
		before = node;
	}
	for (int i = 0; i < graph->n_nodes; i++)
		graph->nodes[i].replicas = places;
	return engine_new(graph, LENGTH, IMAGE_VIRTUAL, IMAGE_SLIP);
}

static void chain_check(const struct image_view *view, uint32_t places)
{
	uint32_t lanes = 0, shared = 0;

	assert_int_equal(view->head->segments.count, places);
	for (uint32_t s = 0; s < places; s++) {
		const struct image_segment *row = &view->segments[s];

		assert_int_equal(row->stride, places);
		assert_int_equal(row->n_instances, 5);
		lanes |= 1u << row->lane;
		for (uint32_t g = 0; g < row->n_gates; g++) /* only so that none is far ahead */
			assert_true(view->gates[row->gates + g].offset < -(int32_t)places);
	}
	assert_int_equal(lanes, (1u << places) - 1);
	for (uint32_t b = 0; b < view->head->buffers.count; b++) {
		assert_int_equal(view->buffers[b].depth, places);
		shared += view->buffers[b].shares > 0;
	}
	assert_int_equal(shared, 2); /* of the four rings that are read at once */
}

static void test_chains(void **state)
{
	(void)state;
	for (uint32_t places = 2; places <= 4; places *= 2) {
		struct test_graph graph = {0};
		struct engine *engine = chain_engine(&graph, places);

		assert_non_null(engine);
		chain_check(engine_view(engine), places);
		engine_run_free(engine);
		bits_check(&graph, engine, "in chains");
		no_absent(engine);
		counts_check(&graph, engine);
		engine_free(engine);
	}
}

/* ---- the test can fail ---- */

/* With the gates taken away the same runs must go wrong. */
static void test_without_gates(void **state)
{
	uint64_t seed = 0, wrong = 0;

	(void)state;
	for (uint64_t n = 0; n < 50; n++) {
		struct test_graph graph;
		struct engine *engine = engine_next(&seed, &graph, IMAGE_STEP, IMAGE_SLIP);
		uint64_t lost = 0;

		for (uint32_t s = 0; s < engine_segments(engine); s++)
			engine_segment(engine, s)->n_gates = 0;
		run_slots(engine, seed, 40);
		for (uint32_t i = 0; i < engine_view(engine)->head->instances.count; i++)
			lost += atomic_load(&image_instance_state(engine_view(engine), i)->absent) +
			    atomic_load(&image_instance_state(engine_view(engine), i)->overwritten);
		wrong += lost > 0;
		engine_free(engine);
	}
	assert_true(wrong > 10);
}

/* ---- rows that nobody has written so ---- */

struct spoil {
	bool of_segment; /* else of an instance */
	size_t at;
	uint32_t value;
};

#define OF_SEGMENT(field, value)                                                                   \
	{                                                                                          \
		true, offsetof(struct image_segment, field), value                                 \
	}
#define OF_PLACE(field, value)                                                                     \
	{                                                                                          \
		false, offsetof(struct image_instance, field), value                               \
	}

/* Of the second place of two or more, and of its segment. */
static const struct spoil spoils[] = {
    OF_SEGMENT(stride, 0),
    OF_SEGMENT(stride, 1),
    OF_SEGMENT(stride, 7),
    OF_SEGMENT(stride, UINT32_MAX),
    OF_SEGMENT(turn, 7),
    OF_SEGMENT(turn, UINT32_MAX),
    OF_SEGMENT(n_instances, 0),
    OF_PLACE(places, 0),
    OF_PLACE(places, 1),
    OF_PLACE(places, 7),
    OF_PLACE(places, UINT32_MAX),
    OF_PLACE(place, 0),
    OF_PLACE(place, 6),
    OF_PLACE(place, UINT32_MAX),
    OF_PLACE(named, UINT32_MAX),
    OF_PLACE(rest, UINT32_MAX),
    OF_PLACE(rest, 1 << 20),
    OF_PLACE(period, 2),
};

static const struct image_instance *second_place(const struct image_view *view)
{
	const struct image_instance *row = view->instances;

	while (row->place != 1)
		row++;
	return row;
}

static void test_spoiled_rows(void **state)
{
	struct test_graph graph;
	uint64_t seed = 0;
	struct engine *engine = engine_next(&seed, &graph, IMAGE_STEP, IMAGE_SLIP);
	const struct image_view *view = engine_view(engine);
	const struct image_instance *row = second_place(view);
	const size_t len = view->head->static_bytes,
	             of_place = (size_t)((const uint8_t *)row - (const uint8_t *)view->head),
	             of_segment = (size_t)((const uint8_t *)&view->segments[row->segment] -
	                 (const uint8_t *)view->head);
	uint8_t *program = malloc(len);
	const char *why;

	(void)state;
	assert_non_null(program);
	memcpy(program, view->head, len);
	assert_int_equal(image_check(program, len, &why), 0);
	for (size_t i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++) {
		memcpy(program, view->head, len);
		memcpy(program + (spoils[i].of_segment ? of_segment : of_place) + spoils[i].at,
		    &spoils[i].value, sizeof(spoils[i].value));
		if (image_check(program, len, &why) != -EBADMSG ||
		    strcmp(why, "a table names something that is not there") != 0)
			fail_msg("spoil %zu: %s", i, why ? why : "passes");
	}
	free(program);
	engine_free(engine);
}

/* ---- cycles ---- */

/* a -> b -> a with `delay` on the way back, b in `replicas` places, both on one lane. */
static int cycle_plan(uint32_t replicas, uint32_t delay, struct diag *diag)
{
	static const int cpus[] = {0};
	const struct platform_model platform = {cpus, 1, 0};
	struct test_graph graph = {.n_lanes = 1};
	const int a = graph_add_node(&graph), b = graph_add_node(&graph);
	struct waveform *wf;
	struct plan *plan = NULL;
	int rc;

	graph_add_link(&graph, a, 0, b, 0);
	graph_add_link(&graph, b, 0, a, delay);
	graph.nodes[b].replicas = replicas;
	wf = graph_waveform(&graph);
	rc = plan_make(wf, &platform, NULL, diag, &plan);
	plan_free(plan);
	graph_waveform_free(wf);
	return rc;
}

static void test_cycles(void **state)
{
	struct diag diag;

	(void)state;
	for (uint32_t replicas = 1; replicas <= GRAPH_PLACES_MAX; replicas++)
		for (uint32_t delay = 1; delay <= GRAPH_PLACES_MAX; delay++) {
			const bool covered = delay >= replicas - 1;
			int rc;

			diag_init(&diag);
			rc = cycle_plan(replicas, delay, &diag);
			assert_int_equal(rc, covered ? 0 : -EINVAL);
			if (!covered)
				assert_non_null(strstr(diag.lines[0], "for the replicas in it"));
			diag_fini(&diag);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_slots),
	    cmocka_unit_test(test_slips),
	    cmocka_unit_test(test_free_running),
	    cmocka_unit_test(test_whole_spans),
	    cmocka_unit_test(test_chains),
	    cmocka_unit_test(test_without_gates),
	    cmocka_unit_test(test_spoiled_rows),
	    cmocka_unit_test(test_cycles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
