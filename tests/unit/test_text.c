/* SPDX-License-Identifier: BSD-3-Clause
 * core/base/text: names that a node can have, and the one that a machine's name becomes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/text.h"

static void test_is_node(void **state)
{
	static const char *const good[] = {"a", "hub", "rack-3_b.lab", "3", "A9"};
	static const char *const bad[] = {"", "-a", ".a", "_a", "a b", "a/b", "a\n", "\xc3\xa4"};
	char longest[NODE_NAME + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(text_is_node(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(text_is_node(bad[i]));
	memset(longest, 'x', NODE_NAME);
	longest[NODE_NAME] = 0;
	assert_false(text_is_node(longest));
	longest[NODE_NAME - 1] = 0;
	assert_true(text_is_node(longest));
}

/* Whatever a machine is called, its node has a name that a node can have. */
static void test_node_name(void **state)
{
	static const struct {
		const char *host, *name;
	} cases[] = {{"hub", "hub"}, {"hub.lab.example", "hub"}, {"a b", "a-b"}, {"-x", "nx"},
	    {"", "node"}, {".x", "node"}, {"lab_2-a", "lab_2-a"}};
	char name[NODE_NAME], host[300];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		text_node_name(cases[i].host, name);
		assert_string_equal(name, cases[i].name);
		assert_true(text_is_node(name));
	}
	memset(host, 'h', sizeof(host) - 1);
	host[sizeof(host) - 1] = 0;
	text_node_name(host, name);
	assert_int_equal(strlen(name), NODE_NAME - 1);
	assert_true(text_is_node(name));
}

/* A text that did not fit ends with a whole character, and one that did stays as it is. */
static void test_cut(void **state)
{
	static const char text[] = "a\xc3\xa9z\xe2\x82\xac\xf0\x9f\x98\x80";
	static const size_t whole[] = {0, 1, 1, 3, 4, 4, 4, 7, 7, 7, 7, 11};
	char some[sizeof(text)];

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		memcpy(some, text, len);
		some[len] = 0;
		text_whole(some);
		assert_int_equal(strlen(some), whole[len]);
		assert_memory_equal(some, text, whole[len]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_is_node),
	    cmocka_unit_test(test_node_name),
	    cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
