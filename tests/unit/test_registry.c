/* SPDX-License-Identifier: BSD-3-Clause
 * core/registry: a .desc says what the tables say; folders are searched in order; what is no
 * component is refused with the file and the reason. core/component/param: values go where the
 * tables say. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/component/param.h"
#include "core/registry/desc.h"
#include "core/registry/registry.h"
#include "tests/common/types.h"

struct folder {
	char path[64];
};

static void folder_make(struct folder *folder)
{
	strcpy(folder->path, "/tmp/aloe-registry-XXXXXX");
	assert_non_null(mkdtemp(folder->path));
}

static void folder_remove(const struct folder *folder)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", folder->path);
	assert_int_equal(system(command), 0);
}

static void put(const struct folder *folder, const char *name, const void *bytes, size_t len)
{
	char path[160];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static const struct aloe_entry *entry_of(const char *name)
{
	for (size_t i = 0; i < test_entries_len; i++)
		if (strcmp(test_entries[i].name, name) == 0)
			return &test_entries[i];
	fail_msg("no entry %s", name);
	return NULL;
}

static void assert_text(const char *a, const char *b)
{
	if (!a || !b)
		assert_true(a == b);
	else
		assert_string_equal(a, b);
}

static void assert_real(double a, double b)
{
	if (isnan(a) || isnan(b))
		assert_true(isnan(a) && isnan(b));
	else
		assert_true(a == b);
}

/* ---- one-to-one ------------------------------------------------------------------------ */

static void same_ports(const struct component_type *type, const struct aloe_component *component)
{
	assert_int_equal(type->n_ports, component->ports.len);
	for (size_t i = 0; i < type->n_ports; i++) {
		const struct aloe_port *a = &type->ports[i], *b = &component->ports.items[i];

		assert_string_equal(a->name, b->name);
		assert_int_equal(a->types, b->types);
		assert_int_equal(a->output, b->output);
		assert_int_equal(a->flags, b->flags);
		assert_text(a->type_param, b->type_param);
		assert_string_equal(a->doc, b->doc);
	}
}

static void same_params(const struct component_type *type, const struct aloe_component *component)
{
	assert_int_equal(type->n_params, component->params.len);
	for (size_t i = 0; i < type->n_params; i++) {
		const struct aloe_param *a = &type->params[i], *b = &component->params.items[i];

		assert_string_equal(a->name, b->name);
		assert_int_equal(a->kind, b->kind);
		assert_int_equal(a->flags, b->flags);
		assert_int_equal(a->size, b->size);
		assert_int_equal(a->offset, b->offset);
		assert_real(a->def, b->def);
		assert_real(a->min, b->min);
		assert_real(a->max, b->max);
		assert_text(a->text, b->text);
		assert_int_equal(a->items_max, b->items_max);
		assert_string_equal(a->unit, b->unit);
		assert_string_equal(a->doc, b->doc);
		assert_int_equal(a->names != NULL, b->names != NULL);
		for (size_t k = 0; b->names && (k == 0 || b->names[k - 1]); k++)
			assert_text(a->names[k], b->names[k]);
	}
}

static void same_vars(const struct component_type *type, const struct aloe_component *component)
{
	assert_int_equal(type->n_vars, component->vars.len);
	for (size_t i = 0; i < type->n_vars; i++) {
		const struct aloe_var *a = &type->vars[i], *b = &component->vars.items[i];

		assert_string_equal(a->name, b->name);
		assert_int_equal(a->real, b->real);
		assert_int_equal(a->offset, b->offset);
		assert_string_equal(a->unit, b->unit);
		assert_string_equal(a->doc, b->doc);
	}
}

