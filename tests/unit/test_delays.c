/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long messages take between nodes: what a bridge makes of its round trips, what swman is told,
 * and what it plans with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemons/bridge/delays.h"
#include "daemons/swman/swman.h"

/* ---- round trips ------------------------------------------------------------------------ */

#define SECOND 1000000000ull

/* Ten answers in each of so many seconds. */
static void steady(struct delays *delays, uint64_t from_s, uint64_t seconds, uint64_t round_ns)
{
	for (uint64_t i = 0; i < 10 * seconds; i++)
		delays_add(delays, round_ns, from_s * SECOND + i * (SECOND / 10));
}

static void test_few_say_nothing(void **state)
{
	struct delays delays = {.seconds = {{0}}};

	(void)state;
	for (int i = 0; i < DELAYS_FEW; i++) {
		assert_true(delays_one_way(&delays, 0) == 0);
		delays_add(&delays, 1000, 0);
	}
	assert_true(delays_one_way(&delays, 0) == 500);
}

/* Of 60 seconds three may be slow; four may not. What is old is forgotten. */
static void test_slow_seconds(void **state)
{
	struct delays delays = {.seconds = {{0}}};

	(void)state;
	steady(&delays, 100, 60, 2000);
	for (uint64_t s = 110; s < 140; s += 10)
		delays_add(&delays, 900000, s * SECOND);
	assert_true(delays_one_way(&delays, 159 * SECOND) == 1000);
	delays_add(&delays, 700000, 159 * SECOND);
	assert_true(delays_one_way(&delays, 159 * SECOND) == 700000 - 1000);
	assert_true(delays_one_way(&delays, 180 * SECOND) == 1000);
	assert_true(delays_one_way(&delays, 300 * SECOND) == 0);
	steady(&delays, 300, 3, 4000);
	assert_true(delays_one_way(&delays, 302 * SECOND) == 2000);
	delays_add(&delays, DELAYS_MOST_NS + 1, 302 * SECOND); /* a clock that was not its own */
	assert_true(delays_one_way(&delays, 302 * SECOND) == 2000);
}

/* All the answers of an end that stood still come when it goes on. A way that is slow from now on
 * is known as such after a few seconds. */
static void test_stopped(void **state)
{
	for (uint64_t before = 2; before <= 40; before++) {
		struct delays delays = {.seconds = {{0}}};

		(void)state;
		steady(&delays, 100, before, 2000);
		for (uint64_t i = 0; i < 65; i++) /* for 6.5 s */
			delays_add(
			    &delays, (65 - i) * (SECOND / 10), (before + 107) * SECOND + i * 1000);
		steady(&delays, before + 108, 1, 2000);
		assert_true(delays_one_way(&delays, (before + 108) * SECOND) == 1000);
		steady(&delays, before + 109, 4, 50000000);
		assert_true(delays_one_way(&delays, (before + 112) * SECOND) == 50000000 - 1000);
	}
}

/* ---- slots ------------------------------------------------------------------------ */

static void test_slots(void **state)
{
	const struct platform_link link = {.mbit_per_s = 100};

	(void)state;
	assert_int_equal(platform_delay(&link, 1, 0, 1000000), 2);
	assert_int_equal(platform_delay(&link, 999999, 0, 1000000), 2);
	assert_int_equal(platform_delay(&link, 1000001, 0, 1000000), 3);
	assert_int_equal(platform_delay(&link, 5e5, 50, 1000000), 2); /* 0.5 ms to send */
	assert_int_equal(platform_delay(&link, 5e5, 51, 1000000), 3);
	assert_int_equal(platform_delay(&link, 1e12, 0, 1000), PLATFORM_DELAY_MAX);
}

/* ---- what swman plans with ------------------------------------------------------------------ */

struct rig {
	struct swman swman;
	struct diag diag;
	struct platform_model model;
	struct platform_link *links;
	struct wf_instance instances[2];
	struct wf_link link;
	struct waveform waveform;
};

static void rig_open(struct rig *rig)
{
	static const char text[] =
	    "name = \"three\"; nodes: { a: { mmac_per_s = 1.0; }; b: { mmac_per_s = 1.0; }; c: { "
	    "mmac_per_s = 1.0; }; }; links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = 100.0; }, { "
	    "nodes = [\"b\", \"c\"]; mbit_per_s = 100.0; delay = 3; } );";

	memset(rig, 0, sizeof(*rig));
	diag_init(&rig->diag);
	assert_int_equal(platform_parse("three.conf", text, strlen(text), &rig->diag,
	                     &rig->swman.machines.model),
	    0);
	rig->instances[0].out[0].max = 12500; /* 100 kbit: 1 ms to send */
	rig->instances[0].out[0].type = ALOE_BYTE;
	rig->link = (struct wf_link){.from = 0, .to = 1};
	rig->waveform = (struct waveform){.slot_ns = 10000000,
	    .clock = WF_CLOCK_TIMER,
	    .instances = rig->instances,
	    .n_instances = 2,
	    .links = &rig->link,
	    .n_links = 1};
}

static void rig_close(struct rig *rig)
{
	free(rig->links);
	free(rig->swman.ways);
	platform_free(rig->swman.machines.model);
	diag_fini(&rig->diag);
}

static void plan(struct rig *rig)
{
	free(rig->links);
	diag_fini(&rig->diag);
	diag_init(&rig->diag);
	rig->model = *rig->swman.machines.model;
	assert_int_equal(
	    swman_delays_apply(&rig->swman, &rig->waveform, &rig->model, &rig->links, &rig->diag),
	    0);
}

/* As the frontend of the manager passes it on. */
static void hear_as(
    struct rig *rig, const char *from, const char *to, const char *ns, const char *state)
{
	struct wire_view view;
	const uint8_t *bytes;
	struct wire_msg msg;
	size_t len;

