/* SPDX-License-Identifier: BSD-3-Clause
 * The resource manager as a whole: the facts sheet's platforms through plan_make, what is refused
 * and in which words, what would fit instead, why an instance is where it is, and that loading one
 * waveform never breaks another's admission. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/json/json.h"
#include "core/map/explain.h"
#include "core/map/profile.h"
#include "tests/common/graph.h"

enum { LARGE = 1000, LARGE_CORES = 100 };

/* A chain of instances x0, x1, ... with links of `items` bytes; costs are given as budgets. */
struct chain {
	struct waveform wf;
	struct component_type type;
	struct aloe_port ports[2];
	struct wf_instance instances[LARGE];
	struct wf_link links[LARGE];
	char names[LARGE][16];
};

static struct chain *chain_new(const double *budgets_us, int n, uint32_t items)
{
	struct chain *chain = calloc(1, sizeof(*chain));

	assert_non_null(chain);
	chain->ports[0] = (struct aloe_port)ALOE_IN_OPTIONAL("in", ALOE_BYTE, "in");
	chain->ports[1] = (struct aloe_port)ALOE_OUT_OPTIONAL("out", ALOE_BYTE, "out");
	chain->type = (struct component_type){
	    .name = "x", .ports = chain->ports, .n_ports = 2, .kmac = 100, .builds = 7};
	for (int i = 0; i < n; i++) {
		snprintf(chain->names[i], sizeof(chain->names[i]), "x%d", i);
		chain->instances[i] = (struct wf_instance){.name = chain->names[i],
		    .type = &chain->type,
		    .n_in = 1,
		    .n_out = 1,
		    .pin = -1,
		    .period = 1,
		    .budget_us = budgets_us ? budgets_us[i] : 0,
		    .line = i + 1};
		chain->instances[i].in[0] = (struct wf_port){ALOE_BYTE, items, i - 1};
		chain->instances[i].out[0] = (struct wf_port){ALOE_BYTE, items, i + 1 < n ? i : -1};
		chain->links[i] = (struct wf_link){.from = i, .to = i + 1, .line = 100 + i};
	}
	chain->wf = (struct waveform){.file = (char *)"c.conf",
	    .name = (char *)"c",
	    .slot_ns = 10000000,
	    .instances = chain->instances,
	    .n_instances = (size_t)n,
	    .links = chain->links,
	    .n_links = (size_t)n - 1};
	return chain;
}

static struct platform_model *platform_of(const char *text)
{
	struct platform_model *platform = NULL;
	struct diag diag;

	diag_init(&diag);
	if (platform_parse("p.conf", text, strlen(text), &diag, &platform) != 0)
		fail_msg("%s", diag.lines[0]);
	diag_fini(&diag);
	return platform;
}

static struct plan *planned_with(const struct chain *chain, const struct platform_model *platform,
    const struct profile *profile, enum mapper mapper, double q)
{
	const struct plan_options options = {.q = q, .mapper = mapper};
	struct plan *plan = NULL;
	struct diag diag;

	diag_init(&diag);
	if (plan_make_with(&chain->wf, platform, profile, &options, &diag, &plan) != 0)
		fail_msg("refused: %s", diag.len ? diag.lines[0] : "no reason");
	diag_fini(&diag);
	return plan;
}

static struct plan *planned(const struct chain *chain, const struct platform_model *platform)
{
	return planned_with(chain, platform, NULL, MAPPER_PORTFOLIO, 0.5);
}

static void refused_with(const struct chain *chain, const struct platform_model *platform,
    enum mapper mapper, double q, const char *lines)
{
	const struct plan_options options = {.q = q, .mapper = mapper};
	struct plan *plan = NULL;
	char said[4096] = "";
	struct diag diag;
	size_t at = 0;

	diag_init(&diag);
	assert_int_equal(
	    plan_make_with(&chain->wf, platform, NULL, &options, &diag, &plan), -EINVAL);
	assert_null(plan);
	for (size_t i = 0; i < diag.len && at < sizeof(said); i++)
		at += (size_t)snprintf(said + at, sizeof(said) - at, "%s\n", diag.lines[i]);
	if (lines)
		assert_string_equal(said, lines);
	diag_fini(&diag);
}

