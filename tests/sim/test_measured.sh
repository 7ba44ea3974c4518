#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/bench/measured.sh: the section lands between its two lines and nowhere else, a second time as well; what failed is said
# and leaves what was there. With mappers alone, which take a moment.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
export B
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

. tests/common/ok.sh

measured() {
	tests/bench/measured.sh --short --out "$work/out" --into "$work/FILE.md" "$@"
}

lines() { # N PATTERN: so many lines of the file have it
	[ "$(grep -c "$2" "$work/FILE.md")" = "$1" ]
}

printf '# a\n<!-- measured: begin -->\nold\n<!-- measured: end -->\nz\n' >"$work/FILE.md"
ok "it ends well" measured map
ok "what was there is replaced" lines 0 '^old$'
ok "what was around it stays" lines 2 '^\(# a\|z\)$'
ok "the lines themselves stay" lines 2 '^<!-- measured: '
ok "one heading" lines 1 '^### Mappers$'
ok "the command, and when" lines 1 '<code>aloe bench map --seeds 20 --units 0</code>, 20[0-9-]*T[0-9:]*Z, [0-9.]* s</summary>'
ok "the machine" lines 1 '^On this machine: .*CPUs.*Linux'
ok "rows of three loads" lines 3 '| portfolio |'
ok "all rows as CSV" test "$(wc -l <"$work/out/map.csv")" -ge 36
ok "a picture" grep -q '<svg' "$work/out/map.svg"
cp "$work/FILE.md" "$work/before"
ok "again" measured map
ok "the same again, but for times" test "$(wc -l <"$work/before")" = "$(wc -l <"$work/FILE.md")"

measured nosuch >"$work/said" 2>&1
ok "a name that is not known: exit 2" test $? = 2
ok "... and those that are" grep -q 'nosuch: there are table1 ' "$work/said"
printf 'no such lines\n' >"$work/FILE.md"
measured map >"$work/said" 2>&1
ok "a file without the lines: exit 2" test $? = 2
ok "... which is as it was" lines 1 '^no such lines$'
exit $failed
