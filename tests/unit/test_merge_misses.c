/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What several nodes say of late slots, as one answer (daemons/swman/merge.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "daemons/swman/merge.h"

static json_t *add(json_t *all, const char *one, const char *node)
{
	json_t *json = json_loads(one, 0, NULL), *both;

	assert_non_null(json);
	both = merge_misses(all, json, node);
	json_decref(json);
	return both;
}

static void is(json_t *all, const char *wanted)
{
	char *text = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);

	assert_string_equal(text, wanted);
	free(text);
	json_decref(all);
}

static void test_lists(void **state)
{
	(void)state;
	is(add(add(NULL, "[{\"lane\":0,\"slot\":5}]", "a"), "[]", "b"),
	    "[{\"lane\":0,\"node\":\"a\",\"slot\":5}]");
	is(add(add(NULL, "[]", "a"), "[{\"lane\":1,\"slot\":6}]", "b"),
	    "[{\"lane\":1,\"node\":\"b\",\"slot\":6}]");
	is(add(add(NULL, "[]", "a"), "[]", "b"), "[]");
}

static void test_slots(void **state)
{
	static const char good[] = "{\"what\":\"on time\"}",
	                  late[] = "{\"lane\":1,\"others\":[{\"lane\":2}]}";

	(void)state;
	is(add(add(NULL, good, "a"), good, "b"), good);
	is(add(add(NULL, good, "a"), late, "b"),
	    "{\"lane\":1,\"node\":\"b\",\"others\":[{\"lane\":2,\"node\":\"b\"}]}");
	is(add(add(NULL, late, "a"), good, "b"),
	    "{\"lane\":1,\"node\":\"a\",\"others\":[{\"lane\":2,\"node\":\"a\"}]}");
	is(add(add(NULL, "{\"lane\":0}", "a"), "{\"lane\":1}", "b"),
	    "{\"lane\":0,\"node\":\"a\",\"others\":[{\"lane\":1,\"node\":\"b\"}]}");
	is(add(add(NULL, "{\"lane\":0,\"others\":[]}", "a"), late, "b"),
	    "{\"lane\":0,\"node\":\"a\",\"others\":[{\"lane\":1,\"node\":\"b\"},"
	    "{\"lane\":2,\"node\":\"b\"}]}");
}

/* On time is what was on time on every node. */
static void test_unknown(void **state)
{
	static const char good[] = "{\"what\":\"on time\"}", unknown[] = "{\"what\":\"no record\"}",
	                  late[] = "{\"lane\":1}",
	                  of_a[] = "{\"node\":\"a\",\"what\":\"no record\"}",
	                  of_b[] = "{\"node\":\"b\",\"what\":\"no record\"}";

	(void)state;
	is(add(add(NULL, good, "a"), unknown, "b"), of_b);
	is(add(add(NULL, unknown, "a"), good, "b"), of_a);
	is(add(add(NULL, unknown, "a"), unknown, "b"), of_a);
	is(add(add(NULL, unknown, "a"), late, "b"), "{\"lane\":1,\"node\":\"b\"}");
	is(add(add(NULL, late, "a"), unknown, "b"), "{\"lane\":1,\"node\":\"a\"}");
}

static bool was_late(const char *text)
{
	json_t *json = json_loads(text, 0, NULL);
	const bool late = merge_is_late(json);

	json_decref(json);
	return late;
}

/* Only of a slot that was late somewhere there is an answer without that of each node. */
static void test_late(void **state)
{
	(void)state;
	assert_true(was_late("{\"lane\":1}"));
	assert_false(was_late("{\"what\":\"on time\"}"));
	assert_false(was_late("{\"what\":\"no record\"}"));
	assert_false(was_late("[{\"lane\":1}]"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lists),
	    cmocka_unit_test(test_slots),
	    cmocka_unit_test(test_unknown),
	    cmocka_unit_test(test_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
