/* SPDX-License-Identifier: BSD-3-Clause
 * core/component/reals: what a user may write for an array, in text and in files, what is said of anything else, and that
 * printing loses nothing. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/component/reals.h"

static void reads(const char *text, const float *want, uint32_t n)
{
	float *got = NULL;
	uint32_t len = 0;
	char why[256] = "";

	if (reals_parse(text, &got, &len, why, sizeof(why)) != 0)
		fail_msg("\"%s\": %s", text, why);
	assert_int_equal(len, n);
	assert_memory_equal(got, want, n * sizeof(*want));
	free(got);
}

static void refuses(const char *text, const char *words)
{
	float *got = NULL;
	uint32_t len = 77;
	char why[256] = "";

	assert_int_equal(reals_parse(text, &got, &len, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, words);
	assert_null(got);
	assert_int_equal(len, 77);
}

static void test_text(void **state)
{
	static const float want[] = {1, 0.5f, -2e-3f};

	(void)state;
	reads("1,0.5,-2e-3", want, 3);
	reads(" 1 0.5\t\n-0.002 ", want, 3);
	reads("[1, 0.5, -2e-3]", want, 3);
	reads(" [ 1 , 0.5 -2e-3 ] ", want, 3);
	reads("1", want, 1);
	refuses("", "no number there, at least one is needed");
	refuses(" , ,", "no number there, at least one is needed");
	refuses("[]", "no number there, at least one is needed");
	refuses("1,x,2", "\"x\" is no number");
	refuses("1,2x", "\"2x\" is no number");
	refuses("[1,2", "the brackets do not match");
	refuses("1,2]", "the brackets do not match");
	refuses("[1,2] 3", "the brackets do not match");
}

static void test_print(void **state)
{
	float values[2000], *got;
	uint32_t len, random = 1;
	char why[256], *text;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		random = random * 1664525u + 1013904223u;
		memcpy(&values[i], &random, sizeof(random));
		if (!isfinite(values[i]))
			values[i] = (float)i;
	}
	text = reals_print(values, 2000);
	assert_int_equal(reals_parse(text, &got, &len, why, sizeof(why)), 0);
	assert_int_equal(len, 2000);
	assert_memory_equal(got, values, sizeof(values));
	free(got);
	free(text);
}

static const char *file_of(const char *folder, const char *name, const void *bytes, size_t len)
{
	static char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	fclose(file);
	return path;
}

static void test_files(void **state)
{
	static const char text[] = "# taps\n 1 0.5 # and\n,-2e-3\n";
	static const float raw[] = {1, 0.5f, -2e-3f};
	char folder[] = "/tmp/aloe-reals-XXXXXX", why[512], want[512];
	const char *path;
	float *got;
	uint32_t len;

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (int i = 0; i < 2; i++) {
		path = i ? file_of(folder, "a.f32", raw, sizeof(raw))
		         : file_of(folder, "a.txt", text, strlen(text));
		assert_int_equal(reals_read(path, &got, &len, why, sizeof(why)), 0);
		assert_int_equal(len, 3);
		assert_memory_equal(got, raw, sizeof(raw));
		free(got);
		unlink(path);
	}
	path = file_of(folder, "b.f32", "12345", 5);
	assert_int_equal(reals_read(path, &got, &len, why, sizeof(why)), -EINVAL);
	snprintf(
	    want, sizeof(want), "%s: 5 bytes, 1 .. 1048576 floats of 4 bytes are needed", path);
	assert_string_equal(why, want);
	unlink(path);
	path = file_of(folder, "c", raw, sizeof(raw));
	assert_int_equal(reals_read(path, &got, &len, why, sizeof(why)), -EINVAL);
	assert_non_null(
	    strstr(why, "a text with NUL bytes; raw floats need a name that ends in .f32"));
	unlink(path);
	assert_int_equal(reals_read(path, &got, &len, why, sizeof(why)), -EINVAL);
	assert_non_null(strstr(why, "No such file"));
	assert_int_equal(reals_read(folder, &got, &len, why, sizeof(why)), -EINVAL);
	rmdir(folder);
}

static void test_fit(void **state)
{
	static const float values[] = {0.1f, -0.1f, NAN};
	char why[256];

	(void)state;
	assert_int_equal(reals_fit(values, 2, 2, -0.1, 0.1, why, sizeof(why)),
	    0); /* as floats, not as doubles */
	assert_int_equal(reals_fit(values, 2, 1, -1, 1, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "2 numbers, 1 .. 1 are allowed");
	assert_int_equal(reals_fit(values, 2, 2, 0, 1, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "number 1 = -0.1 is outside [0, 1]");
	assert_int_equal(reals_fit(values, 3, 3, -INFINITY, INFINITY, why, sizeof(why)), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text),
	    cmocka_unit_test(test_print),
	    cmocka_unit_test(test_files),
	    cmocka_unit_test(test_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
