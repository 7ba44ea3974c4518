#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The driver of a radio is one folder and no other line. In a tree of links to this one, platforms/copy is platforms/file
# under another name: make finds the folder, errors and the manual name the type, and a waveform runs on its radio.
set -u
cd "$(dirname "$0")/../.." || exit 2
top=$PWD
B=$(cd "${B:-build}" && pwd) || exit 2
work=$(mktemp -d) || exit 2
export XDG_RUNTIME_DIR="$work" XDG_STATE_HOME="$work/state"
trap 'rm -rf "$work"' EXIT

. tests/common/ok.sh

# What make writes here are copies; the programs are, too, for they look for each other where they lie.
tree() {
	mkdir -p platforms/copy build/obj/tools build/lib build/bin &&
		ln -s "$top/Makefile" "$top/core" "$top/daemons" "$top/components" "$top/tools" "$top/tests" "$top/waveforms" "$top/debian" . &&
		ln -s "$top"/platforms/* platforms &&
		cp -a "$B/obj/core" "$B/obj/platforms" "$B/obj/daemons" build/obj && cp -a "$B/obj/tools/aloe" build/obj/tools &&
		cp -a "$B"/lib/*.a build/lib && ln -s "$B/lib/aloe" build/lib && cp -a "$B/bin/aloe" "$B"/bin/aloe-* build/bin
}
driver() {
	for file in "$top"/platforms/file/*; do
		sed 's/file_/copy_/g; s/PLATFORMS_FILE/PLATFORMS_COPY/; s,platforms/file/,platforms/copy/,; s/"file"/"copy"/' "$file" \
			>"platforms/copy/${file##*/}" || return 1
	done
}
builds() {
	make -s B=build build/bin/aloe build/bin/aloe-swman build/bin/aloe-host
}
radio() { # TYPE: a radio file
	echo "radio: { type = \"$1\"; path = \"in\"; format = \"ci16_le\"; rate = 1e6; tx_path = \"sent\"; };" >radio.conf
}
listed() {
	radio b200 && ! build/bin/aloe check waveforms/radio-file.conf --radio radio.conf >said 2>&1 &&
		grep -F 'type = "b200" is unknown; allowed: copy, file, soapy, x310' said
}
manual() {
	build/bin/aloe --man >said && grep -q '^type = "copy" is two files' said && grep -q '^type = "file" is two files' said
}
runs() {
	radio copy && head -c 102400 /dev/urandom >in &&
		build/bin/aloe run waveforms/radio-file.conf --radio radio.conf --clock virtual ${ALOE_TEST_LANE:+--lanes "$ALOE_TEST_LANE"} -q &&
		cmp in sent
}

mkdir "$work/tree" && cd "$work/tree" || exit 2
ok "a tree with the programs as they are" tree
ok "a driver as one folder" driver
ok "and all else as it was" test -z "$(find . -path ./build -prune -o -type f ! -path './platforms/copy/*' -print)"
ok "is built" builds
ok "is listed among the drivers, in their order" listed
ok "is in the manual" manual
ok "receives and sends in a waveform" runs
exit $failed
