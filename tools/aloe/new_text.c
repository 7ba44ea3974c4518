/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/new_text.h"

#include <stddef.h>

#define HEAD                                                                                           \
	" @NAME@ - say in a sentence what it does to its samples.\n"                                   \
	" *\n"                                                                                         \
	" * `make run` tries it; `aloe help @NAME@` shows what others see of it. The contract is "     \
	"<aloe/component.h>:\n"                                                                        \
	" * work may not allocate, lock, wait, print or touch files; all state is in the struct. */\n" \
	"#include <aloe/component.h>\n\n"

#define TABLES(T)                                                                                                   \
	"static const struct aloe_port ports[] = {\n"                                                               \
	"\tALOE_IN(\"in\", ALOE_CF32, \"samples\"),\n"                                                              \
	"\tALOE_OUT(\"out\", ALOE_CF32, \"samples, scaled\"),\n"                                                    \
	"};\n\n"                                                                                                    \
	"static const struct aloe_param params[] = {\n"                                                             \
	"\t/* field, default, least, most, unit, flags, what it means */\n"                                         \
	"\tALOE_PARAM_REAL(" T ", scale, 1.0, -1e3, 1e3, \"\", ALOE_LIVE, \"factor\"),\n"                           \
	"};\n\n"                                                                                                    \
	"static const struct aloe_var vars[] = {\n"                                                                 \
	"\tALOE_VAR_U64(" T ", samples, \"\", \"samples so far\"),\n"                                               \
	"};\n\n"                                                                                                    \
	"/* Once a slot. aloe_pass: as many items as came and fit; what is ABSENT or IDLE stays so, with 0 items. " \
	"*/\n"

#define TAIL(T, end)                                                                               \
	"\n\tfor (uint32_t i = 0; i < n; i++)\n"                                                   \
	"\t\tout[i] = self->scale * in[i];\n"                                                      \
	"\tself->samples += n;\n"                                                                  \
	"\treturn 0;\n"                                                                            \
	"}\n\n" end "ALOE_COMPONENT(@NAME@) = {\n"                                                 \
	"\t.summary = \"scale samples\",\n"                                                        \
	"\t.ports = ALOE_LIST(ports),\n"                                                           \
	"\t.params = ALOE_LIST(params),\n"                                                         \
	"\t.vars = ALOE_LIST(vars),\n"                                                             \
	"\t.state_size = sizeof(" T "),\n"                                                         \
	"\t.work = @NAME@_work,\n"                                                                 \
	"};\n"

static const char source_c[] =
    "/*" HEAD
    "struct state {\n\tfloat scale; /* parameter */\n\tuint64_t samples; /* variable */\n};\n\n" TABLES(
        "struct state") "static int @NAME@_work(void *state, struct aloe_slot *slot)\n"
                        "{\n"
                        "\tstruct state *self = state;\n"
                        "\tconst cf32 *in = aloe_in_cf32(slot, 0);\n"
                        "\tcf32 *out = aloe_out_cf32(slot, 0);\n"
                        "\tconst uint32_t n = aloe_pass(slot, 0, 0);\n" TAIL("struct state", "");

static const char source_cpp[] =
    "/*" HEAD
    "namespace {\n\nstruct state {\n\tfloat scale; // parameter\n\tuint64_t samples; // variable\n};\n\n" TABLES(
        "state") "int @NAME@_work(void *memory, struct aloe_slot *slot)\n"
                 "{\n"
                 "\tauto *self = static_cast<state *>(memory);\n"
                 "\tconst cf32 *in = aloe_in_cf32(slot, 0);\n"
                 "\tcf32 *out = aloe_out_cf32(slot, 0);\n"
                 "\tconst uint32_t n = aloe_pass(slot, 0, 0);\n" TAIL(
                     "state", "} // namespace\n\n");