static void lanes_are(const struct plan *plan, const char *lanes)
{
	char found[64] = "";

	for (size_t i = 0; i < plan->n_instances && i + 1 < sizeof(found); i++)
		found[i] = (char)('0' + plan->instances[i].lane);
	assert_string_equal(found, lanes);
}

/* ---- the sheet ------------------------------------------------------------------------ */

static const double arm_kmac[14] = {
    65.4, 205.8, 403.6, 111.6, 15.2, 78.8, 313.4, 160.2, 92.4, 42.6, 171.4, 344.0, 1187.8, 67.8};
static const double x86_kmac[14] = {
    69, 126, 116.4, 89.4, 15.6, 72.6, 93.6, 51.6, 30.0, 28.2, 111, 60.6, 1144.2, 63.6};

/* The chain with these demands as budgets; 10 kbit a hop. */
static struct chain *utran_new(const double kmac[14], double mmac_per_s)
{
	double budgets_us[14];

	for (int i = 0; i < 14; i++)
		budgets_us[i] = kmac[i] * 1e3 / mmac_per_s;
	return chain_new(budgets_us, 14, 1250);
}

/* 2 000 kMAC each, 100 kbit a slot in each direction. */
static const char two_arms[] =
    "name = \"arms\"; nodes: { a: { mmac_per_s = 200.0; }; b: { mmac_per_s = 200.0; }; };\n"
    "links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = 10.0; } );";

static void test_trap(void **state)
{
	struct platform_model *arms = platform_of(two_arms);
	struct chain *chain = utran_new(arm_kmac, 200);
	double loads[2] = {0, 0};
	struct plan *plan;

	(void)state;
	for (int mapper = MAPPER_TW1; mapper <= MAPPER_TW3; mapper++)
		refused_with(chain, arms, (enum mapper)mapper, 0.8, NULL);
	refused_with(chain, arms, MAPPER_TW1, 0.5, NULL);
	refused_with(chain, arms, MAPPER_TW2, 0.5, NULL);
	plan = planned_with(chain, arms, NULL, MAPPER_TW3, 0.5);
	for (size_t l = 0; l < 2; l++)
		loads[l] = plan->lanes[l].need_ns / 1e5; /* percent of 10 ms */
	assert_true(fabs(fmin(loads[0], loads[1]) - 63.5) < 0.05 &&
	    fabs(fmax(loads[0], loads[1]) - 99.5) < 0.05);
	assert_int_equal(plan->choice.best.crossings, 3);
	plan_free(plan);
	for (int mapper = MAPPER_TW1_FALLING; mapper <= MAPPER_TW3_FALLING; mapper++)
		for (double q = 0.2; q < 0.9; q += 0.3)
			plan_free(planned_with(chain, arms, NULL, (enum mapper)mapper, q));
	/* all together take one cut, of those that fit the cheapest: 2 slots over the link */
	plan = planned(chain, arms);
	lanes_are(plan, "00000000001111");
	assert_int_equal(plan->latency_slots, 3);
	assert_int_equal(plan->links[9].distance, 2);
	assert_true(fabs(plan->lanes[0].need_ns - 1489.0 * 5e3) < 1 &&
	    fabs(plan->lanes[1].need_ns - 1771.0 * 5e3) < 1);
	plan_free(plan);
	free(chain);
	platform_free(arms);
}

static struct platform_model *platform_file(const char *path)
{
	struct platform_model *platform;
	char *text;
	size_t len;

	assert_int_equal(file_read(path, 1 << 20, &text, &len), 0);
	platform = platform_of(text);
	free(text);
	return platform;
}

/* The published platforms with their overheads: 2 x86 need one core, 2 ARM need both, and 8 ms are
 * too short. */
static void test_published_platforms(void **state)
{
	struct platform_model *x86 = platform_file("platforms/nodes/x86-pair.conf");
	struct platform_model *arm = platform_file("platforms/nodes/arm-pair.conf");
	struct chain *chain = utran_new(x86_kmac, 600);
	struct plan *plan = planned(chain, x86);

	(void)state;
	assert_int_equal(plan->latency_slots, 1);
	assert_true(fabs(plan->lanes[0].need_ns - (2071.8 / 0.6 + 14 * 5.94) * 1e3) < 1);
	assert_true(fabs(plan->lanes[0].base_ns - 186700) < 1);
	assert_int_equal(plan->instances[0].start_ns, 186700);
	assert_int_equal(plan->instances[1].start_ns, 186700 + 115000 + 5940);
	plan_free(plan);
	free(chain);
	chain = utran_new(arm_kmac, 200);
	plan = planned(chain, arm);
	lanes_are(plan, "00000000001111");
	plan_free(plan);
	chain->wf.slot_ns = 8000000;
	refused_with(chain, arm, MAPPER_PORTFOLIO, 0.5, NULL);
	free(chain);
	platform_free(x86);
	platform_free(arm);
}

