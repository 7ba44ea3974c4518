/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random graphs cut over two and three nodes: as many copies of the image, each node runs its own
 * segments on the engine as it stands, bridges move the rest over a network with delay, loss,
 * doubles and disorder; bridges are killed at random. The bits are those of the plain interpreter,
 * whatever the network did; no message is missing. A seed runs the same way each time. Faults that
 * are planted are found.
 *
 * BRIDGE_SEEDS=N SEED=M runs seeds M to M + N - 1 (make bridge-seeds).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/bridge/bridge.h"
#include "core/bridge/frame.h"
#include "tests/common/aloe.h"
#include "tests/common/engine.h"
#include "tests/common/interpreter.h"

enum {
	GRAPHS = ALOE_SLOWER(700, 60),
	LENGTH = 40,
	SLOTS_MAX = 20000,
	LONGER = 100, /* than any node of them runs on */
	NODES_MAX = 3,
	FRAME_BYTES = BRIDGE_FRAME_BYTES_MIN, /* so that steps take several */
	FLYING_MAX = 4096,
};

enum planted { NOTHING, DONE_TOO_EARLY, END_NOT_TOLD, NO_MESSAGES, FAULTS };

struct network {
	uint32_t planned;           /* slots of a link, as the plan counts them */
	uint32_t delay, jitter;     /* slots; with 0 a frame is there in the next one */
	uint32_t loss, twice, kill; /* of 1000 */
	uint32_t leave;             /* segments out of a slot, of 256 */
};

struct flying {
	uint64_t due;
	uint32_t to, len;
	uint8_t bytes[FRAME_BYTES];
};

struct cluster {
	const struct test_graph *graph;
	uint32_t n;
	struct engine *engine[NODES_MAX];
	struct bridge *bridge[NODES_MAX];
	uint64_t boot, random, slot, trace;
	struct network network;
	enum planted planted;
	struct flying flying[FLYING_MAX];
	uint32_t n_flying;
	uint64_t kills, repeated, known, parts, absent;
};

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint32_t below(struct cluster *c, uint32_t n)
{
	return (uint32_t)(random_next(&c->random) % n);
}

static bool chance(struct cluster *c, uint32_t of_1000)
{
	return below(c, 1000) < of_1000;
}

static uint16_t node_of_segment(const struct cluster *c, uint32_t segment)
{
	return (uint16_t)image_node_of(engine_view(c->engine[0]), segment);
}

static uint16_t node_of(const struct cluster *c, int node)
{
	return node_of_segment(c, engine_view(c->engine[0])->instances[node].segment);
}

/* ---- the bridges ------------------------------------------------------------------------ */

static void bridge_begin(struct cluster *c, uint32_t node)
{
	struct bridge_peer_options peers[NODES_MAX];
	struct bridge_options options = {
	    .load_id = 7, .boot = ++c->boot, .node = (uint16_t)node, .peers = peers};
	char why[BRIDGE_WHY];

	for (uint32_t p = 0; p < c->n; p++)
		if (p != node)
			peers[options.n_peers++] =
			    (struct bridge_peer_options){(uint16_t)p, FRAME_BYTES};
	c->bridge[node] = bridge_new(
	    engine_view(c->engine[node]), engine_control(c->engine[node]), &options, why);
	if (c->bridge[node] == NULL)
		fail_msg("%s", why);
}

static void bridge_end(struct cluster *c, uint32_t node)
{
	for (uint32_t p = 0; p + 1 < c->n; p++) {
		const struct bridge_counts *counts = bridge_counts(c->bridge[node], p);

		if (c->planted == NOTHING)
			assert_int_equal(
			    counts->bad + counts->foreign + counts->early + counts->lost, 0);
		c->repeated += counts->repeated;
		c->known += counts->known;
		c->parts += counts->taken;
	}
	bridge_free(c->bridge[node]);
}

/* ---- the network ------------------------------------------------------------------------ */

/* The frame's length then. */
static uint32_t plant(struct cluster *c, uint8_t *bytes, uint32_t len)
{
	if (c->planted == END_NOT_TOLD)
		put_le64(bytes + 48, UINT64_MAX);
	for (size_t at = FRAME_HEAD_BYTES; c->planted == NO_MESSAGES && at < len;
	     at += frame_get_record(bytes + at).bytes) {
		const struct frame_record record = frame_get_record(bytes + at);

		if (record.kind != FRAME_STEP || record.n == 0 || !chance(c, 100))
			continue;
		frame_put_record(bytes + at, FRAME_STEP, 0, FRAME_STEP_BYTES);
		memmove(bytes + at + FRAME_STEP_BYTES, bytes + at + record.bytes,
		    len - at - record.bytes);
		len -= record.bytes - FRAME_STEP_BYTES;
		put_le32(bytes + 56, len);
	}
	return len;
}

