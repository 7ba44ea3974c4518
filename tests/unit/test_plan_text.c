/* SPDX-License-Identifier: BSD-3-Clause
 * core/map: profiles in, budgets and hash from them, the plan out as text and as JSON. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/json/json.h"
#include "core/map/plan.h"
#include "core/map/plan_text.h"
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

/* ---- profiles ------------------------------------------------------------------------ */

static void test_profile_round_trip(void **state)
{
	struct profile profile = {0}, again = {0};
	struct diag diag;
	char *text, *second;

	(void)state;
	diag_init(&diag);
	assert_int_equal(
	    plan_profile_set(&profile, "b", &(struct length_point){0, 1.0 / 3, 1e9}), 0);
	assert_int_equal(plan_profile_set(&profile, "a\"\n", &(struct length_point){0, 0, 0}), 0);
	assert_int_equal(plan_profile_set(&profile, "b", &(struct length_point){0, 2.0 / 3, 7}), 0);
	assert_int_equal(profile.len, 2);
	text = plan_profile_save(&profile);
	assert_int_equal(plan_profile_load("p.json", text, strlen(text), &diag, &again), 0);
	assert_int_equal(again.len, 2);
	assert_true(plan_profile_find(&again, "b")->points[0].kmac_p50 == 2.0 / 3);
	assert_true(plan_profile_find(&again, "b")->points[0].kmac_p99 == 7);
	assert_non_null(plan_profile_find(&again, "a\"\n"));
	assert_null(plan_profile_find(&again, "c"));
	assert_null(plan_profile_find(NULL, "b"));
	second = plan_profile_save(&again);
	assert_string_equal(text, second);
	free(second);
	free(text);
	plan_profile_fini(&again);
	plan_profile_fini(&profile);
	text = plan_profile_save(&profile);
	assert_int_equal(plan_profile_load("p.json", text, strlen(text), &diag, &again), 0);
	assert_int_equal(again.len, 0);
	assert_int_equal(diag.len, 0);
	free(text);
	diag_fini(&diag);
}

