/* SPDX-License-Identifier: BSD-3-Clause
 * core/component/parse: what a user may write for a parameter of each kind, on a command line, in a
 * file and in a file of numbers, what is said of anything else, and that printing loses nothing. */
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

#include "core/component/parse.h"

static const char *const words[] = {"zero", "one", "two", NULL};
static const struct aloe_param real = {.kind = ALOE_KIND_REAL, .min = -1, .max = 2, .unit = "dB"};
static const struct aloe_param whole = {.kind = ALOE_KIND_INT, .min = -5, .max = 0x1p53};
static const struct aloe_param flag = {.kind = ALOE_KIND_BOOL, .max = 1};
static const struct aloe_param word = {.kind = ALOE_KIND_ENUM, .names = words};
static const struct aloe_param text = {.kind = ALOE_KIND_TEXT, .size = 5};
static const struct aloe_param path = {.kind = ALOE_KIND_PATH, .size = 64};
static const struct aloe_param list = {
    .kind = ALOE_KIND_REALS, .min = -0.1, .max = 9, .items_max = 3, .unit = "V"};
static const struct aloe_param any = {
    .kind = ALOE_KIND_REALS, .min = -INFINITY, .max = INFINITY, .items_max = PARAM_ITEMS_MAX};

static int parse(const struct aloe_param *param, const char *given, enum param_form form,
    struct param_value *ret, char why[PARAM_WHY_BYTES])
{
	const struct param_given one = {.text = given, .form = form};

	return param_parse(param, "i.p", &one, ret, why, PARAM_WHY_BYTES);
}

static void is(const struct aloe_param *param, const char *given, enum param_form form, double want)
{
	char why[PARAM_WHY_BYTES] = "";
	struct param_value value;

	if (parse(param, given, form, &value, why) != 0)
		fail_msg("%s: %s", given, why);
	assert_true(value.number == want);
	assert_null(value.text);
	assert_null(value.numbers);
}

static void refuses(
    const struct aloe_param *param, const char *given, enum param_form form, const char *want)
{
	char why[PARAM_WHY_BYTES] = "";
	struct param_value value;

	assert_int_equal(parse(param, given, form, &value, why), -EINVAL);
	assert_string_equal(why, want);
	assert_null(value.text);
	assert_null(value.numbers);
}

/* A number, on the command line and in a file, is refused in the same words. */
static void refuses_both(const struct aloe_param *param, const char *given, const char *want)
{
	refuses(param, given, PARAM_WORD, want);
	refuses(param, given, PARAM_PLAIN, want);
}

static void test_numbers(void **state)
{
	const struct aloe_param above = {.kind = ALOE_KIND_REAL, .min = 0, .max = INFINITY};
	const struct aloe_param free = {.kind = ALOE_KIND_REAL, .min = -INFINITY, .max = INFINITY};

	(void)state;
	for (int form = PARAM_WORD; form <= PARAM_PLAIN; form += PARAM_PLAIN) {
		is(&real, "-1", form, -1);
		is(&real, "1.5e-3", form, 1.5e-3);
		is(&whole, "9007199254740992", form, 0x1p53);
		is(&whole, "2e3", form, 2000);
	}
	refuses_both(&real, "3", "i.p = 3 is outside [-1, 2] dB");
	refuses_both(&real, "nan", "i.p = nan is outside [-1, 2] dB");
	refuses_both(&whole, "1.5", "i.p = 1.5; a whole number is needed");
	refuses_both(&whole, "-6", "i.p = -6 is outside [-5, 9007199254740992]");
	refuses_both(&above, "-2", "i.p = -2 is below 0");
	refuses_both(&free, "inf", "i.p = inf is not a finite number");
	refuses(&real, "x", PARAM_WORD, "i.p = \"x\"; a number is needed");
	refuses(&real, "1", PARAM_QUOTED, "i.p = \"1\"; a number is needed");
	refuses(&real, "", PARAM_WORD, "i.p = \"\"; a number is needed");
	refuses(&real, " 1", PARAM_WORD, "i.p = \" 1\"; a number is needed");
	refuses(&real, "1 ", PARAM_WORD, "i.p = \"1 \"; a number is needed");
	refuses(&real, "true", PARAM_PLAIN, "i.p = true; a number is needed");
	refuses(&real, "[1, 2]", PARAM_PLAIN, "i.p = [1, 2]; a number is needed");
}

