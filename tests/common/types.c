/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/types.h"

#include <stdlib.h>
#include <unistd.h>

#define ANY_WORK .work = do_nothing

/* libconfig 1.5 loses a few bytes of its own at a syntax error; nothing of ours is hidden by
 * this. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig.so\n";
}

static int do_nothing(void *self, struct aloe_slot *slot)
{
	(void)self, (void)slot;
	return 0;
}

static const char *const outputs[] = {"i16", "ci16", "cf32", NULL};
static const char *const modes[] = {"slow", "medium", "fast", NULL};

struct source {
	uint32_t length;
	uint64_t seed;
	bool loop;
};
static const struct aloe_port source_ports[] = {ALOE_OUT("out", ALOE_BIT, "bits")};
static const struct aloe_param source_params[] = {
    ALOE_PARAM_INT(struct source, length, 0, 1, 1000, "items", ALOE_REQUIRED, "items in a message"),
    ALOE_PARAM_INT(struct source, seed, 1, 0, 0x1p53, "", ALOE_LIVE, "which bits"),
    ALOE_PARAM_BOOL(struct source, loop, false, 0, "again"),
};
static const struct aloe_component source = {
    .summary = "source",
    .ports = ALOE_LIST(source_ports),
    .params = ALOE_LIST(source_params),
    .state_size = sizeof(struct source),
    ANY_WORK,
};

struct mod {
	int32_t output;
};
static const struct aloe_port mod_ports[] = {
    ALOE_IN("in", ALOE_BIT, "bits"),
    ALOE_OUT_AS("out", ALOE_I16 | ALOE_CI16 | ALOE_CF32, "output", "samples"),
};
static const struct aloe_param mod_params[] = {
    ALOE_PARAM_ENUM(struct mod, output, outputs, "cf32", 0, "type of the samples"),
};
static const struct aloe_component mod = {
    .summary = "mod",
    .ports = ALOE_LIST(mod_ports),
    .params = ALOE_LIST(mod_params),
    .state_size = sizeof(struct mod),
    ANY_WORK,
};

static const struct aloe_port copy_ports[] = {
    ALOE_IN("in", ALOE_ANY, "items"), ALOE_OUT("out", ALOE_ANY, "items")};
static const struct aloe_component copy = {
    .summary = "copy", .ports = ALOE_LIST(copy_ports), ANY_WORK};

static const struct aloe_port floats_ports[] = {
    ALOE_IN("in", ALOE_F32 | ALOE_CF32, "items"),
    ALOE_OUT("out", ALOE_F32 | ALOE_CF32, "items"),
};
static const struct aloe_component floats = {
    .summary = "floats", .ports = ALOE_LIST(floats_ports), ANY_WORK};

struct sink {
	char path[32];
};
static const struct aloe_port sink_ports[] = {ALOE_IN("in", ALOE_ANY, "items")};
static const struct aloe_param sink_params[] = {
    ALOE_PARAM_PATH(struct sink, path, "out.bin", 0, "file to write")};
static const struct aloe_component sink = {
    .summary = "sink",
    .ports = ALOE_LIST(sink_ports),
    .params = ALOE_LIST(sink_params),
    .state_size = sizeof(struct sink),
    ANY_WORK,
};

static const struct aloe_port pair_ports[] = {
    ALOE_IN("sent", ALOE_BIT, "bits"),
    ALOE_IN("received", ALOE_BIT, "bits"),
};
static const struct aloe_component pair = {
    .summary = "pair", .ports = ALOE_LIST(pair_ports), ANY_WORK};

static const struct aloe_port mux_ports[] = {
    ALOE_IN("in0", ALOE_BIT, "bits"),
    ALOE_IN_OPTIONAL("in1", ALOE_BIT, "bits"),
    ALOE_OUT("out", ALOE_BIT, "bits"),
    ALOE_OUT_OPTIONAL("side", ALOE_I16, "a number"),
};
static const struct aloe_component mux = {
    .summary = "mux", .ports = ALOE_LIST(mux_ports), ANY_WORK};

struct all {
	float narrow;
	double wide;
	int32_t whole;
	bool truth;
	int32_t mode;
	char text[8];
	char path[32];
	struct aloe_reals taps;
	uint64_t counted;
	double measured;
};
static const struct aloe_param all_params[] = {
    ALOE_PARAM_REAL(struct all, narrow, 0.5, -1.0, 1.0, "V", ALOE_LIVE, "a float"),
    ALOE_PARAM_REAL(struct all, wide, ALOE_NAN, -1e300, 1e300, "", 0, "a double, not set"),
    ALOE_PARAM_INT(struct all, whole, -3, -10, 10, "", 0, "a number"),
    ALOE_PARAM_BOOL(struct all, truth, true, 0, "a truth"),
    ALOE_PARAM_ENUM(struct all, mode, modes, "medium", 0, "a choice"),
    ALOE_PARAM_TEXT(struct all, text, "hello", 0, "a text"),
    ALOE_PARAM_PATH(struct all, path, "", 0, "a path"),
    ALOE_PARAM_REALS(struct all, taps, 4, -1.0, 1.0, "", 0, "numbers"),
};
static const struct aloe_var all_vars[] = {
    ALOE_VAR_U64(struct all, counted, "items", "a count"),
    ALOE_VAR_F64(struct all, measured, "dB", "a figure"),
};
static const struct aloe_component all = {
    .summary = "all",
    .doc = "one of \"each\" kind",
    .params = ALOE_LIST(all_params),
    .vars = ALOE_LIST(all_vars),
    .state_size = sizeof(struct all),
    .kmac = 7,
    ANY_WORK,
};

const struct aloe_entry test_entries[] = {
    {ALOE_ABI, "source", &source},
    {ALOE_ABI, "mod", &mod},
    {ALOE_ABI, "copy", &copy},
    {ALOE_ABI, "floats", &floats},
    {ALOE_ABI, "sink", &sink},
    {ALOE_ABI, "pair", &pair},
    {ALOE_ABI, "mux", &mux},
    {ALOE_ABI, "all", &all},
};
const size_t test_entries_len = sizeof(test_entries) / sizeof(test_entries[0]);

static bool write_desc(const char *dir, const struct aloe_entry *entry, bool remove_it)
{
	char path[128];
	char *text;
	FILE *file;
	bool good;

	snprintf(path, sizeof(path), "%s/%s.desc", dir, entry->name);
	if (remove_it)
		return unlink(path) == 0;
	text = component_describe(entry);
	file = text ? fopen(path, "we") : NULL;
	good = file && fputs(text, file) >= 0;
	if (file && fclose(file) != 0)
		good = false;
	free(text);
	return good;
}

struct registry *test_registry_open(void)
{
	char dir[] = "/tmp/aloe-types-XXXXXX";
	struct registry *registry = NULL;
	struct diag diag;
	bool good = mkdtemp(dir) != NULL;

	for (size_t i = 0; good && i < test_entries_len; i++)
		good = write_desc(dir, &test_entries[i], false);
	diag_init(&diag);
	if (good)
		registry = registry_open(dir, &diag);
	diag_print(&diag, stderr);
	diag_fini(&diag);
	for (size_t i = 0; i < test_entries_len; i++)
		(void)write_desc(dir, &test_entries[i], true);
	rmdir(dir);
	return registry;
}
