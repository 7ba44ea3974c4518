/* SPDX-License-Identifier: BSD-3-Clause
 * spin passes everything on and takes at least the time stated; which calls are long, seed and
 * index alone say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "tests/mock/mock.h"

static void start(struct mock *m, const char *jitter, const char *seed)
{
	mock_open(m, "spin");
	mock_input(m, 0, ALOE_CF32, 100);
	assert_int_equal(mock_set(m, "jitter", jitter), 0);
	assert_int_equal(mock_set(m, "seed", seed), 0);
}

static void test_passes(void **state)
{
	float items[200];
	struct mock m;

	(void)state;
	for (int i = 0; i < 200; i++)
		items[i] = (float)i / 7;
	start(&m, "0", "1");
	assert_int_equal(mock_start(&m), 0);
	for (uint32_t n = 1; n <= 100; n += 33) {
		mock_give(&m, 0, items, n);
		assert_int_equal(mock_work(&m, n), 0);
		assert_int_equal(m.out[0].state, ALOE_VALID);
		assert_int_equal(m.out[0].len, n);
		assert_memory_equal(m.out[0].data, items, 8 * n);
	}
	mock_give_state(&m, 0, ALOE_IDLE);
	assert_int_equal(mock_work(&m, 200), 0);
	assert_int_equal(m.out[0].state, ALOE_IDLE);
	assert_int_equal(mock_work(&m, 201), 0);
	assert_int_equal(m.out[0].state, ALOE_ABSENT);
	mock_close(&m);
}

static double call_us(struct mock *m, uint64_t index)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	assert_int_equal(mock_work(m, index), 0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) / 1e3;
}

static void test_takes_its_time(void **state)
{
	struct mock m;
	uint64_t longs = 0;

	(void)state;
	start(&m, "0.25", "3");
	assert_int_equal(mock_set(&m, "mean_us", "100"), 0);
	assert_int_equal(mock_set(&m, "long_us", "400"), 0);
	assert_int_equal(mock_start(&m), 0);
	for (uint64_t k = 0; k < 100; k++) {
		const double us = call_us(&m, k);
		const bool longer = mock_var(&m, "long_calls") > (double)longs;

		longs += longer;
		assert_true(us >= (longer ? 400 : 100));
	}
	assert_in_range(longs, 10, 45);
	mock_close(&m);
}

/* The same calls in any order; others with another seed; the share as stated, within four standard
 * deviations. */
static void test_which_calls(void **state)
{
	enum { CALLS = 20000 };
	struct mock m[3];
	int differ = 0;
	double share;

	(void)state;
	for (int i = 0; i < 3; i++) {
		start(&m[i], "0.1", i == 2 ? "8" : "7");
		assert_int_equal(mock_start(&m[i]), 0);
	}
	for (uint64_t k = 0; k < CALLS; k++) {
		const double before = mock_var(&m[0], "long_calls"),
		             other = mock_var(&m[2], "long_calls");

		mock_work(&m[0], k);
		mock_work(&m[1], CALLS - 1 - k);
		mock_work(&m[2], k);
		differ += (mock_var(&m[0], "long_calls") > before) !=
		    (mock_var(&m[2], "long_calls") > other);
	}
	share = mock_var(&m[0], "long_calls") / CALLS;
	assert_true(fabs(share - 0.1) < 4 * sqrt(0.1 * 0.9 / CALLS));
	assert_true(mock_var(&m[0], "long_calls") == mock_var(&m[1], "long_calls"));
	assert_true(differ > CALLS / 10);
	for (int i = 0; i < 3; i++)
		mock_close(&m[i]);
}

/* Ten times as much takes longer; nobody asks how long, because others use the core, too. */
static void test_computes(void **state)
{
	double us[2] = {1e9, 1e9};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct mock m;

		start(&m, "0", "1");
		assert_int_equal(mock_set(&m, "kmac", i == 0 ? "100" : "1000"), 0);
		assert_int_equal(mock_start(&m), 0);
		for (uint64_t k = 0; k < 10; k++)
			us[i] = fmin(us[i], call_us(&m, k));
		mock_close(&m);
	}
	assert_true(us[0] > 1); /* no core makes 10^5 of them in a microsecond */
	assert_true(us[1] > 4 * us[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_passes),
	    cmocka_unit_test(test_takes_its_time),
	    cmocka_unit_test(test_computes),
	    cmocka_unit_test(test_which_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
