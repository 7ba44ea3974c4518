/* SPDX-License-Identifier: BSD-3-Clause
 * core/map/stages_read: which waveforms are chains, which costs an instance states, and which
 * instance does not state its own. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/map/stages_read.h"

static int fixture_open(void **state)
{
	char self[4096] = {0}, dir[5000];
	struct diag diag;
	bool good;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return -1;
	for (int i = 0; i < 3; i++)
		*strrchr(self, '/') = 0;
	snprintf(dir, sizeof(dir), "%s/lib/aloe", self);
	diag_init(&diag);
	*state = registry_open(dir, &diag);
	good = *state && diag.errors == 0;
	diag_fini(&diag);
	return good ? 0 : -1;
}

static int fixture_close(void **state)
{
	registry_close(*state);
	return 0;
}

#define STAND_IN(name, rest) #name ": { component = \"stand_in\"; " rest " };\n"

static struct waveform *parsed(void **state, const char *instances, const char *links)
{
	const struct wf_overrides overrides = {.cwd = "/there", .pipelined = -1, .copies = 1};
	struct waveform *waveform = NULL;
	struct diag diag;
	char text[2048];

	snprintf(text, sizeof(text),
	    "name = \"x\"; slot_ns = 1000000;\ninstances: {\n%s};\nlinks = ( %s );\n", instances,
	    links);
	diag_init(&diag);
	if (waveform_parse("x.conf", text, strlen(text), *state, &overrides, &diag, &waveform) != 0)
		fail_msg("refused: %s", diag.len ? diag.lines[0] : "no reason");
	diag_fini(&diag);
	return waveform;
}

/* Reads with the costs of the M1; little NULL: costs nothing there. */
static int read_as(
    struct waveform *waveform, const char *little, struct stages_chain *chain, int *ret_instance)
{
	const char *const kinds[STAGES_KINDS] = {[STAGES_BIG] = "m1_big", [STAGES_LITTLE] = little};

	return stages_read(waveform, kinds, chain, ret_instance);
}

static void test_chain(void **state)
{
	struct waveform *waveform = parsed(state,
	    STAND_IN(c, "m1_big_us = 3.5; m1_little_us = 7.0;")
	        STAND_IN(a, "m1_big_us = 1.0; m1_little_us = 0.0; length = 100;")
	            STAND_IN(b, "m1_big_us = 2.0; m1_little_us = 4.0; stateless = true;"),
	    "\"a -> b -> c\"");
	struct stages_chain chain;
	int instance;

	assert_int_equal(read_as(waveform, "m1_little", &chain, &instance), 0);
	assert_int_equal(chain.n, 3);
	for (size_t i = 0; i < 3; i++) {
		static const uint64_t big[] = {1000, 2000, 3500}, little[] = {0, 4000, 7000};

		assert_string_equal(waveform->instances[chain.instances[i]].name,
		    i == 0       ? "a"
		        : i == 1 ? "b"
		                 : "c");
		assert_int_equal(chain.tasks[i].cost[STAGES_BIG], big[i]);
		assert_int_equal(chain.tasks[i].cost[STAGES_LITTLE], little[i]);
		assert_int_equal(chain.tasks[i].spreadable, i == 1);
	}
	assert_int_equal(chain.bytes[2], 0);
	stages_chain_fini(&chain);
	assert_int_equal(read_as(waveform, NULL, &chain, &instance), 0);
	assert_int_equal(chain.tasks[2].cost[STAGES_LITTLE], 0);
	stages_chain_fini(&chain);
	waveform_free(waveform);
}

/* A default is no statement; the instance that does not say is named. */
static void test_a_cost_that_is_not_said(void **state)
{
	struct waveform *waveform = parsed(state,
	    STAND_IN(a, "m1_big_us = 1.0; m1_little_us = 1.0;") STAND_IN(b, "m1_big_us = 2.0;"),
	    "\"a -> b\"");
	struct stages_chain chain;
	int instance = 99;

	assert_int_equal(read_as(waveform, "m1_little", &chain, &instance), -ENOENT);
	assert_string_equal(waveform->instances[instance].name, "b");
	stages_chain_fini(&chain);
	assert_int_equal(read_as(waveform, "another", &chain, &instance), -ENOENT);
	assert_string_equal(waveform->instances[instance].name, "a");
	stages_chain_fini(&chain);
	assert_true(isnan(stages_kind_ns(&waveform->instances[1], "m1_little")));
	assert_float_equal(stages_kind_ns(&waveform->instances[1], "m1_big"), 2000, 1e-9);
	waveform_free(waveform);
}

static void no_chain(void **state, const char *links)
{
	struct waveform *waveform = parsed(state,
	    STAND_IN(a, "m1_big_us = 1.0;") STAND_IN(b, "m1_big_us = 1.0;")
	        STAND_IN(c, "m1_big_us = 1.0;"),
	    links);
	struct stages_chain chain;
	int instance = 99;

	assert_int_equal(read_as(waveform, NULL, &chain, &instance), -ENOENT);
	assert_int_equal(instance, -1);
	stages_chain_fini(&chain);
	waveform_free(waveform);
}

static void test_what_is_no_chain(void **state)
{
	no_chain(state, "\"a -> b\", \"a -> c\"");
	no_chain(state, "\"a -> b\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_chain),
	    cmocka_unit_test(test_a_cost_that_is_not_said),
	    cmocka_unit_test(test_what_is_no_chain),
	};

	return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
