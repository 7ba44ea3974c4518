#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The real programs, 60 slots at a time: every clock, every isolation, one lane and two; the file that comes out is the
# beginning of the file that went in. Short enough for every sanitizer.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/common/ok.sh
head -c 60000 waveforms/speech.wav >"$work/sent"
two_timer=0,1
[ "$(nproc)" -ge 2 ] || two_timer= # real time takes a CPU for each lane

# carry: a lane that another node on this machine has at the moment is waited for, a minute at most.
carry() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		"$B/bin/aloe" run waveforms/passthrough.conf --slots 60 --clock "$clock" --isolation "$isolation" \
			--lanes "$lanes" --set "sink.path=$work/received" --quiet "$@" >"$work/log" 2>&1 && return 0
		grep -q 'taken by the lane of another' "$work/log" || return 1
		sleep 5
	done
	return 1
}

run() { # CLOCK ISOLATION LANES [OPTION...]
	what="clock $1, isolation $2, lanes $3${4:+, $4}"
	clock=$1 isolation=$2 lanes=$3
	shift 3
	rm -f "$work/received"
	if carry "$@" && cmp "$work/sent" "$work/received"; then
		echo "ok $what"
	else
		echo "not ok $what"
		sed 's/^/  | /' "$work/log"
		failed=1
	fi
}

for isolation in waveform component none; do
	if part rest; then
		run virtual $isolation 0
		run virtual $isolation 0,0
		run virtual $isolation 0,0 --pipelined
		run step $isolation 0,0
	fi
	part lanes || continue
	run timer $isolation 0
	[ -z "$two_timer" ] || run timer $isolation $two_timer --pipelined
done
exit $failed
