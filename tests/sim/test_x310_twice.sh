#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The example of README for a machine without a radio, twice with one state folder: the first time beside busy loops on
# every CPU. A radio that waits for its slots makes none of them late, so the reports have no alarm, and what the
# overloaded run measured refuses nothing.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
work=$(mktemp -d) || exit 2
busy=
trap 'kill $busy 2>/dev/null; rm -rf "$work"' EXIT
. tests/common/ok.sh
mkdir "$work/state" "$work/build"
ln -s "$(cd "$B/bin" && pwd)" "$work/build/bin"
ln -s "$PWD/waveforms" "$work/waveforms"
export XDG_STATE_HOME="$work/state"

# The block of README that starts the simulator.
awk '/^```/ { if (inside && text ~ /x310sim --source ticks/) printf "%s", text; inside = $0 == "```sh"; text = ""; next }
	inside { text = text $0 "\n" }' README.md >"$work/example"
ok "README has the example" grep -q -e "aloe run .*--clock virtual" "$work/example"
ok "and the example forces nothing" sh -c "! grep -q -e --force '$work/example'"

# A lane has its CPU for itself; another test may have it just now.
example() { # NAME
	for _ in $(seq 60); do
		(cd "$work" && sh -e ./example) >"$work/$1" 2>&1 && return
		grep -q "taken by the lane of another" "$work/$1" || break
		sleep 1
	done
	cat "$work/$1"
	return 1
}
says() { # NAME WORDS
	cat "$work/$1"
	grep -q -e "$2" "$work/$1"
}
quiet() { # NAME: no alarm
	! grep -E "^miss |[1-9][0-9]* (missed|skipped|slipped|flywheeled|slots caught up|with samples missing)|feature lost|costs  *not stored|does not fit" "$work/$1"
}
for _ in $(seq "$(nproc)"); do
	while :; do :; done &
	busy="$busy $!"
done
ok "the first time, on a busy machine" example first
kill $busy
wait 2>/dev/null
busy=
ok "the second time" example second
for run in first second; do
	ok "$run: all slots" says $run "slots  *2000 run, 0 skipped, 0 missed, 0 slipped"
	ok "$run: nothing lost, nothing late" says $run "channel 0: .* 0 lost, .* 2000 out, 0 late, 0 underruns"
	ok "$run: no alarm" quiet $run
done
exit $failed
