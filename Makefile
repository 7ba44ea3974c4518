# SPDX-License-Identifier: BSD-3-Clause
#
# One make for the whole house: `make run`, `make check`, `make lint`, `make install`; V=1 shows the commands.
# Rooms are found by their folders; a new .c file needs no line here.

B ?= build
PREFIX ?= /usr/local
VERSION := 0.1.0
CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Werror -Wno-missing-field-initializers -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
CPPFLAGS_ALOE := -I. -Icore/include -D_GNU_SOURCE -DALOE_VERSION='"$(VERSION)"'
CFLAGS_ALOE := -std=c11 -pthread -fno-strict-aliasing -fcx-limited-range $(WARN)
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $@)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:

# ---- what there is ----------------------------------------------------------------------------------------------------
CORE_SRC := $(filter-out core/kernels/% core/fft/%,$(wildcard core/*/*.c)) $(wildcard platforms/posix/*.c)
KERNEL_SRC := $(wildcard core/kernels/*.c)
FFT_SRC := $(wildcard core/fft/*.c)
COMMON_SRC := $(wildcard daemons/common/*.c)
COMPONENT_SRC := $(wildcard components/*/*.c)
DAEMONS := $(filter-out common,$(notdir $(patsubst %/main.c,%,$(wildcard daemons/*/main.c))))
TOOLS := $(notdir $(patsubst %/main.c,%,$(wildcard tools/*/main.c)))
TEST_SRC := $(wildcard tests/unit/*.c tests/contract/*.c tests/sim/*.c tests/golden/*.c)

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
PROGRAMS := $(DAEMONS:%=$(B)/bin/aloe-%) $(TOOLS:%=$(B)/bin/%)
COMPONENTS := $(foreach s,$(COMPONENT_SRC),$(B)/lib/aloe/$(basename $(notdir $(s))).so)
TESTS := $(patsubst tests/%.c,$(B)/tests/%,$(TEST_SRC))

LIBS_CORE := -lzmq -lconfig -ljansson -ldl -lm
-include $(wildcard components/*/group.mk)

all: $(PROGRAMS) $(COMPONENTS) $(COMPONENTS:.so=.desc)

# ---- objects ----------------------------------------------------------------------------------------------------------
# Inner loops: no errno and no FP traps, so that roots and roundings are instructions; results stay the same bits.
SPEED := -O3 -fno-math-errno -fno-trapping-math
$(B)/obj/core/kernels/%.o: CFLAGS_ALOE += $(SPEED) -fPIC -fvisibility=hidden
$(B)/obj/core/fft/%.o: CFLAGS_ALOE += -fPIC -fvisibility=hidden
$(B)/obj/components/%.o: CFLAGS_ALOE += $(SPEED) -fPIC -fvisibility=hidden
$(B)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS_ALOE) $(CPPFLAGS) $(CFLAGS) $(CFLAGS_ALOE) -MMD -MP -c $< -o $@

$(B)/lib/libaloe.a: $(call obj,$(CORE_SRC))
$(B)/lib/libaloe-kernels.a: $(call obj,$(KERNEL_SRC))
$(B)/lib/libaloe-fft.a: $(call obj,$(FFT_SRC))
$(B)/lib/libaloe-daemon.a: $(call obj,$(COMMON_SRC))
$(B)/lib/%.a:
	@mkdir -p $(@D)
	$(call say,AR)
	$(Q)rm -f $@; $(AR) rcs $@ $^

# ---- programs ---------------------------------------------------------------------------------------------------------
define program # name, folder, program file
$(3): $(call obj,$(wildcard $(2)/*.c)) $(B)/lib/libaloe-daemon.a $(B)/lib/libaloe.a
	@mkdir -p $$(@D)
	$$(call say,LD)
	$(Q)$(CC) $(CFLAGS) -pthread $(LDFLAGS) -o $$@ $$^ $(LIBS_CORE)
endef
$(foreach d,$(DAEMONS),$(eval $(call program,$(d),daemons/$(d),$(B)/bin/aloe-$(d))))
$(foreach t,$(TOOLS),$(eval $(call program,$(t),tools/$(t),$(B)/bin/$(t))))

# ---- components: the same object in a .so and linked in ---------------------------------------------------------------
# components/GROUP/NAME.c is component NAME; components/GROUP/group.mk may set LIBS_GROUP := -lliquid ...
define component # source, name, group
$(B)/lib/aloe/$(2).so: $(call obj,$(1)) $(B)/lib/libaloe-kernels.a $(if $(FFT_SRC),$(B)/lib/libaloe-fft.a)
	@mkdir -p $$(@D)
	$$(call say,SO)
	$(Q)$(CC) $(CFLAGS) -shared $(LDFLAGS) -Wl,--exclude-libs,ALL -Wl,-z,defs -o $$@ $$^ $$(LIBS_$(3)) -lm
endef
$(foreach s,$(COMPONENT_SRC),$(eval $(call component,$(s),$(basename $(notdir $(s))),$(notdir $(patsubst %/,%,$(dir $(s)))))))

$(B)/lib/aloe/%.desc: $(B)/lib/aloe/%.so $(B)/bin/aloe-host
	$(call say,DESC)
	$(Q)$(B)/bin/aloe-host --describe $< > $@

# ---- tests ------------------------------------------------------------------------------------------------------------
$(B)/tests/%: $(B)/obj/tests/%.o $(B)/lib/libaloe-daemon.a $(B)/lib/libaloe.a $(B)/lib/libaloe-kernels.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) -pthread $(LDFLAGS) -rdynamic -o $@ $^ -lcmocka $(LIBS_CORE)

tests: $(TESTS)

clean:
	rm -rf $(B)

.PHONY: all tests clean
-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