static void test_desc_is_the_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < test_entries_len; i++) {
		const struct aloe_component *component = test_entries[i].component;
		struct component_type *type = NULL;
		char *text = component_describe(&test_entries[i]);
		struct diag diag;

		diag_init(&diag);
		assert_non_null(text);
		assert_int_equal(desc_parse("x.desc", text, strlen(text), &diag, &type), 0);
		assert_int_equal(diag.len, 0);
		assert_string_equal(type->name, test_entries[i].name);
		assert_string_equal(type->summary, component->summary);
		assert_text(type->doc, component->doc);
		assert_int_equal(type->kmac, component->kmac ? component->kmac : 1);
		assert_false(type->fills || type->drains || type->shapes);
		same_ports(type, component);
		same_params(type, component);
		same_vars(type, component);
		component_type_free(type);
		free(text);
	}
}

static void test_digest(void **state)
{
	(void)state;
	/* published values of FNV-1a 64 */
	assert_true(component_digest("") == 0xcbf29ce484222325u);
	assert_true(component_digest("a") == 0xaf63dc4c8601ec8cu);
	assert_true(component_digest("foobar") == 0x85944171f73967e8u);
}

static void test_item_types(void **state)
{
	static const char *const item_names[] = {
	    "bit", "byte", "i16", "llr16", "f32", "cf32", "ci16"};

	(void)state;
	for (uint32_t i = 0; i < 7; i++) {
		assert_int_equal(item_type_from_name(item_names[i]), 1u << i);
		assert_string_equal(item_type_name(1u << i), item_names[i]);
	}
	assert_int_equal(item_type_from_name("cf64"), 0);
	assert_null(item_type_name(ALOE_BIT | ALOE_I16));
	assert_null(item_type_name(0));
}

/* ---- bad .desc ------------------------------------------------------------------------ */

struct replace {
	const char *entry, *old, *new, *message;
};

/* The text of a good .desc, with one thing made wrong. */
static const struct replace bad_descs[] = {
    {"all", "\"schema\": 1", "\"schema\": 2",
        "x.desc: is made for schema 2 and ABI 5; schema 1 and ABI 5 are needed: build the "
        "component again"},
    {"all", "\"abi\": 5", "\"abi\": 99",
        "x.desc: is made for schema 1 and ABI 99; schema 1 and ABI 5 are needed: build the "
        "component again"},
    {"all", "\"name\": \"all\"", "\"name\": \"a b\"",
        "x.desc: name: \"a b\" is not allowed: a name is a letter, then letters, digits and _, "
        "at most 63 characters"},
    {"all", "\"name\": \"whole\"", "\"name\": \"wide\"",
        "x.desc: params[2]: the name \"wide\" is used already by params[1]"},
    {"all", "\"kind\": \"bool\"", "\"kind\": \"boole\"",
        "x.desc: params[3]: kind: found \"boole\"; real, int, bool, enum, text, path or reals is "
        "needed"},
    {"all", "\"default\": 0.5", "\"default\": 1.5",
        "x.desc: params[0]: default 1.5 is outside [-1, 1]"},
    {"all", "\"min\": -10.0", "\"min\": 11.0", "x.desc: params[2]: min 11 is above max 10"},
    {"all", "\"text\": \"medium\"", "\"text\": \"middling\"",
        "x.desc: params[4]: text: default \"middling\" is not among names"},
    {"all", "\"text\": \"hello\"", "\"text\": \"hello hello\"",
        "x.desc: params[5]: text: the default is longer than size = 8"},
    {"all", "\"size\": 1,", "\"size\": 2,",
        "x.desc: params[3]: size: 2 is not a size of this kind"},
    {"all", "\"offset\": 0,", "\"offset\": 4000,",
        "x.desc: params[0]: the field (offset 4000, size 4) lies outside the state, whose size is "
        "112"},
    {"all", "\"offset\": 0,", "\"offset\": -1,",
        "x.desc: params[0]: offset: found -1; a whole number 0 .. 268435456 is needed"},
    {"all", "\"offset\": 0,", "\"offset\": \"0\",",
        "x.desc: params[0]: offset: found a text; a whole number 0 .. 268435456 is needed"},
    {"all", "\"live\": true", "\"live\": 1",
        "x.desc: params[0]: live: found a number; true or false is needed"},
    {"all", "\"variables\"", "\"varables\"", "x.desc: variables: found nothing; a list is needed"},
    {"all", "\"kind\": \"u64\"", "\"kind\": \"u32\"",
        "x.desc: variables[0]: kind: found \"u32\"; f64 or u64 is needed"},
    {"mod", "\"cf32\",\n", "\"cf64\",\n",
        "x.desc: ports[1]: types[1]: \"cf64\" is not an item type"},
    {"mod", "\"type_param\": \"output\"", "\"type_param\": \"input\"",
        "x.desc: ports[1]: type_param: \"input\" is not an enum parameter"},
    {"mod", "\"names\": [\n    \"i16\"", "\"names\": [\n    \"bit\"",
        "x.desc: ports[1]: type_param: output = \"bit\" is not one of the port's types"},
    {"mod", "\"direction\": \"out\"", "\"direction\": \"up\"",
        "x.desc: ports[1]: direction: found \"up\"; in or out is needed"},
    {"all", "\"tail\": 0", "\"tail\": 1048577",
        "x.desc: tail: found 1048577; a whole number 0 .. 1048576 is needed"},
    {"all", "\"tail\": 0", "\"tial\": 0",
        "x.desc: tail: found nothing; a whole number 0 .. 1048576 is needed"},
    {"mod", "{\n", "[\n", "x.desc:2: not JSON: ']' expected near ':'"},
};

