/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/leave_out.c - a program linked with it and with -Wl,--wrap=_cmocka_run_group_tests
 * leaves out the tests whose names are in TEST_LEAVE_OUT, words with * and ? separated by blanks,
 * and says so. For statistics under an emulator or a sanitizer: they take minutes there and tell
 * nothing about instructions or memory. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int __real__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n,
    CMFixtureFunction setup, CMFixtureFunction teardown);
int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n,
    CMFixtureFunction setup, CMFixtureFunction teardown);

static bool left_out(const char *name)
{
	const char *list = getenv("TEST_LEAVE_OUT");
	char *words = strdup(list ? list : ""), *rest = words;
	bool found = false;

	for (char *word = strtok_r(words, " ", &rest); word && !found;
	     word = strtok_r(NULL, " ", &rest))
		found = fnmatch(word, name, 0) == 0;
	free(words);
	return found;
}

int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t n,
    CMFixtureFunction setup, CMFixtureFunction teardown)
{
	struct CMUnitTest *kept = calloc(n + 1, sizeof(*kept));
	size_t n_kept = 0;
	int failed;

	if (!kept)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (left_out(tests[i].name))
			printf("left out: %s\n", tests[i].name);
		else
			kept[n_kept++] = tests[i];
	}
	failed = __real__cmocka_run_group_tests(name, kept, n_kept, setup, teardown);
	free(kept);
	return failed;
}
