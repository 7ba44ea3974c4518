/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/new_text.h"

#include <stddef.h>

#define HEAD                                                                                       \
	" @NAME@ - say in a sentence what it does to its samples.\n"                               \
	" *\n"                                                                                     \
	" * `make run` tries it; README.md lists what else make can do. The contract is "          \
	"<aloe/component.h>:\n"                                                                    \
	" * work may not allocate, lock, wait, print or touch files; all state is in the struct. " \
	"*/\n"                                                                                     \
	"#include <aloe/component.h>\n\n"

#define TABLES(T)                                                                                  \
	"static const struct aloe_port ports[] = {\n"                                              \
	"\tALOE_IN(\"in\", ALOE_CF32, \"samples\"),\n"                                             \
	"\tALOE_OUT(\"out\", ALOE_CF32, \"samples, scaled\"),\n"                                   \
	"};\n\n"                                                                                   \
	"static const struct aloe_param params[] = {\n"                                            \
	"\t/* field, default, least, most, unit, flags, what it means */\n"                        \
	"\tALOE_PARAM_REAL(" T ", scale, 1.0, -1e3, 1e3, \"\", ALOE_LIVE, \"factor\"),\n"          \
	"};\n\n"                                                                                   \
	"static const struct aloe_var vars[] = {\n"                                                \
	"\tALOE_VAR_U64(" T ", samples, \"\", \"samples so far\"),\n"                              \
	"};\n\n"                                                                                   \
	"/* Called once per slot. aloe_pass returns the number of items that arrived and fit; an " \
	"ABSENT\n"                                                                                 \
	" * or IDLE message is passed on with 0 items. */\n"

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

const char new_source_c[] =
    "/*" HEAD "struct state {\n\tfloat scale; /* parameter */\n\tuint64_t samples; /* variable "
    "*/\n};\n\n" TABLES(
        "struct state") "static int @NAME@_work(void *state, struct aloe_slot *slot)\n"
                        "{\n"
                        "\tstruct state *self = state;\n"
                        "\tconst cf32 *in = aloe_in_cf32(slot, 0);\n"
                        "\tcf32 *out = aloe_out_cf32(slot, 0);\n"
                        "\tconst uint32_t n = aloe_pass(slot, 0, 0);\n" TAIL("struct state", "");

const char new_source_cpp[] =
    "/*" HEAD "namespace {\n\nstruct state {\n\tfloat scale; // parameter\n\tuint64_t samples; // "
    "variable\n};\n\n" TABLES("state") "int @NAME@_work(void *memory, struct aloe_slot *slot)\n"
                                       "{\n"
                                       "\tauto *self = static_cast<state *>(memory);\n"
                                       "\tconst cf32 *in = aloe_in_cf32(slot, 0);\n"
                                       "\tcf32 *out = aloe_out_cf32(slot, 0);\n"
                                       "\tconst uint32_t n = aloe_pass(slot, 0, 0);\n" TAIL(
                                           "state", "} // namespace\n\n");