static char *replaced(const struct replace *replace)
{
	char *text = component_describe(entry_of(replace->entry)), *bad;
	const char *at = text ? strstr(text, replace->old) : NULL;

	assert_non_null(at);
	assert_true(asprintf(&bad, "%.*s%s%s", (int)(at - text), text, replace->new,
	                at + strlen(replace->old)) > 0);
	free(text);
	return bad;
}

static void test_bad_descs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad_descs) / sizeof(bad_descs[0]); i++) {
		struct component_type *type = NULL;
		char *text = replaced(&bad_descs[i]);
		struct diag diag;

		diag_init(&diag);
		assert_int_equal(desc_parse("x.desc", text, strlen(text), &diag, &type), -EINVAL);
		assert_null(type);
		assert_int_equal(diag.len, 1);
		assert_string_equal(diag.lines[0], bad_descs[i].message);
		diag_fini(&diag);
		free(text);
	}
}

/* Cut anywhere, a .desc is refused, never taken for whole. */
static void test_cut_descs(void **state)
{
	char *text = component_describe(entry_of("all"));

	(void)state;
	for (size_t len = 0; len + 2 < strlen(text); len++) {
		struct component_type *type = NULL;
		struct diag diag;

		diag_init(&diag);
		assert_int_equal(desc_parse("x.desc", text, len, &diag, &type), -EINVAL);
		assert_int_equal(diag.len, 1);
		assert_non_null(strstr(diag.lines[0], "not JSON: "));
		diag_fini(&diag);
	}
	free(text);
}

static void test_deep_desc(void **state)
{
	struct component_type *type = NULL;
	char text[2000];
	struct diag diag;

	(void)state;
	memset(text, '[', sizeof(text));
	diag_init(&diag);
	assert_int_equal(desc_parse("x.desc", text, sizeof(text), &diag, &type), -EINVAL);
	assert_string_equal(diag.lines[0], "x.desc: brackets are nested deeper than 64 levels");
	diag_fini(&diag);
}

/* ---- folders ------------------------------------------------------------------------ */

static void put_desc(const struct folder *folder, const char *name, const char *summary)
{
	struct aloe_component component = *entry_of("copy")->component;
	const struct aloe_entry entry = {ALOE_ABI, name, &component};
	char file[80], *text;

	component.summary = summary;
	text = component_describe(&entry);
	snprintf(file, sizeof(file), "%s.desc", name);
	put(folder, file, text, strlen(text));
	free(text);
}

