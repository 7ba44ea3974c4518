/* SPDX-License-Identifier: BSD-3-Clause
 * core/kernels/calibrate: every level does the same work as plain C, writes nothing behind it, and gives rates that can be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/kernels/calibrate.h"

static struct calibrate_data *data_new(void)
{
	struct calibrate_data *data = aligned_alloc(64, sizeof(*data));

	assert_non_null(data);
	calibrate_data_init(data);
	return data;
}

/* Classes whose results are defined, whatever computes them; sums of bits and metrics of windows are a level's own. */
static bool same_results(int class)
{
	return class != CALIBRATE_BITS && class != CALIBRATE_TRELLIS && class != CALIBRATE_REGISTER;
}

static void check(enum simd_level level, int class)
{
	struct calibrate_data *plain = data_new(), *vector = data_new();

	calibrate_plain.run[class](plain);
	calibrate_kernels(level)->run[class](vector);
	if (same_results(class) && (memcmp(plain->out8, vector->out8, CALIBRATE_ITEMS) != 0 ||
				    memcmp(plain->out16, vector->out16, CALIBRATE_ITEMS * sizeof(int16_t)) != 0))
		fail_msg("%s, %s: another result", simd_name(level),
			 calibrate_class_name((enum calibrate_class) class));
	assert_memory_equal(plain->in8, vector->in8, sizeof(plain->in8));
	assert_memory_equal(plain->in16, vector->in16, sizeof(plain->in16));
	assert_memory_equal(plain->places8, vector->places8, sizeof(plain->places8));
	free(plain);
	free(vector);
}

static void test_levels(void **state)
{
	(void)state;
	for (int level = 0; level < SIMD_LEVELS; level++)
		for (int class = CALIBRATE_ARITHMETIC; simd_has((enum simd_level)level) && class < CALIBRATE_CLASSES;
		     class ++)
			check((enum simd_level)level, class);
}

/* Bits do come out of the register, and different ones of the two checksums, trellises. */
static void test_not_nothing(void **state)
{
	struct calibrate_data *data = data_new(), *before = data_new();

	(void)state;
	for (int class = CALIBRATE_ARITHMETIC; class < CALIBRATE_CLASSES; class ++) {
		memcpy(before, data, sizeof(*data));
		calibrate_plain.run[class](data);
		if (memcmp(before, data, sizeof(*data)) == 0)
			fail_msg("%s does nothing", calibrate_class_name((enum calibrate_class) class));
	}
	free(data);
	free(before);
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
		for (int class = 0; class < CALIBRATE_CLASSES; class ++)
			assert_true(ns[class] > 1e-4 && ns[class] < 1e5);
	}
}

static void test_names(void **state)
{
	(void)state;
	for (int class = 0; class < CALIBRATE_CLASSES; class ++) {
		const char *name = calibrate_class_name((enum calibrate_class) class);

		assert_int_equal(calibrate_class_find(name, strlen(name)), class);
		assert_true(calibrate_class_find(name, strlen(name) - 1) != class);
	}
	assert_true(calibrate_class_find("", 0) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_levels),
	    cmocka_unit_test(test_not_nothing),
	    cmocka_unit_test(test_rates),
	    cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