static void test_names(void **state)
{
	(void)state;
	is(&flag, "true", PARAM_WORD, 1);
	is(&flag, "false", PARAM_PLAIN, 0);
	is(&flag, "1", PARAM_PLAIN, 1);
	is(&flag, "0", PARAM_WORD, 0);
	refuses_both(&flag, "7", "i.p = 7; true or false is needed");
	refuses(&flag, "true", PARAM_QUOTED, "i.p = \"true\"; true or false is needed");
	is(&word, "two", PARAM_WORD, 2);
	is(&word, "zero", PARAM_QUOTED, 0);
	refuses(&word, "two", PARAM_PLAIN, "i.p = two; a text in quotes is needed");
	refuses(&word, "tow", PARAM_WORD, "i.p = \"tow\" is unknown, did you mean \"two\"?");
	refuses(&word, "2", PARAM_QUOTED, "i.p = \"2\" is unknown; allowed: zero, one, two");
}

static char *in_folder(const void *self, const char *name)
{
	char *full;

	return asprintf(&full, "%s/%s", (const char *)self, name) < 0 ? NULL : full;
}

static void test_texts(void **state)
{
	const struct param_given placed = {.text = "a.wav", .path = in_folder, .self = "/dir"};
	char why[PARAM_WHY_BYTES];
	struct param_value value;

	(void)state;
	assert_int_equal(parse(&text, "1234", PARAM_WORD, &value, why), 0);
	assert_string_equal(value.text, "1234");
	param_value_fini(&value);
	refuses(&text, "12345", PARAM_QUOTED, "i.p has 5 bytes; at most 4 are allowed");
	refuses(&text, "5", PARAM_PLAIN, "i.p = 5; a text in quotes is needed");
	refuses(&path, "", PARAM_WORD, "i.p = \"\"; the path of a file is needed");
	assert_int_equal(param_parse(&path, "i.p", &placed, &value, why, sizeof(why)), 0);
	assert_string_equal(value.text, "/dir/a.wav");
	param_value_fini(&value);
}

static void reads(const char *given, enum param_form form, const float *want, uint32_t n)
{
	char why[PARAM_WHY_BYTES] = "";
	struct param_value value;
	float *got;

	if (parse(&list, given, form, &value, why) != 0)
		fail_msg("\"%s\": %s", given, why);
	assert_int_equal(value.n_numbers, n);
	got = param_floats(&value);
	assert_memory_equal(got, want, n * sizeof(*want));
	free(got);
	param_value_fini(&value);
}

static void test_lists(void **state)
{
	static const float want[] = {1, 0.5f, -2e-3f};
	char why[PARAM_WHY_BYTES];
	struct param_value value;

	(void)state;
	reads("1,0.5,-2e-3", PARAM_WORD, want, 3);
	reads(" 1 0.5\t\n-0.002 ", PARAM_WORD, want, 3);
	reads("[1, 0.5, -2e-3]", PARAM_PLAIN, want, 3);
	reads(" [ 1 , 0.5 -2e-3 ] ", PARAM_WORD, want, 3);
	reads("1", PARAM_WORD, want, 1);
	reads("1,\n0.5,\n", PARAM_WORD, want, 2);
	refuses(&list, "1", PARAM_PLAIN, "i.p = 1; a list of numbers [ ] is needed");
	refuses(&list, "1", PARAM_QUOTED, "i.p = \"1\"; a list of numbers [ ] is needed");
	refuses(&list, "", PARAM_WORD, "i.p has 0 items; 1 .. 3 are allowed");
	refuses(&list, ",", PARAM_WORD, "i.p[0] = \"\"; a number is needed");
	refuses(&list, "1,,2", PARAM_WORD, "i.p[1] = \"\"; a number is needed");
	refuses(&list, "[]", PARAM_PLAIN, "i.p has 0 items; 1 .. 3 are allowed");
	refuses_both(&list, "[1,2,3,4]", "i.p has 4 items; 1 .. 3 are allowed");
	refuses_both(&list, "[1, 10]", "i.p[1] = 10 is outside [-0.1, 9] V");
	refuses_both(&list, "[nan]", "i.p[0] = nan is outside [-0.1, 9] V");
	refuses(&list, "1,x,2", PARAM_WORD, "i.p[1] = \"x\"; a number is needed");
	refuses(&list, "1,2x", PARAM_WORD, "i.p[1] = \"2x\"; a number is needed");
	refuses(&list, "[1, \"x\"]", PARAM_PLAIN, "i.p[1] = \"x\"; a number is needed");
	refuses(&list, "[1,2", PARAM_WORD, "i.p: the brackets do not match");
	refuses(&list, "1,2]", PARAM_WORD, "i.p: the brackets do not match");
	refuses(&list, "[1,2] 3", PARAM_WORD, "i.p: the brackets do not match");
	assert_int_equal(parse(&list, "1,2,x", PARAM_WORD, &value, why), -EINVAL);
	assert_int_equal(value.item, 2);
}

