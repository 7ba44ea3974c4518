/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a component says of itself, and what its object file says of it: for every component of the
 * build. */
#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/map/class.h"
#include "tests/contract/each.h"

static const char *const type_names[] = {"bit", "byte", "i16", "llr16", "f32", "cf32", "ci16"};
static const char *const reserved[] = {
    "component", "pin", "isolation", "period", "phase", "budget_us", "tap", "beside", "replicas"};

/* ---- the tables ---- */

static bool is_identifier(const char *name)
{
	if (!name || !islower((unsigned char)name[0]))
		return false;
	for (; *name; name++)
		if (!islower((unsigned char)*name) && !isdigit((unsigned char)*name) &&
		    *name != '_')
			return false;
	return true;
}

static bool is_text(const char *text)
{
	return text && text[0] && !strchr(text, '\n') && strlen(text) <= 160;
}

static bool is_type_name(const char *name, uint32_t types)
{
	for (unsigned i = 0; i < 7; i++)
		if (!strcmp(name, type_names[i]))
			return types & 1u << i;
	return false;
}

static const struct aloe_param *find_param(const struct aloe_component *c, const char *name)
{
	for (uint32_t i = 0; i < c->params.len; i++)
		if (!strcmp(c->params.items[i].name, name))
			return &c->params.items[i];
	return NULL;
}

static void check_type_param(
    const char *name, const struct aloe_component *c, const struct aloe_port *port, unsigned *count)
{
	const struct aloe_param *param = port->type_param ? find_param(c, port->type_param) : NULL;

	if (!port->type_param)
		return;
	if (!param || param->kind != ALOE_KIND_ENUM) {
		broken(count, name, "port %s: type_param %s is no enum parameter", port->name,
		    port->type_param);
		return;
	}
	for (uint32_t i = 0; param->names[i]; i++)
		if (!is_type_name(param->names[i], port->types))
			broken(count, name, "port %s: %s = %s is no type that it makes", port->name,
			    param->name, param->names[i]);
}

static void ports_are_legal(const char *name, unsigned *count)
{
	struct mock m;
	unsigned in = 0, out = 0;

	mock_open(&m, name);
	for (uint32_t i = 0; i < m.component->ports.len; i++) {
		const struct aloe_port *port = &m.component->ports.items[i];
		in += !port->output;
		out += port->output;
		if (!is_identifier(port->name) || !is_text(port->doc))
			broken(count, name, "port %u has no name or no doc", i);
		if (!port->types || port->types & ~ALOE_ANY || port->output > 1 ||
		    port->flags & ~ALOE_OPTIONAL)
			broken(count, name, "port %s: types 0x%x, flags 0x%x", port->name,
			    port->types, port->flags);
		for (uint32_t j = 0; j < i; j++)
			if (!strcmp(port->name, m.component->ports.items[j].name))
				broken(count, name, "two ports are called %s", port->name);
		check_type_param(name, m.component, port, count);
	}
	if (in + out == 0 || in > ALOE_PORTS_MAX || out > ALOE_PORTS_MAX)
		broken(count, name, "%u inputs and %u outputs", in, out);
	mock_close(&m);
}

static bool size_fits(const struct aloe_param *p)
{
	switch (p->kind) {
	case ALOE_KIND_REAL:
	case ALOE_KIND_INT:
		return p->size == 4 || p->size == 8;
	case ALOE_KIND_BOOL:
		return p->size == sizeof(bool);
	case ALOE_KIND_ENUM:
		return p->size == 4;
	case ALOE_KIND_TEXT:
	case ALOE_KIND_PATH:
		return p->size >= 2;
	case ALOE_KIND_REALS:
		return p->size == sizeof(struct aloe_reals) && p->items_max > 0;
	default:
		return false;
	}
}

static bool has_legal_default(const struct aloe_param *p)
{
	const bool number = p->kind == ALOE_KIND_REAL || p->kind == ALOE_KIND_INT;

	if (p->flags & ALOE_REQUIRED)
		return !p->text;
	if (p->kind == ALOE_KIND_ENUM) {
		for (uint32_t i = 0; p->names[i]; i++)
			if (p->text && !strcmp(p->text, p->names[i]))
				return true;
		return false;
	}
	if (p->kind == ALOE_KIND_INT && p->def != floor(p->def))
		return false;
	return !number || isnan(p->def) || (p->def >= p->min && p->def <= p->max);
}