static void test_first_folder_wins(void **state)
{
	struct folder one, two;
	char dirs[200], path[160];
	struct diag diag;

	(void)state;
	folder_make(&one);
	folder_make(&two);
	put_desc(&one, "copy", "of one");
	put_desc(&two, "copy", "of two");
	put_desc(&two, "beta", "of two");
	put_desc(&two, "alpha", "of two");
	put(&two, "notes.txt", "x", 1);
	snprintf(dirs, sizeof(dirs), ":%s:/nonexistent::%s", one.path, two.path);
	diag_init(&diag);
	struct registry *registry = registry_open(dirs, &diag);
	assert_non_null(registry);
	assert_int_equal(diag.len, 0);
	assert_int_equal(registry_len(registry), 3);
	assert_string_equal(registry_at(registry, 0)->name, "alpha");
	assert_string_equal(registry_at(registry, 1)->name, "beta");
	assert_string_equal(registry_at(registry, 2)->name, "copy");
	assert_ptr_equal(registry_find(registry, "beta"), registry_at(registry, 1));
	assert_string_equal(registry_find(registry, "copy")->summary, "of one");
	assert_null(registry_find(registry, "gamma"));
	snprintf(path, sizeof(path), "%s/copy.so", one.path);
	assert_string_equal(registry_find(registry, "copy")->path, path);
	registry_close(registry);
	diag_fini(&diag);
	folder_remove(&one);
	folder_remove(&two);
}

/* A folder named after an instruction set, in any folder of components, says what else is built;
 * what is only there is not known here. */
static void test_builds(void **state)
{
	const unsigned here = component_arch_here(), other = here == 1 ? 0 : 1;
	struct folder one, two, foreign;
	char dirs[200], line[320];
	struct registry *registry;
	struct diag diag;

	(void)state;
	folder_make(&one);
	folder_make(&two);
	put_desc(&one, "alpha", "here and there");
	put_desc(&one, "beta", "here");
	snprintf(
	    foreign.path, sizeof(foreign.path), "%.40s/%s", two.path, component_arch_name(other));
	assert_int_equal(mkdir(foreign.path, 0700), 0);
	put_desc(&foreign, "alpha", "another text");
	put_desc(&foreign, "gamma", "only there");
	put(&foreign, "beta.desc", "{}", 2);
	snprintf(dirs, sizeof(dirs), "%s:%s", two.path, one.path);
	diag_init(&diag);
	registry = registry_open(dirs, &diag);
	assert_int_equal(registry_len(registry), 2);
	assert_string_equal(registry_find(registry, "alpha")->summary, "here and there");
	for (unsigned arch = 0; arch < COMPONENT_ARCHES; arch++) {
		const char *name = component_arch_name(arch);

		assert_int_equal(component_builds(registry_find(registry, "alpha"), name),
		    arch == here || arch == other);
		assert_int_equal(
		    component_builds(registry_find(registry, "beta"), name), arch == here);
	}
	assert_null(component_arch_name(COMPONENT_ARCHES));
	assert_false(component_builds(registry_find(registry, "alpha"), "vax"));
	snprintf(line, sizeof(line), "%s/beta.desc: ", foreign.path);
	assert_true(diag.errors > 0 && strncmp(diag.lines[0], line, strlen(line)) == 0);
	registry_close(registry);
	diag_fini(&diag);
	folder_remove(&one);
	folder_remove(&two);
}

/* Whatever is written, added or removed changes the stamp. */
static void test_stamp(void **state)
{
	struct folder one;
	uint64_t stamps[6];
	char path[160];

	(void)state;
	folder_make(&one);
	stamps[0] = registry_stamp(one.path);
	put_desc(&one, "alpha", "here");
	stamps[1] = registry_stamp(one.path);
	put_desc(&one, "beta", "here");
	stamps[2] = registry_stamp(one.path);
	put_desc(&one, "beta", "otherwise");
	stamps[3] = registry_stamp(one.path);
	snprintf(path, sizeof(path), "%s/aarch64", one.path);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/aarch64/beta.desc", one.path);
	assert_int_equal(symlink("../beta.desc", path), 0);
	stamps[4] = registry_stamp(one.path);
	put(&one, "notes.txt", "x", 1);
	assert_true(registry_stamp(one.path) == stamps[4]);
	snprintf(path, sizeof(path), "%s/alpha.desc", one.path);
	assert_int_equal(unlink(path), 0);
	stamps[5] = registry_stamp(one.path);
	for (int a = 0; a < 6; a++)
		for (int b = 0; b < a; b++)
			assert_true(stamps[a] != stamps[b]);
	folder_remove(&one);
}

