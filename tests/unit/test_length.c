/* SPDX-License-Identifier: BSD-3-Clause
 * core/map/length.h: what an instance costs at a length from what was measured at others, how a
 * profile keeps it, and what a plan and its what-if make of it. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/json/json.h"
#include "core/map/explain.h"
#include "core/map/length.h"
#include "core/map/profile.h"
#include "tests/common/graph.h"

#define NEAR(a, b) assert_true(fabs((double)(a) - (double)(b)) <= 1e-9 * (1 + fabs((double)(b))))

static void costs(const struct length_point *points, size_t n, uint64_t bytes,
    enum length_source source, double p50, double p99)
{
	const struct length_cost cost = length_cost(points, n, bytes);

	assert_int_equal(cost.source, source);
	NEAR(cost.kmac_p50, p50);
	NEAR(cost.kmac_p99, p99);
}

/* ---- the line ------------------------------------------------------------------------ */

static void test_fit(void **state)
{
	/* 10 + bytes / 10, and tails of 20 + bytes / 5 */
	const struct length_point two[] = {{400, 50, 100}, {100, 20, 40}};
	const struct length_point three[] = {{400, 50, 100}, {100, 22, 40}, {900, 100, 200}};
	struct length_cost cost = length_cost(two, 2, 200);

	(void)state;
	costs(two, 2, 200, LENGTH_FITTED, 30, 60);
	costs(two, 2, 1000, LENGTH_FITTED, 110, 220);
	NEAR(cost.fixed, 10. / 30);
	/* measured there: as measured, with the share of the line */
	costs(two, 2, 100, LENGTH_MEASURED, 20, 40);
	NEAR(length_cost(two, 2, 100).fixed, 0.5);
	/* three are not on a line: the relative errors are the least, so no other line is better */
	cost = length_cost(three, 3, 200);
	assert_int_equal(cost.source, LENGTH_FITTED);
	assert_true(cost.kmac_p50 > 30 && cost.kmac_p50 < 33);
	costs(three, 3, 100, LENGTH_MEASURED, 22, 40);
	/* a tail is no less than the median */
	costs((const struct length_point[]){{400, 50, 50}, {100, 20, 40}}, 2, 1000, LENGTH_FITTED,
	    110, 110);
}

static void test_one_length(void **state)
{
	const struct length_point one[] = {{100, 20, 40}};

	(void)state;
	costs(one, 1, 100, LENGTH_MEASURED, 20, 40);
	costs(one, 1, 50, LENGTH_SCALED, 10, 20);
	costs(one, 1, 300, LENGTH_SCALED, 60, 120);
	assert_true(isnan(length_cost(one, 1, 300).fixed));
	assert_true(isnan(length_cost(one, 1, 100).fixed));
	/* nobody knows the length, of the cost or of the instance */
	costs((const struct length_point[]){{0, 20, 40}}, 1, 300, LENGTH_UNKNOWN, 20, 40);
	costs(one, 1, 0, LENGTH_UNKNOWN, 20, 40);
	/* no port is connected */
	costs((const struct length_point[]){{0, 20, 40}}, 1, 0, LENGTH_MEASURED, 20, 40);
}

/* No cost is above what a profile may have. */
static void test_bound(void **state)
{
	const struct length_point high[] = {{1, 1e12, 1e12}};
	const struct length_point two[] = {{2, 6e11, 1e12}, {1, 3e11, 4e11}};

	(void)state;
	costs(high, 1, 1, LENGTH_MEASURED, 1e12, 1e12);
	costs(high, 1, 1ull << 40, LENGTH_SCALED, 1e12, 1e12);
	costs(two, 2, 3, LENGTH_FITTED, 9e11, 1e12);
	costs(two, 2, 1ull << 40, LENGTH_FITTED, 1e12, 1e12);
	assert_true(length_cost(two, 2, 1ull << 40).fixed <= 1);
}

/* Two lengths that are one, but for a byte of a peta: no line. A profile has none twice. */
static void test_equal_lengths(void **state)
{
	const struct length_point same[] = {{100, 20, 40}, {100, 30, 60}};
	const struct length_point close[] = {{1ull << 50, 20, 40}, {(1ull << 50) + 1, 30, 60}};

	(void)state;
	costs(same, 2, 100, LENGTH_MEASURED, 20, 40);
	costs(same, 2, 200, LENGTH_SCALED, 40, 80);
	costs(close, 2, 1ull << 51, LENGTH_SCALED, 40, 80);
}

