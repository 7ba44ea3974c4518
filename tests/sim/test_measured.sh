#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/bench/measured.sh: the section lands between its two lines and nowhere else, also a second time; a failure is reported and
# leaves the file as it was. With mappers alone, which take a moment. Then the ten figures of README: each number is that of
# tests/bench/MEASURED.md, each command is the one that MEASURED.md was made with, and aloe-bench takes its words.
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
ok "the command, and when" lines 1 '<code>aloe bench map --seeds 20 --units 0</code>, 20[0-9-]*T[0-9:]*Z, [0-9.]* s, .*</summary>'
ok "the machine" lines 1 '^On this machine: .*CPUs.*Linux'
ok "rows of three loads" lines 3 '| portfolio |'
ok "all rows as CSV" test "$(wc -l <"$work/out/map.csv")" -ge 36
ok "a picture" grep -q '<svg' "$work/out/map.svg"
cp "$work/FILE.md" "$work/before"
ok "again" measured map
ok "the same again, but for times" test "$(wc -l <"$work/before")" = "$(wc -l <"$work/FILE.md")"

measured nosuch >"$work/said" 2>&1
ok "a name that is not known: exit 2" test $? = 2
ok "... and those that are" grep -q 'nosuch: there are verify ' "$work/said"
printf 'no such lines\n' >"$work/FILE.md"
measured map >"$work/said" 2>&1
ok "a file without the lines: exit 2" test $? = 2
ok "... which is as it was" lines 1 '^no such lines$'

# cell HEADING ROW COLUMN: the value in the section of that heading, of the first table that has the column and a row with
# these cells (A | B), in their order.
cell() {
	awk -F' *[|] *' -v heading="### $1" -v row="$2" -v column="$3" '
		/^### / { inside = index($0, heading) == 1; at = 0 }
		!inside { next }
		!/^[|]/ { at = 0; next }
		/^[|] ---|^[|]---/ { next }
		!at { for (i = NF; i > 0; i--) if ($i == column) at = i; if (!at) at = -1; next }
		at > 0 {
			n = split(row, wanted, / *[|] */)
			for (i = w = 1; i <= NF && w <= n; i++) if ($i == wanted[w]) w++
			if (w > n) { print $at; exit }
		}' tests/bench/MEASURED.md
}
# command HEADING: the command of that section.
command_of() {
	awk -v heading="### $1" '
		/^### / { inside = index($0, heading) == 1 }
		inside && match($0, /<code>[^<]*/) { print substr($0, RSTART + 6, RLENGTH - 6); exit }' tests/bench/MEASURED.md
}
# rounds_to SHOWN VALUE SCALE: the value times the scale, rounded to as many decimals as are shown, is what is shown.
rounds_to() {
	awk -v shown="$1" -v value="$2" -v scale="$3" 'BEGIN {
		decimals = index(shown, ".") ? length(shown) - index(shown, ".") : 0
		mine = sprintf("%." decimals "f", value * scale)
		print "README: " shown ", MEASURED.md: " value " x " scale
		exit value == "" || mine != shown }'
}
# words_in A B: every word of A is in B.
words_in() {
	for word in $1; do
		case " $2 " in *" $word "*) ;; *) echo "$word is not in: $2"; return 1 ;; esac
	done
}
sed -n '/^## Ten figures/,/^## /s/^| \([^|]*\) | \([^|]*\) | `A \(bench [^`]*\)` |$/\3|\1|\2/p' README.md >"$work/figures"
ok "README has ten figures" test "$(wc -l <"$work/figures")" = 10

parses() { "$B/bin/aloe" --parse $1; }
runs_nothing() { test -z "$("$B/bin/aloe" --parse bench map --seeds 20 --units 0)"; }
ok "aloe --parse bench: nothing is run" runs_nothing
[ $failed = 0 ] || exit 1 # the benchmarks below would run for hours
ok "aloe --parse bench: wrong words are found" sh -c "! '$B/bin/aloe' --parse bench map --no-such-option"

# figure COMMAND FIGURE PATTERN HEADING ROW COLUMN [SCALE]: PATTERN takes the number out of the row of README.
figure() {
	line=$(grep -F "|$2" "$work/figures" | grep -F "$1")
	rest=${line#*|}
	shown=$(printf '%s\n' "${rest#*|}" | sed -n "s/$3/\\1/p")
	ok "README: $2: $shown" rounds_to "$shown" "$(cell "$4" "$5" "$6")" "${7:-1}"
	ok "README: aloe ${line%%|*} is what was run" words_in "aloe ${line%%|*}" "$(command_of "$4")"
	ok "README: aloe ${line%%|*} is a command" parses "${line%%|*}"
}
first='^\([0-9.]*\).*'
figure 'bench overhead' 'engine, per slot' "$first" Overhead waveform 'T_module us'
figure 'bench overhead' 'overhead of ten' "$first" Overhead 'component | 1000' 'of the slot' 100
figure 'bench overhead' 'overhead of ten' '.*ALOE: \([0-9.]*\) %.*' Overhead 'component | 1000' published 100
figure 'bench handover' 'hand-over to the next' "$first" 'From one component' 'aloe component | jack' times
figure 'bench chain' 'paced chain' "$first" 'A paced chain' 'aloe | gnuradio' times
figure 'bench pipes' '20 pipes of 20 stages' "$first" 'Streams through' '20 | 20 | aloe | gnuradio' times
figure 'bench pipes' '20 pipes of 20 stages' '.*; \([0-9.]*\)$' 'Streams through' '20 | 20 | aloe | futuresdr' times
figure 'bench throughput' 'BPSK' "$first" 'BPSK, as fast' 'aloe | gnuradio' times
figure 'bench utran' 'whole UTRAN' "$first" 'The UTRAN bearer' 'whole bearer' 'mean us'
figure 'bench bler' 'Eb/N0 at BLER 0.1' "$first" 'Block error rates' '2 | 0.10' 'Eb/N0 dB'
figure 'bench bler' 'Eb/N0 at BLER 0.1' '.*reference: \([0-9.]*\) dB.*' 'Block error rates' '2 | 0.10' reference
figure 'bench x310' 'X310 at 100 MSa' "$first" 'From a radio' 'ALOE-DPDK | pass-through 256 | 100.0' 'host delay p50 us'
figure 'bench x310' 'X310 at 100 MSa' '.*(\([0-9.]*\) % of.*' 'From a radio' 'ALOE-DPDK | pass-through 256 | 100.0' 'late % of the packets'
figure 'bench memory' 'memory that an instance' "$first" Memory 'waveform | 200' together
# A latency counts no late packet, so the share of late packets stands beside it.
no_latency_alone() { # FILE: lines that quote a latency of the X310 without it
	! grep -E 'antenna to antenna p50|A bench x310' "$1" | grep -v 'late' | grep .
}
ok "measured: latencies of the X310 have a column for late packets" grep -q 'antenna to antenna p50.*late % of the packets' \
	tests/bench/MEASURED.md
ok "measured: none stands without" no_latency_alone tests/bench/MEASURED.md
ok "README: neither" no_latency_alone README.md
exit $failed