static void test_bad_files_are_left_out(void **state)
{
	struct folder folder;
	struct diag diag;
	char line[320];
	char *huge = calloc(1, DESC_BYTES_MAX + 1);

	(void)state;
	folder_make(&folder);
	put_desc(&folder, "good", "is read");
	put_desc(&folder, "other", "has another name");
	put(&folder, "empty.desc", "", 0);
	put(&folder, "zero.desc", "{\0}", 3);
	memset(huge, ' ', DESC_BYTES_MAX + 1);
	put(&folder, "huge.desc", huge, DESC_BYTES_MAX + 1);
	snprintf(line, sizeof(line), "mv %s/other.desc %s/another.desc; mkdir %s/dir.desc",
	    folder.path, folder.path, folder.path);
	assert_int_equal(system(line), 0);
	diag_init(&diag);
	struct registry *registry = registry_open(folder.path, &diag);
	assert_int_equal(registry_len(registry), 1);
	assert_non_null(registry_find(registry, "good"));
	assert_int_equal(diag.errors, 5);
	snprintf(line, sizeof(line),
	    "%s/another.desc: is of component \"other\"; the file must be named after it",
	    folder.path);
	assert_string_equal(diag.lines[0], line);
	snprintf(line, sizeof(line), "%s/dir.desc: cannot be read: Is a directory", folder.path);
	assert_string_equal(diag.lines[1], line);
	assert_non_null(strstr(diag.lines[2], "/empty.desc:1: not JSON: "));
	snprintf(line, sizeof(line), "%s/huge.desc: is larger than 1048576 bytes", folder.path);
	assert_string_equal(diag.lines[3], line);
	snprintf(line, sizeof(line), "%s/zero.desc: is not a text: it has zero bytes", folder.path);
	assert_string_equal(diag.lines[4], line);
	registry_close(registry);
	diag_fini(&diag);
	free(huge);
	folder_remove(&folder);
}

static void test_no_components(void **state)
{
	struct diag diag;

	(void)state;
	diag_init(&diag);
	struct registry *registry = registry_open("/nonexistent:/nowhere", &diag);
	assert_int_equal(registry_len(registry), 0);
	assert_null(registry_find(registry, "copy"));
	assert_string_equal(
	    diag.lines[0], "no components found: no .desc file in /nonexistent:/nowhere");
	registry_close(registry);
	diag_fini(&diag);
}

static void test_default_folders(void **state)
{
	char self[4096] = {0}, wanted[5000];

	(void)state;
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	*strrchr(self, '/') = 0;
	*strrchr(self, '/') = 0;
	assert_int_equal(setenv("HOME", "/there", 1), 0);
	assert_int_equal(setenv("ALOE_COMPONENTS", "/a:/b", 1), 0);
	char *dirs = registry_dirs();
	snprintf(wanted, sizeof(wanted), "/a:/b:%s/lib/aloe:/there/.local/lib/aloe", self);
	assert_string_equal(dirs, wanted);
	free(dirs);
	assert_int_equal(unsetenv("ALOE_COMPONENTS"), 0);
	dirs = registry_dirs();
	assert_string_equal(dirs, strstr(wanted, self));
	free(dirs);
}

/* ---- .so ------------------------------------------------------------------------ */

/* Where the build put the components: BUILD/lib/aloe, this program being
 * BUILD/tests/unit/test_registry. */
static void component_path(const char *name, char *path, size_t size)
{
	char self[4096] = {0};

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	for (int i = 0; i < 3; i++)
		*strrchr(self, '/') = 0;
	assert_true((size_t)snprintf(path, size, "%s/lib/aloe/%s", self, name) < size);
}