static const char makefile[] =
    "# `make` builds @NAME@.so and its description @NAME@.desc; README.md describes the "
    "other targets.\n"
    "# The ALOE in ALOE_PREFIX is used if ALOE_PREFIX is given, else the ALOE that wrote "
    "this file, else\n"
    "# the ALOE that pkg-config finds. @CC@, CPPFLAGS, @FLAGS@"
    ", LDFLAGS and LDLIBS are yours; -lm\n"
    "# comes last.\n"
    "ifdef ALOE_PREFIX\n"
    "ALOE_BIN := $(ALOE_PREFIX)/bin\n"
    "ALOE_INCLUDE := $(ALOE_PREFIX)/include\n"
    "else\n"
    "ALOE_BIN ?= @BIN@\n"
    "ALOE_INCLUDE ?= @INCLUDE@\n"
    "ifeq ($(wildcard $(ALOE_INCLUDE)/aloe/component.h),)\n"
    "ALOE_BIN := $(shell pkg-config --variable=prefix aloe)/bin\n"
    "ALOE_INCLUDE := $(shell pkg-config --variable=includedir aloe)\n"
    "endif\n"
    "endif\n"
    "# The contract tests of ALOE, as installed or in the build folder.\n"
    "ALOE_CONTRACT_TESTS ?= $(firstword $(wildcard \\\n"
    "\t$(ALOE_BIN)/../lib/aloe-contract/contract "
    "$(ALOE_BIN)/../tests/contract/test_contract))\n"
    "\n@FLAGS@ ?= -O3 -g\n"
    "DEBUG := -O0 -g\n"
    "ASAN := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined "
    "-fno-sanitize-recover=all\n"
    "# The run-time library of the address sanitizer has to be the first in a program that "
    "was built\n"
    "# without the sanitizer.\n"
    "ASAN_LIB = $(shell $(@CC@) -print-file-name=libasan.so)\n"
    "COMPILE = $(@CC@) -I$(ALOE_INCLUDE) $(CPPFLAGS) -std=@STD@"
    " -Wall -Wextra \\\n"
    "\t-Wno-missing-field-initializers -fPIC -fvisibility=hidden -shared\n"
    "# A missing function is an error of the linker; functions of a sanitizer come from "
    "the program.\n"
    "CLOSED := $(if $(findstring -fsanitize,$(@FLAGS@)),,-Wl,-z,defs)\n"
    "\n"
    "all: @NAME@.so @NAME@.desc\n"
    "\n"
    "@NAME@.so: @SOURCE@\n"
    "\t$(COMPILE) $(@FLAGS@) $(CLOSED) $(LDFLAGS) -o $@ $< $(LDLIBS) -lm\n"
    "\n"
    "@NAME@.desc: @NAME@.so\n"
    "\t$(ALOE_BIN)/aloe-host --describe ./$< > $@.new && mv $@.new $@\n"
    "\n"
    "debug/@NAME@.so asan/@NAME@.so: @SOURCE@\n"
    "\tmkdir -p $(@D)\n"
    "\t$(COMPILE) $(if $(findstring asan,$@),$(ASAN),$(DEBUG)) $(LDFLAGS) -o $@ $< "
    "$(LDLIBS) -lm\n"
    "\n"
    "run: all\n"
    "\tALOE_COMPONENTS=$(CURDIR) $(ALOE_BIN)/aloe run @NAME@.conf \\\n"
    "\t\t--clock virtual --slots 1000 $(ARGS)\n"
    "\n"
    "test: all\n"
    "\t@test -x \"$(ALOE_CONTRACT_TESTS)\" || { echo \"the contract tests of ALOE were not "
    "built: \\\n"
    "\tinstall libcmocka-dev, then build (and install) ALOE again\"; exit 1; }\n"
    "\tALOE_CONTRACT=$(CURDIR) ALOE_CONTRACT_SET=\"$(CONTRACT_SET)\" $(ALOE_CONTRACT_TESTS)\n"
    "\tCOMPRUN=$(ALOE_BIN)/comprun sh ./test.sh ./@NAME@.so\n"
    "\n"
    "asan: asan/@NAME@.so\n"
    "\tCOMPRUN=\"env LD_PRELOAD=$(ASAN_LIB) ASAN_OPTIONS=detect_leaks=0 "
    "$(ALOE_BIN)/comprun\" \\\n"
    "\t\tsh ./test.sh ./asan/@NAME@.so\n"
    "\n"
    "debug: debug/@NAME@.so\n"
    "\tgdb -q -ex 'set breakpoint pending on' -ex 'break @NAME@_work' \\\n"
    "\t\t-ex 'run ./$< --slots 10 < /dev/zero > /dev/null' $(GDBFLAGS) $(ALOE_BIN)/comprun\n"
    "\n"
    "install: all\n"
    "\tmkdir -p $(HOME)/.local/lib/aloe\n"
    "\tcp @NAME@.so @NAME@.desc $(HOME)/.local/lib/aloe/\n"
    "\n"
    "clean:\n"
    "\trm -f @NAME@.so @NAME@.desc @NAME@.desc.new\n"
    "\trm -rf asan debug\n"
    "\n"
    ".PHONY: all run test asan debug install clean\n";

static const char test[] =
    "#!/bin/sh\n"
    "# test.sh OBJECT - runs the component on two samples, 1 and 2i, with scale = 2, and "
    "compares the\n"
    "# output with 2 and 4i. COMPRUN is the program that runs a component on raw items.\n"
    "set -eu\n"
    "folder=$(mktemp -d)\n"
    "trap 'rm -rf \"$folder\"' EXIT\n\n"
    "printf "
    "'\\000\\000\\200\\077\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\100' "
    ">\"$folder/in\"\n"
    "printf "
    "'\\000\\000\\000\\100\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\200\\100' "
    ">\"$folder/want\"\n"
    "${COMPRUN:-comprun} \"$1\" -p scale=2 <\"$folder/in\" >\"$folder/out\"\n"
    "cmp \"$folder/want\" \"$folder/out\"\n"
    "echo \"ok scale = 2 doubles every sample\"\n";

static const char readme[] =
    "# @NAME@, a component for ALOE\n\n"
    "| command | what it does |\n|---|---|\n"
    "| `make` | builds `@NAME@.so` and its description `@NAME@.desc` |\n"
    "| `make run` | runs the waveform `@NAME@.conf`, which contains the component |\n"
    "| `make test` | runs the contract tests of ALOE on the component, then `test.sh` |\n"
    "| `make debug` | builds without optimisation and stops in `@NAME@_work` in gdb |\n"
    "| `make asan` | runs `test.sh` with the address and undefined-behaviour sanitizers |\n"
    "| `make install` | copies the component to `~/.local/lib/aloe`; every waveform may "
    "use it |\n"
    "| `make clean` | removes everything that make has built |\n\n"
    "The contract tests call the component with messages of every kind and length: no "
    "allocation in\n"
    "a slot, no write to inputs, no state shared between instances, the same output after "
    "a reset.\n"
    "If a parameter has no default, give a value: `make test CONTRACT_SET=\"rate=1e6\"`. "
    "`test.sh`\n"
    "is the component's own test; it runs the component on a file and compares the output.\n\n"
    "`make debug GDBFLAGS=...` passes options to gdb. `make run ARGS=\"--set "
    "mine.scale=2\"` passes\n"
    "options to `aloe run`. `aloe help @NAME@` prints ports, parameters and variables once "
    "the\n"
    "component is installed. The header `aloe/component.h` describes the whole contract.\n";

static const char waveform[] =
    "# Tries @NAME@: random bits through it; with scale = 1 none may be wrong, with -1 all "
    "are.\n"
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

const struct new_file new_files[] = {{"@SOURCE@", NULL}, {"Makefile", makefile},
    {"@NAME@.conf", waveform}, {"test.sh", test}, {"README.md", readme}, {NULL, NULL}};
