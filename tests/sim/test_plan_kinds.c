/* SPDX-License-Identifier: BSD-3-Clause
 * `aloe plan` on platforms with kinds of cores: what instances state for a kind counts there, and a
 * chain has bounds, with and without replicas, that its plan is held against. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

static const char costs[] = "waveforms/dvbs2-costs.conf";

static const struct {
	const char *platform, *big, *little;
	double alone_us, replicas_us;
	int used[2];
} platforms[] = {
    {"m1-16-4", "m1_big", "m1_little", 3339.86, 950.59, {9, 4}},
    {"m1-8-2", "m1_big", "m1_little", 3339.86, 1128.745, {8, 2}},
    {"u9-6-8", "u9_big", "u9_little", 6209, 1341.9, {5, 8}},
    {"u9-3-4", "u9_big", "u9_little", 6209, 2722.06, {3, 4}},
};

static bool near(double a, double b)
{
	return fabs(a / b - 1) < 1e-5;
}

/* Each lane takes what the instances on it state for its kind: the first cores are the big ones. */
static void lanes_check(const struct ran *ran, const char *big)
{
	json_t *lane;
	size_t i, checked = 0;

	json_array_foreach(json_object_get(ran->report, "lanes"), i, lane)
	{
		const json_t *segments = json_object_get(lane, "segments");
		const json_t *instances = json_object_get(json_array_get(segments, 0), "instances");
		double sum = 0;
		size_t k;
		json_t *instance;

		json_array_foreach(instances, k, instance)
		{
			sum += json_number_value(json_object_get(instance, "budget_us"));
			if (strcmp(json_string_value(json_object_get(instance, "name")), "bch") !=
			    0)
				continue;
			/* where `bch` fits in such a slot is a big core */
			assert_true(near(json_number_value(json_object_get(instance, "budget_us")),
			    big[0] == 'm' ? 3339.86 : 6209));
			checked++;
		}
		assert_true(fabs(json_number_value(json_object_get(lane, "need_us")) - sum) < 0.1);
		assert_true(sum == 0 || json_number_value(json_object_get(lane, "guessed")) == 0);
	}
	assert_int_equal(checked, 1);
}

static void test_bounds(void **state)
{
	char path[80];

	(void)state;
	for (size_t i = 0; i < sizeof(platforms) / sizeof(platforms[0]); i++) {
		/* in slots as long as the bound the mappers reach it */
		struct ran *ran = aloe_ok("plan %s --platform %s --slot-us %g --json", costs,
		    platforms[i].platform, platforms[i].alone_us);

		assert_true(near(ran_number(ran, "bounds.plan_us"), platforms[i].alone_us));
		assert_true(near(
		    ran_number(ran, "bounds.without_replicas.period_us"), platforms[i].alone_us));
		assert_true(near(
		    ran_number(ran, "bounds.with_replicas.period_us"), platforms[i].replicas_us));
		snprintf(path, sizeof(path), "bounds.with_replicas.cores.%s", platforms[i].big);
		assert_true(ran_number(ran, path) == platforms[i].used[0]);
		snprintf(path, sizeof(path), "bounds.with_replicas.cores.%s", platforms[i].little);
		assert_true(ran_number(ran, path) == platforms[i].used[1]);
		assert_true(ran_number(ran, "bounds.with_replicas.latency_slots") >
		    ran_number(ran, "bounds.without_replicas.latency_slots"));
		lanes_check(ran, platforms[i].big);
		ran_free(ran);
	}
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no `%s` in:\n%s", part, text);
}

static void test_text(void **state)
{
	struct ran *ran = aloe_ok("plan %s --platform m1-8-2", costs);

	(void)state;
	has(ran->out, "costs: 23 instances with the stated time for the kind of core");
	has(ran->out, "for a chain on 8 m1_big and 2 m1_little\n");
	has(ran->out,
	    "  without replicas   3339.86 us on 3 m1_big and 1 m1_little, latency 4 slots\n");
	has(ran->out,
	    "  with replicas      1128.74 us on 8 m1_big and 2 m1_little, latency 10 slots; "
	    "only a bound: an instance is in several places where the file says replicas");
	ran_free(ran);
	/* what is stated is known: a slot that is too short is refused */
	ran = aloe_ends(2, "plan %s --platform m1-8-2 --slot-us 3339", costs);
	has(ran->err, "the largest instance is bch with 3339.9 us");
	ran_free(ran);
}

