/* SPDX-License-Identifier: BSD-3-Clause
 * Which of many things are kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/kinds.h"

static void name_write(FILE *out, const void *names, size_t i)
{
	fputs(((const char *const *)names)[i], out);
}

static void of_is(const char *const *names, size_t n, const uint32_t *of, size_t n_of)
{
	struct kinds kinds;

	assert_int_equal(kinds_init(&kinds, n, name_write, names), 0);
	assert_int_equal(kinds.n_things, n);
	assert_int_equal(kinds.n, n_of);
	assert_memory_equal(kinds.of, of, n * sizeof(*of));
	for (uint32_t i = 0; i < n_of; i++) {
		assert_int_equal(of[kinds.first[i]], i);
		for (uint32_t k = 0; k < kinds.first[i]; k++)
			assert_int_not_equal(of[k], i);
	}
	kinds_fini(&kinds);
}

static void test_some(void **state)
{
	/* no two of the texts in a row are told apart by where one ends */
	static const char *const names[] = {"ab", "a", "b", "ab", "", "a", "", "abab"};
	static const uint32_t of[] = {0, 1, 2, 0, 3, 1, 3, 4};

	(void)state;
	of_is(names, 8, of, 5);
	of_is(names, 1, of, 1);
	of_is(names, 0, of, 0);
}

static void hundredth_write(FILE *out, const void *nothing, size_t i)
{
	(void)nothing;
	fprintf(out, "%zu", i % 100);
}

static void test_many(void **state)
{
	struct kinds kinds;

	(void)state;
	assert_int_equal(kinds_init(&kinds, 10000, hundredth_write, NULL), 0);
	assert_int_equal(kinds.n, 100);
	for (uint32_t i = 0; i < 10000; i++)
		assert_int_equal(kinds.of[i], i % 100);
	kinds_fini(&kinds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_some),
	    cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
