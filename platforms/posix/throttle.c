/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/platform/platform.h"

static bool has_word(const char *list, const char *word)
{
	const size_t len = strlen(word);

	for (; *list != 0; list += strcspn(list, ","), list += *list == ',')
		if (strcspn(list, ",") == len && strncmp(list, word, len) == 0)
			return true;
	return false;
}

/* "NUMBER:CONTROLLERS:PATH": of the controller cpu (v1), or of all (v2, no controllers). */
static bool group_of(char *line, const char **ret_controllers, const char **ret_path)
{
	char *controllers = strchr(line, ':'),
	     *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;

	if (path == NULL)
		return false;
	*controllers++ = 0;
	*path++ = 0;
	path[strcspn(path, "\n")] = 0;
	*ret_controllers = controllers;
	*ret_path = path;
	return controllers[0] == 0 || has_word(controllers, "cpu");
}

/* A line of cpu.stat.local: ns in v1, us in v2. */
static int stat_read(const char *path, uint64_t *ret_ns)
{
	char line[128];
	FILE *file = fopen(path, "re");
	int rc = -ENOENT;

	while (file != NULL && rc != 0 && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "throttled_time %" SCNu64, ret_ns) == 1)
			rc = 0;
		else if (sscanf(line, "throttled_usec %" SCNu64, ret_ns) == 1) {
			*ret_ns *= 1000;
			rc = 0;
		}
	if (file != NULL)
		fclose(file);
	return rc;
}

static int group_read(const char *controllers, const char *path, uint64_t *ret_ns)
{
	const char *folders[] = {controllers, "cpu", "", "unified"};
	char name[PATH_MAX];
	int rc = -ENOENT;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && rc != 0; i++)
		if (path_print(name, sizeof(name), "/sys/fs/cgroup/%s%s/cpu.stat.local", folders[i],
		        path) == 0)
			rc = stat_read(name, ret_ns);
	return rc;
}

int platform_throttled(pid_t tid, uint64_t *ret_group, uint64_t *ret_ns)
{
	char name[64], line[PATH_MAX];
	const char *controllers, *path;
	FILE *file;
	int rc = -ENOENT;

	snprintf(name, sizeof(name), "/proc/%d/cgroup", (int)tid);
	file = fopen(name, "re");
	while (file != NULL && rc != 0 && fgets(line, sizeof(line), file) != NULL)
		if (group_of(line, &controllers, &path)) {
			rc = group_read(controllers, path, ret_ns);
			*ret_group = hash_text(HASH_START, path);
		}
	if (file != NULL)
		fclose(file);
	return rc;
}
