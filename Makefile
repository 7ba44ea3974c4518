# SPDX-License-Identifier: BSD-3-Clause
#
# One make for the whole house: `make help` lists the targets; V=1 shows the commands; B=DIR builds elsewhere.
# Rooms are found by their folders; a new .c file needs no line here.

# make ARCH=aarch64 or armhf builds for that machine, in build-ARCH.
include platforms/cross.mk
B ?= build
PREFIX ?= /usr/local
PKG_CONFIG ?= pkg-config
# The version stands in debian/changelog alone.
VERSION := $(shell sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
$(if $(VERSION),,$(error debian/changelog does not begin with a version))
CFLAGS ?= -O2 -g
CLANG := $(findstring clang,$(CC))
WARN := -Wall -Wextra -Werror -Wno-missing-field-initializers -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wvla
CPPFLAGS_ALOE := $(CROSS_FLAGS) -I. -Icore/include -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DALOE_VERSION='"$(VERSION)"'
CFLAGS_ALOE := -std=c11 -pthread -fno-strict-aliasing $(if $(CLANG),,-fcx-limited-range) $(WARN)
LDFLAGS_ALOE := -pthread -Wl,--as-needed $(CROSS_FLAGS) $(CROSS_LDFLAGS)
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $@)
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc) --no-print-directory
endif

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:

# ---- what there is ----------------------------------------------------------------------------------------------------
# A transport that needs a library (DPDK) is a shared object, made where that library is installed: only who asks for it maps it.
TRANSPORT_SRC := $(wildcard platforms/dpdk/*.c)
DPDK := $(shell $(PKG_CONFIG) --exists libdpdk 2>/dev/null && echo yes)
# What needs SoapySDR is a shared object, too, made where its headers are (libsoapysdr-dev).
SOAPY_SRC := platforms/soapy/device.c
SOAPY := $(shell $(PKG_CONFIG) --exists SoapySDR 2>/dev/null && echo yes)
# What needs UHD is made where its headers are, and those of Boost that they ask for (libuhd-dev, libboost-dev).
UHD := $(and $(filter $(shell $(CC) -dumpmachine),$(shell $(CXX) -dumpmachine)),\
	$(wildcard $(shell $(PKG_CONFIG) --variable=includedir uhd 2>/dev/null)/boost/optional.hpp))
CORE_SRC := $(filter-out core/kernels/% core/fft/%,$(wildcard core/*/*.c core/*/*/*.c)) $(wildcard platforms/*.c) \
	$(filter-out $(TRANSPORT_SRC) $(SOAPY_SRC),$(wildcard platforms/*/*.c))
