#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# `aloe new component NAME` writes a skeleton that builds and runs, from an installation and from the build folder, in
# any directory and without environment variables.
set -u
unset PKG_CONFIG_PATH ALOE_COMPONENTS
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
bin=$(cd "$B/bin" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

. tests/common/ok.sh

skeleton() ( # ALOE FOLDER: the steps that the skeleton itself names
	mkdir -p "$2" && cd "$2" || exit 1
	"$1" new component mygain || exit 1
	cd mygain || exit 1
	make && make run
)
tried() ( # FOLDER: the other targets of README.md, each with what shows that it did its work
	cd "$1/mygain" || exit 1
	make test >test.log 2>&1 || { cat test.log; exit 1; }
	grep -q 'PASSED.*15 test' test.log && grep -q 'ok scale = 2' test.log || { cat test.log; exit 1; }
	make debug GDBFLAGS="-ex bt -batch" </dev/null 2>&1 | grep 'Breakpoint 1, .*mygain_work' || exit 1
	make asan | grep 'ok scale = 2' || exit 1
	targets=$(sed -n 's/^| `make \([a-z]*\)`.*/\1/p' README.md)
	[ "$(echo $targets)" = "run test debug asan install clean" ] && make clean
)
narrow() ( # what is written has 100 columns at most
	mkdir "$work/narrow" && cd "$work/narrow" && "$bin/aloe" new component mygain && "$bin/aloe" new component plus --cpp &&
		! expand */* | grep '.\{101\}'
)
out_of_bounds() ( # FOLDER: `make asan` finds a write behind an array
	cp -r "$1/mygain" "$1/bounds" && cd "$1/bounds" &&
		sed -i 's/^\tself->samples += n;/&\n\tvolatile float few[4];\n\tfew[n + 2] = 0;/' mygain.c && ! make asan >asan.log 2>&1 &&
		grep -q 'stack-buffer-overflow\|out of bounds' asan.log || { cat asan.log; exit 1; }
)
breaks() ( # FOLDER: the contract tests find a component that writes to its input
	cp -r "$1/mygain" "$1/breaks" && cd "$1/breaks" &&
		sed -i 's/^\tself->samples += n;/&\n\tif (n)\n\t\t((cf32 *)in)[0] = 1;/' mygain.c &&
		! make test >test.log 2>&1 && grep -q 'writes to its input' test.log || { cat test.log; exit 1; }
)
ok "a new component builds and runs, from the build folder" skeleton "$bin/aloe" "$work/a"
ok "no line of its files is long" narrow
ok "its tests, gdb and the sanitizers, from the build folder" tried "$work/a"
ok "make asan finds an overflow" out_of_bounds "$work/a"
ok "make test finds a broken contract" breaks "$work/a"
make B="$B" DESTDIR="$work/stage" PREFIX=/usr install >/dev/null || failed=1
ok "a new component builds and runs, from an installation" skeleton "$work/stage/usr/bin/aloe" "$work/b"
ok "its tests, gdb and the sanitizers, from an installation" tried "$work/b"

# A function of libm in `work`: the object must be one that can be loaded. What runs is a rotation of the samples by half a
# turn, so that every bit is wrong.
turn() { # FILE: cosf, so that scale is an angle
	sed -i 's/#include <aloe.component.h>/&\n#include <math.h>/; s/self->scale \* in/cosf(self->scale) * in/' "$1" && grep -q cosf "$1"
}
with_cosf() ( # NAME SUFFIX OPTION...: a component that needs libm
	cd "$work/a" || exit 1
	name=$1 suffix=$2
	shift 2
	"$bin/aloe" new component "$name" "$@" && cd "$name" && turn "$name.$suffix" && make &&
		make run ARGS="--set mine.scale=3.14159265 --json -q" >run.out && grep -q '"bit_errors": 1000000,' run.out
)
ok "a component that calls cosf is linked, loaded and run" with_cosf turns c
ok "one in C++, too" with_cosf turnspp cpp --cpp
cpp_tried() ( # the same targets in C++
	cd "$work/a" && "$bin/aloe" new component plus --cpp && cd plus && make test asan >test.log 2>&1 &&
		make debug GDBFLAGS="-ex bt -batch" </dev/null 2>&1 | grep 'Breakpoint 1, .*plus_work' || { cat test.log; exit 1; }
)
ok "test, asan and debug in C++" cpp_tried
flags_used() ( # every variable that make users know reaches the compiler
	cd "$work/a/mygain" && make clean &&
		make -n all CC=mycc CPPFLAGS=-DONE CFLAGS=-Og LDFLAGS=-Wl,-O1 LDLIBS=-lz | tr -d '\\\n' >"$work/said" &&
		grep -q '^mycc .*-DONE .*-Og .*-Wl,-O1 .*mygain\.c -lz -lm' "$work/said" && ! grep -q -- -O3 "$work/said"
)
ok "CC, CPPFLAGS, CFLAGS, LDFLAGS and LDLIBS are honoured" flags_used
unknown() ( # a function that is nowhere is told when it is linked, not when it is loaded
	cp -r "$work/a/turns" "$work/unknown" && cd "$work/unknown" && sed -i 's/cosf(/nowhere_to_be_found(/' turns.c &&
		! make -B >"$work/said" 2>&1 && grep -q 'undefined reference.*nowhere_to_be_found' "$work/said"
)
ok "a function that no library has is an error of the linker" unknown
clean() ( # also after a component that cannot be described
	cd "$work/a/turns" && rm -f run.out && make clean && ls >"$work/before" && make && ! make -B ALOE_BIN=/nowhere &&
		make clean && ls >"$work/after" && cmp "$work/before" "$work/after"
)
ok "clean leaves only what aloe new made" clean
refused() (
	cd "$work/a" || exit 1
	"$bin/aloe" new component "no/slash" >refusal 2>&1
	[ $? = 2 ] && "$bin/aloe" new component mygain >refusal 2>&1
	[ $? = 2 ] && grep -q mygain refusal
)
ok "a bad name and a folder that is there are refused" refused
exit $failed