static char *read_all(const char *path, size_t *ret_len)
{
	struct stat info;
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	assert_int_equal(stat(path, &info), 0);
	char *bytes = malloc((size_t)info.st_size + 1);
	assert_int_equal(fread(bytes, 1, (size_t)info.st_size, file), info.st_size);
	bytes[info.st_size] = 0;
	fclose(file);
	*ret_len = (size_t)info.st_size;
	return bytes;
}

static void test_open_a_component(void **state)
{
	const struct aloe_entry *entry = NULL;
	void *handle = NULL;
	char path[4200];
	struct diag diag;
	size_t len;

	(void)state;
	component_path("gain.so", path, sizeof(path));
	diag_init(&diag);
	assert_int_equal(component_open(path, &diag, &handle, &entry), 0);
	assert_string_equal(entry->name, "gain");
	char *text = component_describe(entry);
	component_path("gain.desc", path, sizeof(path));
	char *file = read_all(path, &len);
	assert_string_equal(text, file);
	component_close(handle);
	diag_fini(&diag);
	free(text);
	free(file);
}

/* A copy of the component's file in which the number at `field`, of the component as it is loaded,
 * is 1. */
static void put_changed(
    const struct folder *folder, const char *name, const void *handle_of, const void *field)
{
	const ElfW(Phdr) * segments;
	const ElfW(Ehdr) * head;
	char path[4200], file[80], *so;
	uint64_t at;
	Dl_info info;
	size_t len;

	snprintf(file, sizeof(file), "%s.so", name);
	component_path(file, path, sizeof(path));
	so = read_all(path, &len);
	assert_true(dladdr(handle_of, &info) != 0);
	at = (uint64_t)((const uint8_t *)field - (const uint8_t *)info.dli_fbase);
	head = (const void *)so;
	segments = (const void *)(so + head->e_phoff);
	for (unsigned i = 0; i < head->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD && at >= segments[i].p_vaddr &&
		    at < segments[i].p_vaddr + segments[i].p_filesz)
			so[at - segments[i].p_vaddr + segments[i].p_offset] = 1;
	put(folder, file, so, len);
	free(so);
}

static void assert_refused(const struct folder *folder, const char *name, const char *reason)
{
	const struct aloe_entry *entry = NULL;
	void *handle = NULL;
	char path[160], line[400];
	struct diag diag;

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	diag_init(&diag);
	assert_int_equal(component_open(path, &diag, &handle, &entry), -ENOEXEC);
	assert_null(handle);
	assert_null(entry);
	assert_int_equal(diag.errors, 1);
	snprintf(line, sizeof(line), "%s: %s", path, reason);
	assert_string_equal(diag.lines[0], line);
	diag_fini(&diag);
}

static void test_impossible_fields(void **state)
{
	const struct aloe_entry *entry;
	struct folder folder;
	struct diag diag;
	char path[4200];
	void *handle;

	(void)state;
	component_path("gain.so", path, sizeof(path));
	diag_init(&diag);
	assert_int_equal(component_open(path, &diag, &handle, &entry), 0);
	folder_make(&folder);
	put_changed(&folder, "gain", entry, (const uint8_t *)&entry->component->tail + 3);
	assert_refused(&folder, "gain.so", "states tail = 16777216; at most 1048576 is allowed");
	component_close(handle);
	component_path("file_source.so", path, sizeof(path));
	assert_int_equal(component_open(path, &diag, &handle, &entry), 0);
	put_changed(&folder, "file_source", entry, &entry->component->work_many);
	assert_refused(
	    &folder, "file_source.so", "has work_many, and no work, which must be there, too");
	folder_remove(&folder);
	component_close(handle);
	diag_fini(&diag);
}