# A folder of platforms that has a driver.c is the driver of a radio; platforms/drivers.c lists them all by this word.
RADIO_SRC := $(sort $(wildcard platforms/*/driver.c))
RADIOS := $(patsubst platforms/%/driver.c,RADIO(%),$(RADIO_SRC))
KERNEL_SRC := $(wildcard core/kernels/*.c)
FFT_SRC := $(wildcard core/fft/*.c)
# Rooms of core that components link, too, where components/GROUP/group.mk says ROOMS_GROUP = $(LIBROOMS).
ROOM_SRC := $(wildcard core/sigmf/*.c core/json/*.c core/gnuradio/*.c core/bus/samples/*.c) \
	core/recording/digests.c core/recording/table.c $(patsubst %,core/base/%.c,diag digest file sha256 sha512)
COMMON_SRC := $(wildcard daemons/common/*.c)
COMPONENT_SRC := $(wildcard components/*/*.c)
DAEMONS := $(filter-out common,$(notdir $(patsubst %/main.c,%,$(wildcard daemons/*/main.c))))
TOOLS := $(filter-out $(if $(UHD),,x310-init),$(notdir $(patsubst %/main.c,%,$(wildcard tools/*/main.c))))
# The program of a folder in tools has its name, but for bench.
tool = $(if $(filter bench,$(1)),aloe-bench,$(1))
# The insides of daemons and tools, for tests only.
PART_SRC := $(filter-out $(COMMON_SRC) %/main.c,$(wildcard daemons/*/*.c tools/*/*.c tools/*/*/*.c))
TEST_SUPPORT_SRC := $(wildcard tests/mock/*.c tests/common/*.c) $(filter-out tests/faults/test_%,$(wildcard tests/faults/*.c))
TEST_SRC := $(filter-out $(if $(SOAPY),,%/test_soapy.c),$(wildcard tests/unit/*.c tests/contract/*.c tests/golden/*.c tests/sim/*.c tests/fuzz/fuzz_*.c tests/faults/test_*.c))
TEST_SCRIPTS := $(wildcard tests/*/test_*.sh)
# Components that misbehave: for tests, never installed.
FAULTY_SRC := $(wildcard tests/faults/components/*.c)
BENCH_SRC := $(wildcard tests/bench/bench_*.c)
MAN := $(wildcard tools/*/*.[17] daemons/*/*.8)
# Pages for who writes a tool, or describes a machine: installed as ROOM.md.
DOCS := $(patsubst %/README.md,%,$(wildcard daemons/README.md platforms/README.md))

# The contract tests of components, for those of users as well, are made where cmocka is installed.
CONTRACT := $(if $(shell $(PKG_CONFIG) --exists cmocka 2>/dev/null && echo yes),$(B)/tests/contract/test_contract)

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
PROGRAMS := $(DAEMONS:%=$(B)/bin/aloe-%) $(foreach t,$(TOOLS),$(B)/bin/$(call tool,$(t)))
COMPONENTS := $(foreach s,$(COMPONENT_SRC),$(B)/lib/aloe/$(basename $(notdir $(s))).so)
DESCS := $(COMPONENTS:.so=.desc)
TESTS_UHD := $(if $(UHD),$(patsubst tests/%.cpp,$(B)/tests/%,$(wildcard tests/unit/*.cpp)))
TESTS := $(patsubst tests/%.c,$(B)/tests/%,$(TEST_SRC)) $(TESTS_UHD)
TRANSPORTS := $(if $(DPDK),$(B)/lib/aloe-transports/dpdk.so) $(if $(SOAPY),$(B)/lib/aloe-transports/soapy.so)
FAULTY := $(patsubst tests/faults/components/%.c,$(B)/tests/components/%.so,$(FAULTY_SRC))
BENCHES := $(patsubst tests/%.c,$(B)/tests/%,$(BENCH_SRC))

LIBS_CORE := -lzmq -lsodium -lconfig -ljansson -ldl -lm
LIBS_FFT := $(if $(FFT_SRC),-lfftw3f_threads -lfftw3f)
-include $(wildcard components/*/group.mk)

all: $(PROGRAMS) $(COMPONENTS) $(DESCS) $(TRANSPORTS) $(CONTRACT) ## programs in build/bin, components in build/lib/aloe
	$(if $(UHD),,@echo "  x310-init is left out: libuhd-dev and libboost-dev are not installed, or not for $(CC)")
	$(if $(SOAPY),,@echo "  radios of type soapy are left out: libsoapysdr-dev is not installed, or not for $(CC)")

# ---- objects ----------------------------------------------------------------------------------------------------------
# Inner loops: no errno and no FP traps, so that roots and roundings are instructions; multiply and add do not melt into one
# rounding behind our back. So results are the same bits everywhere.
SPEED := -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off
$(B)/obj/core/kernels/%.o: CFLAGS_ALOE += $(SPEED) -fPIC -fvisibility=hidden
$(B)/obj/core/measure/classes.o: CFLAGS_ALOE += $(SPEED) # what is measured as a component's call is compiled as one
# Variants are compiled for their instructions.
ARCH := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
SIMD_x86_64_sse41 := -msse4.1
SIMD_x86_64_avx2 := -mavx2 -mbmi -mbmi2 -mfma -mpclmul
SIMD_x86_64_avx512 := $(SIMD_x86_64_avx2) -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi -mavx512vbmi2
$(foreach v,sse41 avx2 avx512,$(eval $(B)/obj/core/kernels/%_$(v).o: CFLAGS_ALOE += $(SIMD_$(ARCH)_$(v))))
$(B)/obj/core/fft/%.o $(patsubst %.c,$(B)/obj/%.o,$(ROOM_SRC)): CFLAGS_ALOE += -fPIC -fvisibility=hidden
$(B)/obj/components/%.o: CFLAGS_ALOE += $(SPEED) -fPIC -fvisibility=hidden
$(B)/obj/tests/faults/components/%.o: CFLAGS_ALOE += -fPIC -fvisibility=hidden
$(B)/obj/platforms/dpdk/%.o $(B)/obj/platforms/x310/frame.o $(B)/obj/platforms/soapy/device.o: CFLAGS_ALOE += -fPIC -fvisibility=hidden
# Tests are compiled for less than they would gain: what they compute is in the objects above, or in what stands in tests/common.
CHEAP := $(if $(findstring -O2,$(CFLAGS)),-O1)
$(foreach d,unit sim golden contract faults fuzz,$(B)/obj/tests/$(d)/%.o): CFLAGS_ALOE += $(CHEAP)
$(B)/obj/tests/faults/components/%.o: CFLAGS_ALOE += $(if $(CHEAP),-O2)
# The folder is newer when a driver came or went.
$(B)/obj/platforms/drivers.o: platforms $(RADIO_SRC)
$(B)/obj/platforms/drivers.o: CPPFLAGS_ALOE += -D'RADIOS=$(RADIOS)'
$(B)/obj/platforms/dpdk/%.o: CFLAGS_ALOE += -O3 $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags libdpdk 2>/dev/null))
$(B)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS_ALOE) $(CPPFLAGS) $(CFLAGS) $(CFLAGS_ALOE) -MMD -MP -c $< -o $@

$(B)/obj/%.o: %.cpp Makefile
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CXX) -std=c++17 $(CPPFLAGS_ALOE) $(CPPFLAGS) $(CFLAGS) -Wall -Wextra -Werror -pthread -MMD -MP -c $< -o $@

LIBALOE := $(B)/lib/libaloe.a
LIBDAEMON := $(B)/lib/libaloe-daemon.a
LIBPARTS := $(B)/lib/libaloe-parts.a
LIBTEST := $(B)/lib/libaloe-test.a
LIBKERNELS := $(B)/lib/libaloe-kernels.a
LIBFFT := $(B)/lib/libaloe-fft.a
LIBROOMS := $(B)/lib/libaloe-rooms.a
$(LIBALOE): $(call obj,$(CORE_SRC))
$(LIBDAEMON): $(call obj,$(COMMON_SRC))
$(LIBPARTS): $(call obj,$(PART_SRC))
$(LIBTEST): $(call obj,$(TEST_SUPPORT_SRC))
$(LIBKERNELS): $(call obj,$(KERNEL_SRC))
$(LIBFFT): $(call obj,$(FFT_SRC))
$(LIBROOMS): $(call obj,$(ROOM_SRC))
$(B)/lib/%.a:
	@mkdir -p $(@D)
	$(call say,AR)
	$(Q)rm -f $@; $(AR) rcs $@ $^

