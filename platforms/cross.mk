# SPDX-License-Identifier: BSD-3-Clause
#
# make ARCH=aarch64 or ARCH=armhf: the tree for another machine, in build-ARCH, by Debian's cross compiler. The libraries of that
# machine are Debian's packages, unpacked in build-ARCH/sysroot (tests/sysroot.sh), so nothing of this machine changes. What is
# built runs under qemu-user where a step of the build has to run it. On a machine of that kind it is an ordinary build.
comma := ,
TRIPLET_aarch64 := aarch64-linux-gnu
TRIPLET_armhf := arm-linux-gnueabihf
EMULATOR_aarch64 := qemu-aarch64
EMULATOR_armhf := qemu-arm

ifeq ($(origin ARCH),command line)
HERE := $(shell cc -dumpmachine)
ifeq ($(filter $(ARCH),aarch64 armhf $(firstword $(subst -, ,$(HERE)))),)
$(error ARCH=$(ARCH): there are aarch64 and armhf, and this machine's $(firstword $(subst -, ,$(HERE))))
endif
CROSS := $(filter-out $(HERE),$(TRIPLET_$(ARCH)))
endif

ifneq ($(CROSS),)
B ?= build-$(ARCH)
SYSROOT := $(abspath $(B)/sysroot)
ifeq ($(findstring $(CROSS),$(CC)),)
override CC := $(if $(findstring ccache,$(CC)),ccache )$(CROSS)-gcc
endif
CXX := $(CROSS)-g++
AR := $(CROSS)-ar
PKG_CONFIG := PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/$(CROSS)/pkgconfig pkg-config
CROSS_FLAGS := --sysroot=$(SYSROOT)
CROSS_LDFLAGS := $(patsubst %,-Wl$(comma)-rpath-link=$(SYSROOT)/%/$(CROSS),lib usr/lib)
EMULATOR := QEMU_LD_PREFIX=$(SYSROOT) $(EMULATOR_$(ARCH))

# make makes this file first, and begins anew.
include $(SYSROOT)/made.mk
$(SYSROOT)/made.mk: tests/sysroot.sh
	@tests/sysroot.sh $(ARCH) $(SYSROOT)
endif