static void fly(struct cluster *c, uint32_t to, const uint8_t *bytes, size_t len)
{
	struct flying *f = &c->flying[c->n_flying];

	c->trace = (c->trace ^ (c->slot << 32 | to << 24 | len)) * 1099511628211u;
	if (chance(c, c->network.loss))
		return;
	assert_true(c->n_flying < FLYING_MAX);
	f->due = c->slot + c->network.delay + below(c, c->network.jitter + 1);
	f->to = to;
	memcpy(f->bytes, bytes, len);
	f->len = plant(c, f->bytes, (uint32_t)len);
	c->n_flying++;
}

static void send_all(struct cluster *c, uint32_t node)
{
	uint8_t bytes[FRAME_BYTES];
	size_t len;

	for (uint32_t p = 0; p + 1 < c->n; p++) {
		bridge_round(c->bridge[node], p);
		while ((len = bridge_out(c->bridge[node], p, bytes)) > 0) {
			assert_true(len <= sizeof(bytes));
			fly(c, p < node ? p : p + 1, bytes, len);
			if (chance(c, c->network.twice))
				fly(c, p < node ? p : p + 1, bytes, len);
		}
	}
}

/* In any order. */
static void receive_all(struct cluster *c, uint32_t node)
{
	uint32_t due[FLYING_MAX], n = 0;

	for (uint32_t i = 0; i < c->n_flying; i++)
		if (c->flying[i].to == node && c->flying[i].due <= c->slot)
			due[n++] = i;
	for (uint32_t left = n; left > 0; left--) {
		const uint32_t i = below(c, left);
		const struct flying *f = &c->flying[due[i]];
		const int status = bridge_in(c->bridge[node], f->bytes, f->len);

		if (status != 0 && c->planted == NOTHING)
			fail_msg("seed %d: frame refused (%d)", (int)c->graph->seed, status);
		due[i] = due[left - 1];
	}
	n = 0;
	for (uint32_t i = 0; i < c->n_flying; i++)
		if (c->flying[i].to != node || c->flying[i].due > c->slot)
			c->flying[n++] = c->flying[i];
	c->n_flying = n;
}

/* ---- a run ------------------------------------------------------------------------ */

static int source_of(struct cluster *c)
{
	const struct image_view *view = engine_view(c->engine[0]);
	int sources[GRAPH_NODES_MAX], n = 0;

	for (int i = 0; i < c->graph->n_nodes; i++)
		if (view->instances[i].source && graph_calls(c->graph, i, LENGTH - 1))
			sources[n++] = i;
	return n > 0 ? sources[below(c, (uint32_t)n)] : -1;
}

/* Lane l is on node l % n, and a link joins all nodes. */
static struct engine *engine_cut(
    const struct cluster *c, const struct test_graph *graph, enum image_late late)
{
	static const int cpus[GRAPH_LANES_MAX] = {0, 1, 0, 1};
	static uint32_t of_link[NODES_MAX] = {0, 1, 2};
	static const struct platform_node nodes[NODES_MAX] = {{"a"}, {"b"}, {"c"}};
	const struct platform_link link = {PLATFORM_FULL, of_link, c->n, 1e9, c->network.planned};
	struct platform_core cores[GRAPH_LANES_MAX];
	const struct platform_model platform = {.cpus = cpus,
	    .n_lanes = (size_t)graph->n_lanes,
	    .cores = cores,
	    .name = "test",
	    .assume_builds = true,
	    .nodes = nodes,
	    .n_nodes = c->n,
	    .links = &link,
	    .n_links = 1};

	for (int l = 0; l < graph->n_lanes; l++)
		cores[l] = (struct platform_core){.node = (uint32_t)l % c->n};
	return engine_new_on(graph, LENGTH, IMAGE_STEP, late, &platform);
}

