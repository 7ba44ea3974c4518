/* SPDX-License-Identifier: BSD-3-Clause
 * Which build of a component it is: the content of its file. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/file.h"
#include "core/registry/registry.h"

enum { SO_BYTES_MAX = 1 << 28 };

static bool same_file(const struct component_build *build, const struct stat *stat)
{
	return build->size == (uint64_t)stat->st_size && build->inode == (uint64_t)stat->st_ino &&
	    build->changed.tv_sec == stat->st_mtim.tv_sec &&
	    build->changed.tv_nsec == stat->st_mtim.tv_nsec;
}

const char *component_build(const struct component_type *type)
{
	struct component_build *build = type->build;
	struct stat now;

	if (!build || !type->path || stat(type->path, &now) < 0)
		return "";
	if (build->sha256[0] && same_file(build, &now))
		return build->sha256;
	*build = (struct component_build){
	    .size = (uint64_t)now.st_size, .inode = (uint64_t)now.st_ino, .changed = now.st_mtim};
	if (sha256_file(type->path, SO_BYTES_MAX, build->sha256) < 0)
		build->sha256[0] = 0;
	return build->sha256;
}

/* The file for another instruction set, DIR/ARCH/NAME.so. */
static int arch_path(const char *path, const char *arch, char *ret_path, size_t size)
{
	const char *slash = strrchr(path, '/');

	return slash
	    ? path_print(ret_path, size, "%.*s/%s%s", (int)(slash - path), path, arch, slash)
	    : -ENOENT;
}

static bool has(const char *path, const char *sha256)
{
	char found[SHA256_TEXT];

	return sha256_file(path, SO_BYTES_MAX, found) == 0 && strcmp(found, sha256) == 0;
}

static bool arch_is(const struct component_type *type, unsigned arch, const char *sha256)
{
	char path[PATH_MAX];

	return arch_path(type->path, component_arch_name(arch), path, sizeof(path)) == 0 &&
	    has(path, sha256);
}

void component_build_for(
    const struct component_type *type, const char *arch, char ret_sha256[SHA256_TEXT])
{
	const char *here = component_arch_name(component_arch_here());
	char path[PATH_MAX];

	ret_sha256[0] = 0;
	if (!arch[0] || (here && strcmp(arch, here) == 0))
		snprintf(ret_sha256, SHA256_TEXT, "%s", component_build(type));
	else if (!type->path || arch_path(type->path, arch, path, sizeof(path)) < 0 ||
	    sha256_file(path, SO_BYTES_MAX, ret_sha256) < 0)
		ret_sha256[0] = 0;
}

int component_file(const char *path, const char *sha256, char *ret_path, size_t size)
{
	if (path_print(ret_path, size, "%s", path) == 0 && has(ret_path, sha256))
		return 0;
	for (unsigned arch = 0; component_arch_name(arch); arch++)
		if (arch_path(path, component_arch_name(arch), ret_path, size) == 0 &&
		    has(ret_path, sha256))
			return 0;
	return -ENOENT;
}

bool component_build_is(const struct component_type *type, const char *sha256)
{
	if (strcmp(component_build(type), sha256) == 0)
		return true;
	for (unsigned arch = 0; type->path && sha256[0] && component_arch_name(arch); arch++)
		if ((type->builds >> arch & 1) && arch_is(type, arch, sha256))
			return true;
	return false;
}
