/* SPDX-License-Identifier: BSD-3-Clause
 * The door to dlopen. The loader trusts what it maps: a file cut short kills the process with
 * SIGBUS, so the ELF tables are held against the file's size first. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/registry/registry.h"

static bool read_at(int fd, void *to, size_t len, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, to, len, (off_t)offset) == (ssize_t)len;
}

static const char *header_check(const ElfW(Ehdr) * head, uint64_t size)
{
	ElfW(Ehdr) own;
	extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

	memcpy(&own, &__ehdr_start, sizeof(own)); /* this program knows which machine it runs on */
	if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
		return "is not a shared object (no ELF header)";
	if (head->e_ident[EI_CLASS] != own.e_ident[EI_CLASS] ||
	    head->e_ident[EI_DATA] != own.e_ident[EI_DATA] || head->e_machine != own.e_machine)
		return "is made for another kind of processor";
	if (head->e_type != ET_DYN || head->e_phentsize != sizeof(ElfW(Phdr)) || head->e_phnum == 0)
		return "is not a shared object (another kind of ELF file)";
	if (head->e_phoff > size || head->e_phnum * sizeof(ElfW(Phdr)) > size - head->e_phoff ||
	    head->e_shoff > size ||
	    (uint64_t)head->e_shnum * head->e_shentsize > size - head->e_shoff)
		return "is cut short (its tables lie beyond the end of the file)";
	return NULL;
}

static const char *segments_check(int fd, const ElfW(Ehdr) * head, uint64_t size)
{
	bool load = false, dynamic = false;

	for (unsigned i = 0; i < head->e_phnum; i++) {
		ElfW(Phdr) segment;

		if (!read_at(fd, &segment, sizeof(segment), head->e_phoff + i * sizeof(segment)))
			return "cannot be read";
		if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC)
			continue;
		load |= segment.p_type == PT_LOAD;
		dynamic |= segment.p_type == PT_DYNAMIC;
		if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
			return "is cut short (a segment lies beyond the end of the file)";
		if (segment.p_memsz > INT32_MAX || segment.p_vaddr > INT64_MAX - segment.p_memsz)
			return "is damaged (a segment of impossible size)";
	}
	return load && dynamic ? NULL : "is damaged (it has nothing to load)";
}

static const char *file_check(const char *path)
{
	ElfW(Ehdr) head;
	struct stat stat;
	const char *reason;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return strerror(errno);
	if (fstat(fd, &stat) < 0 || !S_ISREG(stat.st_mode))
		reason = "is no file";
	else if (!read_at(fd, &head, sizeof(head), 0))
		reason = "is not a shared object (shorter than an ELF header)";
	else if (!(reason = header_check(&head, (uint64_t)stat.st_size)))
		reason = segments_check(fd, &head, (uint64_t)stat.st_size);
	close(fd);
	return reason;
}

static int entry_check(
    const char *path, const char *name, const struct aloe_entry *entry, struct diag *diag)
{
	if (!entry)
		diag_error(diag, path, 0,
		    "is not a component: the symbol aloe_component_%s is missing", name);
	else if (entry->abi != ALOE_ABI)
		diag_error(diag, path, 0,
		    "is built for ABI %u, and ABI %d is needed: build the "
		    "component again",
		    entry->abi, ALOE_ABI);
	else if (!entry->name || strcmp(entry->name, name) != 0 || !entry->component)
		diag_error(
		    diag, path, 0, "is not a component: its entry does not say \"%s\"", name);
	else if (!entry->component->work && !entry->component->fill && !entry->component->drain)
		diag_error(diag, path, 0, "is not a component: it has no work, fill or drain");
	else if (entry->component->work_many && !entry->component->work)
		diag_error(diag, path, 0, "has work_many, and no work, which must be there, too");
	else if (entry->component->stateless > 1)
		diag_error(diag, path, 0, "states stateless = %u; 0 or 1 is allowed",
		    entry->component->stateless);
	else if (entry->component->tail > COMPONENT_TAIL_MAX)
		diag_error(diag, path, 0, "states tail = %u; at most %d is allowed",
		    entry->component->tail, COMPONENT_TAIL_MAX);
	else
		return 0;
	return -ENOEXEC;
}

