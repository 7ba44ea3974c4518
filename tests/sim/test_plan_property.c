/* SPDX-License-Identifier: BSD-3-Clause
 * 1 000 random graphs: a plan is legal by the definitions, carries the bits that a plain
 * interpreter computes, and is as late as it says; a refused graph could not have been planned at
 * all, and the reason names a cycle that is really there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/map/plan.h"
#include "tests/common/graph.h"
#include "tests/common/interpreter.h"
#include "tests/common/plan_check.h"
#include "tests/common/plan_sim.h"

enum { GRAPHS = 1000, LENGTH = 60, MARK_INDEX = 7 };

static int plan_of(const struct test_graph *graph, struct diag *diag, struct plan **ret)
{
	static const int cpus[GRAPH_LANES_MAX] = {0, 1, 0, 1};
	const struct platform_model platform = {
	    cpus, (size_t)graph->n_lanes, graph->seed % 3 ? 0 : 60};
	struct waveform *waveform = graph_waveform(graph);
	int rc;

	assert_non_null(waveform);
	rc = plan_make(waveform, &platform, NULL, diag, ret);
	graph_waveform_free(waveform);
	return rc;
}

/* ---- planned ------------------------------------------------------------------------ */

static void bits_check(const struct test_graph *graph, const struct plan *plan)
{
	struct interpreter *truth = interpreter_new(graph, LENGTH);
	struct plan_sim *sim = plan_sim_new(graph, plan, LENGTH);

	assert_non_null(truth);
	if (plan_sim_why(sim))
		fail_msg("seed %d: %s", (int)graph->seed, plan_sim_why(sim));
	for (int node = 0; node < graph->n_nodes; node++)
		for (int port = 0; port < graph->nodes[node].n_outputs; port++)
			for (uint64_t k = 0; k < LENGTH; k++)
				if (!graph_msg_equal(interpreter_message(truth, node, port, k),
				        plan_sim_message(sim, node, port, k)))
					fail_msg("seed %d: n%d.%d differs at index %d",
					    (int)graph->seed, node, port, (int)k);
	interpreter_free(truth);
	plan_sim_free(sim);
}

/* The index at which the mark of `from` first comes to `to`; -1: never. */
static int64_t mark_index(const struct interpreter *truth, int from, int to)
{
	for (uint64_t k = MARK_INDEX; k < LENGTH; k++)
		if (interpreter_message(truth, to, 0, k)->value >> from & 1)
			return (int64_t)k;
	return -1;
}

static bool is_sink(const struct test_graph *graph, int node)
{
	for (int l = 0; l < graph->n_links; l++)
		if (graph->links[l].from == node)
			return false;
	return true;
}

/* The latency of a sink: the slot at whose end its index k is done, less the slot at whose
 * beginning index k enters at the nodes that wait for nobody. A mark that took w indices of
 * declared delay on its way is of index k - w. */
static uint64_t latency_measure(const struct test_graph *graph, const struct plan *plan)
{
	struct test_graph marked;
	struct interpreter *truth;
	struct plan_sim *sim;
	uint64_t latency = 0;
	bool sinks = false;

	graph_marked(graph, MARK_INDEX, &marked);
	truth = interpreter_new(&marked, LENGTH);
	sim = plan_sim_new(&marked, plan, LENGTH);
	assert_null(plan_sim_why(sim));
	for (int to = 0; to < graph->n_nodes; to++)
		sinks |= is_sink(graph, to);
	for (int to = 0; to < graph->n_nodes; to++) {
		for (int from = 0; from < graph->n_nodes && (is_sink(graph, to) || !sinks);
		     from++) {
			const int64_t index = mark_index(truth, from, to);
			uint64_t k = MARK_INDEX, slots;

			while (k < LENGTH && !(plan_sim_message(sim, to, 0, k)->value >> from & 1))
				k++;
			assert_int_equal(index < 0 ? LENGTH : index, k);
			if (index < 0 || plan->instances[from].lag)
				continue;
			slots =
			    plan_sim_slot(sim, to, k) + 1 - plan_sim_slot(sim, from, MARK_INDEX);
			latency =
			    slots - (k - MARK_INDEX) > latency ? slots - (k - MARK_INDEX) : latency;
		}
	}
	interpreter_free(truth);
	plan_sim_free(sim);
	return latency;
}

/* A core counts as often as the path comes to it. Without pins and cycles it never comes back. */
static void bound_check(const struct test_graph *graph, const struct plan *plan)
{
	bool pinned = false, backward = false;

	for (int i = 0; i < graph->n_nodes; i++)
		pinned |= graph->nodes[i].pin >= 0;
	for (int l = 0; l < graph->n_links; l++)
		backward |= plan->instances[graph->links[l].from].lane >
		    plan->instances[graph->links[l].to].lane;
	for (int i = 0; i < graph->n_nodes && !graph->pipelined; i++) {
		const struct path_cores cores = path_cores(graph, plan, i);

		assert_true(plan->instances[i].lag + 1 <= 2 * cores.visits);
		if (!pinned && !backward)
			assert_true(plan->instances[i].lag + 1 <= 2 * cores.distinct);
	}
}