/* Every second seed ends by a source, whose node alone knows it at first. */
static bool cluster_open(struct cluster *c, const struct test_graph *graph,
    const struct network *network, enum image_late late, enum planted planted)
{
	int ends;

	*c = (struct cluster){.graph = graph,
	    .network = *network,
	    .planted = planted,
	    .random = graph->seed * 2654435761u + 12345};
	c->n = graph->n_lanes < 3 ? 2 : 2 + below(c, 2);
	for (uint32_t i = 0; i < c->n; i++) {
		c->engine[i] = engine_cut(c, graph, late);
		if (c->engine[i] == NULL)
			return false;
	}
	ends = source_of(c);
	for (uint32_t i = 0; i < c->n; i++) {
		if (ends >= 0 && late == IMAGE_SLIP &&
		    (graph->seed % 2 == 0 || planted == END_NOT_TOLD))
			engine_ends(c->engine[i], node_of(c, ends) == i ? ends : -1);
		bridge_begin(c, i);
	}
	return true;
}

static void cluster_close(struct cluster *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct image_view *view = engine_view(c->engine[i]);

		for (uint32_t k = 0; k < view->head->instances.count; k++)
			c->absent += atomic_load(&image_instance_state(view, k)->absent) +
			    atomic_load(&image_instance_state(view, k)->overwritten);
		bridge_end(c, i);
		engine_free(c->engine[i]);
	}
}

static void node_slot(struct cluster *c, uint32_t node)
{
	struct engine *engine = c->engine[node];
	const uint32_t lanes = (uint32_t)engine_view(engine)->head->lanes.count,
	               first = below(c, lanes);

	for (uint32_t l = 0; l < lanes; l++)
		for (uint32_t s = 0; s < engine_segments(engine); s++) {
			if (engine_view(engine)->segments[s].lane != (first + l) % lanes)
				continue;
			if (node_of_segment(c, s) == node) {
				if (below(c, 256) >= c->network.leave)
					engine_slot(engine, s, c->slot);
			} else if (c->planted == DONE_TOO_EARLY && chance(c, 10)) {
				atomic_fetch_add(&engine_segment(engine, s)->state->done, 1);
			}
		}
}

static bool node_over(struct cluster *c, uint32_t node)
{
	for (uint32_t s = 0; s < engine_segments(c->engine[node]); s++)
		if (node_of_segment(c, s) == node &&
		    !atomic_load(&engine_segment(c->engine[node], s)->state->ended))
			return false;
	return true;
}

/* The slots that it took until all segments had ended. */
static uint64_t cluster_run(struct cluster *c)
{
	uint32_t over = 0;

	for (uint32_t node = 0; node < c->n; node++) /* they have met before anything runs */
		send_all(c, node);
	for (c->slot = 0; over < c->n && c->slot < SLOTS_MAX; c->slot++) {
		const uint32_t first = below(c, c->n);

		over = 0;
		for (uint32_t i = 0; i < c->n; i++) {
			const uint32_t node = (first + i) % c->n;

			receive_all(c, node);
			node_slot(c, node);
			if (chance(c, c->network.kill)) {
				bridge_end(c, node);
				bridge_begin(c, node);
				c->kills++;
			}
			send_all(c, node);
			over += node_over(c, node);
		}
	}
	return c->slot;
}

static bool is_sink(const struct cluster *c, int node)
{
	return engine_view(c->engine[0])->instances[node].sink != 0;
}

/* How many calls are missing, too many, or have other bits. */
static uint32_t wrong_calls(const struct cluster *c)
{
	struct interpreter *truth = interpreter_new(c->graph, LENGTH);
	uint32_t n = 0;

	assert_non_null(truth);
	for (int node = 0; node < c->graph->n_nodes; node++)
		for (int port = 0; port < c->graph->nodes[node].n_outputs; port++)
			for (uint64_t k = 0; k < LENGTH + LONGER; k++) {
				bool called;
				const struct graph_msg *have = engine_message(
				    c->engine[node_of(c, node)], node, port, k, &called);
				const bool due = k < interpreter_length(truth, node) &&
				    graph_calls(c->graph, node, k);

				if (called && k >= LENGTH && !is_sink(c, node))
					continue; /* it may have run on: see engine_ends */
				n += called != due ||
				    (called &&
				        !graph_msg_equal(
				            interpreter_message(truth, node, port, k), have));
			}
	interpreter_free(truth);
	return n;
}