LINK = $(CC)
COMMA := ,

# ---- programs ---------------------------------------------------------------------------------------------------------
define program # folder, program file
$(2): $(call obj,$(wildcard $(1)/*.c $(1)/*/*.c)) $(LIBDAEMON) $(LIBALOE) $(LIBKERNELS)
	@mkdir -p $$(@D)
	$$(call say,LD)
	$(Q)$$(LINK) $(CFLAGS) $(LDFLAGS_ALOE) $(LDFLAGS) -o $$@ $$(filter %.o,$$^) $$(filter %.a,$$^) $$(LIBS_CORE)
endef
$(foreach d,$(DAEMONS),$(eval $(call program,daemons/$(d),$(B)/bin/aloe-$(d))))
$(foreach t,$(TOOLS),$(eval $(call program,tools/$(t),$(B)/bin/$(call tool,$(t)))))

# The page of the dashboard lies in the program that serves it.
$(B)/obj/daemons/statsman/page.o: $(wildcard daemons/statsman/page/* daemons/statsman/page/*/*)

# No other program serves HTTP.
$(B)/bin/aloe-statsman: private LIBS_CORE += -lcivetweb

# aloe-bench reads waveforms as aloe does, `aloe-bench x310-recovery` plays the device itself, and `aloe-bench bridge` both bridges.
$(B)/bin/aloe-bench: $(call obj,$(patsubst %,tools/aloe/%.c,source client progress) \
	$(filter-out %/main.c,$(wildcard daemons/bridge/*.c)) \
	$(patsubst %,tools/x310sim/%.c,device crossbar input output radio_core blocks ctrl mgmt layout))
$(B)/bin/x310-init: $(B)/obj/tools/x310-init/initialise.o
$(B)/bin/x310-init $(TESTS_UHD): private LINK := $(CXX)
$(B)/bin/x310-init $(TESTS_UHD): private LIBS_CORE += -luhd

# ---- components: the same object in a .so and linked in ---------------------------------------------------------------
# components/GROUP/NAME.c is component NAME; components/GROUP/group.mk may set LIBS_GROUP := -lliquid ...
# A sanitizer's symbols come from the program that loads the .so, so those builds cannot ask for a closed one.
CLOSED := $(if $(findstring -fsanitize,$(CFLAGS)),,-Wl,-z,defs)
define component # source, name, group
$(B)/lib/aloe/$(2).so: $(call obj,$(1)) $(ROOMS_$(3)) $(LIBKERNELS) $(LIBFFT) components/visible.map
	@mkdir -p $$(@D)
	$$(call say,SO)
	$(Q)$(CC) $(CFLAGS) -shared $(LDFLAGS_ALOE) $(LDFLAGS) -Wl,--exclude-libs,ALL,--version-script=components/visible.map $(CLOSED) -o $$@ $$(filter-out %.map,$$^) $$(LIBS_$(3)) \
		$(LIBS_FFT) -lm
endef
$(foreach s,$(COMPONENT_SRC),$(eval $(call component,$(s),$(basename $(notdir $(s))),$(notdir $(patsubst %/,%,$(dir $(s)))))))

$(B)/lib/aloe/%.desc: $(B)/lib/aloe/%.so $(B)/bin/aloe-host
	$(call say,DESC)
	$(Q)$(EMULATOR) $(B)/bin/aloe-host --describe $< > $@

$(B)/lib/aloe-transports/dpdk.so: $(call obj,$(TRANSPORT_SRC) platforms/x310/frame.c)
	@mkdir -p $(@D)
	$(call say,SO)
	$(Q)$(CC) $(CFLAGS) -shared $(LDFLAGS_ALOE) $(LDFLAGS) $(CLOSED) -o $@ $^ $(shell $(PKG_CONFIG) --libs libdpdk)

$(B)/lib/aloe-transports/soapy.so: $(call obj,$(SOAPY_SRC)) $(LIBKERNELS)
	@mkdir -p $(@D)
	$(call say,SO)
	$(Q)$(CC) $(CFLAGS) -shared $(LDFLAGS_ALOE) $(LDFLAGS) -Wl,--exclude-libs,ALL $(CLOSED) -o $@ $^ \
		$(shell $(PKG_CONFIG) --libs SoapySDR) -lm

$(B)/tests/components/%.so: $(B)/obj/tests/faults/components/%.o
	@mkdir -p $(@D)
	$(call say,SO)
	$(Q)$(CC) $(CFLAGS) -shared $(LDFLAGS_ALOE) $(LDFLAGS) $(CLOSED) -o $@ $^ -lm
$(B)/tests/components/%.desc: $(B)/tests/components/%.so $(B)/bin/aloe-host
	$(call say,DESC)
	$(Q)$(EMULATOR) $(B)/bin/aloe-host --describe $< > $@

# A device for SoapySDR without hardware: a module in the path of its plug-ins.
SOAPY_MODULE := $(if $(SOAPY),$(B)/tests/soapy/module.so)
$(B)/obj/tests/soapy/%.o: CPPFLAGS_ALOE += -fPIC
$(B)/tests/soapy/module.so: $(B)/obj/tests/soapy/module.o
	@mkdir -p $(@D)
	$(call say,SO)
	$(Q)$(CXX) $(CFLAGS) -shared $(LDFLAGS_ALOE) $(LDFLAGS) -o $@ $^ $(shell $(PKG_CONFIG) --libs SoapySDR)

# ---- tests ------------------------------------------------------------------------------------------------------------
TEST_LIBS := $(LIBTEST) $(LIBALOE) $(LIBKERNELS) $(LIBFFT)
define link_test
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(LINK) $(CFLAGS) $(LDFLAGS_ALOE) $(LDFLAGS) -rdynamic -o $@ \
		$(if $(CROSS),-Wl$(COMMA)--wrap=_cmocka_run_group_tests) \
		$(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group -lcmocka $(LIBS_FFT) $(LIBS_CORE)
endef
# Tests of core do not wait for daemons and tools.
$(patsubst tests/%.c,$(B)/tests/%,$(shell grep -lE '"(daemons|tools|tests/(common/(engine|fake|wave)|bench/chain|faults/changes))[./]' /dev/null $(TEST_SRC) $(BENCH_SRC) tests/bench/smoke.c tests/soak/soak.c)): $(LIBPARTS) $(LIBDAEMON)
$(B)/tests/%: $(B)/obj/tests/%.o $(TEST_LIBS)
	$(link_test)
# Memory and kernel that refuse a call, for tests/unit/test_scarce*: what the objects of this house call comes to
# tests/common/scarce.c first.
SCARCE := malloc calloc realloc aligned_alloc strdup strndup asprintf vasprintf open_memstream json_object json_array json_string \
	json_integer json_real json_dumps json_pack fstat64 stat64 fopen64 ftruncate64 mmap64 memfd_create read write mkdir rename opendir socket \
	socketpair bind connect listen accept4 setsockopt getsockopt sendmsg recvmsg epoll_create1 epoll_ctl eventfd timerfd_create pipe2 \
	pthread_create open64 openat64 fcntl64 zmq_ctx_new zmq_socket zmq_setsockopt zmq_getsockopt zmq_bind zmq_connect zmq_socket_monitor
$(filter $(B)/tests/unit/test_scarce%,$(TESTS)): private LDFLAGS_ALOE += $(addprefix -Wl$(COMMA)--wrap=,$(SCARCE))
# Tests of kernels alone need no library, so that they can be built for a machine of which there is nothing else.
KERNEL_TESTS := $(patsubst tests/%.c,$(B)/tests/%,$(filter tests/%,$(shell grep -LE '^.include "(daemons|tools|platforms|components|core/([^kb]|base/[^s])|tests/(mock|bench|common/[^g]))' /dev/null $$(grep -lE '"core/kernels/' $(TEST_SRC)))))
$(KERNEL_TESTS): $(B)/tests/%: $(B)/obj/tests/%.o $(B)/obj/tests/common/leave_out.o $(B)/obj/core/base/simd.o $(B)/obj/core/base/calibrate.o $(LIBKERNELS)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS_ALOE) $(LDFLAGS) -Wl,--wrap=_cmocka_run_group_tests -o $@ $^ -lcmocka -lm
# A fuzz target is run over its corpus and a fixed number of mutations here, without end by `make fuzz`.
$(B)/tests/fuzz/fuzz_%: $(B)/obj/tests/fuzz/fuzz_%.o $(B)/obj/tests/fuzz/smoke.o $(TEST_LIBS)
	$(link_test)
$(B)/fuzz/%: $(B)/obj/tests/fuzz/fuzz_%.o $(TEST_LIBS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS_ALOE) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group \
		$(LIBS_CORE)
$(B)/fuzz/x310sim $(B)/fuzz/web $(B)/fuzz/text $(B)/fuzz/cases $(B)/fuzz/record: $(LIBPARTS)
$(B)/fuzz/hostlink: $(LIBDAEMON)

TRUTH := $(B)/tests/truth/inject $(B)/tests/truth/matrix
tests: $(TESTS) $(TRUTH) $(FAULTY) $(FAULTY:.so=.desc) $(SOAPY_MODULE) ## the test programs, not run
benches: $(BENCHES)

deps: ## install missing Debian packages
	$(Q)tests/deps.sh build test

run: ## install what is missing, build, carry speech over a UTRAN bearer (ARGS="--set noise.ebn0_db=1")
	$(Q)tests/deps.sh build
	$(Q)$(MAKE) all
	$(Q)$(B)/bin/aloe run waveforms/utran384.conf $(ARGS)

check: ## install what is missing, build, all tests
	$(Q)tests/deps.sh build test
	$(Q)$(MAKE) all tests
	$(Q)B=$(B) tests/run.sh $(TESTS) $(TEST_SCRIPTS)

readme: all ## type every block of commands of README in all four ways: built and installed, as root and as an ordinary user
	$(Q)B=$(B) README=all tests/run.sh tests/sim/test_readme.sh

statistics: $(B)/tests/unit/test_utran_decoder ## the error rates of the turbo decoder with all their blocks; make check has half of them
	$(Q)ALOE_STATISTICS=1 tests/run.sh $<

check-kills: all $(B)/tests/faults/test_x310_kills ## 1 000 kills of either end of a memif port in mid-stream, ten minutes or more
	$(Q)B=$(B) ALOE_KILLS=$(or $(KILLS),1000) TEST_TIMEOUT=7200 tests/run.sh $(B)/tests/faults/test_x310_kills

# The two-cause rows and the controls are kinds, too. Thresholds and kinds are fixed; SEED of the report is 2.
TRUTH_KINDS := component new-memory preempted moved no-input soft-interrupt other-cpu other-cpu-tlb timer timer-idle throttled throttled-quota preempted-quota slept slow-machine radio none \
	component+preempted new-memory+preempted component+slept preempted+throttled
truth: all tests ## `aloe why` against disturbances that the engine is not told of: the confusion matrix, TRIALS=100 of each kind, SEED=2; resumable
	$(Q)B=$(B) TRUTH_KINDS="$(TRUTH_KINDS)" TRUTH_TRIALS=$(or $(TRIALS),100) TRUTH_SEED=$(or $(SEED),2) sh tests/truth/all.sh

check-others: all ## install others' programs and try x310sim with them: UHD's examples, gr-uhd, SoapyUHD; judges of /metrics; GNU Radio over ZeroMQ; SigMF; traces; the dashboard in Chromium; nodes under Slurm; Debian packages (PARTS=metrics: only these)
	$(Q)tests/deps.sh build test others deb
	$(Q)B=$(B) tests/others/check.sh $(PARTS)

# Statistics take minutes under an emulator or a sanitizer and tell nothing about instructions or memory.
STATISTICS := test_error_rate* test_windows_* test_default_scaling_* test_bytes_loss test_union_bound test_quantisation doppler_is_classical \
	envelope_is_rayleigh paths_are_independent

# libuhd reads what it has not written when memory is not as it is without a sanitizer: what is held against it is left out.
SANITIZE = $(MAKE) B=build-$(1) CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=$(2) -fno-sanitize-recover=all" TESTS_UHD=
# Thousands of blocks for an error rate or a digest and runs of benchmarks take minutes under sanitizers, on paths that the
# other programs go as well.
COUNTED := $(wildcard tests/golden/test_run_utran*.c tests/golden/test_run_levels.c tests/sim/test_bench*.c tests/sim/test_run_determinism.c)
SAN = $(call SANITIZE,san,address$(COMMA)undefined) TEST_SRC="$(filter-out $(COUNTED),$(TEST_SRC))"
check-san: ## the test programs under ASan and UBSan
	$(Q)tests/deps.sh build test
	+$(Q)$(SAN) check-programs

# Nodes in tests/faults order their threads through other processes too, which TSan does not see.
THREADED = $(filter-out %/test_slot_sacred.c tests/faults/%,$(shell grep -lE 'pthread_create|common/engine\.h' $(TEST_SRC)))
TSAN = $(call SANITIZE,tsan,thread -Wno-tsan) TEST_SRC="$(THREADED)"
check-tsan: ## the tests that use threads, under TSan
	$(Q)tests/deps.sh build test
	+$(Q)$(TSAN) check-programs

compiled: ## compile what check-san, check-tsan and fuzz-build run, and run nothing
	$(Q)tests/deps.sh build test fuzz
	+$(Q)$(SAN) all tests
	+$(Q)$(TSAN) all tests
	+$(Q)$(FUZZING)

check-neon: ## kernels, their tests and the UTRAN chain for aarch64, under qemu
	$(Q)tests/deps.sh build neon
	+$(Q)$(MAKE) B=build-neon CC=aarch64-linux-gnu-gcc FFT_SRC= check-kernels check-chain
check-kernels: $(KERNEL_TESTS)
	$(Q)B=$(B) TEST_RUNNER=$(if $(filter aarch64,$(ARCH)),qemu-aarch64) TEST_LEAVE_OUT="$(STATISTICS)" tests/run.sh $^

# Unit, contract and golden tests of the whole tree, and a node of each beside one of this machine, under qemu. Not for every
# change: the unit tests of one machine alone take seven minutes of a CPU.
ARM ?= aarch64 armhf
check-arm: ## the whole tree for ARM="aarch64 armhf" by cross compiler, its tests under qemu, a node of it beside one of this machine
	$(Q)tests/deps.sh build
	$(Q)$(MAKE) all
	+$(Q)failed=; told=; for arch in $(ARM); do \
		{ $(MAKE) ARCH=$$arch check-emulated && told="$$told\n  passed: unit, contract and golden tests, $$arch"; } || \
			{ failed=1; told="$$told\n  FAILED: unit, contract and golden tests, $$arch (build-$$arch/test-logs)"; }; \
		{ B=$(B) tests/emulated.sh $$arch $(CURDIR)/build-$$arch/sysroot tests/others/arm_nodes.sh $$arch && \
			told="$$told\n  passed: nodes with $$arch (arm_nodes.sh)"; } || \
			{ failed=1; told="$$told\n  FAILED: nodes with $$arch (arm_nodes.sh)"; }; \
	done; printf "check-arm:$$told\n"; test -z "$$failed"
# A frontend finds daemons by their arguments, which are qemu's.
EMULATED := $(filter-out %/test_frontend %/test_frontend_killed,$(filter $(addprefix $(B)/tests/,unit/% contract/% golden/%),$(TESTS)))
# What qemu-user lacks: huge pages in smaps, the MTU of a socket, the error of posix_spawn, libraries after env -i; and what counts milliseconds.
UNEMULATED := test_huge the_way_out_says_what_it_takes test_child_missing test_any_folder \
	test_silent test_components_errors test_items_too_few test_a_host_that_says_nothing test_kept_answer test_possible_on_the_timer
check-emulated: all $(EMULATED)
	$(Q)B=$(B) TEST_LEAVE_OUT="$(STATISTICS) $(UNEMULATED)" TEST_TIMEOUT=3600 \
		tests/emulated.sh $(ARCH) $(SYSROOT) tests/run.sh $(EMULATED)

# TSan wants addresses where they always are.
check-programs: all tests
	$(Q)B=$(B) TEST_LEAVE_OUT="$(STATISTICS)" \
		$(if $(findstring thread,$(CFLAGS)),$(shell setarch -R true 2>/dev/null && echo setarch -R)) \
		tests/run.sh $(TESTS) tests/sim/test_short_runs.sh

UTRAN := $(patsubst components/utran/%.c,$(B)/lib/aloe/%.so,$(wildcard components/utran/*.c))
include tools/bench/predict.mk

bench: all benches ## benchmarks, as ratios
	$(Q)for bench in $(BENCHES); do $$bench || exit 1; done

bench-peers: ## install and build what aloe bench can measure itself against: GNU Radio, JACK, libuhd, FutureSDR; SRSRAN_PREFIX=FOLDER, AFF3CT_PREFIX=FOLDER: their turbo decoders
	$(Q)B=$(B) CC="$(CC)" CXX="$(CXX)" tests/bench/peers/build.sh

ENGINE_BENCHES := $(patsubst %,$(B)/tests/bench/bench_%,dispatch link lane paced radio)
bench-engine: all $(ENGINE_BENCHES) ## what the engine costs for a slot, a link and a component, each reach as met or missed
	$(Q)for bench in $(ENGINE_BENCHES); do $$bench || exit 1; done

bench-smoke: all $(B)/tests/bench/smoke ## instructions of the hot paths, by callgrind, against tests/bench/expected.json
	$(Q)tests/deps.sh build test bench
	$(Q)$(B)/tests/bench/smoke
bench-expected: all $(B)/tests/bench/smoke ## write them there, when they are as they should be
	$(Q)$(B)/tests/bench/smoke --expected

SYNC_FRAMES ?= 10000
sync-hold: all tests ## hold two oscillators 20 ppm apart, and a channel that fades, for SYNC_FRAMES=10000 frames each (10 minutes)
	$(Q)SYNC_FRAMES=$(SYNC_FRAMES) nice -n 15 $(B)/tests/golden/test_run_utran_clock

ATTACKS ?= 1000
attacks: all $(B)/tests/faults/test_attacks $(FAULTY) $(FAULTY:.so=.desc) ## ATTACKS=1000 attacks on a node by seeds, with components that do harm; SEED=1 is the first
	$(Q)TEST_TIMEOUT=7200 ATTACKS=$(ATTACKS) tests/run.sh $(B)/tests/faults/test_attacks

HANGS ?= 100
hangs: all $(B)/tests/faults/test_components $(FAULTY) $(FAULTY:.so=.desc) ## what HANGS=100 hangs cost a lane-mate at most: slot + guard + 0.2 ms
	$(Q)TEST_TIMEOUT=1200 HANGS=$(HANGS) ONLY=what_hangs_cost_others tests/run.sh $(B)/tests/faults/test_components

CHANGES ?= 10000
changes: all $(B)/tests/sim/test_changes ## CHANGES=10000 changes to a running node, drawn at random
	$(Q)TEST_TIMEOUT=7200 ALOE_CHANGES=$(CHANGES) tests/run.sh $(B)/tests/sim/test_changes

BRIDGE_SEEDS ?= 100000
bridge-seeds: all $(B)/tests/sim/test_bridge ## BRIDGE_SEEDS=100000 random graphs cut over nodes, by seeds; SEED=1 is the first
	$(Q)BRIDGE_SEEDS=$(BRIDGE_SEEDS) $(B)/tests/sim/test_bridge

CLUSTER_SEEDS ?= 100000
cluster-seeds: $(B)/tests/sim/test_cluster ## CLUSTER_SEEDS=100000 clusters of a manager and nodes in virtual time, by seeds; SEED=1 is the first
	$(Q)CLUSTER_SEEDS=$(CLUSTER_SEEDS) $(B)/tests/sim/test_cluster

NODE_LINK_KILLS ?= 100
node-links: all ## nodes in network namespaces over a relay that loses, delays and cuts, with NODE_LINK_KILLS=100 kills of bridges (five minutes)
	$(Q)B=$(B) TEST_TIMEOUT=3600 NODE_LINK_KILLS=$(NODE_LINK_KILLS) tests/run.sh tests/sim/test_node_links.sh

CLOCK_SEEDS ?= 20000
clock-seeds: $(B)/tests/unit/test_offset ## CLOCK_SEEDS=20000 pairs of clocks with drift, jitter and ways of different length
	$(Q)CLOCK_SEEDS=$(CLOCK_SEEDS) $(B)/tests/unit/test_offset

MANY ?= 1000
many: all $(B)/tests/faults/test_many ## MANY=1000 hosts, then as many waveforms, on one node, exec and frontend killed among them: how long it takes
	$(Q)TEST_TIMEOUT=7200 MANY=$(MANY) WAVEFORMS=$(MANY) tests/run.sh $(B)/tests/faults/test_many tests/sim/test_many_waveforms.sh
	$(Q)grep -hE 'loaded|answers|took' $(B)/test-logs/faults.test_many.log $(B)/test-logs/sim.test_many_waveforms.sh.log

# HOURS=8, or MINUTES=1: half of it on the virtual clock, half on the timer.
SOAK_SECONDS = $(shell expr $(or $(HOURS),0) '*' 3600 + $(or $(MINUTES),$(if $(HOURS),0,1)) '*' 60 2>/dev/null)
soak: all $(B)/tests/soak/soak $(FAULTY) $(FAULTY:.so=.desc) ## HOURS=8 or MINUTES=1 of changes, remaps, kills and loads; no slot lost, memory and descriptors flat; SEED=1
	$(Q)test "$(SOAK_SECONDS)" -gt 0 2>/dev/null || \
		{ echo "soak: HOURS=$(HOURS) MINUTES=$(MINUTES): whole numbers are allowed, with a sum above 0: HOURS=8, MINUTES=30" >&2; exit 2; }
	$(Q)SOAK_SECONDS=$(SOAK_SECONDS) TEST_TIMEOUT=$$(($(SOAK_SECONDS) * 2 + 600)) tests/run.sh $(B)/tests/soak/soak && \
		sed 's/^/  /' $(B)/test-logs/soak.soak.log || { cat $(B)/test-logs/soak.soak.log; exit 1; }

FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
FUZZERS := $(patsubst tests/fuzz/fuzz_%.c,$(B)/fuzz/%,$(FUZZ_SRC))
FUZZ_SECONDS ?= 60
FUZZING = $(MAKE) B=build-fuzz CC=clang CFLAGS="-O1 -g -fsanitize=fuzzer-no-link,address,undefined" fuzzers
fuzz: fuzz-build ## libFuzzer on every parser, FUZZ_SECONDS=60 each
	$(Q)tests/fuzz/fuzz.sh build-fuzz/fuzz $(FUZZ_SECONDS)
fuzz-build: ## install what is missing, build the programs of fuzz by clang, and run each over its corpus once
	$(Q)tests/deps.sh build fuzz
	+$(Q)$(FUZZING)
	$(Q)tests/fuzz/fuzz.sh build-fuzz/fuzz corpus
fuzzers: $(FUZZERS)
RUNS ?= 10000000
fuzz-long: fuzz-build ## RUNS=10000000 executions of every parser from the kept corpus, at most FUZZ_SECONDS each if that is given: a table, findings fail
	$(Q)FUZZ_SECONDS=$(if $(filter file default,$(origin FUZZ_SECONDS)),0,$(FUZZ_SECONDS)) tests/fuzz/fuzz.sh build-fuzz/fuzz runs $(RUNS)
fuzz-smoke: ## a minute of it, from the kept corpus and the same seed each time: two seconds of every parser
	$(Q)tests/deps.sh build fuzz
	+$(Q)$(FUZZING)
	$(Q)tests/fuzz/fuzz.sh build-fuzz/fuzz smoke 2

# Counters of gcov in every program and component; tests/coverage/dump.c keeps those of who ends without exit. UHD's test is C++ of others.
COVERAGE_DUMP := build-coverage/obj/tests/coverage/dump.o
$(B)/obj/tests/coverage/%.o: CFLAGS_ALOE += -fPIC
COVERAGE = $(MAKE) B=build-coverage CFLAGS="-O1 -g --coverage -fprofile-update=atomic -Wno-maybe-uninitialized" TESTS_UHD= \
	LDFLAGS="$(CURDIR)/$(COVERAGE_DUMP) -Wl$(COMMA)--wrap=_exit$(COMMA)--wrap=kill$(COMMA)--wrap=pidfd_send_signal"
COVERAGE_TESTS ?= $(patsubst tests/%.c,build-coverage/tests/%,$(TEST_SRC)) $(filter-out tests/house/% tests/install/%,$(TEST_SCRIPTS))
coverage: ## which lines and branches the tests go through (gcov, lcov): goals, the 20 worst files, a report in build-coverage/coverage (an hour; COVERAGE_TESTS="build-coverage/tests/..." COVERAGE_KEEP=1: these in addition to what has run)
	$(Q)tests/deps.sh build test coverage
	+$(Q)$(COVERAGE) $(COVERAGE_DUMP)
	+$(Q)$(COVERAGE) all tests
	$(if $(COVERAGE_KEEP),,$(Q)find build-coverage -name '*.gcda' -delete)
	-$(Q)B=build-coverage FUZZ_RUNS=2000 ALOE_TEST_KILL=$(CURDIR)/tests/coverage/kill.sh TEST_LEAVE_OUT="$(STATISTICS) test_no_variables_of_the_file" tests/run.sh $(COVERAGE_TESTS)
	$(Q)tests/coverage/coverage.sh build-coverage

messages: ## list every text that the programs can print, each as FILE:LINE: TEXT
	$(Q)tests/house/messages.sh

lint: ## clang-format, clang-tidy, cppcheck, house rules
	$(Q)tests/deps.sh build test lint
	$(Q)tests/lint.sh
	$(Q)$(MAKE) all
	$(Q)B=$(B) tests/house/house.sh

format: ## clang-format on every tracked source
	$(Q)git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format -i

# ---- install ----------------------------------------------------------------------------------------------------------
INSTALL := install -D
# Where Debian's python3 looks: /usr for packages, /usr/local by version.
PYTHON := $(wildcard tools/python/aloe/*.py)
PYTHONDIR ?= $(if $(filter /usr,$(PREFIX)),lib/python3,lib/python3.11)/dist-packages
at = $(DESTDIR)$(PREFIX)/$(1)
install: all ## DESTDIR= PREFIX=/usr/local
	$(Q)for f in $(PROGRAMS); do $(INSTALL) -m 755 $$f $(call at,bin)/$${f##*/} || exit 1; done
	$(Q)for f in $(COMPONENTS) $(DESCS); do $(INSTALL) -m 644 $$f $(call at,lib/aloe)/$${f##*/} || exit 1; done
	$(Q)for f in $(TRANSPORTS); do $(INSTALL) -m 644 $$f $(call at,lib/aloe-transports)/$${f##*/} || exit 1; done
	$(Q)$(if $(CONTRACT),$(INSTALL) -m 755 $(CONTRACT) $(call at,lib/aloe-contract)/contract)
	$(Q)$(INSTALL) -m 644 core/include/aloe/component.h $(call at,include/aloe)/component.h
	$(Q)mkdir -p $(call at,lib/pkgconfig)
	$(Q)sed 's,@PREFIX@,$(PREFIX),; s,@VERSION@,$(VERSION),' core/aloe.pc.in > $(call at,lib/pkgconfig)/aloe.pc
	$(Q)for f in $(wildcard waveforms/*); do $(INSTALL) -m 644 $$f $(call at,share/aloe/waveforms)/$${f##*/} || exit 1; done
	$(Q)for f in $(wildcard platforms/nodes/*.conf); do $(INSTALL) -m 644 $$f $(call at,share/aloe/platforms)/$${f##*/} || exit 1; done
	$(Q)sed 's,/usr/local/bin,$(PREFIX)/bin,' platforms/deploy/aloe@.service | $(INSTALL) -m 644 /dev/stdin $(call at,lib/systemd/system)/aloe@.service
	$(Q)$(INSTALL) -m 755 platforms/deploy/aloe.slurm $(call at,share/aloe/deploy)/aloe.slurm
	$(Q)$(INSTALL) -m 644 platforms/deploy/grafana.json $(call at,share/aloe/deploy)/grafana.json
	$(Q)for f in $(MAN); do sed '/^\.TH/s/ALOE [0-9][0-9.]*/ALOE $(VERSION)/' $$f | $(INSTALL) -m 644 /dev/stdin $(call at,share/man)/man$${f##*.}/$${f##*/} || exit 1; done
	$(Q)for room in $(DOCS); do $(INSTALL) -m 644 $$room/README.md $(call at,share/doc/aloe)/$$room.md || exit 1; done
	$(Q)for f in $(PYTHON); do $(INSTALL) -m 644 $$f $(call at,$(PYTHONDIR)/aloe)/$${f##*/} || exit 1; done
	$(Q)for f in $(wildcard tools/python/examples/*.py); do $(INSTALL) -m 644 $$f $(call at,share/aloe/python)/$${f##*/} || exit 1; done
	$(Q)for f in $(wildcard tools/*/*.bash); do f=$${f##*/}; \
		$(INSTALL) -m 644 tools/*/$$f $(call at,share/bash-completion/completions)/$${f%.bash} || exit 1; done
	@echo "installed in $(call at,)"

# In a copy, so that debhelper's folders and another build do not come into this one.
DEB := build-deb
deb: ## Debian packages in build-deb: aloe, aloe-x310sim, aloe-dev, python3-aloe
	$(Q)tests/deps.sh build test deb
	$(Q)rm -rf $(DEB) && mkdir -p $(DEB)/aloe-$(VERSION)
	$(Q)git ls-files -z | xargs -0 cp --parents -P -p -t $(DEB)/aloe-$(VERSION)
	$(Q)cd $(DEB)/aloe-$(VERSION) && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL DEB_BUILD_OPTIONS="parallel=$(shell nproc) $(DEB_BUILD_OPTIONS)" \
		dpkg-buildpackage -us -uc -b
	$(Q)rm -rf $(DEB)/aloe-$(VERSION) && ls $(DEB)/*.deb

man: $(PROGRAMS) ## write man pages and completions of the tools again, from their tables
	$(Q)$(foreach t,$(TOOLS),$(B)/bin/$(call tool,$(t)) --man > tools/$(t)/$(call tool,$(t)).1 && \
		$(B)/bin/$(call tool,$(t)) --completion > tools/$(t)/$(call tool,$(t)).bash &&) true

pictures: all ## draw the pictures of waveforms in tools/aloe/pictures again (graphviz)
	$(Q)B=$(B) tests/house/test_pictures.sh --write

uninstall: ## what install put there
	$(Q)rm -f $(foreach p,$(PROGRAMS) x310-init,$(call at,bin)/$(notdir $(p))) $(call at,lib/pkgconfig)/aloe.pc \
		$(call at,lib/systemd/system)/aloe@.service \
		$(foreach m,$(MAN),$(call at,share/man)/man$(subst .,,$(suffix $(m)))/$(notdir $(m))) \
		$(foreach c,$(wildcard tools/*/*.bash),$(call at,share/bash-completion/completions)/$(basename $(notdir $(c))))
	$(Q)rm -rf $(call at,$(PYTHONDIR)/aloe) $(call at,lib/aloe) $(call at,lib/aloe-transports) $(call at,lib/aloe-contract) $(call at,include/aloe) $(call at,share/aloe) $(call at,share/doc/aloe)

clean: ## remove every build
	rm -rf build build-*

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile tools/bench/predict.mk

.PHONY: compiled readme statistics truth hangs all deb tests benches o0 aarch64 deps run check check-san check-tsan check-programs check-neon check-arm check-emulated check-kernels check-chain bench bench-peers bench-engine bench-smoke bench-expected sync-hold fuzz fuzzers fuzz-long fuzz-smoke coverage soak attacks changes bridge-seeds cluster-seeds clock-seeds node-links check-others check-kills fuzz-build many lint messages format install man pictures \
	uninstall clean help
-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
