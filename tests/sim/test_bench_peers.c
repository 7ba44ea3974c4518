/* SPDX-License-Identifier: BSD-3-Clause
 * `aloe bench pipes`, `messages`, `chain`, `throughput` and `handover` as a user runs them, without
 * peers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/common/aloe.h"

enum { OK, FAILED, USAGE };

static double cell(const struct ran *ran, const char *table, int row, const char *key)
{
	char path[80];

	snprintf(path, sizeof(path), "tables.%s.%d.%s", table, row, key);
	return ran_number(ran, path);
}

static size_t rows(const struct ran *ran, const char *table)
{
	return json_array_size(json_object_get(json_object_get(ran->report, "tables"), table));
}

/* Every item has to reach every sink, with every set-up: the commands fail where one does not. */
static void test_check(void **state)
{
	struct ran *ran =
	    aloe_ok("bench pipes --check --sizes 3 --items 30001 --slot-items 1000 --json -q");

	(void)state;
	assert_int_equal(rows(ran, "check"), 6);
	for (int i = 0; i < 6; i++) {
		assert_true(cell(ran, "check", i, "arrived") == 30001);
		assert_true(cell(ran, "check", i, "slot_items") == 1000);
	}
	ran_free(ran);
	ran = aloe_ok("bench messages --check --sizes 2 --items 700 --json -q");
	assert_int_equal(rows(ran, "check"), 4);
	assert_true(cell(ran, "check", 0, "arrived") == 700);
	ran_free(ran);
}

/* The same figures by system, and by items in a slot, least first; the better ones are marked. */
static void test_pipes(void **state)
{
	struct ran *ran = aloe_ok("bench pipes --sizes 2 --items 50000 --slot-items 4096,1024 "
	                          "--runs 2 --trials 1 --json -q --plot '%s'",
	    aloe_path("pipes.gp"));
	char *plot = file_take(aloe_path("pipes.gp"), NULL);

	(void)state;
	assert_int_equal(rows(ran, "times"), 3); /* and the limit */
	for (int i = 0; i < 3; i++) {
		const double mean = cell(ran, "times", i, "mean");
		assert_true(cell(ran, "times", i, "runs") == 2);
		assert_true(
		    cell(ran, "times", i, "low") <= mean && mean <= cell(ran, "times", i, "high"));
		assert_true(
		    cell(ran, "times", i, "min") > 0 && cell(ran, "times", i, "min") <= mean);
		assert_true(
		    fabs(cell(ran, "times", i, "rate") * mean / (50000 * 4e-9 * 4) - 1) < 1e-6);
	}
	assert_non_null(strstr(ran_text(ran, "tables.times.0.system"), "aloe 4096"));
	assert_int_equal(rows(ran, "slot_items"), 2);
	for (int i = 0; i < 2; i++) {
		assert_true(cell(ran, "slot_items", i, "slot_items") == (i ? 4096 : 1024));
		assert_true(
		    cell(ran, "slot_items", i, "mean") == cell(ran, "times", 1 - i, "mean"));
	}
	assert_true((cell(ran, "slot_items", 0, "rate") > cell(ran, "slot_items", 1, "rate")) ==
	    !strcmp(ran_text(ran, "tables.slot_items.0.best"), "<-"));
	assert_int_equal(rows(ran, "limits"), 1);
	assert_string_equal(ran_text(ran, "tables.times.2.system"), "copying");
	assert_true(cell(ran, "limits", 0, "copying") == cell(ran, "times", 2, "p50"));
	assert_true(cell(ran, "limits", 0, "ours") == cell(ran, "times", 0, "p50"));
	assert_true(cell(ran, "ratios", 0, "reach") == 0.85);
	assert_true(/* the share is what reaches or does not */
	    fabs(cell(ran, "limits", 0, "share") / 100 - cell(ran, "ratios", 0, "ratio")) < 1e-9);
	assert_non_null(strstr(plot, "items in a slot"));
	free(plot);
	ran_free(ran);
}

