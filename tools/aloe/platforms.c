/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/platforms.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/file.h"

enum { PLATFORM_BYTES_MAX = 1 << 20, NAMES_MAX = 256 };

/* Where platform files lie: here as in the sources, then where they are installed. */
static int folder(int number, char *ret_path)
{
	char self[PATH_MAX];
	int rc;

	if (number == 0)
		return path_print(ret_path, PATH_MAX, "platforms/nodes");
	rc = child_path("..", self, sizeof(self));
	return rc < 0 ? rc : path_print(ret_path, PATH_MAX, "%s/share/aloe/platforms", self);
}

static size_t names_take(const char *path, char **names, size_t n)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && n < NAMES_MAX && (entry = readdir(dir))) {
		const size_t len = strlen(entry->d_name);

		if (len > 5 && strcmp(entry->d_name + len - 5, ".conf") == 0 &&
		    (names[n] = strndup(entry->d_name, len - 5)))
			n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

static int unknown_platform(const struct cli_args *args, const char *name)
{
	char *names[NAMES_MAX + 1] = {NULL}, path[PATH_MAX], all[1024] = "local";
	size_t n = 0, len = strlen(all);
	const char *nearest;

	for (int i = 0; i < 2; i++)
		if (folder(i, path) == 0)
			n = names_take(path, names, n);
	for (size_t i = 0; i < n && len < sizeof(all); i++)
		len += (size_t)snprintf(all + len, sizeof(all) - len, ", %s", names[i]);
	nearest = diag_nearest(name, (const char *const *)names, n);
	if (nearest)
		cli_fail(args, "--platform %s: this platform is unknown, did you mean \"%s\"?",
		    name, nearest);
	else
		cli_fail(args, "--platform %s: this platform is unknown; give a file or one of: %s",
		    name, all);
	while (n > 0)
		free(names[--n]);
	return -EINVAL;
}

int platform_find(const struct cli_args *args, const char *name, char *ret_path)
{
	char path[PATH_MAX];

	if (strchr(name, '/') || access(name, R_OK) == 0)
		return path_print(ret_path, PATH_MAX, "%s", name);
	for (int i = 0; i < 2; i++)
		if (folder(i, path) == 0 &&
		    path_print(ret_path, PATH_MAX, "%s/%s.conf", path, name) == 0 &&
		    access(ret_path, R_OK) == 0)
			return 0;
	return unknown_platform(args, name);
}

int platform_take(const char *path, struct diag *diag, struct platform_model **ret)
{
	size_t len;
	char *text;
	int rc = file_read(path, PLATFORM_BYTES_MAX, &text, &len);

	if (rc < 0)
		return diag_error(diag, path, 0, "cannot be read: %s", file_reason(rc));
	rc = platform_parse(path, text, len, diag, ret);
	free(text);
	return rc;
}