/* NULL: diag says why. */
static void *file_load(const char *path, struct diag *diag)
{
	const char *reason = file_check(path);
	char full[PATH_MAX];
	void *handle;

	if (reason) {
		diag_error(diag, path, 0, "%s", reason);
		return NULL;
	}
	snprintf(full, sizeof(full), "%s%s", strchr(path, '/') ? "" : "./", path);
	handle = dlopen(full, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		reason = dlerror();
		diag_error(
		    diag, path, 0, "cannot be loaded: %s", reason ? reason : "unknown reason");
	}
	return handle;
}

int library_open(const char *path, const char *symbol, struct diag *diag, const void **ret_symbol)
{
	void *handle = file_load(path, diag);
	const void *found = handle ? dlsym(handle, symbol) : NULL;

	if (!handle)
		return -ENOEXEC;
	if (!found) {
		dlclose(handle);
		diag_error(diag, path, 0, "has no symbol %s", symbol);
		return -ENOEXEC;
	}
	*ret_symbol = found;
	return 0;
}

static int library_path(const char *name, char *ret_path, size_t size)
{
	const char *dir = getenv("ALOE_TRANSPORTS");
	char program[PATH_MAX], *slash;
	const ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	int n;

	program[len > 0 ? len : 0] = 0;
	for (int i = 0; i < 2; i++)
		if ((slash = strrchr(program, '/')))
			*slash = 0;
	n = snprintf(ret_path, size, "%s%s/%s.so", dir ? dir : program,
	    dir ? "" : "/lib/aloe-transports", name);
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

const void *library_find(const char *name, const char *symbol, struct diag *diag)
{
	const void *found = NULL;
	char path[PATH_MAX];

	if (library_path(name, path, sizeof(path)) == 0)
		(void)library_open(path, symbol, diag, &found);
	return found;
}

int component_open(
    const char *path, struct diag *diag, void **ret_handle, const struct aloe_entry **ret_entry)
{
	const char *base = strrchr(path, '/');
	char name[NAME_MAX + 1], symbol[NAME_MAX + 32];
	void *handle = file_load(path, diag);

	if (!handle)
		return -ENOEXEC;
	snprintf(name, sizeof(name), "%s", base ? base + 1 : path);
	name[strcspn(name, ".")] = 0;
	snprintf(symbol, sizeof(symbol), "aloe_component_%s", name);
	const struct aloe_entry *entry = dlsym(handle, symbol);
	if (entry_check(path, name, entry, diag) < 0) {
		dlclose(handle);
		return -ENOEXEC;
	}
	*ret_handle = handle;
	*ret_entry = entry;
	return 0;
}

void component_close(void *handle)
{
	if (handle)
		dlclose(handle);
}

/* ---- each file once ------------------------------------------------------------------------ */

static int files_grow(struct component_files *files)
{
	struct component_file *items =
	    realloc(files->items, (files->len + 1) * sizeof(*files->items));

	if (!items)
		return -ENOMEM;
	files->items = items;
	return 0;
}

/* The file is whole, or nothing of it is kept. */
static int file_add(struct component_files *files, const char *path, struct diag *diag)
{
	struct component_file file = {.path = strdup(path)};
	int rc = file.path ? files_grow(files) : -ENOMEM;
	char *text = NULL;

	if (rc == 0)
		rc = component_open(path, diag, &file.handle, &file.entry);
	if (rc == 0) {
		text = component_describe(file.entry);
		rc = text
		    ? name_map_put(&files->paths, file.path, strlen(path), (uint32_t)files->len)
		    : -ENOMEM;
	}
	if (rc == 0) {
		file.digest = component_digest(text);
		files->items[files->len++] = file;
	} else {
		component_close(file.handle);
		free(file.path);
	}
	free(text);
	return rc;
}

const struct component_file *component_files_open(
    struct component_files *files, const char *path, struct diag *diag)
{
	int64_t found = name_map_find(&files->paths, path, strlen(path));
	int rc = 0;

	if (found < 0) {
		rc = file_add(files, path, diag);
		found = (int64_t)files->len - 1;
	}
	if (rc == -ENOMEM)
		diag_error(diag, path, 0, "no memory");
	return rc == 0 ? &files->items[found] : NULL;
}

void component_files_close(struct component_files *files)
{
	for (size_t i = 0; i < files->len; i++) {
		component_close(files->items[i].handle);
		free(files->items[i].path);
	}
	free(files->items);
	name_map_fini(&files->paths);
	*files = (struct component_files){0};
}