static void check_param(
    const char *name, const struct aloe_component *c, uint32_t i, unsigned *count)
{
	const struct aloe_param *p = &c->params.items[i];

	if (!is_identifier(p->name) || !is_text(p->doc) || !p->unit)
		broken(count, name, "parameter %u has no name, no doc or no unit", i);
	if (p->offset + p->size > c->state_size || !size_fits(p))
		broken(count, name,
		    "parameter %s: %u bytes at %u do not suit its kind or the state", p->name,
		    p->size, p->offset);
	if (p->kind == ALOE_KIND_ENUM && (!p->names || !p->names[0]))
		broken(count, name, "parameter %s: an enum without names", p->name);
	else if (!has_legal_default(p))
		broken(count, name, "parameter %s: the default is not allowed", p->name);
	if ((p->kind == ALOE_KIND_REAL || p->kind == ALOE_KIND_INT || p->kind == ALOE_KIND_REALS) &&
	    !(p->min < p->max))
		broken(count, name, "parameter %s: range [%g, %g]", p->name, p->min, p->max);
	if (p->flags & ~(ALOE_LIVE | ALOE_REQUIRED))
		broken(count, name, "parameter %s: flags 0x%x", p->name, p->flags);
	for (uint32_t j = 0; j < i; j++)
		if (!strcmp(p->name, c->params.items[j].name) ||
		    p->offset == c->params.items[j].offset)
			broken(count, name, "parameter %s: name or place is taken", p->name);
	for (size_t j = 0; j < sizeof(reserved) / sizeof(reserved[0]); j++)
		if (!strcmp(p->name, reserved[j]))
			broken(
			    count, name, "parameter %s: a reserved key of waveform files", p->name);
}

static void params_are_legal(const char *name, unsigned *count)
{
	struct mock m;

	mock_open(&m, name);
	for (uint32_t i = 0; i < m.component->params.len; i++)
		check_param(name, m.component, i, count);
	mock_close(&m);
}

static void vars_are_legal(const char *name, unsigned *count)
{
	struct mock m;

	mock_open(&m, name);
	for (uint32_t i = 0; i < m.component->vars.len; i++) {
		const struct aloe_var *var = &m.component->vars.items[i];
		if (!is_identifier(var->name) || !is_text(var->doc) || !var->unit)
			broken(count, name, "variable %u has no name, no doc or no unit", i);
		if (var->offset + 8 > m.component->state_size || var->offset % 8)
			broken(count, name, "variable %s: no 8 aligned bytes of state at %u",
			    var->name, var->offset);
		if (find_param(m.component, var->name))
			broken(count, name, "variable %s: a parameter has that name", var->name);
		for (uint32_t j = 0; j < i; j++)
			if (!strcmp(var->name, m.component->vars.items[j].name))
				broken(count, name, "two variables are called %s", var->name);
	}
	mock_close(&m);
}

static void callbacks_are_there(const char *name, unsigned *count)
{
	struct mock m;
	char symbol[300];
	const struct aloe_entry *entry;
	const struct aloe_component *c;
	const struct aloe_param *buffer;
	double mix[CALIBRATE_CLASSES];

	mock_open(&m, name);
	c = m.component;
	snprintf(symbol, sizeof(symbol), "aloe_component_%s", name);
	entry = dlsym(m.library, symbol);
	if (!entry || entry->abi != ALOE_ABI || strcmp(entry->name, name) != 0)
		broken(count, name, "ABI %u, name %s", entry ? entry->abi : 0,
		    entry ? entry->name : "-");
	if (!is_text(c->summary) || !is_identifier(name))
		broken(count, name, "no summary of one line");
	if (class_mix(c->mix, mix) < 0)
		broken(count, name,
		    "mix = \"%s\": classes of work with a number after each are needed", c->mix);
	if (!c->work && !c->fill && !c->drain)
		broken(count, name, "neither work nor fill nor drain");
	if (c->fill && (c->drain || !mock_port(&m, 0, 1)))
		broken(count, name, "fill needs an output, and excludes drain");
	if (c->drain && !mock_port(&m, 0, 0))
		broken(count, name, "drain needs an input");
	buffer = find_param(c, "buffer_ms");
	if ((c->fill || c->drain) &&
	    (!buffer || buffer->kind != ALOE_KIND_INT || buffer->def != 200))
		broken(count, name, "an I/O component needs buffer_ms, 200 by default");
	mock_close(&m);
}

/* ---- the object file ---- */

struct elf {
	size_t size;
	const uint8_t *bytes;
	const Elf64_Ehdr *head;
	const Elf64_Shdr *sections;
};