static void test_what_is_no_component(void **state)
{
	struct folder folder;
	char path[4200];
	size_t len;

	(void)state;
	folder_make(&folder);
	component_path("gain.so", path, sizeof(path));
	char *so = read_all(path, &len);
	put(&folder, "other.so", so, len);
	put(&folder, "short.so", so, 40);
	put(&folder, "cut.so", so, len / 2);
	put(&folder, "text.so",
	    "This is no shared object at all, but it is long enough to have been one.", 72);
	so[18] ^= 0x55; /* e_machine */
	put(&folder, "arm.so", so, len);
	so[18] ^= 0x55;
	so[16] = 2; /* e_type: a program */
	put(&folder, "program.so", so, len);
	assert_refused(&folder, "missing.so", "No such file or directory");
	assert_refused(&folder, ".", "is no file");
	assert_refused(
	    &folder, "other.so", "is not a component: the symbol aloe_component_other is missing");
	assert_refused(&folder, "short.so", "is not a shared object (shorter than an ELF header)");
	assert_refused(
	    &folder, "cut.so", "is cut short (its tables lie beyond the end of the file)");
	assert_refused(&folder, "text.so", "is not a shared object (no ELF header)");
	assert_refused(&folder, "arm.so", "is made for another kind of processor");
	assert_refused(&folder, "program.so", "is not a shared object (another kind of ELF file)");
	free(so);
	folder_remove(&folder);
}

/* A component cut at any length is refused: by us where the loader would be killed by SIGBUS. */
static void test_cut_at_every_length(void **state)
{
	struct folder folder;
	char path[4200], cut[160];
	size_t len;

	(void)state;
	folder_make(&folder);
	component_path("gain.so", path, sizeof(path));
	char *so = read_all(path, &len);
	snprintf(cut, sizeof(cut), "%s/gain.so", folder.path);
	for (size_t n = 0; n < len; n += n < 4096 ? 16 : 511) {
		const struct aloe_entry *entry;
		void *handle;
		struct diag diag;

		put(&folder, "gain.so", so, n);
		diag_init(&diag);
		assert_int_equal(component_open(cut, &diag, &handle, &entry), -ENOEXEC);
		assert_int_equal(diag.errors, 1);
		diag_fini(&diag);
	}
	free(so);
	folder_remove(&folder);
}

/* ---- parameters ------------------------------------------------------------------------ */

static const struct aloe_param *param_of(const char *name)
{
	const struct aloe_component *component = entry_of("all")->component;

	for (uint32_t i = 0; i < component->params.len; i++)
		if (strcmp(component->params.items[i].name, name) == 0)
			return &component->params.items[i];
	fail_msg("no parameter %s", name);
	return NULL;
}

static void test_param_defaults(void **state)
{
	_Alignas(16) uint8_t self[256] = {0};

	(void)state;
	param_defaults(entry_of("all")->component, self);
	assert_true(param_get_number(param_of("narrow"), self) == 0.5);
	assert_true(isnan(param_get_number(param_of("wide"), self)));
	assert_true(param_get_number(param_of("whole"), self) == -3);
	assert_true(param_get_number(param_of("truth"), self) == 1);
	assert_true(param_get_number(param_of("mode"), self) == 1);
	assert_string_equal((char *)self + param_of("text")->offset, "hello");
	assert_string_equal((char *)self + param_of("path")->offset, "");
	assert_true(isnan(param_get_number(param_of("text"), self)));
}

static void test_param_set(void **state)
{
	static const float taps[] = {1, 2, 3, 4, 5};
	_Alignas(16) uint8_t self[256] = {0};
	struct aloe_reals reals;

	(void)state;
	assert_int_equal(param_set_number(param_of("narrow"), self, 0.25), 0);
	assert_int_equal(param_set_number(param_of("wide"), self, 1e200), 0);
	assert_int_equal(param_set_number(param_of("whole"), self, -9), 0);
	assert_int_equal(param_set_number(param_of("mode"), self, 2), 0);
	assert_int_equal(param_set_number(param_of("truth"), self, 1), 0);
	assert_int_equal(param_set_text(param_of("text"), self, "1234567"), 0);
	assert_int_equal(param_set_reals(param_of("taps"), self, taps, 4), 0);
	assert_true(param_get_number(param_of("narrow"), self) == 0.25);
	assert_true(param_get_number(param_of("wide"), self) == 1e200);
	assert_true(param_get_number(param_of("whole"), self) == -9);
	assert_true(param_get_number(param_of("mode"), self) == 2);
	assert_true(param_get_number(param_of("truth"), self) == 1);
	assert_string_equal((char *)self + param_of("text")->offset, "1234567");
	memcpy(&reals, self + param_of("taps")->offset, sizeof(reals));
	assert_ptr_equal(reals.data, taps);
	assert_int_equal(reals.len, 4);
}