static void test_bent_lines(void **state)
{
	/* falls: flat, of the least relative error */
	const struct length_point falls[] = {{400, 20, 30}, {100, 30, 40}};
	/* from below 0: through 0 */
	const struct length_point steep[] = {{200, 40, 50}, {100, 10, 20}};
	const double flat = (1. / 20 + 1. / 30) / (1. / 400 + 1. / 900);
	const double slope = (200. / 40 + 100. / 10) / (25. + 100);
	struct length_cost cost = length_cost(falls, 2, 1000);

	(void)state;
	NEAR(cost.kmac_p50, flat);
	NEAR(cost.fixed, 1);
	assert_true(flat > 20 && flat < 30);
	NEAR(length_cost(falls, 2, 1).kmac_p50, flat);
	cost = length_cost(steep, 2, 1000);
	NEAR(cost.kmac_p50, 1000 * slope);
	NEAR(cost.fixed, 0);
	/* nothing was measured at one of them */
	costs((const struct length_point[]){{400, 50, 100}, {100, 0, 0}}, 2, 200, LENGTH_SCALED, 25,
	    50);
	costs(
	    (const struct length_point[]){{400, 0, 0}, {100, 20, 40}}, 2, 200, LENGTH_SCALED, 0, 0);
}

/* ---- a profile ------------------------------------------------------------------------ */

static struct profile loaded(const char *text)
{
	struct profile profile = {0};
	struct diag diag;

	diag_init(&diag);
	if (plan_profile_load("p.json", text, strlen(text), &diag, &profile))
		fail_msg("refused: %s", diag.len ? diag.lines[0] : "no reason");
	diag_fini(&diag);
	return profile;
}

static const char two_lengths[] =
    "{\"schema\": 1, \"profile\": {\"n1\": {\"kmac_p50\": 8, \"kmac_p99\": 9, \"bytes\": 32, "
    "\"lengths\": [{\"bytes\": 8, \"kmac_p50\": 5, \"kmac_p99\": 6, \"missed\": 3}]}}}";

static void test_round_trip(void **state)
{
	struct profile profile = loaded(two_lengths), again;
	const struct profile_entry *entry = plan_profile_find(&profile, "n1");
	char *text = plan_profile_save(&profile), *second;

	(void)state;
	assert_int_equal(entry->n_points, 2);
	assert_int_equal(entry->points[0].bytes, 32);
	assert_true(plan_profile_at(entry, 8) == &entry->points[1]);
	assert_true(entry->points[1].kmac_p99 == 6);
	assert_null(plan_profile_at(entry, 16));
	again = loaded(text);
	second = plan_profile_save(&again);
	assert_string_equal(text, second);
	assert_int_equal(plan_profile_find(&again, "n1")->n_points, 2);
	assert_int_equal(plan_profile_find(&again, "n1")->points[0].missed, 0);
	assert_int_equal(plan_profile_find(&again, "n1")->points[1].missed, 3);
	free(second);
	free(text);
	plan_profile_fini(&again);
	plan_profile_fini(&profile);
}

