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
ok "a new component builds and runs, from the build folder" skeleton "$bin/aloe" "$work/a"
make B="$B" DESTDIR="$work/stage" PREFIX=/usr install >/dev/null || failed=1
ok "a new component builds and runs, from an installation" skeleton "$work/stage/usr/bin/aloe" "$work/b"
refused() (
	cd "$work/a" || exit 1
	"$bin/aloe" new component "no/slash" >refusal 2>&1
	[ $? = 2 ] && "$bin/aloe" new component mygain >refusal 2>&1
	[ $? = 2 ] && grep -q mygain refusal
)
ok "a bad name and a folder that is there are refused" refused
exit $failed