/* What lies in a ring of another node is what its writer wrote at that index. */
static uint32_t strange(const struct cluster *c, uint32_t node)
{
	const struct image_view *view = engine_view(c->engine[node]);
	uint32_t n = 0;

	for (uint32_t b = 0; b < view->head->buffers.count; b++) {
		const struct image_buffer *buffer = &view->buffers[b];
		const int writer = (int)buffer->instance;

		for (uint32_t m = 0; m < buffer->depth && node_of(c, writer) != node; m++) {
			const struct image_message *message = &image_messages(view, b)[m];
			const uint8_t *items = image_data(view, b) + m * buffer->stride;
			struct graph_msg have = {message->state, message->len, 0};
			const struct graph_msg *want;
			bool called;

			if (message->stamp == 0 || message->stamp > LENGTH)
				continue;
			n += image_canaries(items, buffer->canary) != 0 || have.len > 8;
			memcpy(&have.value, items, have.len <= 8 ? have.len : 8);
			want = engine_message(c->engine[node_of(c, writer)], writer,
			    (int)buffer->port, message->stamp - 1, &called);
			n += called ? !graph_msg_equal(want, &have) : have.state != ALOE_IDLE;
		}
	}
	return n;
}

static struct network network_of(uint64_t seed)
{
	return (struct network){.planned = 1 + (uint32_t)(seed / 3 % 3),
	    .delay = (uint32_t)(seed % 4),
	    .jitter = (uint32_t)(seed / 4 % 3),
	    .loss = seed % 5 == 0 ? 0 : 200,
	    .twice = 100,
	    .kill = seed % 3 == 0 ? 0 : 20,
	    .leave = seed % 7 == 0 ? 40 : 0};
}

/* True: it came to its end with the right bits. */
static bool seed_holds(struct cluster *c, uint64_t slots)
{
	bool holds = slots < SLOTS_MAX && wrong_calls(c) == 0;

	for (uint32_t i = 0; i < c->n; i++)
		holds = holds && strange(c, i) == 0 && engine_twice(c->engine[i]) == 0;
	return holds;
}

static bool graph_of(uint64_t seed, struct test_graph *ret)
{
	graph_random(seed, ret);
	for (int i = 0; i < ret->n_nodes; i++) /* else most of a graph comes to one node */
		if (ret->nodes[i].pin < 0 && random_next(&seed) % 4 != 0)
			ret->nodes[i].pin = (int)(random_next(&seed) % (uint32_t)ret->n_lanes);
	return ret->n_lanes > 1;
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
	return getenv(name) != NULL ? strtoull(getenv(name), NULL, 10) : otherwise;
}

static void test_slip(void **state)
{
	const uint64_t from = number_of("SEED", 1), n = number_of("BRIDGE_SEEDS", GRAPHS);
	struct cluster *c = malloc(sizeof(*c));
	uint64_t graphs = 0, kills = 0, repeated = 0, known = 0, parts = 0;

	(void)state;
	for (uint64_t seed = from; seed < from + n; seed++) {
		const struct network network = network_of(seed);
		struct test_graph graph;
		uint64_t slots;

		if (!graph_of(seed, &graph) ||
		    !cluster_open(c, &graph, &network, IMAGE_SLIP, NOTHING))
			continue;
		slots = cluster_run(c);
		if (!seed_holds(c, slots))
			fail_msg("SEED=%d: %d slots, %d calls wrong", (int)seed, (int)slots,
			    (int)wrong_calls(c));
		cluster_close(c);
		if (c->absent != 0)
			fail_msg("SEED=%d: %d messages were missing", (int)seed, (int)c->absent);
		graphs++;
		kills += c->kills;
		repeated += c->repeated;
		known += c->known;
		parts += c->parts;
	}
	print_message("%d graphs; %d bridges killed; parts: %d taken, %d repeated, %d known\n",
	    (int)graphs, (int)kills, (int)parts, (int)repeated, (int)known);
	if (n >= GRAPHS)
		assert_true(graphs > n / 4 && kills > n && repeated > n && known > n);
	free(c);
}

/* Without delay and loss the cut costs no slot, and a sink on another node measures the latency of
 * the plan. */
