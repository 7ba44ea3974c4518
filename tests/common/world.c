/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/world.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/cpulist.h"
#include "core/base/file.h"

int world_setup(void **state)
{
	struct world *world = calloc(1, sizeof(*world));

	strcpy(world->root, "/tmp/aloe-doctor-XXXXXX");
	assert_non_null(mkdtemp(world->root));
	snprintf(world->state, sizeof(world->state), "%s/state", world->root);
	world->machine.root = world->root;
	cpulist_parse("2-3", &world->machine.lanes);
	cpulist_parse("0-1", &world->machine.rest);
	world->machine.rights.lock_all = true;
	*state = world;
	return 0;
}

static int drop(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st, (void)kind, (void)ftw;
	return remove(path);
}

int world_teardown(void **state)
{
	struct world *world = *state;

	assert_int_equal(nftw(world->root, drop, 8, FTW_DEPTH | FTW_PHYS), 0);
	free(world);
	return 0;
}

void world_folder(const struct world *world, const char *path)
{
	char whole[PATH_MAX];

	assert_int_equal(path_print(whole, sizeof(whole), "%s%s", world->root, path), 0);
	assert_int_equal(dir_make(whole), 0);
}

void world_put(const struct world *world, const char *path, const char *text)
{
	char whole[PATH_MAX], *slash;

	assert_int_equal(path_print(whole, sizeof(whole), "%s%s", world->root, path), 0);
	slash = strrchr(whole, '/');
	*slash = 0;
	assert_int_equal(dir_make(whole), 0);
	*slash = '/';
	assert_int_equal(file_write(whole, text, strlen(text)), 0);
}

void world_holds(const struct world *world, const char *path, const char *text)
{
	char *got = machine_text(&world->machine, path);

	assert_non_null(got);
	assert_string_equal(got, text);
	free(got);
}

const struct knob *knob_named(const char *name)
{
	for (size_t i = 0; i < n_knobs; i++)
		if (strcmp(knobs[i].name, name) == 0)
			return &knobs[i];
	fail_msg("no knob %s", name);
	return NULL;
}
