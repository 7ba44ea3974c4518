/* SPDX-License-Identifier: BSD-3-Clause
 * core/map: what a plan is for waveforms that a person can check, and every reason for a refusal.
 * Random ones: tests/sim/test_plan_property.c; text and profiles: test_plan_text.c. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/map/map.h"
#include "core/map/plan.h"
#include "core/map/profile.h"
#include "tests/common/graph.h"

static const int cpus[] = {2, 3, 5, 7};

static void chain(struct test_graph *graph, int n)
{
	*graph = (struct test_graph){.n_lanes = 2, .names_lanes = true};
	for (int i = 0; i < n; i++)
		graph_add_node(graph);
	for (int i = 0; i + 1 < n; i++)
		graph_add_link(graph, i, 0, i + 1, 0);
}

/* n0 -> n1 -> n2 -> n0, the last link with a delay. */
static void cycle_of_three(struct test_graph *graph, uint32_t delay)
{
	chain(graph, 3);
	graph_add_link(graph, 2, 0, 0, delay);
}

static struct plan *planned_at(
    struct waveform *waveform, size_t n_lanes, double mmac_per_s, const struct profile *profile)
{
	const struct platform_model platform = {cpus, n_lanes, mmac_per_s};
	struct plan *plan = NULL;
	struct diag diag;

	diag_init(&diag);
	if (plan_make(waveform, &platform, profile, &diag, &plan))
		fail_msg("refused: %s", diag.len ? diag.lines[0] : "no reason");
	assert_int_equal(diag.errors, 0);
	diag_fini(&diag);
	return plan;
}

static struct plan *planned(const struct test_graph *graph)
{
	struct waveform *waveform = graph_waveform(graph);
	struct plan *plan = planned_at(waveform, (size_t)graph->n_lanes, 0, NULL);

	graph_waveform_free(waveform);
	return plan;
}

static void refused(const struct test_graph *graph, const char *reason)
{
	const struct platform_model platform = {cpus, (size_t)graph->n_lanes, 0};
	struct waveform *waveform = graph_waveform(graph);
	struct plan *plan = (struct plan *)&platform;
	struct diag diag;

	diag_init(&diag);
	assert_int_equal(plan_make(waveform, &platform, NULL, &diag, &plan), -EINVAL);
	assert_ptr_equal(plan, &platform);
	assert_int_equal(diag.errors, 1);
	assert_string_equal(diag.lines[0], reason);
	diag_fini(&diag);
	graph_waveform_free(waveform);
}

static void lanes_are(const struct plan *plan, const char *lanes)
{
	for (size_t i = 0; i < plan->n_instances; i++)
		assert_int_equal(plan->instances[i].lane, lanes[i] - '0');
}

static void lags_are(const struct plan *plan, const char *lags)
{
	for (size_t i = 0; i < plan->n_instances; i++)
		assert_int_equal(plan->instances[i].lag, lags[i] - '0');
}

/* ---- lanes ------------------------------------------------------------------------ */

/* The lanes are the platform's, not named by the user: half a lane's capacity is not worth a second
 * lane. */
static void test_small_waveform_stays_on_one_lane(void **state)
{
	struct test_graph graph;
	struct waveform *waveform;
	struct plan *plan;

	(void)state;
	chain(&graph, 4);
	graph.names_lanes = false;
	for (int i = 0; i < 4; i++)
		graph.nodes[i].kmac = 125;
	waveform = graph_waveform(&graph); /* slots of 1 ms: 1000 MMAC/s are 1000 kMAC */
	plan = planned_at(waveform, 2, 0, NULL);
	lanes_are(plan, "0000");
	assert_int_equal(plan->latency_slots, 1);
	plan_free(plan);
	plan = planned_at(waveform, 2, 1000, NULL);
	lanes_are(plan, "0000");
	plan_free(plan);
	plan = planned_at(waveform, 2, 999, NULL);
	lanes_are(plan, "0011");
	assert_int_equal(plan->latency_slots, 2);
	plan_free(plan);
	waveform->instances[2].pin = 1; /* only lanes that pins name */
	plan = planned_at(waveform, 4, 0, NULL);
	lanes_are(plan, "1111");
	plan_free(plan);
	waveform->margin = 0.5;
	plan = planned_at(waveform, 2, 1500, NULL);
	assert_int_equal(plan->instances[0].lane, 0);
	plan_free(plan);
	graph_waveform_free(waveform);
}