static void test_no_network(void **state)
{
	const struct network network = {.planned = 1};
	struct cluster *c = malloc(sizeof(*c));
	uint32_t sinks = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= ALOE_SLOWER(175, 60); seed++) {
		const struct image_view *view;
		struct test_graph graph;
		uint64_t slots;

		if (!graph_of(seed, &graph) ||
		    !cluster_open(c, &graph, &network, IMAGE_SLIP, NOTHING))
			continue;
		slots = cluster_run(c);
		if (!seed_holds(c, slots))
			fail_msg("SEED=%d", (int)seed);
		for (int i = 0; i < graph.n_nodes; i++) {
			const struct image_latency *sink;

			view = engine_view(c->engine[node_of(c, i)]);
			sink = image_latency(view, (uint32_t)i);
			if (sink == NULL || hist_count(&sink->ns) == 0 ||
			    !view->instances[view->instances[i].sink - 1].source)
				continue;
			sinks += node_of(c, i) != node_of(c, (int)view->instances[i].sink - 1);
			for (uint64_t k = 0; k < LENGTH; k++)
				if (graph_calls(&graph, i, k))
					assert_int_equal(
					    engine_when(c->engine[node_of(c, i)], i, k),
					    k + view->instances[i].lag);

			assert_int_equal(sink->slots_min,
			    view->instances[i].lag -
			        view->instances[view->instances[i].sink - 1].lag + 1);
			assert_int_equal(sink->slots_max, sink->slots_min);
		}
		cluster_close(c);
		assert_int_equal(c->repeated, 0);
	}
	free(c);
	print_message("%u sinks measured from another node\n", sinks);
	assert_true(sinks > ALOE_SLOWER(10, 2));
}

/* Under skip nothing is repeated: what is lost is ABSENT, and what is there is right. */
static void test_skip(void **state)
{
	struct cluster *c = malloc(sizeof(*c));
	uint64_t absent = 0, clean = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= GRAPHS / 2; seed++) {
		const struct network none = {.planned = 1}, bad = network_of(seed);
		struct test_graph graph;

		if (!graph_of(seed, &graph) || !cluster_open(c, &graph, &none, IMAGE_SKIP, NOTHING))
			continue;
		if (!seed_holds(c, cluster_run(c)))
			fail_msg("SEED=%d under skip", (int)seed);
		cluster_close(c);
		assert_int_equal(c->absent, 0);
		clean++;
		if (!cluster_open(c, &graph, &bad, IMAGE_SKIP, NOTHING))
			continue;
		if (cluster_run(c) >= SLOTS_MAX)
			fail_msg("SEED=%d under skip and loss does not end", (int)seed);
		for (uint32_t i = 0; i < c->n; i++)
			if (strange(c, i) != 0)
				fail_msg("SEED=%d: other bits than written", (int)seed);
		cluster_close(c);
		assert_int_equal(c->repeated, 0);
		absent += c->absent;
	}
	print_message("%d graphs, %d messages ABSENT under loss\n", (int)clean, (int)absent);
	assert_true(clean > GRAPHS / 10 && absent > clean);
	free(c);
}

static void test_replay(void **state)
{
	struct cluster *c = malloc(sizeof(*c));

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		const struct network network = network_of(seed);
		uint64_t trace[2] = {0}, slots[2] = {0};

		for (int run = 0; run < 2; run++) {
			struct test_graph graph;

			if (!graph_of(seed, &graph) ||
			    !cluster_open(c, &graph, &network, IMAGE_SLIP, NOTHING))
				continue;
			slots[run] = cluster_run(c);
			trace[run] = c->trace;
			cluster_close(c);
		}
		assert_int_equal(slots[0], slots[1]);
		assert_true(trace[0] == trace[1]);
	}
	free(c);
}

static void test_planted(void **state)
{
	static const char *const names[] = {"", "a done-index before the messages",
	    "an end that is not told", "a step without its messages"};
	struct cluster *c = malloc(sizeof(*c));

	(void)state;
	for (enum planted planted = DONE_TOO_EARLY; planted < FAULTS; planted++) {
		uint32_t graphs = 0, found = 0;

		for (uint64_t seed = 1; seed <= 40; seed++) {
			const struct network network = network_of(seed);
			struct test_graph graph;
			bool wrong;

			if (!graph_of(seed, &graph) ||
			    !cluster_open(c, &graph, &network, IMAGE_SLIP, planted))
				continue;
			graphs++;
			wrong = !seed_holds(c, cluster_run(c));
			cluster_close(c);
			found += wrong || c->absent > 0;
		}
		print_message("%u of %u graphs go wrong by %s\n", found, graphs, names[planted]);
		assert_true(found > graphs / 10);
	}
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_slip),
	    cmocka_unit_test(test_no_network),
	    cmocka_unit_test(test_skip),
	    cmocka_unit_test(test_replay),
	    cmocka_unit_test(test_planted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