/* Every set-up by itself: priority and lanes. */
static void test_messages(void **state)
{
	static const char *const names[] = {
	    "aloe, 1 lane", "aloe, all lanes", "aloe, 1 lane, FIFO", "aloe, all lanes, FIFO"};
	struct ran *ran = aloe_ok("bench messages --sizes 2 --items 1000 --runs 1 --all --json -q");

	(void)state;
	assert_int_equal(rows(ran, "times"), 4);
	for (int i = 0; i < 4; i++) {
		char path[40];

		snprintf(path, sizeof(path), "tables.times.%d.system", i);
		assert_string_equal(ran_text(ran, path), names[i]);
		assert_true(
		    fabs(cell(ran, "times", i, "rate") * 4e-3 / cell(ran, "times", i, "mean") - 1) <
		    1e-6);
	}
	assert_int_equal(rows(ran, "slot_items"), 0); /* nothing to compare */
	ran_free(ran);
}

/* The bare chain is the last of ours, and its own limit. */
static void limit_is_beside(struct ran *ran, int component, int n)
{
	assert_int_equal(rows(ran, "times"), n);
	assert_int_equal(rows(ran, "limits"), n);
	assert_true(cell(ran, "limits", component, "share_p50") > 0);
	assert_true(cell(ran, "limits", component, "share_p99") > 0);
	assert_true(cell(ran, "limits", component, "reach") > 0);
	assert_true(cell(ran, "limits", n - 1, "share_p50") == 1);
	assert_true(cell(ran, "limits", 0, "in_process_times") == 1);
	for (int i = 0; i < n; i++)
		assert_true(cell(ran, "limits", i, "chain_p50_us") <=
		    cell(ran, "limits", i, "chain_p99_us"));
}

static void test_chains(void **state)
{
	struct ran *ran = aloe_ok("bench throughput --items 800000 --runs 1 --all --json -q");

	(void)state;
	assert_int_equal(rows(ran, "times"), 8); /* four set-ups, with cf32 and with i16 */
	for (int i = 0; i < 8; i++)
		assert_true(
		    fabs(cell(ran, "times", i, "rate") * cell(ran, "times", i, "mean") / 0.8 - 1) <
		    1e-6);
	ran_free(ran);
	ran = aloe_ok("bench chain --seconds 0.1 --runs 1 --json -q");
	limit_is_beside(ran, 2, 4); /* isolations, and the limit */
	for (int i = 0; i < 4; i++) {
		assert_true(cell(ran, "times", i, "mean") > 0);
		/* p50, max */
		assert_true(cell(ran, "times", i, "second") <= cell(ran, "times", i, "third"));
	}
	ran_free(ran);
	ran = aloe_ok("bench handover --seconds 0.1 --runs 1 --json -q");
	limit_is_beside(ran, 1, 5);
	for (int i = 0; i < 5; i++)
		assert_true(cell(ran, "times", i, "mean") > 0);
	ran_free(ran);
}

static void refused(const char *command, const char *says)
{
	struct ran *ran = aloe_ends(USAGE, "%s", command);

	if (!strstr(ran->err, says))
		fail_msg("`%s` says: %s", command, ran->err);
	ran_free(ran);
}

static void test_refused(void **state)
{
	(void)state;
	refused(
	    "bench pipes --vs nobody", "--vs nobody is unknown; allowed: gnuradio and futuresdr");
	refused("bench messages --vs futuresdr", "is unknown; allowed: gnuradio");
	refused("bench handover --vs gnuradio", "is unknown; allowed: jack");
	refused("bench pipes --sizes 2,2", "different numbers 1 .. 64");
	refused("bench pipes --sizes 1.5", "whole numbers");
	refused("bench pipes --slot-items 0", "--slot-items 0: at most 8 different numbers");
	refused("bench messages --packets 5000",
	    "--packets 5000: at most 8 different numbers 1 .. 4096");
	refused("bench chain --seconds 0", "--seconds");
	refused("bench overhead --vs nobody", "is unknown; allowed: jack");
	refused(
	    "bench overhead --vs jack --samples 100", "--samples is for measurements without --vs");
	refused("bench overhead --runs 3", "--runs is for measurements with --vs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_check),
	    cmocka_unit_test(test_pipes),
	    cmocka_unit_test(test_messages),
	    cmocka_unit_test(test_chains),
	    cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, aloe_init, aloe_fini);
}