/* The published UTRAN chain with ARM demands: the best single cut is after the 11th component, 1
 * 660.4 and 1 599.6. */
static void test_utran_chain_is_cut_where_published(void **state)
{
	const double kmac[14] = {65.4, 205.8, 403.6, 111.6, 15.2, 78.8, 313.4, 160.2, 92.4, 42.6,
	    171.4, 344.0, 1187.8, 67.8};
	struct profile profile = {0};
	struct waveform *waveform;
	struct test_graph graph;
	double sums[2] = {0, 0};
	struct plan *plan;
	char name[16];

	(void)state;
	chain(&graph, 12); /* two more below: a graph of the tests has at most 12 nodes */
	waveform = graph_waveform(&graph);
	struct wf_instance instances[14];
	struct wf_link links[13];
	memcpy(instances, waveform->instances, 12 * sizeof(*instances));
	for (int i = 0; i < 14; i++) {
		if (i >= 12)
			instances[i] = instances[11];
		snprintf(name, sizeof(name), "n%d", i);
		instances[i].name = strdup(name);
		assert_int_equal(
		    plan_profile_set(&profile, name, &(struct length_point){0, kmac[i], kmac[i]}),
		    0);
		if (i < 13)
			links[i] = (struct wf_link){.from = i, .to = i + 1};
	}
	waveform->instances = instances;
	waveform->n_instances = 14;
	waveform->links = links;
	waveform->n_links = 13;
	plan = planned_at(waveform, 2, 0, &profile);
	lanes_are(plan, "00000000000111");
	for (int i = 0; i < 14; i++)
		sums[plan->instances[i].lane] += plan->instances[i].kmac;
	assert_true(fabs(sums[0] - 1660.4) < 1e-9 && fabs(sums[1] - 1599.6) < 1e-9);
	assert_int_equal(plan->latency_slots, 2);
	plan_free(plan);
	plan_profile_fini(&profile);
	for (int i = 0; i < 14; i++)
		free(instances[i].name);
	graph_waveform_free(waveform);
}

static void test_pins(void **state)
{
	struct test_graph graph;
	struct plan *plan;

	(void)state;
	chain(&graph, 4);
	graph.nodes[0].pin = 1;
	graph.nodes[1].pin = 0;
	graph.nodes[2].pin = 0;
	graph.nodes[3].pin = 1;
	plan = planned(&graph);
	lanes_are(plan, "1001");
	lags_are(plan, "0112");
	assert_int_equal(plan->latency_slots, 3);
	plan_free(plan);
	graph.nodes[2].pin = 2;
	refused(&graph, "graph.conf:12: n2.pin = 2 is outside [0, 1]: the platform has 2 lanes");
	graph.n_lanes = 1;
	graph.nodes[0].pin = graph.nodes[3].pin = 0;
	refused(&graph, "graph.conf:12: n2.pin = 2 is outside [0, 0]: the platform has 1 lane");
}

static void test_user_lanes_are_the_lanes(void **state)
{
	struct test_graph graph;
	struct waveform *waveform;
	struct plan *plan;

	(void)state;
	chain(&graph, 3);
	waveform = graph_waveform(&graph);
	waveform->lanes[0] = 11;
	waveform->lanes[1] = 11; /* two lanes may share a CPU under virtual */
	plan = planned_at(waveform, 0, 0, NULL);
	assert_int_equal(plan->n_lanes, 2);
	assert_int_equal(plan->cpus[0], 11);
	assert_int_equal(plan->cpus[1], 11);
	plan_free(plan);
	graph_waveform_free(waveform);
}

/* ---- lags and cycles ------------------------------------------------------------------------ */

