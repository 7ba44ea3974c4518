/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/common/builds.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/registry/registry.h"

int builds_folder(const char *state, char *ret_path, size_t size)
{
	char folder[PATH_MAX];
	int rc = 0;

	if (!state)
		rc = dir_state(folder, sizeof(folder));
	return rc < 0 ? rc : path_print(ret_path, size, "%s/builds", state ? state : folder);
}

/* They become parts of a path. */
static bool is_sound(const char *name, const char *sha256)
{
	return text_is_name(name) && strlen(sha256) == SHA256_TEXT - 1 &&
	    strspn(sha256, "0123456789abcdef") == SHA256_TEXT - 1;
}

static int kept_path(
    const char *folder, const char *name, const char *sha256, char *ret_path, size_t size)
{
	return path_print(ret_path, size, "%s/%s.%s.so", folder, name, sha256);
}

static bool has(const char *path, const char *sha256)
{
	char found[SHA256_TEXT];

	return sha256_file(path, BUILDS_FILE_MAX, found) == 0 && strcmp(found, sha256) == 0;
}

static int own_find(const char *name, const char *sha256, char *ret_path, size_t size)
{
	char *dirs = registry_dirs(), *rest = dirs;
	int rc = -ENOENT;

	for (char *dir; rc < 0 && rest && (dir = strsep(&rest, ":"));)
		if (dir[0] && path_print(ret_path, size, "%s/%s.so", dir, name) == 0 &&
		    has(ret_path, sha256))
			rc = 0;
	free(dirs);
	return rc;
}

int builds_find(
    const char *folder, const char *name, const char *sha256, char *ret_path, size_t size)
{
	int rc = is_sound(name, sha256) ? kept_path(folder, name, sha256, ret_path, size) : -EINVAL;

	if (rc < 0)
		return rc;
	if (!has(ret_path, sha256))
		return own_find(name, sha256, ret_path, size);
	utimensat(AT_FDCWD, ret_path, NULL, 0); /* used now */
	return 0;
}

/* ---- what is too much ---- */

struct kept_file {
	char path[PATH_MAX];
	struct timespec used;
	uint64_t bytes;
};

static bool is_older(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* The bytes of all files, and of which the last use was longest ago, `but` aside. */
static uint64_t oldest_find(const char *folder, const char *but, struct kept_file *ret)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	uint64_t bytes = 0;

	ret->path[0] = 0;
	while (dir && (entry = readdir(dir))) {
		struct kept_file file;
		struct stat stat;

		if (path_print(file.path, sizeof(file.path), "%s/%s", folder, entry->d_name) < 0 ||
		    lstat(file.path, &stat) < 0 || !S_ISREG(stat.st_mode))
			continue;
		file.used = stat.st_mtim;
		file.bytes = (uint64_t)stat.st_size;
		bytes += file.bytes;
		if (strcmp(file.path, but) != 0 &&
		    (!ret->path[0] || is_older(&file.used, &ret->used)))
			*ret = file;
	}
	if (dir)
		closedir(dir);
	return bytes;
}

/* A host that has one open keeps it. */
static void prune(const char *folder, const char *but, uint64_t bytes_max)
{
	struct kept_file *oldest = malloc(sizeof(*oldest));

	while (oldest && oldest_find(folder, but, oldest) > bytes_max && oldest->path[0])
		if (unlink(oldest->path) < 0)
			break;
	free(oldest);
}

int builds_put(const char *folder, const char *name, const char *sha256, const void *bytes,
    size_t len, uint64_t bytes_max)
{
	char path[PATH_MAX], found[SHA256_TEXT];
	int rc;

	if (!is_sound(name, sha256) || len > BUILDS_FILE_MAX)
		return -EINVAL;
	sha256_text(bytes, len, found);
	if (strcmp(found, sha256) != 0)
		return -EBADMSG;
	rc = kept_path(folder, name, sha256, path, sizeof(path));
	rc = rc ? rc : dir_make(folder);
	rc = rc ? rc : file_write_closed(path, bytes, len);
	if (rc == 0)
		prune(folder, path, bytes_max);
	return rc;
}
