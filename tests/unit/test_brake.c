/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which slots a stall of the machine touches: those in which it was, and those in which what it had
 * put off was worked off, each once (tools/bench/brake.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/bench/brake.h"

#define MS UINT64_C(1000000)

static void stall(struct brake_one *one, uint64_t from_ms, uint64_t to_ms)
{
	one->stalls[one->n++] = (struct brake_stall){from_ms * MS, to_ms * MS};
}

static size_t touched(const struct brake *brake, double longer, double longer_other)
{
	const double longers[] = {longer, longer_other};

	return brake_touched(brake, longers, 10 * MS, 100);
}

static void test_touched(void **state)
{
	static struct brake brake = {.n = 2, .from_ns = 1000 * MS};

	(void)state;
	assert_int_equal(touched(&brake, 1, 1), 0);
	/* from one edge to the next: one slot, and as many more as it is longer */
	stall(&brake.one[0], 1100, 1110);
	assert_int_equal(touched(&brake, 1, 1), 1);
	assert_int_equal(touched(&brake, 2, 1), 2);
	assert_int_equal(touched(&brake, 10, 1), 10);
	assert_int_equal(touched(&brake, 1000, 1), 90); /* the last slot ends then */
	/* the other CPU's, in the same slot and the next */
	stall(&brake.one[1], 1105, 1111);
	assert_int_equal(touched(&brake, 1, 1), 2);
	assert_int_equal(touched(&brake, 2, 1), 2);
	assert_int_equal(touched(&brake, 1, 3), 3);
	/* many in one slot */
	stall(&brake.one[0], 1501, 1502);
	stall(&brake.one[0], 1503, 1504);
	stall(&brake.one[1], 1501, 1508);
	assert_int_equal(touched(&brake, 1, 1), 3);
	/* before the first slot and behind the last */
	stall(&brake.one[0], 990, 1000);
	stall(&brake.one[0], 2000, 2010);
	assert_int_equal(touched(&brake, 1, 1), 3);
	assert_int_equal(brake_stalled_ns(&brake) / MS, 10 + 6 + 1 + 1 + 7 + 10 + 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_touched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