static void elf_open(struct elf *elf, const char *path)
{
	const int fd = open(path, O_RDONLY);
	off_t end;

	if (fd < 0)
		fail_msg("%s: %s", path, strerror(errno));
	end = lseek(fd, 0, SEEK_END);
	assert_true(end > (off_t)sizeof(Elf64_Ehdr));
	elf->size = (size_t)end;
	elf->bytes = mmap(NULL, elf->size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_ptr_not_equal(elf->bytes, MAP_FAILED);
	elf->head = (const Elf64_Ehdr *)elf->bytes;
	assert_memory_equal(elf->head->e_ident, ELFMAG, SELFMAG);
	elf->sections = (const Elf64_Shdr *)(elf->bytes + elf->head->e_shoff);
}

static void elf_close(struct elf *elf)
{
	munmap((void *)(uintptr_t)elf->bytes, elf->size);
}

static const char *section_name(const struct elf *elf, const Elf64_Shdr *section)
{
	return (const char *)elf->bytes + elf->sections[elf->head->e_shstrndx].sh_offset +
	    section->sh_name;
}

/* Writable memory of the file itself; .data.rel.ro is made read-only once the addresses in it are
 * known. */
static bool is_file_scope(const struct elf *elf, const Elf64_Shdr *section)
{
	const char *name = section_name(elf, section);

	if (!(section->sh_flags & SHF_ALLOC) || !(section->sh_flags & SHF_WRITE) ||
	    section->sh_size == 0)
		return false;
	return strncmp(name, ".data.rel.ro", 12) != 0;
}

static bool is_newer(const char *path, const char *than)
{
	struct stat a, b;

	return stat(path, &a) == 0 && stat(than, &b) == 0 && a.st_mtime > b.st_mtime;
}

static void object_path(const char *name, const char *form, char *ret_path, size_t size)
{
	char build[4096], pattern[4400];
	glob_t found;

	build_folder(build, sizeof(build));
	snprintf(pattern, sizeof(pattern), form, build, name);
	if (glob(pattern, 0, NULL, &found))
		fail_msg("%s: no such file", pattern);
	snprintf(ret_path, size, "%s", found.gl_pathv[0]);
	/* a component that moved left an old object behind */
	for (size_t i = 1; i < found.gl_pathc; i++)
		if (is_newer(found.gl_pathv[i], ret_path))
			snprintf(ret_path, size, "%s", found.gl_pathv[i]);
	globfree(&found);
}

static void no_variables_of_the_file(const char *name, unsigned *count)
{
	char path[4400];
	struct elf elf;

	if (SANITIZED)
		return; /* objects have a sanitizer's own variables in that build */
	object_path(name, "%s/obj/components/*/%s.o", path, sizeof(path));
	elf_open(&elf, path);
	for (unsigned i = 0; i < elf.head->e_shnum; i++)
		if (is_file_scope(&elf, &elf.sections[i]))
			broken(count, name, "%s has %llu bytes: two instances would meet there",
			    section_name(&elf, &elf.sections[i]),
			    (unsigned long long)elf.sections[i].sh_size);
	elf_close(&elf);
}

static void check_symbols(
    const struct elf *elf, const Elf64_Shdr *table, const char *name, unsigned *count)
{
	const Elf64_Sym *symbols = (const Elf64_Sym *)(elf->bytes + table->sh_offset);
	const char *names = (const char *)elf->bytes + elf->sections[table->sh_link].sh_offset;
	char mine[300];

	snprintf(mine, sizeof(mine), "aloe_component_%s", name);
	for (size_t i = 0; i < table->sh_size / sizeof(*symbols); i++) {
		const char *symbol = names + symbols[i].st_name;
		const bool defined = symbols[i].st_shndx != SHN_UNDEF;
		if (!defined && !strncmp(symbol, "aloe_", 5))
			broken(count, name, "needs %s from the program", symbol);
		else if (defined && strcmp(symbol, mine) != 0 && !strncmp(symbol, "aloe_", 5))
			broken(count, name, "shows %s", symbol);
	}
}

static void one_visible_symbol(const char *name, unsigned *count)
{
	char path[4400];
	struct elf elf;

	object_path(name, "%s/lib/aloe/%s.so", path, sizeof(path));
	elf_open(&elf, path);
	for (unsigned i = 0; i < elf.head->e_shnum; i++)
		if (elf.sections[i].sh_type == SHT_DYNSYM)
			check_symbols(&elf, &elf.sections[i], name, count);
	elf_close(&elf);
}

/* ---- */

#define CONTRACT(name)                                                                             \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		each_component(name);                                                              \
	}
CONTRACT(callbacks_are_there)
CONTRACT(ports_are_legal)
CONTRACT(params_are_legal)
CONTRACT(vars_are_legal)
CONTRACT(no_variables_of_the_file)
CONTRACT(one_visible_symbol)

/* A descriptor with every fault: the checks above must see them. */
static void faults_are_seen(void **state)
{
	static const char *const empty[] = {NULL};
	static const struct aloe_param params[] = {
	    {"Bad", ALOE_KIND_INT, 0, 4, 0, 5, 0, 4, NULL, NULL, 0, "", "outside its range"},
	    {"kind", ALOE_KIND_REAL, 0, 3, 4, 0, 0, 1, NULL, NULL, 0, "", "no size of a number"},
	    {"choice", ALOE_KIND_ENUM, 0, 4, 8, 0, 0, 0, "x", empty, 0, "", "nothing to choose"},
	    {"pin", ALOE_KIND_BOOL, 0, 1, 12, 0, 0, 1, NULL, NULL, 0, "", "reserved"},
	};
	static const struct aloe_component faulty = {
	    .summary = "", .params = ALOE_LIST(params), .state_size = 16};

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		unsigned count = 0;
		check_param("(faults wanted)", &faulty, i, &count);
		assert_true(count > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(faults_are_seen),
	    cmocka_unit_test(test_callbacks_are_there),
	    cmocka_unit_test(test_ports_are_legal),
	    cmocka_unit_test(test_params_are_legal),
	    cmocka_unit_test(test_vars_are_legal),
	    cmocka_unit_test(test_one_visible_symbol),
	    cmocka_unit_test(test_no_variables_of_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