static void planned_check(const struct test_graph *graph, const struct plan *plan)
{
	char text[256];

	if (plan_check(graph, plan, text))
		fail_msg("seed %d: %s", (int)graph->seed, text);
	bits_check(graph, plan);
	if (latency_measure(graph, plan) != plan->latency_slots)
		fail_msg("seed %d: latency stated %u, measured %d", (int)graph->seed,
		    plan->latency_slots, (int)latency_measure(graph, plan));
	bound_check(graph, plan);
}

/* ---- refused ------------------------------------------------------------------------ */

/* Reads "n3 -> n5 -> n3 " from the text; returns how many nodes, the first again at the end. */
static int cycle_read(const char *text, int nodes[GRAPH_NODES_MAX + 1])
{
	int n = 0, len = 0;

	while (n <= GRAPH_NODES_MAX && sscanf(text, "n%d%n", &nodes[n], &len) == 1) {
		n++;
		text += len;
		if (strncmp(text, " -> ", 4) != 0)
			break;
		text += 4;
	}
	return n;
}

/* The least and the most delay that links from one node to another declare; false: there is no
 * link. */
static bool delays_between(
    const struct test_graph *graph, int from, int to, unsigned *least, unsigned *most)
{
	bool found = false;

	for (int l = 0; l < graph->n_links; l++) {
		const struct test_link *link = &graph->links[l];

		if (link->from != from || link->to != to)
			continue;
		*least = !found || link->delay < *least ? link->delay : *least;
		*most = !found || link->delay > *most ? link->delay : *most;
		found = true;
	}
	return found;
}

static void reason_check(const struct test_graph *graph, const char *line)
{
	const char *cycle = strstr(line, "the cycle "), *says = strstr(line, " declares ");
	unsigned least_sum = 0, most_sum = 0, declared = 0, needed = 1, missing = 1;
	int nodes[GRAPH_NODES_MAX + 1], n;

	assert_non_null(cycle);
	assert_non_null(says);
	n = cycle_read(cycle + strlen("the cycle "), nodes);
	assert_true(n >= 2 && nodes[0] == nodes[n - 1]);
	for (int i = 0; i + 1 < n; i++) {
		unsigned least = 0, most = 0;

		assert_true(delays_between(graph, nodes[i], nodes[i + 1], &least, &most));
		least_sum += least;
		most_sum += most;
	}
	if (strstr(says, "declares a delay of")) {
		const char *count =
		    graph->pipelined ? strstr(says, "and has") : strstr(says, "changes lanes");

		assert_non_null(count);
		assert_int_equal(sscanf(says, " declares a delay of %u", &declared), 1);
		assert_int_equal(
		    sscanf(count, graph->pipelined ? "and has %u" : "changes lanes %u", &needed),
		    1);
		assert_int_equal(
		    sscanf(strstr(line, ": declare "), ": declare %u more", &missing), 1);
	} else {
		assert_non_null(strstr(says, "declares no delay"));
	}
	assert_true(least_sum <= declared && declared <= most_sum);
	assert_int_equal(missing, needed - declared);
	assert_true(needed > declared && needed <= (unsigned)n - 1);
	assert_int_equal(strncmp(line, "graph.conf:1", 12), 0); /* links are on lines 100.. */
}

/* ---- all of them ------------------------------------------------------------------------ */

static void test_random_graphs(void **state)
{
	int planned = 0, refused = 0, spread = 0, delayed = 0;

	(void)state;
	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct test_graph graph;
		struct plan *plan = NULL;
		struct diag diag;
		int rc;

		diag_init(&diag);
		graph_random(seed, &graph);
		rc = plan_of(&graph, &diag, &plan);
		if ((rc == 0) != cycles_possible(&graph))
			fail_msg("seed %d: %s, by brute force it is %s", (int)seed,
			    rc ? diag.lines[0] : "planned", rc ? "possible" : "impossible");
		if (rc == 0) {
			planned_check(&graph, plan);
			planned++;
			spread += plan->segments[plan->n_segments - 1].lane > 0;
			delayed += plan->latency_slots > 1;
		} else {
			assert_int_equal(diag.errors, 1);
			reason_check(&graph, diag.lines[0]);
			refused++;
		}
		plan_free(plan);
		diag_fini(&diag);
	}
	print_message("%d planned (%d on several lanes, %d later than 1 slot), %d refused\n",
	    planned, spread, delayed, refused);
	assert_true(planned > GRAPHS / 2 && refused > GRAPHS / 20 && spread > GRAPHS / 4 &&
	    delayed > GRAPHS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_graphs)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