/* No chain, an instance that states nothing, or a machine without kinds: no bounds. */
static void test_no_bounds(void **state)
{
	const char *forked = conf_derive(costs, "forked.conf",
	    (const char *const[][2]){{"\"estimate -> ", "\"receive -> sink\", \"estimate -> "},
	        {"instances: {", "instances: { sink: { component = \"null_sink\"; };"},
	        {NULL, NULL}});
	const char *silent = conf_derive(costs, "silent.conf",
	    (const char *const[][2]){{"-> check\"", "-> check -> sink\""},
	        {"instances: {", "instances: { sink: { component = \"null_sink\"; };"},
	        {NULL, NULL}});
	const char *const plans[][2] = {{forked, "--platform m1-8-2"},
	    {silent, "--platform m1-8-2"}, {costs, "--platform x86-four"},
	    {"waveforms/bpsk.conf", "--platform m1-8-2"}};

	(void)state;
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		struct ran *ran = aloe_ok("plan '%s' %s --json", plans[i][0], plans[i][1]);

		assert_true(json_is_null(json_object_get(ran->report, "bounds")));
		ran_free(ran);
		ran = aloe_ok("plan '%s' %s", plans[i][0], plans[i][1]);
		assert_null(strstr(ran->out, "bounds of the slot"));
		ran_free(ran);
	}
}

/* ---- what counts as stated --------------------------------------------------------------- */

static const char *file_of(const char *name, const char *content)
{
	const char *path = aloe_path(name);

	file_make(path, content, strlen(content));
	return path;
}

static const char one_of_each[] = "name = \"one_of_each\"; assume_builds = true;\n"
                                  "nodes: { m1: { mmac_per_s = 1000.0;\n"
                                  "\tkinds: { m1_big = 1; m1_little = 1; }; }; };\n";
static const char three[] = "name = \"three\"; slot_ns = 2000000;\n"
                            "instances: {\n"
                            "\ta: { component = \"stand_in\"; m1_big_us = 900.0; };\n"
                            "\tb: { component = \"stand_in\"; m1_big_us = 900.0; };\n"
                            "\tc: { component = \"stand_in\"; m1_big_us = 900.0; };\n"
                            "};\nlinks = ( \"a -> b -> c\" );\n";

/* Three calls of 900 us on the big core alone: the little core has no time of theirs, and the plan
 * says that it guesses there. */
static void test_not_stated(void **state)
{
	const char *wf = file_of("three.conf", three),
	           *platform = file_of("one_of_each.conf", one_of_each);
	struct ran *ran = aloe_ok("plan '%s' --platform '%s' --json", wf, platform);

	(void)state;
	assert_true(json_is_null(json_object_get(ran->report, "bounds")));
	assert_true(ran_number(ran, "lanes.1.guessed") > 0);
	assert_true(ran_number(ran, "lanes.1.need_us") > 0);
	ran_free(ran);
	ran = aloe_ok("plan '%s' --platform '%s'", wf, platform);
	assert_null(strstr(ran->out, "costs: 3 instances with the stated time"));
	assert_null(strstr(ran->out, "bounds of the slot"));
	ran_free(ran);
}

/* A 0 that is written is a statement, and a time of --set is one. */
static void test_zero_stated(void **state)
{
	const char *wf = file_of("zero.conf", three),
	           *platform = file_of("zero_kinds.conf", one_of_each);
	struct ran *ran = aloe_ok("plan '%s' --platform '%s' --set a.m1_little_us=0 --set "
	                          "b.m1_little_us=0 --set c.m1_little_us=0 --json",
	    wf, platform);

	(void)state;
	assert_true(ran_number(ran, "bounds.without_replicas.period_us") == 0);
	assert_true(ran_number(ran, "lanes.1.guessed") == 0);
	ran_free(ran);
}

/* A budget of the file counts before a stated time. */
static void test_budget(void **state)
{
	const char *wf = conf_derive(costs, "budget.conf",
	    (const char *const[][2]){
	        {"\tcheck: { ", "\tcheck: { budget_us = 3500.0; "}, {NULL, NULL}});
	struct ran *ran = aloe_ends(2, "plan '%s' --platform m1-8-2 --slot-us 3400", wf);

	(void)state;
	has(ran->err, "the largest instance is check with 3500.0 us");
	ran_free(ran);
}

/* The waveform runs, too: every task once a slot, each sends the bytes that it states, and one that
 * stands for a core takes its time of that core. */
static void test_runs(void **state)
{
	struct ran *ran =
	    aloe_ok("run %s --clock virtual --slots 20 --set bch.as=m1_big --json -q", costs);
	json_t *row;
	size_t i;

	(void)state;
	assert_true(ran_clean(ran));
	assert_int_equal(json_array_size(json_object_get(ran->report, "instances")), 23);
	json_array_foreach(json_object_get(ran->report, "instances"), i, row)
	{
		assert_int_equal(json_integer_value(json_object_get(row, "calls")), 20);
	}
	assert_string_equal(ran_text(ran, "instances.18.name"), "bch");
	assert_true(ran_number(ran, "instances.18.p50_us") >= 3339);
	assert_string_equal(ran_text(ran, "links.18.from"), "bch");
	assert_true(ran_number(ran, "links.18.items") == 4 * 14232 * 4);
	ran_free(ran);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bounds),
	    cmocka_unit_test(test_text),
	    cmocka_unit_test(test_no_bounds),
	    cmocka_unit_test(test_not_stated),
	    cmocka_unit_test(test_zero_stated),
	    cmocka_unit_test(test_budget),
	    cmocka_unit_test(test_runs),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