static void test_print(void **state)
{
	float values[2000], *got;
	char why[PARAM_WHY_BYTES], *printed, file[] = "/tmp/aloe-print-XXXXXX.f32", at[64];
	const int fd = mkstemps(file, 4);
	uint32_t random = 1;
	struct param_value value;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		random = random * 1664525u + 1013904223u;
		memcpy(&values[i], &random, sizeof(random));
		if (!isfinite(values[i]))
			values[i] = (float)i;
	}
	assert_int_equal(write(fd, values, sizeof(values)), sizeof(values));
	close(fd);
	snprintf(at, sizeof(at), "@%s", file);
	assert_int_equal(param_inline("i.p", at, &printed, why, sizeof(why)), 0);
	assert_int_equal(parse(&any, printed, PARAM_WORD, &value, why), 0);
	assert_int_equal(value.n_numbers, 2000);
	got = param_floats(&value);
	assert_memory_equal(got, values, sizeof(values));
	param_value_fini(&value);
	free(got);
	free(printed);
	unlink(file);
	assert_int_equal(param_inline("i.p", "1, 2", &printed, why, sizeof(why)), 0);
	assert_string_equal(printed, "1, 2");
	free(printed);
}

static void file_of(const char *folder, const char *name, const void *bytes, size_t len)
{
	char *full = in_folder(folder, name);
	FILE *file = fopen(full, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	fclose(file);
	free(full);
}

/* What param_parse says of "@NAME" in the folder. */
static const char *of_file(
    const char *folder, const char *name, enum param_form form, struct param_value *ret)
{
	static char why[PARAM_WHY_BYTES];
	char at[64];
	const struct param_given given = {
	    .text = at, .form = form, .path = in_folder, .self = folder};

	snprintf(at, sizeof(at), "@%s", name);
	strcpy(why, "taken");
	if (param_parse(&list, "i.p", &given, ret, why, sizeof(why)) == 0)
		assert_string_equal(why, "taken");
	return why;
}

static void test_files(void **state)
{
	static const char numbers[] = "# taps\n 1 0.5 # and\n,-2e-3\n", wrong[] = "1\nx # y\n";
	static const float raw[] = {1, 0.5f, -2e-3f}, high[] = {1, 10};
	static const char *const names[] = {"a.txt", "a.f32", "b.f32", "c", "d.txt", "e.f32"};
	char folder[] = "/tmp/aloe-reals-XXXXXX";
	struct param_value value;

	(void)state;
	assert_non_null(mkdtemp(folder));
	file_of(folder, "a.txt", numbers, strlen(numbers));
	file_of(folder, "a.f32", raw, sizeof(raw));
	file_of(folder, "b.f32", "12345", 5);
	file_of(folder, "c", raw, sizeof(raw));
	file_of(folder, "d.txt", wrong, strlen(wrong));
	file_of(folder, "e.f32", high, sizeof(high));
	for (int i = 0; i < 2; i++) {
		assert_string_equal(
		    of_file(folder, names[i], i ? PARAM_QUOTED : PARAM_WORD, &value), "taken");
		assert_int_equal(value.n_numbers, 3);
		for (int k = 0; k < 3; k++)
			assert_true((float)value.numbers[k] == raw[k]);
		param_value_fini(&value);
	}
	assert_string_equal(of_file(folder, "b.f32", PARAM_WORD, &value),
	    "i.p = \"@b.f32\": the file has 5 bytes; 1 .. 1048576 floats of 4 bytes are needed");
	assert_string_equal(of_file(folder, "c", PARAM_WORD, &value),
	    "i.p = \"@c\": the text has NUL bytes; a file of raw floats needs a name that ends in "
	    ".f32");
	assert_string_equal(of_file(folder, "d.txt", PARAM_QUOTED, &value),
	    "i.p = \"@d.txt\": i.p[1] = \"x\"; a number is needed");
	assert_string_equal(of_file(folder, "e.f32", PARAM_WORD, &value),
	    "i.p = \"@e.f32\": i.p[1] = 10 is outside [-0.1, 9] V");
	assert_string_equal(of_file(folder, "nothing", PARAM_WORD, &value),
	    "i.p = \"@nothing\": No such file or directory");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *full = in_folder(folder, names[i]);

		unlink(full);
		free(full);
	}
	rmdir(folder);
}

static void test_fit(void **state)
{
	static const float values[] = {9, -0.1f, NAN};
	char why[PARAM_WHY_BYTES];

	(void)state;
	/* as floats, not as doubles */
	assert_int_equal(param_reals_fit(&list, "p", values, 2, why, sizeof(why)), 0);
	assert_int_equal(param_reals_fit(&list, "p", values, 4, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "p has 4 items; 1 .. 3 are allowed");
	assert_int_equal(param_reals_fit(&list, "p", values, 3, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "p[2] = nan is outside [-0.1, 9] V");
	assert_int_equal(param_reals_fit(&any, "p", values, 3, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "p[2] = nan is not a finite number");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_texts),
	    cmocka_unit_test(test_lists),
	    cmocka_unit_test(test_print),
	    cmocka_unit_test(test_files),
	    cmocka_unit_test(test_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
