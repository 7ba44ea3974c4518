/* SPDX-License-Identifier: BSD-3-Clause
 * core/kernels/calibrate: every level does the same work as plain C, writes nothing behind it, and
 * gives rates that can be. */
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

/* Classes whose results are defined, whatever computes them; sums of bits and metrics of windows
 * are a level's own. */
static bool same_results(int which)
{
	return which != CALIBRATE_BITS && which != CALIBRATE_TRELLIS && which != CALIBRATE_REGISTER;
}

static void check(enum simd_level level, int which)
{
	struct calibrate_data *plain = data_new(), *vector = data_new();

	calibrate_plain.run[which](plain);
	calibrate_kernels(level)->run[which](vector);
	if (same_results(which) &&
	    (memcmp(plain->out8, vector->out8, CALIBRATE_ITEMS) != 0 ||
	        memcmp(plain->out16, vector->out16, CALIBRATE_ITEMS * sizeof(int16_t)) != 0))
		fail_msg("%s, %s: another result", simd_name(level),
		    calibrate_class_name((enum calibrate_class)which));
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
		for (int which = CALIBRATE_ARITHMETIC;
		     simd_has((enum simd_level)level) && which < CALIBRATE_CLASSES; which++)
			check((enum simd_level)level, which);
}

/* Bits do come out of the register, and different ones of the two checksums, trellises. */
static void test_not_nothing(void **state)
{
	struct calibrate_data *data = data_new(), *before = data_new();

	(void)state;
	for (int which = CALIBRATE_ARITHMETIC; which < CALIBRATE_CLASSES; which++) {
		memcpy(before, data, sizeof(*data));
		calibrate_plain.run[which](data);
		if (memcmp(before->out8, data->out8, sizeof(data->out8)) == 0 &&
		    memcmp(before->out16, data->out16, sizeof(data->out16)) == 0 &&
		    before->sink == data->sink)
			fail_msg(
			    "%s does nothing", calibrate_class_name((enum calibrate_class)which));
	}
	free(data);
	free(before);
}

static void test_names(void **state)
{
	(void)state;
	for (int which = 0; which < CALIBRATE_CLASSES; which++) {
		const char *name = calibrate_class_name((enum calibrate_class)which);

		assert_int_equal(calibrate_class_find(name, strlen(name)), which);
		assert_true(calibrate_class_find(name, strlen(name) - 1) != which);
	}
	assert_true(calibrate_class_find("", 0) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_levels),
	    cmocka_unit_test(test_not_nothing),
	    cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
