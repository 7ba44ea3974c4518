/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/scarce.h - memory and kernel that refuse one call, each call in turn. For programs
 * named test_scarce*: they are linked so that the calls of the objects of this house, and not
 * those inside of libraries, come here first (Makefile, SCARCE).
 *
 * 	static int once(void *of) { ... return thing_open(...); }   // 0: it has cleaned up, too
 * 	...
 * 	assert_true(scarce_sweep(SCARCE_MEMORY, ENOMEM, once, &of) > 0);
 *
 * scarce_sweep runs `once` first as it is, which must give 0, then with the first call failing,
 * then with the second, until every call has had its turn. What `once` gives then is up to it; the
 * sweep fails the test where a descriptor is left open. What stays allocated LeakSanitizer says.
 */
#ifndef TESTS_COMMON_SCARCE_H
#define TESTS_COMMON_SCARCE_H

#include <stdbool.h>

enum scarce {
	SCARCE_NOTHING,
	SCARCE_MEMORY, /* malloc and what allocates like it, JSON values among them */
	SCARCE_KERNEL, /* files, memory maps, sockets, threads */
};

/* scarce_after lets `n` calls of this thread succeed; the next one fails with `error`, then all
 * succeed again. scarce_over ends it: whether a call has failed. */
void scarce_after(enum scarce what, unsigned n, int error);
bool scarce_over(void);

/* scarce_sweep returns how many runs gave something else than 0. */
unsigned scarce_sweep(enum scarce what, int error, int (*once)(void *of), void *of);

/* A folder, in memory where that is to be had: the state of all tests of a program, which gives
 * scarce_folder_make and scarce_folder_remove to cmocka. scarce_path gives the path of what is in
 * it, valid to the next call; scarce_folder_clean removes all that is in it. */
struct scarce_folder {
	char dir[64], path[128];
};
int scarce_folder_make(void **state);
int scarce_folder_remove(void **state);
const char *scarce_path(struct scarce_folder *folder, const char *name);
void scarce_folder_clean(struct scarce_folder *folder);

#endif