static void test_profile_refused(void **state)
{
	const struct {
		const char *text, *reason;
	} cases[] = {
	    {"{", "p.json"},
	    {"[]", "p.json"},
	    {"{\"schema\": 1}",
	        "p.json: \"profile\" must be an object with one entry per "
	        "instance"},
	    {"{\"schema\": 2, \"profile\": {}}",
	        "p.json: schema = 2, but this program reads schema 1"},
	    {"{\"profile\": {}}", "schema"},
	    {"{\"schema\": 1, \"profile\": {\"x\": 3}}",
	        "p.json: profile.x: a cost must be an object"},
	    {"{\"schema\": 1, \"profile\": {\"x\": {\"kmac_p50\": 1}}}", "kmac_p99"},
	    {"{\"schema\": 1, \"profile\": {\"x\": {\"kmac_p50\": 3, \"kmac_p99\": 2}}}",
	        "p.json: profile.x: kmac_p50 = 3 and kmac_p99 = 2 do not satisfy 0 <= p50 <= p99 "
	        "<= 1e12"},
	    {"{\"schema\": 1, \"profile\": {\"x\": {\"kmac_p50\": null, \"kmac_p99\": 2}}}",
	        "kmac_p50 = -1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile profile = {0};
		struct diag diag;

		diag_init(&diag);
		assert_int_equal(plan_profile_load("p.json", cases[i].text, strlen(cases[i].text),
		                     &diag, &profile),
		    -EINVAL);
		assert_true(diag.errors >= 1);
		if (!strstr(diag.lines[0], cases[i].reason))
			fail_msg("\"%s\" does not say \"%s\"", diag.lines[0], cases[i].reason);
		assert_null(profile.entries);
		diag_fini(&diag);
	}
}

static void test_budgets_and_hash(void **state)
{
	struct profile profile = {0};
	struct test_graph graph;
	struct waveform *waveform;
	struct plan *plan, *other;

	(void)state;
	chain(&graph, 4);
	waveform = graph_waveform(&graph);
	waveform->instances[0].budget_us = 12.5;
	assert_int_equal(plan_profile_set(&profile, "n1", &(struct length_point){0, 100, 110}), 0);
	assert_int_equal(plan_profile_set(&profile, "n2", &(struct length_point){0, 100, 200}), 0);
	assert_int_equal(
	    plan_profile_set(&profile, "stranger", &(struct length_point){0, 1, 2}), 0);
	plan = planned_at(waveform, 2, 1000, &profile);
	assert_int_equal(plan->instances[0].budget_ns, 12500);         /* given */
	assert_int_equal(plan->instances[1].budget_ns, 125000 + 1000); /* 1.25 x p50 + 1 us */
	assert_int_equal(plan->instances[2].budget_ns, 200000 + 1000); /* p99 + 1 us */
	assert_int_equal(plan->instances[3].budget_ns, 0);
	assert_true(plan->instances[1].kmac == 100 && plan->instances[3].kmac == 1);
	assert_int_not_equal(plan->hash, 0);
	other = planned_at(waveform, 2, 1000, &profile);
	assert_int_equal(plan->hash, other->hash);
	plan_free(other);
	/* not of this waveform */
	assert_int_equal(
	    plan_profile_set(&profile, "stranger", &(struct length_point){0, 2, 3}), 0);
	other = planned_at(waveform, 2, 1000, &profile);
	assert_int_equal(plan->hash, other->hash);
	plan_free(other);
	assert_int_equal(plan_profile_set(&profile, "n2", &(struct length_point){0, 100, 201}), 0);
	other = planned_at(waveform, 2, 0, &profile);
	assert_int_not_equal(plan->hash, other->hash);
	assert_int_equal(other->instances[1].budget_ns, 0); /* no capacity, no time */
	plan_free(other);
	other = planned_at(waveform, 2, 0, NULL);
	assert_int_equal(other->hash, 0);
	plan_free(other);
	plan_free(plan);
	plan_profile_fini(&profile);
	graph_waveform_free(waveform);
}

/* ---- text ------------------------------------------------------------------------ */

static void says(const char *text, const char *what)
{
	assert_non_null(text);
	if (!strstr(text, what))
		fail_msg("not in it: %s\n%s", what, text);
}

static void test_print(void **state)
{
	struct test_graph graph;
	struct waveform *waveform;
	struct plan *plan;
	char *text;

	(void)state;
	chain(&graph, 4);
	graph.links[1].delay = 2;
	waveform = graph_waveform(&graph);
	waveform->lanes[1] = 1;
	for (int i = 0; i < 4; i++)
		waveform->instances[i].pin = i / 2;
	waveform->instances[0].budget_us = 10;
	waveform->instances[1].budget_us = 20;
	plan = planned_at(waveform, 2, 0, NULL);
	text = plan_print(waveform, plan);
	says(text,
	    "graph.conf: 4 instances on 2 lanes, slots of 1000 us\nlatency: 1 slot, 1000 us\n");
	says(text, "costs: the components' own figures");
	says(text, "words: `man aloe-words`");
	says(text, "\nlane 0 (CPU 0): 2.0 kMAC, budgets 30.0 us, 3.0 % of the slot\n");
	says(text, "\nlane 1 (CPU 1): 2.0 kMAC\n");
	says(text, "  n0         node_0_1");
	says(text, "n1.out0 -> n2.in0 ");
	says(text, "8 byte\n");
	free(text);
	plan_free(plan);
	graph_waveform_free(waveform);
}

static void test_json(void **state)
{
	struct test_graph graph;
	struct waveform *waveform;
	json_t *root, *link, *lane, *instance;
	struct plan *plan;
	struct diag diag;

	(void)state;
	diag_init(&diag);
	chain(&graph, 4);
	graph.links[1].delay = 2;
	waveform = graph_waveform(&graph);
	plan = planned_at(waveform, 2, 0, NULL);
	root = plan_json_root(waveform, plan);
	assert_non_null(root);
	assert_int_equal(json_integer_value(json_object_get(root, "schema")), 1);
	assert_int_equal(json_integer_value(json_object_get(root, "latency_slots")), 1);
	assert_true(json_real_value(json_object_get(root, "latency_us")) == 1000);
	assert_true(json_is_null(json_object_get(root, "profile")));
	assert_int_equal(json_array_size(json_object_get(root, "lanes")), 2);
	lane = json_array_get(json_object_get(root, "lanes"), 1);
	instance = json_array_get(
	    json_object_get(json_array_get(json_object_get(lane, "segments"), 0), "instances"), 1);
	assert_string_equal(json_string_value(json_object_get(instance, "name")), "n3");
	assert_int_equal(json_array_size(json_object_get(root, "links")), 3);
	link = json_array_get(json_object_get(root, "links"), 1);
	assert_string_equal(json_string_value(json_object_get(link, "from")), "n1");
	assert_string_equal(json_string_value(json_object_get(link, "to_port")), "in0");
	assert_int_equal(json_integer_value(json_object_get(link, "delay")), 2);
	assert_int_equal(json_integer_value(json_object_get(link, "distance")), 2);
	assert_string_equal(json_string_value(json_object_get(link, "type")), "byte");
	json_decref(root);
	plan_free(plan);
	graph_waveform_free(waveform);
	diag_fini(&diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_profile_round_trip),
	    cmocka_unit_test(test_profile_refused),
	    cmocka_unit_test(test_budgets_and_hash),
	    cmocka_unit_test(test_print),
	    cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
