/* SPDX-License-Identifier: BSD-3-Clause
 * core/base/calibrate, core/measure/calibrate: the conversions of the published table, a
 * measurement that a second, independent loop of the same unit confirms, rates of all classes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "core/measure/calibrate.h"

/* Published for one core of 600 MMAC/s: CRC 69 kMAC is 115 us, the turbo decoder 1 144.2 kMAC is 1
 * 907 us. */
static void test_conversions(void **state)
{
	(void)state;
	assert_true(fabs(calibrate_kmac(115e3, 600) - 69) < 1e-9);
	assert_true(fabs(calibrate_ns(1144.2, 600) - 1907e3) < 1e-6);
	assert_true(fabs(calibrate_ns(calibrate_kmac(12345, 777), 777) - 12345) < 1e-9);
	assert_true(calibrate_ns(100, 0) == 0);
	assert_true(calibrate_kmac(100, 0) == 0);
}

/* The same unit written again: volatile keeps it scalar, at the price of loads and stores, so it is
 * the slower one. */
static double plain_mmac_per_s(void)
{
	const int macs = 2000000;
	volatile float sum = 0, x = 1.5f, y = 0.5f;
	struct timespec a, b;
	double best = 1e18;

	for (int pass = 0; pass < 10; pass++) {
		clock_gettime(CLOCK_MONOTONIC, &a);
		for (int i = 0; i < macs; i++)
			sum += x * y;
		clock_gettime(CLOCK_MONOTONIC, &b);
		const double ns =
		    (double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec);
		best = ns < best ? ns : best;
	}
	return macs * 1e3 / best;
}

static void test_measurement(void **state)
{
	struct calibration c = {0};
	const double plain = plain_mmac_per_s();

	(void)state;
	assert_int_equal(calibrate_mmac(&c), 0);
	print_message("%.0f MMAC/s, best %.0f, spread %.1f %%, blocks of %u; plain loop %.0f\n",
	    c.mmac_per_s, c.mmac_per_s_best, 100 * c.spread, c.block_macs, plain);
	assert_true(c.blocks >= 20);
	assert_true(c.mmac_per_s > 0 && c.mmac_per_s <= c.mmac_per_s_best);
	assert_true(c.spread >= 0);
	/* A dependent addition takes 2 to 5 cycles on every machine that this runs on, the loop
	 * through memory at most 8 times that; 16 lanes of a vector unit would show as a factor
	 * above 30. */
	assert_true(c.mmac_per_s_best > plain / 2 && c.mmac_per_s_best < 30 * plain);
	assert_true(c.block_macs > 1000);
}

static void test_rates(void **state)
{
	const struct calibration mac = {.mmac_per_s = 2000};
	double ns[CALIBRATE_CLASSES];

	(void)state;
	for (int level = 0; level < SIMD_LEVELS; level++) {
		if (!simd_has((enum simd_level)level))
			continue;
		assert_int_equal(calibrate_classes((enum simd_level)level, &mac, ns), 0);
		assert_true(ns[CALIBRATE_SCALAR] == 0.5);
		for (int which = 0; which < CALIBRATE_CLASSES; which++)
			assert_true(ns[which] > 1e-4 && ns[which] < 1e5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_conversions),
	    cmocka_unit_test(test_measurement),
	    cmocka_unit_test(test_rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
