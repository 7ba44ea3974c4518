#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Man pages and completions are what the programs' tables say (`make man` writes them again), man takes them without a
# warning, every program has one, and bash completes by them.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

. tests/common/ok.sh

for tool in aloe execinfo comprun x310sim x310loop x310-init; do
	[ -x "$B/bin/$tool" ] || continue # libuhd-dev is not here
	"$B/bin/$tool" --man >"$work/$tool.1"
	ok "man page of $tool" cmp "$work/$tool.1" "tools/$tool/$tool.1"
	"$B/bin/$tool" --completion >"$work/$tool.bash"
	ok "completion of $tool" cmp "$work/$tool.bash" "tools/$tool/$tool.bash"
done
for program in "$B"/bin/*; do
	name=$(basename "$program")
	ok "$name has a man page" test -n "$(ls tools/*/"$name".1 daemons/*/"$name".8 2>/dev/null)"
done
if command -v groff >/dev/null; then
	clean() { test -z "$(groff -man -Tutf8 -ww -z "$1" 2>&1)"; }
	for page in tools/*/*.1 daemons/*/*.8; do
		ok "no warning from $page" clean "$page"
	done
fi

complete_words() { # WORD...: what bash would offer for the last
	bash -c '
		. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _aloe
		printf "%s\n" "${COMPREPLY[@]}" | tr "\n" " "' tools/aloe/aloe.bash "$@" | grep -qxe "$want"
}
want='start step stop status ' ok "commands" complete_words aloe st
want='timer ' ok "values of an option" complete_words aloe run x.conf --clock t
want='--slots --set --slot-us --strict --state ' ok "options" complete_words aloe run --s
want='waveforms/bpsk.conf ' ok "files" complete_words aloe run waveforms/bpsk.c
exit $failed