static void test_join_is_aligned(void **state)
{
	struct test_graph graph = {.n_lanes = 3, .names_lanes = true};
	struct plan *plan;

	(void)state;
	for (int i = 0; i < 4; i++)
		graph.nodes[graph_add_node(&graph)].pin = i < 3 ? i : 0;
	graph_add_link(&graph, 0, 0, 1, 0); /* n0 -> n1 -> n2 -> n3, and n0 -> n3 */
	graph_add_link(&graph, 1, 0, 2, 0);
	graph_add_link(&graph, 2, 0, 3, 0);
	graph_add_link(&graph, 0, 0, 3, 0);
	plan = planned(&graph);
	lags_are(plan, "0123");
	assert_int_equal(plan->links[0].distance, 1);
	assert_int_equal(plan->links[3].distance, 3);
	assert_int_equal(plan->latency_slots, 4);
	assert_int_equal(plan->n_buffers, 3); /* both readers of n0 share one; n3 has none */
	assert_int_equal(plan->buffers[0].depth, 8);
	assert_int_equal(plan->buffers[1].depth, 4);
	plan_free(plan);
	graph.links[3].delay = 2;
	plan = planned(&graph);
	assert_int_equal(plan->links[3].distance, 5);
	assert_int_equal(plan->buffers[0].depth, 8);
	plan_free(plan);
}

static void test_declared_delay_spares_lag(void **state)
{
	struct test_graph graph;
	struct plan *plan;

	(void)state;
	chain(&graph, 2);
	graph.links[0].delay = 1;
	plan = planned(&graph);
	lanes_are(plan, "01");
	lags_are(plan, "00");
	assert_int_equal(plan->links[0].distance, 1);
	assert_int_equal(plan->latency_slots, 1);
	plan_free(plan);
}

static void test_pipelined(void **state)
{
	struct test_graph graph;
	struct plan *plan;

	(void)state;
	chain(&graph, 4);
	graph.pipelined = true;
	graph.n_lanes = 1;
	plan = planned(&graph);
	lags_are(plan, "0123");
	assert_int_equal(plan->latency_slots, 4);
	plan_free(plan);
	cycle_of_three(&graph, 2);
	graph.pipelined = true;
	refused(&graph,
	    "graph.conf:102: the cycle n0 -> n1 -> n2 -> n0 declares a delay of 2 and has 3 "
	    "links, each of 1 slot or more with \"pipelined\": declare 1 more");
}

static void test_cycle_stays_together(void **state)
{
	struct test_graph graph;
	struct plan *plan;

	(void)state;
	cycle_of_three(&graph, 1);
	graph.nodes[graph_add_node(&graph)].kmac = 2;
	graph_add_link(&graph, 1, 0, 3, 0);
	plan = planned(&graph);
	lanes_are(plan, "0001");
	lags_are(plan, "0001");
	assert_int_equal(plan->links[2].distance, 1);
	plan_free(plan);
}

static void test_cycle_with_enough_delay_is_spread(void **state)
{
	struct test_graph graph;
	struct plan *plan;

	(void)state;
	cycle_of_three(&graph, 3);
	plan = planned(&graph);
	lanes_are(plan, "001");
	lags_are(plan, "001");
	assert_int_equal(plan->links[2].distance, 2);
	plan_free(plan);
}

/* Two pins tear the cycle; where n2 goes decides whether it is legal. */
static void test_torn_cycle(void **state)
{
	struct test_graph graph;
	struct plan *plan;

	(void)state;
	cycle_of_three(&graph, 2);
	graph.nodes[0].pin = 0;
	graph.nodes[1].pin = 1;
	plan = planned(&graph);
	lags_are(plan, plan->instances[2].lane ? "011" : "012");
	plan_free(plan);
	cycle_of_three(&graph, 1);
	graph.nodes[0].pin = 0;
	graph.nodes[1].pin = 1;
	graph.nodes[2].pin = 1;
	refused(&graph,
	    "graph.conf:102: the cycle n0 -> n1 -> n2 -> n0 declares a delay of 1 and changes "
	    "lanes 2 times, each of 1 slot or more: declare 1 more, or pin the cycle to one lane");
}

static void test_cycle_without_delay(void **state)
{
	struct test_graph graph;

	(void)state;
	cycle_of_three(&graph, 0);
	refused(&graph,
	    "graph.conf:102: the cycle n0 -> n1 -> n2 -> n0 declares no delay, so none of its "
	    "instances can run first; one of its links needs \"delay\" = 1 or more");
	chain(&graph, 1);
	graph_add_link(&graph, 0, 0, 0, 0);
	refused(&graph,
	    "graph.conf:100: the cycle n0 -> n0 declares no delay, so none of its instances can "
	    "run first; one of its links needs \"delay\" = 1 or more");
}

