# SPDX-License-Identifier: BSD-3-Clause
#
# Other kinds of nodes for `aloe bench predict`: builds of the UTRAN components ($(UTRAN)) that are slow, or for another machine.

# A second set of the UTRAN components, and what measures classes of work, as a slow kind of node for `aloe bench predict`.
O0 := $(UTRAN:$(B)/%=$(B)/O0/%)
o0: all ## the UTRAN components without optimisation, for aloe bench predict
	$(Q)$(MAKE) B=$(B)/O0 CFLAGS=-O0 SPEED="-O0 -fno-math-errno -fno-trapping-math -ffp-contract=off" $(O0) $(B)/O0/bin/execinfo
	$(Q)cp $(UTRAN:.so=.desc) $(B)/O0/lib/aloe

# And one for another architecture, with a program that runs the chain in one process: no library is needed for it.
AARCH64 := $(UTRAN:$(B)/%=$(B)/aarch64/%)
$(B)/tests/bench/emulated: $(call obj,tests/bench/emulated.c core/base/simd.c core/base/calibrate.c core/component/param.c core/measure/calibrate.c core/measure/classes.c) $(LIBKERNELS)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS_ALOE) $(LDFLAGS) -o $@ $^ -ldl -lm
aarch64: all ## the UTRAN components for aarch64, for aloe bench predict under qemu
	$(Q)tests/deps.sh build neon
	$(Q)$(MAKE) B=$(B)/aarch64 CC=aarch64-linux-gnu-gcc FFT_SRC= $(AARCH64) $(B)/aarch64/tests/bench/emulated
	$(Q)cp $(UTRAN:.so=.desc) $(B)/aarch64/lib/aloe
check-chain: $(UTRAN) $(B)/tests/bench/emulated
	$(Q)for level in neon plain; do ALOE_SIMD=$$level qemu-aarch64 $(B)/tests/bench/emulated 2 >/dev/null || exit 1; done
