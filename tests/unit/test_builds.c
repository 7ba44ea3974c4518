/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Builds of components that other machines name by their content: which are found, which are
 * refused, and which go when there are too many. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "daemons/common/builds.h"

struct folders {
	char top[64], kept[128], own[128], path[PATH_MAX];
};

static int folders_new(void **state)
{
	struct folders *f = calloc(1, sizeof(*f));

	snprintf(f->top, sizeof(f->top), "/tmp/test_builds.XXXXXX");
	assert_non_null(mkdtemp(f->top));
	snprintf(f->kept, sizeof(f->kept), "%s/state/builds", f->top);
	snprintf(f->own, sizeof(f->own), "%s/own", f->top);
	assert_int_equal(mkdir(f->own, 0700), 0);
	setenv("ALOE_COMPONENTS", f->own, 1);
	*state = f;
	return 0;
}

static int folders_free(void **state)
{
	struct folders *f = *state;
	char command[200];

	unsetenv("ALOE_COMPONENTS");
	snprintf(command, sizeof(command), "rm -rf '%s'", f->top);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

static const char *digest(const char *text, char ret[SHA256_TEXT])
{
	sha256_text(text, strlen(text), ret);
	return ret;
}

static int put(struct folders *f, const char *name, const char *text, uint64_t bytes_max)
{
	char sha256[SHA256_TEXT];

	return builds_put(f->kept, name, digest(text, sha256), text, strlen(text), bytes_max);
}

static int find(struct folders *f, const char *name, const char *text)
{
	char sha256[SHA256_TEXT];

	return builds_find(f->kept, name, digest(text, sha256), f->path, sizeof(f->path));
}

static void test_kept(void **state)
{
	struct folders *f = *state;

	assert_int_equal(find(f, "gain", "one"), -ENOENT);
	assert_int_equal(put(f, "gain", "one", 1000), 0);
	assert_int_equal(put(f, "gain", "two", 1000), 0);
	assert_int_equal(find(f, "gain", "one"), 0);
	assert_non_null(strstr(f->path, "/state/builds/gain."));
	assert_int_equal(find(f, "gain", "two"), 0);
	assert_int_equal(find(f, "fade", "one"), -ENOENT);
}

static void test_own(void **state)
{
	struct folders *f = *state;
	char path[200];

	snprintf(path, sizeof(path), "%s/gain.so", f->own);
	assert_int_equal(file_write(path, "mine", 4), 0);
	assert_int_equal(find(f, "gain", "mine"), 0);
	assert_string_equal(f->path, path);
	assert_int_equal(find(f, "gain", "another"), -ENOENT);
}

static void test_refused(void **state)
{
	struct folders *f = *state;
	char sha256[SHA256_TEXT];

	digest("one", sha256);
	assert_int_equal(builds_put(f->kept, "gain", sha256, "two", 3, 1000), -EBADMSG);
	assert_int_equal(builds_put(f->kept, "../gain", sha256, "one", 3, 1000), -EINVAL);
	assert_int_equal(builds_put(f->kept, "gain", "../../x", "one", 3, 1000), -EINVAL);
	sha256[3] = 'G';
	assert_int_equal(builds_put(f->kept, "gain", sha256, "one", 3, 1000), -EINVAL);
	assert_int_equal(builds_find(f->kept, "gain", sha256, f->path, sizeof(f->path)), -EINVAL);
	assert_int_equal(access(f->kept, F_OK), -1);
}

/* Content that has changed since is not what was asked for. */
static void test_spoiled(void **state)
{
	struct folders *f = *state;

	assert_int_equal(put(f, "gain", "one", 1000), 0);
	assert_int_equal(find(f, "gain", "one"), 0);
	assert_int_equal(file_write(f->path, "bad", 3), 0);
	assert_int_equal(find(f, "gain", "one"), -ENOENT);
}

static void age(struct folders *f, const char *text, time_t s)
{
	const struct timespec times[2] = {{s, 0}, {s, 0}};

	assert_int_equal(find(f, "gain", text), 0);
	assert_int_equal(utimensat(AT_FDCWD, f->path, times, 0), 0);
}

/* The one that was used longest ago goes, never the one that has just come. */
static void test_bound(void **state)
{
	struct folders *f = *state;

	assert_int_equal(put(f, "gain", "0123456789", 25), 0);
	assert_int_equal(put(f, "gain", "abcdefghij", 25), 0);
	age(f, "0123456789", 2000);
	age(f, "abcdefghij", 1000);
	assert_int_equal(put(f, "gain", "ABCDEFGHIJ", 25), 0);
	assert_int_equal(find(f, "gain", "abcdefghij"), -ENOENT);
	assert_int_equal(find(f, "gain", "0123456789"), 0);
	assert_int_equal(find(f, "gain", "ABCDEFGHIJ"), 0);
	assert_int_equal(put(f, "gain", "a text that is larger than all that may be there", 25), 0);
	assert_int_equal(find(f, "gain", "0123456789"), -ENOENT);
	assert_int_equal(find(f, "gain", "a text that is larger than all that may be there"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_kept, folders_new, folders_free),
	    cmocka_unit_test_setup_teardown(test_own, folders_new, folders_free),
	    cmocka_unit_test_setup_teardown(test_refused, folders_new, folders_free),
	    cmocka_unit_test_setup_teardown(test_spoiled, folders_new, folders_free),
	    cmocka_unit_test_setup_teardown(test_bound, folders_new, folders_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