static void test_delay_has_a_limit(void **state)
{
	struct test_graph graph;
	struct plan *plan;

	(void)state;
	chain(&graph, 2);
	graph.links[0].delay = 1 << 20;
	plan = planned(&graph);
	assert_int_equal(plan->buffers[0].depth, 1 << 21);
	plan_free(plan);
	graph.links[0].delay = UINT32_MAX;
	refused(&graph,
	    "graph.conf:100: the link n0 -> n1 spans 4294967295 slots (delay = 4294967295); at "
	    "most 1048576 are allowed");
}

static void test_lags_of_given_lanes(void **state)
{
	const uint32_t lanes[] = {0, 1, 0, 1}, split[] = {0, 1, 1};
	uint32_t lags[4];
	struct test_graph graph;
	struct waveform *waveform;
	struct diag diag;

	(void)state;
	diag_init(&diag);
	chain(&graph, 4);
	waveform = graph_waveform(&graph);
	assert_int_equal(lags_make(waveform, &(struct lag_lanes){.of = lanes}, lags, &diag), 0);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(lags[i], i);
	graph_waveform_free(waveform);
	cycle_of_three(&graph, 1);
	waveform = graph_waveform(&graph);
	assert_int_equal(
	    lags_make(waveform, &(struct lag_lanes){.of = split}, lags, &diag), -EINVAL);
	assert_int_equal(diag.errors, 1);
	graph_waveform_free(waveform);
	diag_fini(&diag);
}

/* ---- segments and hosts ---- */

static void segments_are(const struct plan *plan, const char *text)
{
	char found[256] = "";
	size_t len = 0;

	for (size_t s = 0; s < plan->n_segments; s++) {
		len += (size_t)snprintf(found + len, sizeof(found) - len, "%sL%uH%u:", s ? " " : "",
		    plan->segments[s].lane, plan->segments[s].host);
		for (size_t i = 0; i < plan->segments[s].n_instances; i++)
			len += (size_t)snprintf(
			    found + len, sizeof(found) - len, "%u", plan->segments[s].instances[i]);
	}
	assert_string_equal(found, text);
}

static void isolate(struct test_graph *graph, const char *each)
{
	for (int i = 0; i < graph->n_nodes; i++)
		graph->nodes[i].isolation = each[i] == 'w' ? WF_ISOLATION_WAVEFORM
		    : each[i] == 'c'                       ? WF_ISOLATION_COMPONENT
		                                           : WF_ISOLATION_NONE;
}

static void test_segments(void **state)
{
	const struct {
		const char *isolation, *segments;
		uint32_t n_hosts;
		bool shared;
	} cases[] = {
	    {"wwww", "L0H0:01 L1H0:23", 1, false},
	    {"nnnn", "L0H0:01 L1H0:23", 1, true},
	    {"cccc", "L0H0:0 L0H1:1 L1H2:2 L1H3:3", 4, false},
	    {"wcww", "L0H0:0 L0H1:1 L1H0:23", 2, false},
	    {"wcnn", "L0H1:0 L0H2:1 L1H0:23", 3, true},
	};
	struct test_graph graph;
	struct plan *plan;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		chain(&graph, 4);
		isolate(&graph, cases[i].isolation);
		plan = planned(&graph);
		segments_are(plan, cases[i].segments);
		assert_int_equal(plan->n_hosts, cases[i].n_hosts);
		assert_int_equal(plan->n_shared, cases[i].shared);
		plan_free(plan);
	}
	chain(&graph, 5); /* one instance on its own cuts its neighbours' run in two, on one lane */
	graph.n_lanes = 1;
	isolate(&graph, "wwcww");
	plan = planned(&graph);
	segments_are(plan, "L0H0:01 L0H1:2 L0H0:34");
	plan_free(plan);
}

/* Two chains: file order would go back and forth between hosts, the order keeps to a host while it
 * can. */
static void test_order_keeps_to_a_host(void **state)
{
	struct test_graph graph = {.n_lanes = 1, .names_lanes = true};
	struct plan *plan;

	(void)state;
	for (int i = 0; i < 6; i++)
		graph_add_node(&graph);
	isolate(&graph, "wnwnwn");
	plan = planned(&graph);
	segments_are(plan, "L0H1:024 L0H0:135");
	plan_free(plan);
	isolate(&graph, "wwwwww");
	graph_add_link(&graph, 5, 0, 0, 0);
	graph_add_link(&graph, 4, 0, 1, 1); /* distance 1 orders nothing */
	plan = planned(&graph);
	segments_are(plan, "L0H0:123450");
	plan_free(plan);
}

