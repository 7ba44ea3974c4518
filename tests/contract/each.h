/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/contract/each.h - every component of the build that the test program lies in, found by
 * listing BUILD/lib/aloe, or of the folder $ALOE_CONTRACT (`make test` of a user's component).
 *
 * A contract is tried on all of them before the test fails, so that one run names every offender.
 */
#ifndef TESTS_CONTRACT_EACH_H
#define TESTS_CONTRACT_EACH_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glob.h>

#include "tests/mock/mock.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* contract is told the component's name; it calls broken() for whatever is not as promised. */
typedef void contract(const char *name, unsigned *count);

/* The build folder: BUILD/tests/ROOM/NAME is the program that runs. */
static inline void build_folder(char *ret_path, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", ret_path, size - 1);

	assert_true(len > 0);
	ret_path[len] = 0;
	for (int up = 0; up < 3 && strrchr(ret_path, '/'); up++)
		*strrchr(ret_path, '/') = 0;
}

__attribute__((format(printf, 3, 4))) static inline void broken(
    unsigned *count, const char *name, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	print_error("%s: %s\n", name, text);
	(*count)++;
}

/* given_value finds a parameter in $ALOE_CONTRACT_SET, "name=value name=value". */
static inline bool given_value(const char *param, char *ret_value, size_t size)
{
	const size_t len = strlen(param);
	const char *at = getenv("ALOE_CONTRACT_SET");

	for (; at && *at; at += strcspn(at, " "), at += strspn(at, " ")) {
		if (strncmp(at, param, len) != 0 || at[len] != '=')
			continue;
		at += len + 1;
		snprintf(ret_value, size, "%.*s", (int)strcspn(at, " "), at);
		return true;
	}
	return false;
}

static inline void each_component(contract *holds)
{
	const char *folder = getenv("ALOE_CONTRACT");
	char build[4096], pattern[4200], name[256];
	unsigned count = 0;
	glob_t found;

	build_folder(build, sizeof(build));
	if (folder)
		snprintf(pattern, sizeof(pattern), "%s/*.so", folder);
	else
		snprintf(pattern, sizeof(pattern), "%s/lib/aloe/*.so", build);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		snprintf(name, sizeof(name), "%s", strrchr(found.gl_pathv[i], '/') + 1);
		*strrchr(name, '.') = 0;
		holds(name, &count);
	}
	print_message("%zu components\n", found.gl_pathc);
	globfree(&found);
	assert_int_equal(count, 0);
}

#endif
