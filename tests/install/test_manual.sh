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

for tool in aloe execinfo comprun aloe-bench x310sim x310-init; do
	[ -x "$B/bin/$tool" ] || continue # libuhd-dev is not here
	"$B/bin/$tool" --man >"$work/$tool.1"
	ok "man page of $tool" cmp "$work/$tool.1" tools/*/"$tool.1"
	"$B/bin/$tool" --completion >"$work/$tool.bash"
	ok "completion of $tool" cmp "$work/$tool.bash" tools/*/"$tool.bash"
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

# What a user reads names no source file that is not installed, and the manual has every key that the reader of a file knows.
no_source() { ! grep -nE '\b(core|daemons|tools|platforms|components|tests)/[a-z0-9_/]*\.[ch]\b' "$1"; }
for page in tools/*/*.1 daemons/*/*.8 waveforms/*.conf platforms/nodes/*.conf; do
	ok "$page names no source file" no_source "$page"
done
"$B/bin/aloe" list components --names | while read -r type; do "$B/bin/aloe" help "$type"; done >"$work/types"
ok "the help of components names no source file" no_source "$work/types"
keys_of() { # FILE ARRAY: the words of a table of keys
	sed -n "/$2\[\] = {/,/};/p" "$1" | grep -o '"[a-z_0-9]*"' | tr -d '"'
}
radio_keys() { grep -ohE '^    (\{|SETTING\()"[a-z_]+"' platforms/*/*.c | grep -o '[a-z_]*"$' | tr -d '"'; }
for key in type $(radio_keys) $(keys_of core/waveform/platform.c '_keys'); do
	ok "aloe(1) has the key $key" grep -qE "^([a-z_, ]+, )?$key( |,|\$)" tools/aloe/aloe.1
done

complete_words() { # WORD...: what bash would offer for the last
	bash -c '
		. "$0"; . tools/bench/aloe-bench.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _aloe
		printf "%s\n" "${COMPREPLY[@]}" | tr "\n" " "' tools/aloe/aloe.bash "$@" | grep -qxe "$want"
}
want='start step stop status ' ok "commands" complete_words aloe st
want='timer ' ok "values of an option" complete_words aloe run x.conf --clock t
want='--slots --set --slot-us --strict --shield --state ' ok "options" complete_words aloe run --s
want='hist ' ok "commands of another program" complete_words aloe bench hi
want='waveforms/bpsk.conf ' ok "files" complete_words aloe run waveforms/bpsk.c
exit $failed
