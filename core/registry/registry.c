/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/registry/registry.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/registry/desc.h"

struct registry {
	struct component_type **types; /* in order of name */
	size_t len;
};

static int name_compare(const void *a, const void *b)
{
	const struct component_type *const *left = a, *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

static int key_compare(const void *key, const void *element)
{
	const struct component_type *const *type = element;

	return strcmp(key, (*type)->name);
}

const struct component_type *registry_find(const struct registry *registry, const char *name)
{
	struct component_type **found = registry->len
	    ? bsearch(name, registry->types, registry->len, sizeof(*found), key_compare)
	    : NULL;

	return found ? *found : NULL;
}

size_t registry_len(const struct registry *registry)
{
	return registry->len;
}

const struct component_type *registry_at(const struct registry *registry, size_t i)
{
	return registry->types[i];
}

void registry_close(struct registry *registry)
{
	if (!registry)
		return;
	for (size_t i = 0; i < registry->len; i++)
		component_type_free(registry->types[i]);
	free(registry->types);
	free(registry);
}

/* Takes `type` over, also when it fails. */
static int registry_add(struct registry *registry, struct component_type *type)
{
	struct component_type **types =
	    realloc(registry->types, (registry->len + 1) * sizeof(*types));

	if (!types) {
		component_type_free(type);
		return -ENOMEM;
	}
	registry->types = types;
	types[registry->len++] = type;
	qsort(types, registry->len, sizeof(*types), name_compare);
	return 0;
}

/* ---- files ------------------------------------------------------------------------ */

static int text_read(const char *path, struct diag *diag, char **ret_text, size_t *ret_len)
{
	char *text = malloc(DESC_BYTES_MAX + 1);
	FILE *file = text ? fopen(path, "re") : NULL;
	size_t len;

	if (!file) {
		diag_error(
		    diag, path, 0, "cannot be read: %s", text ? strerror(errno) : "no memory");
		free(text);
		return -EINVAL;
	}
	errno = 0;
	len = fread(text, 1, DESC_BYTES_MAX + 1, file);
	const bool failed = ferror(file);
	const int error = errno;
	fclose(file);
	if (failed)
		diag_error(diag, path, 0, "cannot be read: %s", strerror(error));
	else if (len > DESC_BYTES_MAX)
		diag_error(diag, path, 0, "is larger than %d bytes", DESC_BYTES_MAX);
	else if (memchr(text, 0, len))
		diag_error(diag, path, 0, "is not a text: it has zero bytes");
	else {
		text[len] = 0;
		*ret_text = text;
		*ret_len = len;
		return 0;
	}
	free(text);
	return -EINVAL;
}

/* A component as DIR/NAME.desc tells it: 1, 0 with what is wrong in diag, or -ENOMEM. */
static int type_read(
    const char *dir, const char *name, struct diag *diag, struct component_type **ret)
{
	char *path, *text;
	size_t len;
	int error;

	if (asprintf(&path, "%s/%s.desc", dir, name) < 0)
		return -ENOMEM;
	if (text_read(path, diag, &text, &len) < 0) {
		free(path);
		return 0;
	}
	error = desc_parse(path, text, len, diag, ret);
	if (error == 0 && strcmp((*ret)->name, name) != 0) {
		error = diag_error(diag, path, 0,
		    "is of component \"%s\"; the file must be named after it", (*ret)->name);
		component_type_free(*ret);
	} else if (error == 0) {
		(*ret)->digest = component_digest(text);
	}
	free(text);
	free(path);
	return error == -ENOMEM ? error : error == 0;
}

static int component_load(
    struct registry *registry, const char *dir, const char *name, struct diag *diag)
{
	const unsigned here = component_arch_here();
	struct component_type *type;
	int rc = registry_find(registry, name) ? 0 : type_read(dir, name, diag, &type);

	if (rc <= 0)
		return rc;
	type->builds = here < COMPONENT_ARCHES ? 1u << here : 0;
	rc = asprintf(&type->path, "%s/%s.so", dir, name) < 0 ? -ENOMEM : 0;
	if (rc)
		type->path = NULL;
	return registry_add(registry, type) < 0 ? -ENOMEM : rc;
}

int component_type_open(const char *path, struct diag *diag, struct component_type **ret)
{
	const unsigned here = component_arch_here();
	char *dir = strdup(path), *slash = dir ? strrchr(dir, '/') : NULL,
	     *dot = slash ? strrchr(slash, '.') : NULL;
	int rc = -ENOMEM;

	if (dir && (!dot || strcmp(dot, ".so") != 0)) {
		rc = diag_error(
		    diag, path, 0, "is not the path of a component; DIR/NAME.so is needed");
	} else if (dot) {
		*slash = *dot = 0;
		rc = type_read(dir, slash + 1, diag, ret);
		rc = rc > 0 ? 0 : rc == 0 ? -EINVAL : rc;
	}
	free(dir);
	if (rc)
		return rc;
	(*ret)->builds = here < COMPONENT_ARCHES ? 1u << here : 0;
	(*ret)->path = strdup(path);
	if ((*ret)->path)
		return 0;
	component_type_free(*ret);
	return -ENOMEM;
}

void component_type_close(struct component_type *type)
{
	if (type)
		component_type_free(type);
}

/* A build for another instruction set, of a component that is known here. */
static int build_load(
    struct registry *registry, const char *dir, const char *name, unsigned arch, struct diag *diag)
{
	struct component_type *type,
	    *known = (struct component_type *)registry_find(registry, name);
	const int rc = known ? type_read(dir, name, diag, &type) : 0;

	if (rc > 0) {
		known->builds |= 1u << arch;
		component_type_free(type);
	}
	return rc < 0 ? rc : 0;
}

/* Every .desc of a folder. arch: that of the builds beside them, COMPONENT_ARCHES for this
 * program's own. */
static int dir_load(struct registry *registry, const char *dir, unsigned arch, struct diag *diag)
{
	struct dirent **files;
	const int n = scandir(dir, &files, NULL, alphasort);
	int error = 0;

	if (n < 0 && errno != ENOENT)
		diag_error(
		    diag, dir, 0, "folder of components cannot be read: %s", strerror(errno));
	for (int i = 0; i < n; i++) {
		char *dot = strrchr(files[i]->d_name, '.');

		if (dot && strcmp(dot, ".desc") == 0 && !error) {
			*dot = 0;
			error = arch == COMPONENT_ARCHES
			    ? component_load(registry, dir, files[i]->d_name, diag)
			    : build_load(registry, dir, files[i]->d_name, arch, diag);
		}
		free(files[i]);
	}
	if (n >= 0)
		free(files);
	return error;
}

static int builds_load(struct registry *registry, const char *dir, struct diag *diag)
{
	int error = 0;

	for (unsigned arch = 0; !error && arch < COMPONENT_ARCHES; arch++) {
		char *path;

		if (asprintf(&path, "%s/%s", dir, component_arch_name(arch)) < 0)
			return -ENOMEM;
		error = dir_load(registry, path, arch, diag);
		free(path);
	}
	return error;
}

/* All folders: first what there is, then for what else there are builds of it. */
static int dirs_load(struct registry *registry, const char *dirs, bool builds, struct diag *diag)
{
	char *copy = strdup(dirs), *rest = copy;
	int error = copy ? 0 : -ENOMEM;

	for (char *dir; !error && (dir = strsep(&rest, ":"));)
		if (dir[0])
			error = builds ? builds_load(registry, dir, diag)
			               : dir_load(registry, dir, COMPONENT_ARCHES, diag);
	free(copy);
	return error;
}

struct registry *registry_open(const char *dirs, struct diag *diag)
{
	struct registry *registry = calloc(1, sizeof(*registry));
	const size_t errors = diag->errors;
	int error = registry ? dirs_load(registry, dirs, false, diag) : -ENOMEM;

	if (!error)
		error = dirs_load(registry, dirs, true, diag);
	if (error) {
		registry_close(registry);
		return NULL;
	}
	if (registry->len == 0 && diag->errors == errors)
		diag_error(diag, NULL, 0, "no components found: no .desc file in %s", dirs);
	return registry;
}

/* ---- what has changed ------------------------------------------------------------------------ */

static uint64_t stamp_mix(uint64_t stamp, uint64_t fact)
{
	stamp = (stamp ^ fact) * 0x9e3779b97f4a7c15ull;
	return stamp ^ stamp >> 29;
}

/* Files in whatever order the folder has them: what it adds up to is the same. */
static uint64_t stamp_dir(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	uint64_t sum = 0;

	while (dir && (entry = readdir(dir))) {
		const char *dot = strrchr(entry->d_name, '.');
		struct stat st = {0};

		if (!dot || strcmp(dot, ".desc") != 0 ||
		    fstatat(dirfd(dir), entry->d_name, &st, 0) < 0)
			continue;
		const uint64_t facts[] = {(uint64_t)st.st_ino, (uint64_t)st.st_size,
		    (uint64_t)st.st_mtim.tv_sec, (uint64_t)st.st_mtim.tv_nsec};
		uint64_t stamp = component_digest(entry->d_name);

		for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
			stamp = stamp_mix(stamp, facts[i]);
		sum += stamp;
	}
	if (dir)
		closedir(dir);
	return sum;
}

uint64_t registry_stamp(const char *dirs)
{
	char *copy = strdup(dirs), *rest = copy;
	uint64_t stamp = 0;

	for (char *dir; copy && (dir = strsep(&rest, ":"));)
		for (unsigned arch = 0; dir[0] && arch <= COMPONENT_ARCHES; arch++) {
			const char *name =
			    arch < COMPONENT_ARCHES ? component_arch_name(arch) : ".";
			char *path;

			if (asprintf(&path, "%s/%s", dir, name) < 0)
				continue;
			stamp =
			    stamp_mix(stamp_mix(stamp, component_digest(path)), stamp_dir(path));
			free(path);
		}
	free(copy);
	return stamp;
}

char *registry_dirs(void)
{
	const char *extra = getenv("ALOE_COMPONENTS"), *home = getenv("HOME");
	char program[4096], *dirs, *slash;
	const ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[len > 0 ? len : 0] = 0;
	for (int i = 0; i < 2; i++)
		if ((slash = strrchr(program, '/')))
			*slash = 0;
	if (asprintf(&dirs, "%s%s%s/lib/aloe:%s/.local/lib/aloe", extra ? extra : "",
	        extra ? ":" : "", program, home ? home : "") < 0)
		return NULL;
	return dirs;
}