#define MAKEFILE(source, compiler, standard)                                                                           \
	"# make: @NAME@.so and what it says of itself, @NAME@.desc; make run: try it; make install: for this user, "   \
	"then\n"                                                                                                       \
	"# every waveform may name it. Built against ALOE_PREFIX if given, else the ALOE that wrote this file, else\n" \
	"# whatever pkg-config knows.\n"                                                                               \
	"ifdef ALOE_PREFIX\n"                                                                                          \
	"ALOE_BIN := $(ALOE_PREFIX)/bin\n"                                                                             \
	"ALOE_INCLUDE := $(ALOE_PREFIX)/include\n"                                                                     \
	"else\n"                                                                                                       \
	"ALOE_BIN ?= @BIN@\n"                                                                                          \
	"ALOE_INCLUDE ?= @INCLUDE@\n"                                                                                  \
	"ifeq ($(wildcard $(ALOE_INCLUDE)/aloe/component.h),)\n"                                                       \
	"ALOE_BIN := $(shell pkg-config --variable=prefix aloe)/bin\n"                                                 \
	"ALOE_INCLUDE := $(shell pkg-config --variable=includedir aloe)\n"                                             \
	"endif\n"                                                                                                      \
	"endif\n\n" compiler "FLAGS ?= -O3 -g\n\n"                                                                     \
	"all: @NAME@.so @NAME@.desc\n\n"                                                                               \
	"@NAME@.so: " source "\n"                                                                                      \
	"\t$(" compiler ") $(" compiler "FLAGS) -std=" standard                                                        \
	" -I$(ALOE_INCLUDE) -Wall -Wextra "                                                                            \
	"-Wno-missing-field-initializers \\\n\t\t-fPIC -fvisibility=hidden -shared -o $@ $<\n\n"                       \
	"@NAME@.desc: @NAME@.so\n"                                                                                     \
	"\t$(ALOE_BIN)/aloe-host --describe ./$< > $@.new && mv $@.new $@\n\n"                                         \
	"run: all\n"                                                                                                   \
	"\tALOE_COMPONENTS=$(CURDIR) $(ALOE_BIN)/aloe run @NAME@.conf --clock virtual --slots 1000 $(ARGS)\n\n"        \
	"install: all\n"                                                                                               \
	"\tmkdir -p $(HOME)/.local/lib/aloe\n"                                                                         \
	"\tcp @NAME@.so @NAME@.desc $(HOME)/.local/lib/aloe/\n\n"                                                      \
	"clean:\n"                                                                                                     \
	"\trm -f @NAME@.so @NAME@.desc\n\n"                                                                            \
	".PHONY: all run install clean\n"

static const char makefile_c[] = MAKEFILE("@NAME@.c", "CC", "c11");
static const char makefile_cpp[] = MAKEFILE("@NAME@.cpp", "CXX", "c++20");

static const char waveform[] =
    "# Tries @NAME@: random bits through it; with scale = 1 none may be wrong, with -1 all are.\n"
    "name = \"@NAME@_test\";\n"
    "slot_ns = 1000000;\n\n"
    "instances: {\n"
    "\tsource: { component = \"random_source\"; seed = 1; length = 1000; };\n"
    "\tmod:    { component = \"bpsk_mod\"; };\n"
    "\tmine:   { component = \"@NAME@\"; scale = 1.0; };\n"
    "\tdemod:  { component = \"bpsk_demod\"; };\n"
    "\tcheck:  { component = \"bit_compare\"; };\n"
    "};\n\n"
    "links = (\n"
    "\t\"source -> mod -> mine -> demod -> check.received\",\n"
    "\t\"source -> check.sent\"\n"
    ");\n";

const struct new_file new_files_c[] = {
    {"@NAME@.c", source_c}, {"Makefile", makefile_c}, {"@NAME@.conf", waveform}, {NULL, NULL}};
const struct new_file new_files_cpp[] = {{"@NAME@.cpp", source_cpp}, {"Makefile", makefile_cpp},
    {"@NAME@.conf", waveform}, {NULL, NULL}};