/* ---- sizes that no person checks ---- */

static void test_long_chain(void **state)
{
	enum { N = 3000 };
	struct test_graph graph;
	struct waveform *waveform;
	struct wf_instance *instances = calloc(N, sizeof(*instances));
	struct wf_link *links = calloc(N, sizeof(*links));
	struct plan *plan;

	(void)state;
	assert_true(instances && links);
	chain(&graph, 2);
	waveform = graph_waveform(&graph);
	for (int i = 0; i < N; i++) {
		instances[i] = waveform->instances[0];
		links[i] = (struct wf_link){.from = i, .to = (i + 1) % N, .delay = i + 1 == N};
	}
	waveform->instances = instances;
	waveform->n_instances = N;
	waveform->links = links;
	waveform->n_links = N - 1;
	plan = planned_at(waveform, 2, 0, NULL);
	assert_int_equal(plan->n_segments, 2);
	assert_int_equal(plan->segments[0].n_instances, N / 2);
	plan_free(plan);
	waveform->n_links = N; /* closed by a delay of 1: one lane */
	plan = planned_at(waveform, 2, 0, NULL);
	assert_int_equal(plan->n_segments, 1);
	plan_free(plan);
	graph_waveform_free(waveform);
	free(instances);
	free(links);
}

static void test_nothing_to_plan(void **state)
{
	const struct platform_model none = {NULL, 0, 0};
	struct test_graph graph = {.n_lanes = 1, .names_lanes = true};
	struct waveform *waveform;
	struct plan *plan = NULL;
	struct diag diag;

	(void)state;
	refused(&graph, "graph.conf: the waveform has no instances, and at least 1 is needed");
	chain(&graph, 1);
	graph.names_lanes = false;
	waveform = graph_waveform(&graph);
	diag_init(&diag);
	assert_int_equal(plan_make(waveform, &none, NULL, &diag, &plan), -EINVAL);
	assert_string_equal(
	    diag.lines[0], "graph.conf: the platform has no lanes, and at least 1 is needed");
	diag_fini(&diag);
	graph_waveform_free(waveform);
	plan_free(NULL);
}

/* The same input gives the same plan, to the last letter. */
static void test_same_input_same_plan(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		char *text[2] = {NULL, NULL};

		for (int i = 0; i < 2; i++) {
			const struct platform_model platform = {cpus, 4, 100};
			struct test_graph graph;
			struct waveform *waveform;
			struct plan *plan = NULL;
			struct diag diag;

			diag_init(&diag);
			graph_random(seed, &graph);
			waveform = graph_waveform(&graph);
			if (plan_make(waveform, &platform, NULL, &diag, &plan))
				text[i] = strdup(diag.lines[0]);
			else
				text[i] = plan_print(waveform, plan);
			plan_free(plan);
			graph_waveform_free(waveform);
			diag_fini(&diag);
		}
		assert_string_equal(text[0], text[1]);
		free(text[0]);
		free(text[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_small_waveform_stays_on_one_lane),
	    cmocka_unit_test(test_utran_chain_is_cut_where_published),
	    cmocka_unit_test(test_pins),
	    cmocka_unit_test(test_user_lanes_are_the_lanes),
	    cmocka_unit_test(test_join_is_aligned),
	    cmocka_unit_test(test_declared_delay_spares_lag),
	    cmocka_unit_test(test_pipelined),
	    cmocka_unit_test(test_cycle_stays_together),
	    cmocka_unit_test(test_cycle_with_enough_delay_is_spread),
	    cmocka_unit_test(test_torn_cycle),
	    cmocka_unit_test(test_cycle_without_delay),
	    cmocka_unit_test(test_delay_has_a_limit),
	    cmocka_unit_test(test_lags_of_given_lanes),
	    cmocka_unit_test(test_segments),
	    cmocka_unit_test(test_order_keeps_to_a_host),
	    cmocka_unit_test(test_long_chain),
	    cmocka_unit_test(test_nothing_to_plan),
	    cmocka_unit_test(test_same_input_same_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
