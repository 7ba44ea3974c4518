#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Recordings of a radio: a radio of type "file", whose last message is short, and x310sim, which loses packets while the channel
# gets another response 20 times. Both replay without the radio, with the same bits, on other lanes.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=$PWD/${B:-build}
work=$(mktemp -d) || exit 2
trap 'kill $pids 2>/dev/null; rm -rf "$work"' EXIT

. tests/common/ok.sh
. tests/common/radio.sh

replays() { # DIR OPTION...: with the same bits
	"$B/bin/aloe" replay "$@" >"$work/out" 2>&1 && grep -q ' same$' "$work/out" &&
		! grep -q -E 'DIFFERS|not recorded' "$work/out"
}

# A lane has its CPU for itself; another test may have it just now.
record() { # DIR FILE OPTION...
	into=$1
	shift
	for _ in $(seq 60); do
		rm -rf "$into"
		"$B/bin/aloe" run "$@" ${ALOE_TEST_LANE:+--lanes "$ALOE_TEST_LANE"} --record "$into" >"$work/out" 2>&1
		status=$?
		grep -q 'taken by the lane of another' "$work/out" || return
		sleep 1
	done
}

head -c 100000 /dev/urandom >"$work/iq"
echo "radio: { type = \"file\"; path = \"$work/iq\"; format = \"ci16_le\"; rate = 1e6; tx_path = \"$work/sent\"; };" >"$work/file.conf"
record "$work/file" waveforms/radio-file.conf --radio "$work/file.conf" --clock virtual
ok "a radio of type file is recorded" test $status = 0
ok "its samples as they are" cmp "$work/iq" "$work/file/rx.out.sigmf-data"
rm -f "$work/sent"
ok "and replays without it" replays "$work/file"
ok "without writing where it sent" test ! -e "$work/sent"

sim_start --source tone --clock virtual --lead 8192 --address 127.0.0.78 --fault-rx loss=0.02,seed=3
echo 'radio: { type = "x310"; transport = "udp"; address = "127.0.0.78"; tx_advance = 10240; };' >"$work/x310.conf"
sets() { # until the waveform has taken 20 responses
	n=0
	for _ in $(seq 400); do
		dir=$(ls -d "${XDG_RUNTIME_DIR:-/tmp}"/aloe-run-* 2>/dev/null | head -n 1)
		if [ -n "$dir" ] && "$B/bin/aloe" set x310-channel "channel.response=0.5,0,0.$n,0" --dir "$dir" >"$work/set" 2>&1; then
			n=$((n + 1))
			[ $n -lt 20 ] || return
		fi
		sleep 0.02
	done
}
sets &
setter=$!
record "$work/x310" waveforms/x310-channel.conf --radio "$work/x310.conf" --clock virtual --slots 20000
kill $setter 2>/dev/null
ok "an X310 that loses packets is recorded" test $status = 0
ok "lost packets are ABSENT messages" test "$(grep -c ' a 0 ' "$work/x310/rx.out.messages")" -gt 100
ok "responses have their index" test "$(grep -c '^{"set"' "$work/x310/control.jsonl")" -gt 3
ok "what was absent is annotated" grep -q '"core:label": "ABSENT"' "$work/x310/rx.out.sigmf-meta"
ok "it replays without the radio" replays "$work/x310"
ok "and on two lanes, pipelined" replays "$work/x310" --lanes 0,0 --pipelined
exit $failed