	wire_init(&msg, WIRE_EVENT, WIRE_FRONTEND, WIRE_SWMAN, 0);
	wire_put_text(&msg, WIRE_TAG_NAME, to);
	wire_put_text(&msg, WIRE_TAG_VALUE, ns);
	wire_put_text(&msg, WIRE_TAG_STATE, state);
	wire_put_text(&msg, WIRE_TAG_NODE, from);
	bytes = wire_bytes(&msg, &len);
	assert_int_equal(wire_decode(bytes, len, &view), 0);
	assert_true(swman_delays_take(&rig->swman, &view));
	wire_fini(&msg);
}

static void hear(struct rig *rig, const char *from, const char *to, const char *ns)
{
	hear_as(rig, from, to, ns, "heard");
}

static void says(const struct rig *rig, const char *words)
{
	for (size_t i = 0; i < rig->diag.len; i++)
		if (strstr(rig->diag.lines[i], words))
			return;
	fail_msg("nothing says \"%s\"; first: %s", words,
	    rig->diag.len > 0 ? rig->diag.lines[0] : "nothing at all");
}

static void test_planned(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig);
	plan(&rig);
	assert_int_equal(rig.model.links[0].delay, 2);
	hear(&rig, "a", "b", "8000000");
	plan(&rig);
	assert_int_equal(rig.model.links[0].delay, 2); /* 8 + 1 ms fit into a slot */
	assert_int_equal(rig.diag.len, 0);
	hear(&rig, "b", "a", "29500000"); /* the slower one of both ends counts */
	plan(&rig);
	assert_int_equal(rig.model.links[0].delay, 5);
	says(&rig,
	    "the link of node \"a\" and node \"b\" is planned with a delay of 5 slots "
	    "instead of 2, because a message was measured to take up to 29.50 ms, and a "
	    "slot has 10 ms");
	assert_int_equal(rig.swman.machines.model->links[0].delay, 2);
	hear(&rig, "b", "a", "3000000");
	plan(&rig);
	assert_int_equal(rig.model.links[0].delay, 2);
	rig_close(&rig);
}

static void test_given_is_kept(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig);
	hear(&rig, "c", "b", "18000000");
	plan(&rig);
	assert_int_equal(rig.diag.len, 0);
	hear(&rig, "c", "b", "22000000");
	plan(&rig);
	assert_int_equal(rig.model.links[1].delay, 3);
	says(&rig, "the given delay is kept");
	says(&rig, "write delay = 4");
	rig_close(&rig);
}

/* Without slots in time there is nothing to compare with. */
static void test_no_clock(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig);
	rig.waveform.clock = WF_CLOCK_VIRTUAL;
	hear(&rig, "a", "b", "500000000");
	plan(&rig);
	assert_int_equal(rig.model.links[0].delay, 2);
	assert_int_equal(rig.diag.len, 0);
	rig_close(&rig);
}

/* Since when, not how often it was said; until the node is heard, or nothing of who said so. */
static void test_silent(void **state)
{
	struct rig rig;
	uint64_t since;

	(void)state;
	rig_open(&rig);
	assert_true(swman_silent_ns(&rig.swman, 0, 1) == 0);
	hear_as(&rig, "a", "b", "3000000", "silent");
	since = swman_silent_ns(&rig.swman, 0, 1);
	assert_true(since != 0 && swman_silent_ns(&rig.swman, 1, 0) == 0);
	hear_as(&rig, "a", "b", "3000000", "silent");
	assert_true(swman_silent_ns(&rig.swman, 0, 1) == since);
	hear_as(&rig, "a", "b", "3000000", "rubbish");
	assert_true(swman_silent_ns(&rig.swman, 0, 1) == 0);
	hear_as(&rig, "b", "a", "3000000", "silent");
	hear_as(&rig, "c", "a", "3000000", "silent");
	swman_silence_forget(&rig.swman, 1);
	assert_true(swman_silent_ns(&rig.swman, 1, 0) == 0);
	assert_true(swman_silent_ns(&rig.swman, 2, 0) != 0);
	rig_close(&rig);
}

/* What a bridge says may be anything; an event of a waveform is none of its. */
static void test_hostile(void **state)
{
	struct rig rig;
	struct wire_view view;
	struct wire_msg msg;
	const uint8_t *bytes;
	size_t len;

	(void)state;
	rig_open(&rig);
	hear(&rig, "nobody", "b", "500000000");
	hear(&rig, "a", "nobody", "500000000");
	hear(&rig, "a", "b", "-1");
	hear(&rig, "a", "b", "many");
	plan(&rig);
	assert_int_equal(rig.model.links[0].delay, 2);
	hear(&rig, "a", "b", "99999999999999999999999");
	plan(&rig);
	assert_int_equal(rig.model.links[0].delay, 2);
	hear(&rig, "a", "b", "9000000000");
	plan(&rig);
	assert_int_equal(rig.model.links[0].delay, PLATFORM_DELAY_MAX);
	wire_init(&msg, WIRE_EVENT, WIRE_EXEC, WIRE_SWMAN, 0);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, "w");
	bytes = wire_bytes(&msg, &len);
	assert_int_equal(wire_decode(bytes, len, &view), 0);
	assert_false(swman_delays_take(&rig.swman, &view));
	wire_fini(&msg);
	rig_close(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_few_say_nothing),
	    cmocka_unit_test(test_slow_seconds),
	    cmocka_unit_test(test_stopped),
	    cmocka_unit_test(test_slots),
	    cmocka_unit_test(test_planned),
	    cmocka_unit_test(test_given_is_kept),
	    cmocka_unit_test(test_no_clock),
	    cmocka_unit_test(test_silent),
	    cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
