/* SPDX-License-Identifier: BSD-3-Clause
 * misses.jsonl: lines up to a size, also of an exec before; what is not written is counted. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemons/exec/misses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { MOST = 25 };

static char folder[] = "/tmp/misses.XXXXXX";

static const char *path_in(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int folder_make(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL ? -1 : 0;
}

static int folder_drop(void **state)
{
	(void)state;
	unlink(path_in("misses.jsonl"));
	return rmdir(folder);
}

static void file_is(const char *text)
{
	FILE *file = fopen(path_in("misses.jsonl"), "r");
	char read[64] = "";

	assert_non_null(file);
	read[fread(read, 1, sizeof(read) - 1, file)] = 0;
	fclose(file);
	assert_string_equal(read, text);
}

/* Lines of 10 bytes: two of them fit. */
static void test_cap(void **state)
{
	struct misses_file file = {0}, next = {0};
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s", path_in("misses.jsonl"));
	assert_int_equal(misses_file_put(&file, path, MOST, "{\"n\": 11}"), 0);
	assert_int_equal(misses_file_put(&file, path, MOST, "{\"n\": 12}"), 0);
	assert_int_equal(file.unwritten, 0);
	assert_int_equal(misses_file_put(&file, path, MOST, "{\"n\": 13}"), -EFBIG);
	assert_true(file.full);
	assert_int_equal(misses_file_put(&file, path, MOST, "{}"), 0); /* nothing after that */
	assert_int_equal(file.unwritten, 2);
	file_is("{\"n\": 11}\n{\"n\": 12}\n");
	/* an exec that was started again: the size is that of the file */
	assert_int_equal(misses_file_put(&next, path, MOST, "{}"), 0);
	assert_int_equal(misses_file_put(&next, path, MOST, "{}"), -EFBIG);
	assert_int_equal(next.unwritten, 1);
	file_is("{\"n\": 11}\n{\"n\": 12}\n{}\n");
}

/* A line that was cut, by a full disk or because exec was killed, spoils no other. */
static void test_cut(void **state)
{
	struct misses_file file = {0};
	char path[64];
	FILE *cut;

	(void)state;
	snprintf(path, sizeof(path), "%s", path_in("misses.jsonl"));
	cut = fopen(path, "w");
	assert_non_null(cut);
	fputs("{\"n\": 1", cut);
	fclose(cut);
	assert_int_equal(misses_file_put(&file, path, MOST, "{\"n\": 2}"), 0);
	assert_int_equal(misses_file_put(&file, path, MOST, "{}"), 0);
	file_is("{\"n\": 1\n{\"n\": 2}\n{}\n");
}

static void test_no_memory(void **state)
{
	struct misses_file file = {0};

	(void)state;
	assert_int_equal(misses_file_put(&file, path_in("misses.jsonl"), MOST, NULL), -ENOMEM);
	assert_int_equal(misses_file_put(&file, path_in("misses.jsonl"), MOST, NULL), 0);
	assert_int_equal(misses_file_put(&file, path_in("misses.jsonl"), MOST, "{}"), 0);
	assert_true(file.failed);
	assert_int_equal(file.unwritten, 3);
}

static void test_no_folder(void **state)
{
	struct misses_file file = {0};

	(void)state;
	assert_int_equal(misses_file_put(&file, path_in("none/misses.jsonl"), MOST, "{}"), -ENOENT);
	assert_int_equal(misses_file_put(&file, path_in("none/misses.jsonl"), MOST, "{}"), 0);
	assert_true(file.failed);
	assert_int_equal(file.unwritten, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cap),
	    cmocka_unit_test(test_cut),
	    cmocka_unit_test(test_no_memory),
	    cmocka_unit_test(test_no_folder),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_drop);
}