static void test_corrupt(void **state)
{
	const struct {
		const char *rest, *reason;
	} cases[] = {
	    {"\"bytes\": 0", "profile.x: bytes = 0 is no length"},
	    {"\"bytes\": -1", "profile.x"},
	    {"\"bytes\": \"many\"", "profile.x: bytes: found a text"},
	    {"\"bytes\": 9007199254740993", "profile.x"},
	    {"\"bytes\": 8, \"lengths\": 3", "profile.x"},
	    {"\"missed\": -1", "profile.x"},
	    {"\"bytes\": 8, \"lengths\": [7]", "profile.x.lengths[0]: a cost must be an object"},
	    {"\"bytes\": 8, \"lengths\": [{\"kmac_p50\": 1, \"kmac_p99\": 2}]",
	        "profile.x.lengths[0]"},
	    {"\"bytes\": 8, \"lengths\": [{\"bytes\": 8, \"kmac_p50\": 1, \"kmac_p99\": 2}]",
	        "profile.x.lengths[0]: bytes = 8 is there twice"},
	    {"\"lengths\": [{\"bytes\": 8, \"kmac_p50\": 1, \"kmac_p99\": 2}]",
	        "beside a cost whose length is not known"},
	    {"\"bytes\": 8, \"lengths\": [{\"bytes\": 9, \"kmac_p50\": 2, \"kmac_p99\": 1}]",
	        "kmac_p50 = 2 and kmac_p99 = 1 do not satisfy"},
	    {"\"bytes\": 8, \"lengths\": [{}, {}, {}, {}]", "profile.x"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile profile = {0};
		struct diag diag;
		char text[300];

		snprintf(text, sizeof(text),
		    "{\"schema\": 1, \"profile\": {\"x\": {\"kmac_p50\": 1, \"kmac_p99\": 2, "
		    "%s}}}",
		    cases[i].rest);
		diag_init(&diag);
		assert_int_equal(
		    plan_profile_load("p.json", text, strlen(text), &diag, &profile), -EINVAL);
		assert_true(diag.errors >= 1);
		if (!strstr(diag.lines[0], cases[i].reason))
			fail_msg("\"%s\" does not say \"%s\"", diag.lines[0], cases[i].reason);
		assert_null(profile.entries);
		diag_fini(&diag);
	}
}

/* ---- a plan ------------------------------------------------------------------------ */

static const int cpus[] = {2};

/* n0 -> n1 -> n2, messages of 8 bytes: their lengths are 8, 16 and 8. */
static struct waveform *chain(void)
{
	struct test_graph graph = {.n_lanes = 1, .names_lanes = true};

	for (int i = 0; i < 3; i++)
		graph_add_node(&graph);
	for (int i = 0; i < 2; i++)
		graph_add_link(&graph, i, 0, i + 1, 0);
	return graph_waveform(&graph);
}

static struct plan *planned(const struct waveform *waveform, const struct profile *profile,
    double mmac_per_s, struct plan_whatif *ret_whatif)
{
	const struct platform_model platform = {cpus, 1, mmac_per_s};
	const struct plan_options options = PLAN_OPTIONS;
	struct plan *plan = NULL;
	struct diag diag;

	diag_init(&diag);
	if (plan_make(waveform, &platform, profile, &diag, &plan))
		fail_msg("refused: %s", diag.len ? diag.lines[0] : "no reason");
	assert_int_equal(plan_whatif(waveform, &platform, profile, &options, plan, ret_whatif), 0);
	diag_fini(&diag);
	return plan;
}

static void says(const char *text, const char *what, bool is)
{
	if ((strstr(text, what) != NULL) != is)
		fail_msg("%s: %s\n%s", is ? "not in it" : "in it", what, text);
}

static void test_plan(void **state)
{
	struct profile profile = loaded(two_lengths), other = loaded(two_lengths);
	struct waveform *waveform = chain();
	struct plan_whatif whatif;
	struct plan *plan, *again;
	char *text, *json;

	(void)state;
	assert_int_equal(length_of(&waveform->instances[0]), 8);
	assert_int_equal(length_of(&waveform->instances[1]), 16);
	assert_int_equal(plan_profile_set(&profile, "n0", &(struct length_point){16, 4, 4}), 0);
	assert_int_equal(plan_profile_set(&profile, "n2", &(struct length_point){8, 3, 3}), 0);
	plan = planned(waveform, &profile, 1000, &whatif);
	/* 4 + bytes / 8; in proportion; as measured */
	NEAR(plan->instances[1].kmac, 6);
	assert_int_equal(plan->instances[1].length, LENGTH_FITTED);
	assert_int_equal(plan->instances[1].admitted_ns, 7500);
	NEAR(plan->instances[0].kmac, 2);
	assert_int_equal(plan->instances[0].length, LENGTH_SCALED);
	NEAR(plan->instances[2].kmac, 3);
	assert_int_equal(plan->instances[2].length, LENGTH_MEASURED);
	text = plan_explain_print(waveform, plan, &whatif, NULL);
	json = plan_explain_json(waveform, plan, &whatif, NULL);
	says(text, "lengths: 1 fitted from runs at two or more other lengths: n1\n", true);
	says(text, "lengths: 1 in proportion to the one length that was measured: n0\n", true);
	says(text, "a length that is not known", false);
	says(text, "as a stream", false); /* of n0 and n2 nobody knows what stays */
	says(json, "\"length\": \"fitted\"", true);
	says(json, "\"bytes\": 16", true);
	says(json, "\"stream_us\": null", true);
	free(json);
	free(text);
	/* the same again, and another hash with another length */
	again = planned(waveform, &profile, 1000, &whatif);
	assert_int_equal(plan->hash, again->hash);
	plan_free(again);
	plan_free(plan);
	plan = planned(waveform, &other, 1000, &whatif);
	other.entries[0].points[1].kmac_p50 = 4;
	again = planned(waveform, &other, 1000, &whatif);
	assert_int_not_equal(plan->hash, again->hash);
	assert_int_equal(again->instances[0].length, LENGTH_NONE);
	plan_free(again);
	plan_free(plan);
	plan_profile_fini(&other);
	plan_profile_fini(&profile);
	graph_waveform_free(waveform);
}

/* All are on a line of 4 + bytes / 8 kMAC. */
static struct profile lined(void)
{
	static const struct length_point points[] = {{32, 8, 9}, {8, 5, 6}};
	static const char *const names[] = {"n0", "n1", "n2"};
	struct profile profile = {0};

	for (int i = 0; i < 3; i++) {
		assert_int_equal(plan_profile_set(&profile, names[i], &points[0]), 0);
		profile.entries[i].points[1] = points[1];
		profile.entries[i].n_points = 2;
	}
	return profile;
}

/* In slots of 1000 us, of which 1.25 x counts, at 1 MMAC/s. */
static void test_whatif(void **state)
{
	struct profile profile = lined();
	struct waveform *waveform = chain();
	double fixed = 0, need = 0, limit, base;
	struct plan_whatif whatif;
	struct plan *plan;
	char *text;

	(void)state;
	plan = planned(waveform, &profile, 1000, &whatif);
	limit = plan->lanes[0].limit_ns;
	base = plan->lanes[0].base_ns;
	for (int i = 0; i < 3; i++) {
		need += 1250 * (4 + (double)length_of(&waveform->instances[i]) / 8);
		fixed += 1250 * 4;
	}
	NEAR(plan->lanes[0].need_ns, need);
	NEAR(plan->lanes[0].fixed_ns, fixed);
	NEAR(whatif.scale, (limit - base - fixed) / (need - fixed));
	NEAR(whatif.stream_ns, (base + fixed) / (limit - (need - fixed)) * 1e6);
	/* such slots hold: what stays, and the marginal part of as much as comes in them */
	NEAR(
	    base + fixed + (need - fixed) * whatif.stream_ns / 1e6, limit * whatif.stream_ns / 1e6);
	assert_true(whatif.stream_ns < whatif.slot_ns);
	text = plan_explain_print(waveform, plan, &whatif, NULL);
	says(text, "  as a stream        ", true);
	free(text);
	plan_free(plan);
	plan_profile_fini(&profile);
	graph_waveform_free(waveform);
}

/* 64 bits in a slot of 1000 us go to another node over a link of so many Mbit/s: what comes and
 * what the link carries grow with the slot alike. */
static struct plan_whatif whatif_over(double mbit_per_s)
{
	struct plan_options options = PLAN_OPTIONS;
	struct platform_model *platform = NULL;
	struct profile profile = lined();
	struct waveform *waveform = chain();
	struct plan_whatif whatif;
	struct plan *plan = NULL;
	struct diag diag;
	char text[256];

	snprintf(text, sizeof(text),
	    "name = \"two\"; nodes: { a: { mmac_per_s = 1000.0; }; b: { mmac_per_s = 1000.0; }; }; "
	    "links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = %.3f; } );",
	    mbit_per_s);
	diag_init(&diag);
	assert_int_equal(platform_parse("two.conf", text, strlen(text), &diag, &platform), 0);
	waveform->lanes = NULL;
	waveform->n_lanes = 0;
	for (int i = 0; i < 3; i++)
		waveform->instances[i].pin = i == 2;
	options.admit = true;
	if (plan_make_with(waveform, platform, &profile, &options, &diag, &plan))
		fail_msg("refused: %s", diag.len ? diag.lines[0] : "no reason");
	assert_int_equal(plan_whatif(waveform, platform, &profile, &options, plan, &whatif), 0);
	plan_free(plan);
	plan_profile_fini(&profile);
	graph_waveform_free(waveform);
	platform_free(platform);
	diag_fini(&diag);
	return whatif;
}

static void test_whatif_links(void **state)
{
	struct plan_whatif whatif = whatif_over(1);

	(void)state;
	assert_true(whatif.stream_ns > 0 && whatif.stream_ns < whatif.slot_ns);
	NEAR(whatif.slot_ns, 64000);
	whatif = whatif_over(0.032);
	NEAR(whatif.slot_ns, 2000000);
	assert_true(whatif.stream_ns == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fit),
	    cmocka_unit_test(test_one_length),
	    cmocka_unit_test(test_bound),
	    cmocka_unit_test(test_equal_lengths),
	    cmocka_unit_test(test_bent_lines),
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_corrupt),
	    cmocka_unit_test(test_plan),
	    cmocka_unit_test(test_whatif),
	    cmocka_unit_test(test_whatif_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
