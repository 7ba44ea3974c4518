#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A recording made on the timer under skip, of a waveform that misses slots and messages for sure and conceals calls: it replays
# with the same bits on other lanes, isolations and clocks. What was missed cannot be altered, and where it is not known replay
# ends and says so.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=$PWD/${B:-build}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

. tests/common/ok.sh

lanes=0,1
[ "$(nproc)" -gt 1 ] || lanes=0
# A lane has its CPU for itself; another test may have it just now.
record() { # DIR OPTION...
	into=$1
	shift
	for _ in $(seq 60); do
		rm -rf "$into"
		"$B/bin/aloe" run "$work/late.conf" --record "$into" "$@" >"$work/out" 2>&1
		status=$?
		grep -q 'taken by the lane of another' "$work/out" || return
		sleep 1
	done
}

replays() { # DIR OPTION...: with the same bits
	"$B/bin/aloe" replay "$@" >"$work/out" 2>&1 && [ "$(grep -c ' same$' "$work/out")" = 6 ] &&
		! grep -q -E 'DIFFERS|not recorded' "$work/out"
}

head -c 3000000 /dev/urandom >"$work/iq"
cat >"$work/late.conf" <<-EOF
	name = "late"; slot_ns = 1000000; clock = "timer"; late = "skip"; overrun = "conceal"; admit = "always";
	lanes = [$lanes]; pipelined = true;
	instances: {
		source: { component = "file_source"; path = "$work/iq"; type = "cf32"; length = 100; loop = true; };
		noise: { component = "random_source"; length = 50; };
		spin: { component = "spin"; mean_us = 20.0; jitter = 0.08; long_us = 2500.0; budget_us = 300.0; pin = 0; };
		filter: { component = "fir"; taps = [0.5, 0.25, 0.125, 0.0625]; };
		sink: { component = "file_sink"; path = "$work/iq-out"; };
		bits: { component = "file_sink"; path = "$work/bits-out"; };
		quick: { component = "file_sink"; path = "$work/quick-out"; };
	};
	links = ( "source -> spin", "spin -> filter", "filter -> sink", "noise -> bits", "source -> quick" );
EOF
record "$work/late" --slots 1200
ok "a waveform that misses slots is recorded" test $status = 0
ok "and says that they are recorded" grep -q 'they are recorded, and a replay repeats them' "$work/out"
ok "indices that spin did not run" grep -q -E '^[0-9]+ [0-9]+ l 0$' "$work/late/spin.lapses"
ok "messages that the filter saw ABSENT" grep -q -E '^[0-9]+ [0-9]+ a 0$' "$work/late/filter.lapses"
ok "calls of spin that were concealed" grep -q -E '^[0-9]+ [0-9]+ c 0$' "$work/late/spin.lapses"
rm -f "$work"/*-out
ok "it replays with the same bits" replays "$work/late"
ok "on one lane" replays "$work/late" --lanes 0
ok "on three, pipelined, in processes of their own" replays "$work/late" --lanes 0,0,0 --pipelined --isolation component
ok "on the clock that steps" replays "$work/late" --clock step

copy() { rm -rf "$work/bad" && cp -r "$work/late" "$work/bad"; }
refused() { # WHAT TEXT
	"$B/bin/aloe" replay "$work/bad" >"$work/out" 2>&1
	ok "$1 is refused" test $? = 2
	ok "with file and place" grep -q -E "$2" "$work/out"
}
copy
sed -i '2s/ l / a /' "$work/bad/spin.lapses"
refused "an altered lapse" 'spin.lapses.*was altered'
copy
rm "$work/bad/filter.lapses"
refused "one that is missing" 'filter.lapses: .*No such file'
copy
sed -i '$d' "$work/bad/control.jsonl"
sed -i '2s/.*/2 4294967296 l 0/' "$work/bad/spin.lapses"
refused "a count that is too large" 'spin.lapses:2: found'

copy # what a crash leaves: no ends, and lapses known up to an index
sed -i '$d' "$work/bad/control.jsonl"
for file in "$work"/bad/*.lapses; do sed -i '/^end$/d' "$file"; done
sed -i '/^upto [0-9]*$/q' "$work/bad/spin.lapses"
upto=$(sed -n 's/^upto //p' "$work/bad/spin.lapses")
"$B/bin/aloe" replay "$work/bad" >"$work/out" 2>&1
ok "what a crash has left is replayed" test $? = 0
ok "as far as lapses are known" grep -q "what spin missed is known before index $upto only" "$work/out"
ok "and not beyond" grep -q -E "slots +$upto run" "$work/out"
exit $failed
