/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The vector level: what the environment asks for, what the machine has. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/simd.h"

static void best_unless_asked(void **state)
{
	enum simd_level level = SIMD_LEVELS;
	char why[128] = "";

	(void)state;
	unsetenv("ALOE_SIMD");
	assert_int_equal(simd_choose(&level, why, sizeof(why)), 0);
	assert_int_equal(level, simd_best());
	setenv("ALOE_SIMD", "", 1);
	assert_int_equal(simd_choose(&level, why, sizeof(why)), 0);
	assert_int_equal(level, simd_best());
	assert_true(simd_has(simd_best()));
	assert_true(simd_has(SIMD_PLAIN));
}

static void every_level_by_name(void **state)
{
	(void)state;
	for (int i = 0; i < SIMD_LEVELS; i++) {
		const enum simd_level asked = (enum simd_level)i;
		enum simd_level level = SIMD_LEVELS;
		char why[128] = "";

		setenv("ALOE_SIMD", simd_name(asked), 1);
		assert_int_equal(
		    simd_choose(&level, why, sizeof(why)), simd_has(asked) ? 0 : -ENOTSUP);
		assert_int_equal(level, simd_has(asked) ? asked : SIMD_LEVELS);
		assert_true(simd_has(asked) || strstr(why, simd_name(asked)) != NULL);
	}
}

static void other_words_are_refused(void **state)
{
	enum simd_level level = SIMD_LEVELS;
	char why[128] = "", small[16] = "";

	(void)state;
	setenv("ALOE_SIMD", "mmx", 1);
	assert_int_equal(simd_choose(&level, why, sizeof(why)), -EINVAL);
	assert_non_null(
	    strstr(why, "ALOE_SIMD=mmx is not available on this machine; allowed are plain"));
	assert_int_equal(simd_choose(&level, small, sizeof(small)), -EINVAL);
	assert_string_equal(small, "ALOE_SIMD=mmx i");
	assert_int_equal(level, SIMD_LEVELS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(best_unless_asked),
	    cmocka_unit_test(every_level_by_name),
	    cmocka_unit_test(other_words_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