static void test_param_refused(void **state)
{
	static const float taps[5];
	_Alignas(16) uint8_t self[256] = {0}, before[256] = {0};

	(void)state;
	assert_int_equal(param_set_number(param_of("whole"), self, 0.5), -EINVAL);
	assert_int_equal(param_set_number(param_of("whole"), self, 0x1p40), -EINVAL);
	assert_int_equal(param_set_number(param_of("whole"), self, NAN), -EINVAL);
	assert_int_equal(param_set_number(param_of("mode"), self, 3), -EINVAL);
	assert_int_equal(param_set_number(param_of("mode"), self, -1), -EINVAL);
	assert_int_equal(param_set_number(param_of("truth"), self, 2), -EINVAL);
	assert_int_equal(param_set_number(param_of("text"), self, 1), -EINVAL);
	assert_int_equal(param_set_text(param_of("text"), self, "12345678"), -E2BIG);
	assert_int_equal(param_set_text(param_of("whole"), self, "1"), -EINVAL);
	assert_int_equal(param_set_reals(param_of("taps"), self, taps, 5), -E2BIG);
	assert_int_equal(param_set_reals(param_of("text"), self, taps, 1), -EINVAL);
	assert_memory_equal(self, before, sizeof(self));
}

/* Unsigned and 64-bit fields. */
static void test_param_wide(void **state)
{
	struct fields {
		uint32_t word;
		uint64_t large;
		int64_t negative;
	} fields = {0, 0, 0};
	const struct aloe_param word =
	    ALOE_PARAM_INT(struct fields, word, 0, 0, 4294967295.0, "", 0, "");
	const struct aloe_param large =
	    ALOE_PARAM_INT(struct fields, large, 0, 0, 0x1p53, "", 0, "");
	const struct aloe_param negative =
	    ALOE_PARAM_INT(struct fields, negative, 0, -0x1p53, 0, "", 0, "");

	(void)state;
	assert_int_equal(param_set_number(&word, &fields, 4294967295.0), 0);
	assert_int_equal(param_set_number(&word, &fields, 4294967296.0), -EINVAL);
	assert_int_equal(param_set_number(&large, &fields, 0x1p53), 0);
	assert_int_equal(param_set_number(&large, &fields, 0x1p54), -EINVAL);
	assert_int_equal(param_set_number(&negative, &fields, -0x1p53), 0);
	assert_true(fields.word == UINT32_MAX && fields.large == 1ull << 53 &&
	    fields.negative == -(1ll << 53));
	assert_true(param_get_number(&word, &fields) == 4294967295.0);
	assert_true(param_get_number(&large, &fields) == 0x1p53);
	assert_true(param_get_number(&negative, &fields) == -0x1p53);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_desc_is_the_tables),
	    cmocka_unit_test(test_digest),
	    cmocka_unit_test(test_item_types),
	    cmocka_unit_test(test_bad_descs),
	    cmocka_unit_test(test_cut_descs),
	    cmocka_unit_test(test_deep_desc),
	    cmocka_unit_test(test_first_folder_wins),
	    cmocka_unit_test(test_builds),
	    cmocka_unit_test(test_stamp),
	    cmocka_unit_test(test_bad_files_are_left_out),
	    cmocka_unit_test(test_no_components),
	    cmocka_unit_test(test_default_folders),
	    cmocka_unit_test(test_open_a_component),
	    cmocka_unit_test(test_what_is_no_component),
	    cmocka_unit_test(test_impossible_fields),
	    cmocka_unit_test(test_cut_at_every_length),
	    cmocka_unit_test(test_param_defaults),
	    cmocka_unit_test(test_param_set),
	    cmocka_unit_test(test_param_refused),
	    cmocka_unit_test(test_param_wide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
