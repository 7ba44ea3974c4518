/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/starve.h - memory that runs out when the test says so. Included by the one source of
 * a test program: it puts itself before the C library's calloc and aligned_alloc (all that
 * core/slot and core/image allocate with, besides malloc) for the whole program.
 *
 *         starve_after(3);          // 3 more succeed on this thread, the next fails, then all
 *                                   succeed again
 * 	... = instance_open(...);
 * 	if (!starve_over()) ...   // it never came to that: every allocation has had its turn
 */
#ifndef TESTS_COMMON_STARVE_H
#define TESTS_COMMON_STARVE_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local long starve_left = -1; /* -1: plenty */

static inline void starve_after(long n)
{
	starve_left = n;
}

/* starve_over ends it: whether an allocation has failed. */
static inline bool starve_over(void)
{
	const bool failed = starve_left == -1;

	starve_left = -1;
	return failed;
}

static inline bool starve_now(void)
{
	if (starve_left < 0)
		return false;
	if (starve_left-- > 0)
		return false;
	errno = ENOMEM;
	return true; /* and starve_left is -1 */
}

void *aligned_alloc(size_t alignment, size_t size)
{
	void *bytes = NULL;

	if (starve_now() || posix_memalign(&bytes, alignment, size) != 0)
		return NULL;
	return bytes;
}

void *calloc(size_t n, size_t size)
{
	void *(*volatile get)(size_t) = malloc; /* volatile: or the compiler makes a calloc of it */
	size_t bytes;
	void *at;

	if (starve_now() || __builtin_mul_overflow(n, size, &bytes))
		return NULL;
	at = get(bytes);
	return at != NULL ? memset(at, 0, bytes) : NULL;
}

#endif
