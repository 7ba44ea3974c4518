/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/world.h - a machine in a folder, for tests of aloe doctor: its lanes are to have
 * CPUs 2-3, the rest is 0-1.
 */
#ifndef TESTS_COMMON_WORLD_H
#define TESTS_COMMON_WORLD_H

#include "tools/aloe/doctor/doctor.h"

struct world {
	char root[64], state[128];
	struct machine machine;
};

/* For cmocka: *state is a struct world. All that is in the folder is gone afterwards. */
int world_setup(void **state);
int world_teardown(void **state);

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_setup, world_teardown)

void world_folder(const struct world *world, const char *path);
void world_put(const struct world *world, const char *path, const char *text);
/* world_holds asserts what is in a file. */
void world_holds(const struct world *world, const char *path, const char *text);

const struct knob *knob_named(const char *name);

#endif
