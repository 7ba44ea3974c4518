/* SPDX-License-Identifier: BSD-3-Clause
 * core/base/diag: what is said, and the "did you mean". */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/diag.h"

static void test_lines_name_the_place(void **state)
{
	struct diag diag;

	(void)state;
	diag_init(&diag);
	assert_int_equal(
	    diag_error(&diag, "a.conf", 7, "x = %d is outside [%d, %d]", 5, 0, 3), -EINVAL);
	diag_error(&diag, "a.conf", 0, "is empty");
	diag_error(&diag, NULL, 9, "no place");
	diag_note(&diag, "by the way, %s", "this");
	assert_int_equal(diag.errors, 3);
	assert_int_equal(diag.len, 4);
	assert_string_equal(diag.lines[0], "a.conf:7: x = 5 is outside [0, 3]");
	assert_string_equal(diag.lines[1], "a.conf: is empty");
	assert_string_equal(diag.lines[2], "no place");
	assert_string_equal(diag.lines[3], "by the way, this");
	assert_false(diag.lost);
	diag_fini(&diag);
	assert_int_equal(diag.len, 0);
	assert_int_equal(diag.errors, 0);
}

static void test_long_lines_are_whole(void **state)
{
	char *text = malloc(100001);
	struct diag diag;

	(void)state;
	memset(text, 'x', 100000);
	text[100000] = 0;
	diag_init(&diag);
	diag_error(&diag, "f", 1, "%s", text);
	assert_int_equal(strlen(diag.lines[0]), 100000 + strlen("f:1: "));
	diag_fini(&diag);
	free(text);
}

static void test_print(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct diag diag;

	(void)state;
	diag_init(&diag);
	diag_error(&diag, "f", 1, "one");
	diag_note(&diag, "two");
	diag.lost = true;
	diag_print(&diag, out);
	fclose(out);
	assert_string_equal(text, "f:1: one\ntwo\nout of memory: some messages were not printed\n");
	free(text);
	diag_fini(&diag);
}

static const char *const names[] = {
    "source", "ebn0_db", "length", "bpsk_mod", "bpsk_demod", "awgn", "pin"};

static const char *nearest(const char *word)
{
	return diag_nearest(word, names, sizeof(names) / sizeof(names[0]));
}

static void test_nearest(void **state)
{
	(void)state;
	assert_string_equal(nearest("lenght"), "length");  /* neighbours exchanged */
	assert_string_equal(nearest("sourc"), "source");   /* one missing */
	assert_string_equal(nearest("sourcee"), "source"); /* one too many */
	assert_string_equal(nearest("SOURCE"), "source");  /* another case */
	assert_string_equal(nearest("bpsk_mdo"), "bpsk_mod");
	assert_string_equal(nearest("bpsk_demodd"), "bpsk_demod");
	assert_string_equal(nearest("ebn0"), "ebn0_db"); /* the beginning of one */
	assert_string_equal(nearest("pon"), "pin");
}

static void test_nothing_is_near(void **state)
{
	char longest[200];

	(void)state;
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	assert_null(nearest("frequency"));
	assert_null(nearest("pxx")); /* two of three letters differ */
	assert_null(nearest(""));
	assert_null(nearest("s"));
	assert_null(nearest(longest));
	assert_null(diag_nearest("source", NULL, 0));
}

/* Against the definition of the distance, written plainly, on all words of up to three letters from
 * "abc". */
static size_t plain_distance(const char *a, const char *b)
{
	size_t best;

	if (!*a || !*b)
		return strlen(a) + strlen(b);
	best = plain_distance(a + 1, b + 1) + (*a != *b);
	if (plain_distance(a + 1, b) + 1 < best)
		best = plain_distance(a + 1, b) + 1;
	if (plain_distance(a, b + 1) + 1 < best)
		best = plain_distance(a, b + 1) + 1;
	if (a[1] && b[1] && a[0] == b[1] && a[1] == b[0] && plain_distance(a + 2, b + 2) + 1 < best)
		best = plain_distance(a + 2, b + 2) + 1;
	return best;
}

static void word_make(int number, char *word)
{
	for (; number > 0; number = (number - 1) / 3)
		*word++ = "abc"[(number - 1) % 3];
	*word = 0;
}

static void test_distance_is_the_edit_distance(void **state)
{
	char a[8], b[8];
	const char *const one[] = {b};

	(void)state;
	for (int i = 1; i < 120; i++)
		for (int k = 1; k < 120; k++) {
			word_make(i, a);
			word_make(k, b);
			const bool longer = strlen(a) >= 3 && strncmp(a, b, strlen(a)) == 0 &&
			    strlen(b) > strlen(a);
			const bool near =
			    plain_distance(a, b) <= 1 && plain_distance(a, b) < strlen(b);
			assert_int_equal(diag_nearest(a, one, 1) != NULL, near || longer);
		}
}

/* Lines that are the same but for their numbers; those before `from`, and those of which there are
 * ten, stay. */
static void test_fold(void **state)
{
	struct diag diag;

	(void)state;
	diag_init(&diag);
	for (int i = 0; i < 30; i++)
		diag_note(&diag, "before %d", i);
	for (int i = 0; i < 11; i++) {
		diag_error(&diag, "f", i + 1, "a%d.gain = %d.5 is outside [0, 1]", i * i, i);
		if (i < 10)
			diag_error(&diag, "f", i + 1, "b.gain");
		diag_error(&diag, NULL, 0, "no line");
	}
	diag_fold(&diag, 30);
	assert_int_equal(diag.len, 60);
	assert_int_equal(diag.errors, 32);
	assert_string_equal(diag.lines[29], "before 29");
	assert_string_equal(diag.lines[57],
	    "f:10: a81.gain = 9.5 is outside [0, 1]\n  ... and 1 more like these; the last is on "
	    "line 11");
	assert_string_equal(diag.lines[58], "f:10: b.gain");
	assert_string_equal(diag.lines[59], "no line\n  ... and 1 more like these");
	diag_fold(&diag, diag.len);
	assert_int_equal(diag.len, 60);
	diag_fini(&diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lines_name_the_place),
	    cmocka_unit_test(test_long_lines_are_whole),
	    cmocka_unit_test(test_print),
	    cmocka_unit_test(test_nearest),
	    cmocka_unit_test(test_nothing_is_near),
	    cmocka_unit_test(test_distance_is_the_edit_distance),
	    cmocka_unit_test(test_fold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