/* The weight: q = 0.2 keeps the chain on one core, q = 0.8 splits it once. */
static void test_weight(void **state)
{
	struct platform_model *x86 = platform_of(
	    "name = \"x86\"; nodes: { a: { mmac_per_s = 600.0; }; b: { mmac_per_s = 600.0; }; };\n"
	    "links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = 10.0; } );");
	struct chain *chain = utran_new(x86_kmac, 600);
	struct plan *plan = planned_with(chain, x86, NULL, MAPPER_TW1, 0.2);

	(void)state;
	assert_true(fabs(plan->lanes[0].need_ns - 3.453e6) < 1e3 && plan->lanes[1].need_ns == 0);
	plan_free(plan);
	plan = planned_with(chain, x86, NULL, MAPPER_TW1, 0.8);
	assert_int_equal(plan->choice.best.crossings, 1);
	assert_true(fabs(plan->lanes[0].need_ns - 2.01e6) < 1e4 ||
	    fabs(plan->lanes[1].need_ns - 2.01e6) < 1e4);
	plan_free(plan);
	free(chain);
	platform_free(x86);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static const int cpus[] = {0, 1, 2, 3};

static void test_lane_refused(void **state)
{
	const struct platform_model one = {cpus, 1, 1000};
	const double budgets[] = {2000, 6000, 4500};
	struct chain *chain = chain_new(budgets, 3, 100);
	struct plan_options options = PLAN_OPTIONS;
	struct plan *plan = NULL;
	struct diag diag;

	(void)state;
	refused_with(chain, &one, MAPPER_PORTFOLIO, 0.5,
	    "c.conf: lane 0 (CPU 0) cannot hold its 3 instances: the instances need 12500.0 us, "
	    "and the slot has 10000.0 us for them (margin 0 %): instances 12500.0 us, overhead 0.0 "
	    "us, admitted before 0.0 us; the largest instance is x1 with 6000.0 us\n"
	    "the waveform fits with slots of 12500 us (--slot-us 12500); or with messages of 0.80 "
	    "x the size; or if x1 takes 3500.0 us (1.71 x as fast); or with 2 cores like the first "
	    "core and without pins; --force loads the waveform anyway\n");
	diag_init(&diag);
	chain->wf.admit = WF_ADMIT_ALWAYS; /* told, not refused */
	assert_int_equal(plan_make(&chain->wf, &one, NULL, &diag, &plan), 0);
	assert_int_equal(diag.errors, 0);
	assert_int_equal(diag.len, 1);
	assert_int_equal(plan->choice.mode, PLAN_OVER);
	plan_free(plan);
	diag_fini(&diag);
	diag_init(&diag);
	chain->wf.admit = WF_ADMIT_FITS;
	options.admit = true;
	assert_int_equal(plan_make_with(&chain->wf, &one, NULL, &options, &diag, &plan), 0);
	plan_free(plan);
	diag_fini(&diag);
	diag_init(&diag);
	chain->wf.clock = WF_CLOCK_VIRTUAL; /* has all the time in the world */
	assert_int_equal(plan_make(&chain->wf, &one, NULL, &diag, &plan), 0);
	assert_int_equal(diag.len, 0);
	plan_free(plan);
	diag_fini(&diag);
	free(chain);
}

static void test_margin_and_what_was_there_before(void **state)
{
	struct platform_core cores[] = {
	    {.mmac_per_s = 1000, .taken_ns = 5e6}, {.mmac_per_s = 1000, .taken_ns = 1e6}};
	const struct platform_model two = {cpus, 2, 1000, cores};
	const double budgets[] = {3000, 3000};
	struct chain *chain = chain_new(budgets, 2, 100);
	struct plan *plan = planned(chain, &two);

	(void)state;
	lanes_are(plan, "11"); /* 60 % and 10 % leave lane 1 alone at 80 % */
	assert_true(plan->lanes[1].taken_ns == 1e6);
	plan_free(plan);
	chain->wf.margin = 0.4;
	refused_with(chain, &two, MAPPER_PORTFOLIO, 0.5, NULL);
	chain->wf.margin = 0;
	cores[0].taken_ns = 8e6;
	cores[1].taken_ns = 5e6;
	refused_with(chain, &two, MAPPER_PORTFOLIO, 0.5,
	    "c.conf: lane 1 (CPU 1) cannot hold its 2 instances: the instances need 11000.0 us, "
	    "and the slot has 10000.0 us for them (margin 0 %): instances 6000.0 us, overhead 0.0 "
	    "us, admitted before 5000.0 us; the largest instance is x0 with 3000.0 us\n"
	    "the waveform fits with slots of 11000 us (--slot-us 11000); or with messages of 0.83 "
	    "x the size; or if x0 takes 2000.0 us (1.50 x as fast); or with 1 core like the first "
	    "core and without pins; --force loads the waveform anyway\n");
	free(chain);
}

static void test_link_refused(void **state)
{
	struct platform_model *arms = platform_of(two_arms);
	const double budgets[] = {6000, 6000};
	struct chain *chain = chain_new(budgets, 2, 20000); /* 160 kbit */

	(void)state;
	refused_with(chain, arms, MAPPER_PORTFOLIO, 0.5,
	    "c.conf: the link between a and b is too slow: the waveform sends 160.0 kbit per slot, "
	    "and the link carries 100.0 kbit (10 Mbit/s)\n"
	    "the waveform fits with slots of 16000 us (--slot-us 16000); or with messages of 0.62 "
	    "x the size; or with 2 cores like the first core and without pins; --force loads the "
	    "waveform anyway\n");
	free(chain);
	platform_free(arms);
}

static void test_nodes_that_are_not_joined(void **state)
{
	struct platform_model *apart = platform_of("name = \"apart\"; nodes: { a: { mmac_per_s = "
	                                           "200.0; }; b: { mmac_per_s = 200.0; }; };");
	const double budgets[] = {6000, 6000};
	struct chain *chain = chain_new(budgets, 2, 100);

	(void)state;
	chain->instances[0].pin = 0;
	chain->instances[1].pin = 1;
	refused_with(chain, apart, MAPPER_PORTFOLIO, 0.5,
	    "c.conf: no mapping exists: pins and instruction sets need nodes that no link joins\n");
	free(chain);
	platform_free(apart);
}

/* What there is no build of for a node does not go there; where nothing is left it is refused, each
 * with its component. */
static void test_instruction_sets(void **state)
{
	static const char text[] = "name = \"mixed\"; nodes: { a: { arch = \"x86_64\"; mmac_per_s "
	                           "= 200.0; }; b: { arch = \"aarch64\"; mmac_per_s = 200.0; }; }; "
	                           "links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = 1000.0; } );";
	static const char remedy[] = "--force, or assume_builds = true in the platform file, plans "
	                             "as if all builds existed\n";
	const double budgets[] = {2000, 2000, 2000, 2000};
	struct chain *chain = chain_new(budgets, 4, 100);
	struct component_type arm = chain->type;
	struct platform_model *mixed = platform_of(text);
	struct plan *plan;
	char lines[1024];

	(void)state;
	chain->type.builds = 1; /* x86_64 */
	arm.name = (char *)"y";
	arm.builds = 2; /* aarch64 */
	chain->instances[2].type = chain->instances[3].type = &arm;
	plan = planned(chain, mixed);
	lanes_are(plan, "0011");
	plan_free(plan);
	chain->instances[2].pin = 0;
	chain->instances[3].type = &chain->type;
	chain->type.builds = 0;
	snprintf(lines, sizeof(lines), "%s%s%s%s%s",
	    "c.conf:1: x0: component x has no build for x86_64, the instruction set of node a: "
	    "no folder of components has x86_64/x.desc\n",
	    "c.conf:2: x1: component x has no build for x86_64, the instruction set of node a: "
	    "no folder of components has x86_64/x.desc\n",
	    "c.conf:3: x2: component y has no build for x86_64, the instruction set of node a, "
	    "to which it is pinned: no folder of components has x86_64/y.desc\n",
	    "c.conf:4: x3: component x has no build for x86_64, the instruction set of node a: "
	    "no folder of components has x86_64/x.desc\n",
	    remedy);
	refused_with(chain, mixed, MAPPER_PORTFOLIO, 0.5, lines);
	mixed->assume_builds = true;
	plan_free(planned(chain, mixed));
	mixed->assume_builds = false;
	chain->wf.admit = WF_ADMIT_ALWAYS;
	plan_free(planned(chain, mixed));
	free(chain);
	platform_free(mixed);
}

/* Two that must stay together, built for nodes that are apart. */
static void test_instruction_sets_of_a_cycle(void **state)
{
	struct platform_model *mixed =
	    platform_of("name = \"mixed\"; nodes: { a: { arch = \"x86_64\"; mmac_per_s = 200.0; }; "
	                "b: { arch = \"aarch64\"; mmac_per_s = 200.0; }; }; links = ( { nodes = "
	                "[\"a\", \"b\"]; mbit_per_s = 1000.0; } );");
	const double budgets[] = {2000, 2000};
	struct chain *chain = chain_new(budgets, 2, 100);
	struct component_type arm = chain->type;

	(void)state;
	chain->type.builds = 1;
	arm.builds = 2;
	chain->instances[1].type = &arm;
	chain->links[1] = (struct wf_link){.from = 1, .to = 0, .delay = 1, .line = 101};
	chain->wf.n_links = 2;
	chain->instances[0].in[0].link = chain->instances[1].out[0].link = 1;
	refused_with(chain, mixed, MAPPER_PORTFOLIO, 0.5,
	    "c.conf:1: x0 must share a lane with other instances, and no node has builds of all "
	    "of them, or their `node` and their paths are on different nodes\n");
	free(chain);
	platform_free(mixed);
}

static void test_memory_refused(void **state)
{
	struct platform_model *small =
	    platform_of("name = \"s\"; nodes: { a: { mmac_per_s = 1.0; memory_mb = 0.01; }; };");
	const double budgets[] = {1, 1};
	struct chain *chain = chain_new(budgets, 2, 8000);

	(void)state;
	refused_with(chain, small, MAPPER_PORTFOLIO, 0.5, NULL);
	free(chain);
	platform_free(small);
}

static void test_lanes_of_a_platform(void **state)
{
	struct platform_model *arms = platform_of(two_arms);
	const double budgets[] = {10, 10};
	struct chain *chain = chain_new(budgets, 2, 8);
	int lanes[] = {0, 7};

	(void)state;
	chain->wf.lanes = lanes;
	chain->wf.n_lanes = 2;
	refused_with(chain, arms, MAPPER_PORTFOLIO, 0.5,
	    "c.conf: lanes: platform \"arms\" has no core 7, only the cores [0, 1]\n");
	free(chain);
	platform_free(arms);
}

/* Nothing is refused for a guess, but told. */
static void test_guess(void **state)
{
	const struct platform_model one = {cpus, 1, 10}; /* 100 kMAC in a slot */
	struct chain *chain = chain_new(NULL, 3, 100);
	struct plan *plan = NULL;
	struct diag diag;

	(void)state;
	diag_init(&diag);
	assert_int_equal(plan_make(&chain->wf, &one, NULL, &diag, &plan), 0);
	assert_int_equal(diag.errors, 0);
	assert_string_equal(diag.lines[0],
	    "lane 0 (CPU 0) may not hold its 3 instances: the instances need "
	    "30000.0 us of 10000.0 us by the components' own figures (not measured yet: 3)");
	assert_int_equal(plan->lanes[0].n_guessed, 3);
	assert_int_equal(plan->instances[2].start_ns, 0);
	plan_free(plan);
	diag_fini(&diag);
	free(chain);
}

/* Tails do not come all at once: they make the budget, and are refused for only where that is
 * asked. */
static void test_tails(void **state)
{
	const struct platform_model one = {cpus, 1, 1000};
	struct chain *chain = chain_new(NULL, 2, 100);
	struct profile profile = {0};
	struct plan *plan;

	(void)state;
	assert_int_equal(
	    plan_profile_set(&profile, "x0", &(struct length_point){0, 1000, 6000}), 0);
	assert_int_equal(
	    plan_profile_set(&profile, "x1", &(struct length_point){0, 1000, 6000}), 0);
	plan = planned_with(chain, &one, &profile, MAPPER_PORTFOLIO, 0.5);
	assert_int_equal(plan->instances[0].budget_ns, 6001000);
	assert_int_equal(plan->instances[0].admitted_ns, 1250000);
	assert_true(fabs(plan->lanes[0].reserve_ns - 4751000) < 1);
	plan_free(plan);
	chain->wf.admit = WF_ADMIT_STRICT;
	struct diag diag;
	diag_init(&diag);
	assert_int_equal(plan_make(&chain->wf, &one, &profile, &diag, &plan), -EINVAL);
	diag_fini(&diag);
	plan_profile_fini(&profile);
	free(chain);
}

/* ---- what if, and why ------------------------------------------------------------------------ */

static void test_whatif(void **state)
{
	const struct platform_model two = {cpus, 2, 1000};
	const struct plan_options options = PLAN_OPTIONS;
	const double budgets[] = {2000, 3000, 1000};
	struct chain *chain = chain_new(budgets, 3, 100);
	int lanes[] = {0, 1};
	struct plan_whatif whatif;
	struct plan *plan;

	(void)state;
	chain->wf.lanes = lanes;
	chain->wf.n_lanes = 2;
	plan = planned(chain, &two);
	lanes_are(plan, "011");
	assert_int_equal(plan_whatif(&chain->wf, &two, NULL, &options, plan, &whatif), 0);
	assert_true(whatif.known);
	assert_true(fabs(whatif.slot_ns - 4e6) < 1 && fabs(whatif.scale - 2.5) < 1e-9);
	assert_int_equal(whatif.first, 1);
	assert_true(fabs(whatif.first_ns - 3e6) < 1 && fabs(whatif.enough_ns - 1e6) < 1 &&
	    fabs(whatif.then_ns - 2e6) < 1);
	assert_int_equal(whatif.cores, 1);
	/* and so it is: with slots of that length the mapping holds, with 1 % less another one is
	 * needed, which goes back and is later, and below 3 ms there is none */
	chain->wf.slot_ns = 4000000;
	plan_free(plan);
	plan = planned(chain, &two);
	lanes_are(plan, "011");
	plan_free(plan);
	chain->wf.slot_ns = 3960000;
	plan = planned(chain, &two);
	lanes_are(plan, "101");
	assert_int_equal(plan->latency_slots, 3);
	plan_free(plan);
	chain->wf.slot_ns = 2990000;
	refused_with(chain, &two, MAPPER_PORTFOLIO, 0.5, NULL);
	free(chain);
}

static void test_no_number_of_cores(void **state)
{
	const struct platform_model two = {cpus, 2, 1000};
	const double budgets[] = {2000, 12000};
	struct chain *chain = chain_new(budgets, 2, 100);

	(void)state;
	refused_with(chain, &two, MAPPER_PORTFOLIO, 0.5,
	    "c.conf: lane 1 (CPU 1) cannot hold its 1 instance: the instances need 12000.0 us, and "
	    "the slot has 10000.0 us for them (margin 0 %): instances 12000.0 us, overhead 0.0 us, "
	    "admitted before 0.0 us; the largest instance is x1 with 12000.0 us\n"
	    "the waveform fits with slots of 12000 us (--slot-us 12000); or with messages of 0.83 "
	    "x the size; or if x1 takes 10000.0 us (1.20 x as fast); --force loads the waveform "
	    "anyway\n");
	free(chain);
}

static void test_why(void **state)
{
	const struct platform_model two = {cpus, 2, 1000};
	const struct plan_options options = PLAN_OPTIONS;
	const double budgets[] = {6000, 3000, 3000};
	struct chain *chain = chain_new(budgets, 3, 100);
	struct plan *plan = planned(chain, &two);
	struct plan_whatif whatif;
	struct plan_why *why;
	struct diag diag;
	json_t *root;
	char *text;

	(void)state;
	lanes_are(plan, "011");
	assert_int_equal(plan_why(&chain->wf, &two, NULL, &options, plan, "nobody", &why), -ENOENT);
	assert_int_equal(plan_why(&chain->wf, &two, NULL, &options, plan, "x2", &why), 0);
	assert_int_equal(why->n_places, 2);
	assert_true(why->places[1].here && !why->places[0].here);
	assert_true(fabs(why->places[0].load - 0.9) < 1e-9 && why->places[0].latency_slots == 3);
	assert_string_equal(why->places[0].breaks, "");
	assert_true(why->places[0].cost > why->places[1].cost);
	plan_why_free(why);
	assert_int_equal(plan_why(&chain->wf, &two, NULL, &options, plan, "x0", &why), 0);
	assert_string_equal(why->places[1].breaks, "the lane would need 12000.0 us of 10000.0 us");
	assert_true(why->places[1].cost == INFINITY);
	assert_int_equal(plan_whatif(&chain->wf, &two, NULL, &options, plan, &whatif), 0);
	text = plan_explain_print(&chain->wf, plan, &whatif, why);
	assert_non_null(
	    strstr(text, "  shortest slot      6000.0 us with this mapping, now 10000 us\n"));
	assert_non_null(strstr(text, "why is x0 on its lane?\n"));
	assert_non_null(strstr(text, "<- chosen"));
	free(text);
	text = plan_explain_json(&chain->wf, plan, &whatif, why);
	diag_init(&diag);
	root = json_read("plan", text, strlen(text), &diag);
	assert_non_null(root);
	assert_int_equal(json_integer_value(json_object_get(root, "schema")), 1);
	assert_string_equal(
	    json_string_value(json_object_get(json_object_get(root, "choice"), "mode")), "tiers");
	assert_true(
	    json_array_size(json_object_get(json_object_get(root, "choice"), "mappers")) > 5);
	assert_true(
	    fabs(json_real_value(json_object_get(json_object_get(root, "what_if"), "slot_us")) -
	        6000) < 1e-6);
	assert_int_equal(
	    json_array_size(json_object_get(json_object_get(root, "why"), "places")), 2);
	json_decref(root);
	diag_fini(&diag);
	free(text);
	plan_why_free(why);
	plan_free(plan);
	free(chain);
}

/* ---- choices ------------------------------------------------------------------------ */

/* source -> mod -> demod -> check, and source -> check: on two lanes {source, mod} | {demod,
 * check}. */
static void test_bpsk_on_two_lanes(void **state)
{
	const struct platform_model two = {cpus, 2, 1000};
	const double budgets[] = {11, 8, 5, 9};
	struct chain *chain = chain_new(budgets, 4, 1000);
	int lanes[] = {0, 1};
	struct plan *plan;

	(void)state;
	chain->links[3] = (struct wf_link){.from = 0, .to = 3};
	chain->wf.n_links = 4;
	chain->wf.lanes = lanes;
	chain->wf.n_lanes = 2;
	plan = planned(chain, &two);
	lanes_are(plan, "0011");
	assert_int_equal(plan->latency_slots, 2);
	assert_int_equal(plan->choice.mode, PLAN_SPREAD);
	plan_free(plan);
	free(chain);
}

/* 1 000 instances on 100 cores: planned, at less than what they have. How long that takes:
 * tests/bench/bench_plan.c. */
static void test_large(void **state)
{
	int many[LARGE_CORES];
	const struct platform_model platform = {many, LARGE_CORES, 1000};
	double budgets[LARGE];
	struct chain *chain;
	struct plan *plan;

	(void)state;
	for (int i = 0; i < LARGE_CORES; i++)
		many[i] = i;
	for (int i = 0; i < LARGE; i++)
		budgets[i] = 100 + (i * 7919) % 1200; /* 700 us on average: 70 % */
	chain = chain_new(budgets, LARGE, 100);
	plan = planned(chain, &platform);
	assert_int_equal(plan->choice.mode, PLAN_TIERS);
	for (int l = 0; l < LARGE_CORES; l++)
		assert_true(plan->lanes[l].need_ns <= 10e6);
	plan_free(plan);
	free(chain);
}

/* At 95 % no contiguous cut fits: what does goes to and fro, but not beyond the published bound. */
static void test_large_and_full(void **state)
{
	int many[LARGE_CORES];
	const struct platform_model platform = {many, LARGE_CORES, 1000};
	double budgets[LARGE], sum = 0;
	struct chain *chain;
	struct plan *plan;

	(void)state;
	for (int i = 0; i < LARGE_CORES; i++)
		many[i] = i;
	for (int i = 0; i < LARGE; i++)
		sum += budgets[i] = 100 + (i * 7919) % 1907; /* 1 : 20 */
	for (int i = 0; i < LARGE; i++)
		budgets[i] *= 0.95 * LARGE_CORES * 1e4 / sum;
	chain = chain_new(budgets, LARGE, 100);
	plan = planned(chain, &platform);
	assert_int_equal(plan->choice.mode, PLAN_TIERS);
	for (int l = 0; l < LARGE_CORES; l++)
		assert_true(plan->lanes[l].need_ns <= 10e6);
	assert_true(plan->latency_slots <= 2 * LARGE_CORES);
	for (size_t i = 0; i < plan->choice.n_candidates; i++) /* which is why */
		if (strcmp(plan->choice.candidates[i].name, "chain") == 0)
			assert_false(plan->choice.candidates[i].found);
	plan_free(plan);
	free(chain);
}

/* ---- several waveforms on one platform ---- */

static unsigned draw(unsigned *seed, unsigned n)
{
	return (unsigned)rand_r(seed) % n;
}

/* Loads waveforms one after another, as swman does, until nothing fits any more. No lane is ever
 * promised more than it has, and what is refused is so for what was promised, not for what is
 * used. */
static void test_loading_never_breaks_admission(void **state)
{
	int loaded = 0, refusals = 0;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		const size_t n_lanes = 1 + round % 4;
		struct platform_core cores[4] = {{0}};
		struct platform_node node = {
		    .base_ns = 5000, .module_ns = 100, .handover_ns = 3000};
		const struct platform_model platform = {.cpus = cpus,
		    .n_lanes = n_lanes,
		    .mmac_per_s = 1000,
		    .cores = cores,
		    .nodes = &node,
		    .n_nodes = 1};
		unsigned seed = round + 1;

		for (size_t l = 0; l < n_lanes; l++)
			cores[l].mmac_per_s = 1000;
		for (int wave = 0; wave < 12; wave++) {
			const int n = 1 + (int)draw(&seed, 6);
			double budgets[6];
			struct plan *plan = NULL;
			struct diag diag;
			struct chain *chain;

			for (int i = 0; i < n; i++)
				budgets[i] = 50 + draw(&seed, 3000);
			chain = chain_new(budgets, n, 100);
			diag_init(&diag);
			if (plan_make(&chain->wf, &platform, NULL, &diag, &plan) == 0) {
				for (size_t l = 0; l < n_lanes; l++) {
					double sum = 0;

					for (int i = 0; i < n; i++)
						sum += plan->instances[i].lane == l
						    ? (double)plan->instances[i].admitted_ns
						    : 0;
					cores[l].taken_ns += sum;
					assert_true(cores[l].taken_ns <= 10e6);
				}
				loaded++;
			} else {
				assert_true(diag.errors > 0 &&
				    strstr(diag.lines[0], "cannot hold") != NULL);
				assert_true(strstr(diag.lines[diag.len - 1],
				                "the waveform fits with") != NULL);
				refusals++;
			}
			plan_free(plan);
			diag_fini(&diag);
			free(chain);
		}
	}
	print_message("%d loaded, %d refused\n", loaded, refusals);
	assert_true(loaded > 200 && refusals > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_trap),
	    cmocka_unit_test(test_published_platforms),
	    cmocka_unit_test(test_weight),
	    cmocka_unit_test(test_lane_refused),
	    cmocka_unit_test(test_margin_and_what_was_there_before),
	    cmocka_unit_test(test_link_refused),
	    cmocka_unit_test(test_nodes_that_are_not_joined),
	    cmocka_unit_test(test_instruction_sets),
	    cmocka_unit_test(test_instruction_sets_of_a_cycle),
	    cmocka_unit_test(test_memory_refused),
	    cmocka_unit_test(test_lanes_of_a_platform),
	    cmocka_unit_test(test_guess),
	    cmocka_unit_test(test_tails),
	    cmocka_unit_test(test_whatif),
	    cmocka_unit_test(test_no_number_of_cores),
	    cmocka_unit_test(test_why),
	    cmocka_unit_test(test_bpsk_on_two_lanes),
	    cmocka_unit_test(test_large),
	    cmocka_unit_test(test_large_and_full),
	    cmocka_unit_test(test_loading_never_breaks_admission),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
