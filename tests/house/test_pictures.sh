#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/house/test_pictures.sh [--write] - the pictures of waveforms in tools/aloe/pictures are those that `aloe graph` draws
# now. A picture names the SHA-256 of the text that Graphviz has drawn, which is compared: another Graphviz may draw it
# otherwise. --write (make pictures) draws them again.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/common/ok.sh
pictures=tools/aloe/pictures

draw() { # OPTION FILE: the README's waveform, on two lanes of a machine that is the same everywhere
	"$B/bin/aloe" graph waveforms/utran384.conf --platform platforms/nodes/x86-pair.conf --set source.pin=0 \
		--set decoder.pin=1 --state "$work" "$1" "$2"
}
digest() { # FILE OF TEXT
	sha256sum <"$1" | cut -d ' ' -f 1
}
is_fresh() { # SVG TEXT
	grep -q "SHA-256 of its text: $(digest "$2") " "$1" && return
	echo "$1 is not what aloe graph draws now; \`make pictures\` draws it again"
	return 1
}

draw --dot "$work/dot" 2>"$work/err" || { cat "$work/err"; exit 1; }
if [ "${1:-}" = --write ]; then
	draw --svg "$work/svg" 2>"$work/err" || { cat "$work/err"; exit 1; }
	mkdir -p "$pictures"
	sed "1a <!-- SPDX-License-Identifier: BSD-3-Clause; make pictures; SHA-256 of its text: $(digest "$work/dot") -->" \
		"$work/svg" >"$pictures/utran384.svg"
	exit
fi
ok "the picture of utran384 is as aloe graph draws it" is_fresh "$pictures/utran384.svg" "$work/dot"
sed 's/9120/9121/' "$work/dot" >"$work/other"
ok "another waveform would be noticed" sh -c "! grep -q \"text: \$(sha256sum <'$work/other' | cut -d ' ' -f 1)\" $pictures/utran384.svg"
exit "$failed"
