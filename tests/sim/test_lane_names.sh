#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A lane and its CPU are named in one way in one run: with --lanes 1 the lane is lane 0 of the waveform, on CPU 1, in the plan,
# in the report of a run that misses slots, in the list of a node, in what a remap says and where the lane is full.
set -u
B=${B:-build}
work=$(mktemp -d) || exit 2
. tests/common/ok.sh
XDG_RUNTIME_DIR=$work/run XDG_STATE_HOME=$work/state
export XDG_RUNTIME_DIR XDG_STATE_HOME
mkdir -m 700 "$work/run"
aloe() {
	"$B/bin/aloe" "$@"
}
trap 'aloe down >"$work/down" 2>&1; rm -rf "$work"' EXIT
if ! taskset -c 1 true 2>/dev/null; then
	echo "there is no CPU 1"
	exit 77
fi

# one_way COUNT WORDS...: status does not matter; the words name lane 0 or CPU 1 COUNT times or more, and no other way. (Of the
# lane there may be 1.25 wake-ups a slot.)
one_way() {
	least=$1
	shift
	for _ in $(seq 60); do # another test may have the CPU just now
		"$@" >"$work/said" 2>&1
		grep -q "taken by the lane of another" "$work/said" || break
		sleep 1
	done
	cat "$work/said"
	[ "$(grep -cE 'lane 0 .*CPU 1|CPU 1.*lane 0' "$work/said")" -ge "$least" ] &&
		! grep -E 'lane [1-9][0-9]*\.?([^.0-9]|$)|CPU (0|[2-9])|\b(cpu|Cpu) [0-9]' "$work/said"
}

cat >"$work/full.conf" <<'END'
name = "full"; slot_ns = 1000000;
instances: {
	source: { component = "random_source"; length = 100; budget_us = 900; };
	sink:   { component = "null_sink"; budget_us = 900; };
};
links = ( "source -> sink" );
END
ok "aloe plan" one_way 1 aloe plan waveforms/utran384.conf --lanes 1
ok "aloe plan, a lane that is full" one_way 1 aloe plan "$work/full.conf" --lanes 1
ok "aloe run, with missed slots" one_way 1 aloe run waveforms/utran384.conf --clock timer --slot-us 100 --slots 200 --lanes 1 --force
ok "aloe run, a lane that is full" one_way 1 aloe run "$work/full.conf" --clock timer --lanes 1 --slots 10
ok "a node" aloe up
ok "aloe load" one_way 0 aloe load waveforms/bpsk.conf --clock timer --lanes 1
ok "aloe status" one_way 1 aloe status bpsk
ok "aloe remap" one_way 0 aloe remap bpsk --lanes 1
exit $failed
