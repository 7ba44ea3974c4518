/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a try of aloe bench two-node says: nothing, where the machine stood too much or nothing ran
 * (tools/bench/two_node.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/bench/two_node.h"

enum { WANTED = 300 };

static enum two_node_verdict verdict(
    double slots, double skipped, double not_run, double touched, bool throttled)
{
	const struct two_node_trial trial = {.slots = slots,
	    .skipped = skipped,
	    .not_run = not_run,
	    .touched = touched,
	    .throttled = throttled};

	return two_node_verdict(&trial, WANTED);
}

static void test_what_runs(void **state)
{
	(void)state;
	assert_int_equal(verdict(0, 0, 0, 0, false), TWO_NODE_VOID);
	assert_int_equal(verdict(269, 0, 0, 0, false), TWO_NODE_VOID);
	assert_int_equal(verdict(270, 0, 0, 0, false), TWO_NODE_HOLDS);
	assert_int_equal(verdict(100, 200, 200, 0, false), TWO_NODE_FAILS);
	assert_int_equal(verdict(300, 0, 300, 0, false), TWO_NODE_FAILS); /* all late */
}

static void test_what_is_late(void **state)
{
	(void)state;
	assert_int_equal(verdict(300, 0, 3, 0, false), TWO_NODE_HOLDS);
	assert_int_equal(verdict(300, 0, 4, 0, false), TWO_NODE_FAILS);
	assert_int_equal(verdict(300, 0, 13, 10, false), TWO_NODE_HOLDS);
	assert_int_equal(verdict(300, 0, 14, 10, false), TWO_NODE_FAILS);
	/* a stop that the bench itself causes excuses nothing */
	assert_int_equal(verdict(300, 0, 3, 10, true), TWO_NODE_HOLDS);
	assert_int_equal(verdict(300, 0, 4, 10, true), TWO_NODE_FAILS);
}

static void test_where_the_machine_stood(void **state)
{
	(void)state;
	assert_int_equal(verdict(300, 0, 3, 300, false), TWO_NODE_HOLDS); /* all touched, in time */
	assert_int_equal(verdict(300, 0, 4, 300, false), TWO_NODE_VOID);
	assert_int_equal(verdict(300, 0, 300, 300, false), TWO_NODE_VOID);
	assert_int_equal(verdict(300, 0, 0, 15, false), TWO_NODE_HOLDS); /* 5 % */
	assert_int_equal(verdict(300, 0, 18, 15, false), TWO_NODE_HOLDS);
	assert_int_equal(verdict(300, 0, 19, 15, false), TWO_NODE_FAILS);
	assert_int_equal(verdict(300, 0, 4, 18, false), TWO_NODE_VOID);  /* 6 % */
	assert_int_equal(verdict(300, 0, 22, 18, true), TWO_NODE_FAILS); /* beyond any excuse */
	assert_int_equal(verdict(300, 0, 21, 18, true), TWO_NODE_VOID);
	assert_int_equal(verdict(300, 0, 4, 18, true), TWO_NODE_VOID);
}

static void test_longer(void **state)
{
	(void)state;
	assert_float_equal(two_node_longer(0, false), 1, 1e-9);
	assert_float_equal(two_node_longer(0.75, false), 4, 1e-9);
	assert_float_equal(two_node_longer(0.75, true), 1, 1e-9);
	assert_float_equal(two_node_longer(0.9, false), 1, 1e-9);
	assert_float_equal(two_node_longer(1.2, false), 1, 1e-9);
}

static void test_throttled(void **state)
{
	(void)state;
	assert_false(two_node_throttled(0.1, 0.4, 0.95));
	assert_true(two_node_throttled(0.1, 0.6, 0.95));
	assert_false(two_node_throttled(0.1, 1, 1)); /* the kernel takes nothing */
	assert_true(two_node_throttled(1, 0.96, 0.95));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_what_runs),
	    cmocka_unit_test(test_what_is_late),
	    cmocka_unit_test(test_where_the_machine_stood),
	    cmocka_unit_test(test_longer),
	    cmocka_unit_test(test_throttled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
