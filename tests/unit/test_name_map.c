/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers by name. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/name_map.h"

static void test_nothing_is_in_it(void **state)
{
	struct name_map map = {0};

	(void)state;
	assert_int_equal(name_map_find(&map, "a", 1), -1);
	assert_int_equal(name_map_find(&map, "", 0), -1);
	name_map_fini(&map);
}

/* Twice the same name; names that begin alike; names without an end. */
static void test_names(void **state)
{
	struct name_map map = {0};

	(void)state;
	assert_int_equal(name_map_put(&map, "source1 -> sink", 6, 7), 0);
	assert_int_equal(name_map_put(&map, "source1", 7, UINT32_MAX), 0);
	assert_int_equal(name_map_put(&map, "", 0, 3), 0);
	assert_int_equal(name_map_put(&map, "source", 6, 8), -EEXIST);
	assert_int_equal(name_map_find(&map, "source", 6), 7);
	assert_int_equal(name_map_find(&map, "source1", 7), UINT32_MAX);
	assert_int_equal(name_map_find(&map, "", 0), 3);
	assert_int_equal(name_map_find(&map, "sourc", 5), -1);
	assert_int_equal(name_map_find(&map, "source2", 7), -1);
	name_map_fini(&map);
	assert_int_equal(name_map_find(&map, "source", 6), -1);
}

/* It grows, and every name keeps its number. */
static void test_many(void **state)
{
	enum { MANY = 10000 };
	static char names[MANY][8];
	struct name_map map = {0};

	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "i%u", i);
		assert_int_equal(name_map_put(&map, names[i], strlen(names[i]), i * 3), 0);
	}
	assert_int_equal(map.n, MANY);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(name_map_find(&map, names[i], strlen(names[i])), i * 3);
		assert_int_equal(name_map_put(&map, names[i], strlen(names[i]), 0), -EEXIST);
	}
	assert_int_equal(name_map_find(&map, "i10000", 6), -1);
	name_map_fini(&map);
}

/* Names that fall on one slot in one map do not in another: nobody can choose them beforehand. */
static void test_no_two_maps_are_alike(void **state)
{
	enum { NAMES = 30 };
	static char names[NAMES][8];
	struct name_map one = {0}, other = {0};
	bool alike = true;

	(void)state;
	for (uint32_t i = 0; i < NAMES; i++) {
		snprintf(names[i], sizeof(names[i]), "i%u", i);
		assert_int_equal(name_map_put(&one, names[i], strlen(names[i]), i), 0);
		assert_int_equal(name_map_put(&other, names[i], strlen(names[i]), i), 0);
	}
	assert_int_equal(one.size, other.size);
	for (size_t i = 0; i < one.size; i++)
		alike = alike && one.slots[i].text == other.slots[i].text;
	assert_false(alike);
	name_map_fini(&one);
	name_map_fini(&other);
}

/* What was in it is gone, whether its memory stays or goes. */
static void test_cleared(void **state)
{
	struct name_map map = {0};
	char names[1000][8];

	(void)state;
	name_map_clear(&map);
	for (unsigned n = 1; n <= 1000; n *= 10) {
		for (unsigned i = 0; i < n; i++) {
			const int len = snprintf(names[i], sizeof(names[i]), "%u", i);

			assert_int_equal(name_map_put(&map, names[i], (size_t)len, i + n), 0);
		}
		assert_int_equal(name_map_find(&map, "0", 1), n);
		name_map_clear(&map);
		assert_int_equal(map.n, 0);
		assert_int_equal(name_map_find(&map, "0", 1), -1);
	}
	name_map_fini(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nothing_is_in_it),
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_cleared),
	    cmocka_unit_test(test_many),
	    cmocka_unit_test(test_no_two_maps_are_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
