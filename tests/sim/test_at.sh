#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Start, pause and stop at a slot that was chosen elsewhere: exactly there, or "too late" and nothing has changed. Without a
# clock, on the step clock, and on the timer.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/node.sh
# ahead FIRST STEP BEGINNING COMMAND...: the command --at a slot that is to come, `slot`, said in words that begin so; where the
# machine is too slow to carry it, twice as far ahead. FIRST prints the slot that is now.
ahead() {
	first=$1 far=$2 words=$3
	shift 3
	for _ in 1 2 3 4 5 6 7; do
		slot=$(($($first) + far))
		says 0 "$words" aloe "$@" --at $slot && return
		grep -q "is too late" "$work/said" || return 1
		far=$((far * 2))
	done
	return 1
}
newest() { # slot of the timer, for a waveform that has not begun
	aloe start t --at 0 2>&1 | sed 's/.*newest is \([0-9]*\).*/\1/'
}
blocks() {
	aloe get t check.blocks | sed 's/.* //'
}
is() { # NUMBER: so many indices have gone through
	[ "$(blocks)" = "$1" ]
}
goes_on() {
	now=$(blocks)
	eventually sh -c "[ \"\$('$bin/aloe' get t check.blocks | sed 's/.* //')\" -gt $now ]"
}
size() { # FILE BYTES
	[ "$(wc -c <"$1")" = "$2" ]
}
lane() { # a lane of this machine may be another test's
	for _ in $(seq 100); do
		aloe "$@" && return
		sleep 0.1
	done
	return 1
}

cat >"$work/t.conf" <<END
name = "t";
slot_ns = 5000000;
instances: {
	source: { component = "random_source"; length = 10; };
	mod:    { component = "bpsk_mod"; };
	demod:  { component = "bpsk_demod"; };
	check:  { component = "bit_compare"; };
	sink:   { component = "file_sink"; path = "$work/t.out"; };
};
links = ( "source -> mod -> demod -> check.received", { path = "source -> check.sent"; }, { path = "demod -> sink"; } );
END
ok "up" aloe up

# ---- no clock: slots are steps ----
ok "virtual: load" aloe load "$work/t.conf" --clock virtual
ok "no slot at which it can start" says 2 "has no clock (virtual)" aloe start t --at 7
ok "start" aloe start t
ok "pause at a slot to come" ahead blocks 200000 "t pauses, from slot [0-9]*\$" pause t
ok "exactly there" grep -q "from slot $slot\$" "$work/said"
ok "it stands there" is $slot
ok "goes on" aloe start t
ok "pause: too late" says 1 "slot 5 is too late, newest is [0-9]*; name slot [0-9]* or a later slot" aloe pause t --at 5
ok "nothing has changed" goes_on
ok "stop: too late" says 1 "slot 5 is too late, newest is" aloe stop t --at 5
ok "nothing has changed" goes_on
ok "stop at a slot to come" ahead blocks 200000 "t is stopped" stop t
ok "every index before that slot has gone through, no other" is $slot
ok "and lies in the file" size "$work/t.out" $((slot * 10))
ok "unload" aloe unload t

# ---- the step clock ----
ok "step: load" aloe load "$work/t.conf" --clock step
ok "start at slot 4" says 0 "t runs, from slot 4\$" aloe start t --at 4
ok "slots go until one of its own has run" aloe step t
ok "one index" is 1
ok "pause: not at a slot" says 2 'the clock is "step": step to the slot first' aloe pause t --at 9
ok "pause: it stands already" says 0 "t pauses, from slot 5\$" aloe pause t
ok "and goes on" says 0 "t runs, from slot 5\$" aloe start t
ok "one index" is 1
ok "stop: slot 4 has begun" says 1 "slot 4 is too late, newest is 4; name slot 6 or a later slot" aloe stop t --at 4
ok "stop at slot 9" says 0 "t is stopped" aloe stop t --at 9
ok "five indices, of slots 4 to 8" is 5
ok "unload" aloe unload t

# ---- the timer ----
ok "timer: load" lane load "$work/t.conf"
ok "start: slot 0 is long past" says 1 "slot 0 is too late, newest is" aloe start t --at 0
ok "and nothing ran" says 0 "INIT" aloe list
ok "start at a slot to come" ahead newest 200 "t runs, from slot [0-9]*\$" start t
ok "exactly there" grep -q "from slot $slot\$" "$work/said"
begin=$slot
begun() {
	echo $begin
}
ok "pause 40 slots later, or a multiple of that" ahead begun 40 "t pauses, from slot [0-9]*\$" pause t
ok "so many indices" is $((slot - begin))
ok "goes on" aloe start t
ok "stop: too late" says 1 "is too late, newest is" aloe stop t --at $slot
ok "nothing has changed" goes_on

# ---- a pause that is ahead, and exec is killed ----
ok "stands again" says 0 "t pauses" aloe pause t
before=$(blocks)
ok "goes on" says 0 "t runs, from slot [0-9]*\$" aloe start t
from=$(sed -n 's/.*from slot \([0-9]*\)$/\1/p' "$work/said")
far=$((from + 400))
aloe pause t --at $far >"$work/paused" 2>&1 &
pausing=$!
ok "it is to pause" eventually sh -c "'$bin/aloe' list | grep -q PAUSE"
kill -9 "$(pgrep -f "aloe-exec .*--dir $work" | head -n 1)"
wait $pausing
cat "$work/paused"
still_runs() { # the pause is two seconds ahead: on a machine that slow that it is past, nothing is shown
	says 1 "t. has not come to the slot of its pause yet" aloe start t || [ "$(blocks)" -ge $((before + 400)) ]
}
ok "it cannot start before it stands" still_runs
stands_at() {
	eventually is $((before + 400)) && sleep 0.2 && is $((before + 400))
}
ok "it stands at the slot of the pause, although the exec that was asked is dead" stands_at
ok "goes on" aloe start t
ok "with the next index" goes_on
ok "unload" aloe unload t
exit $failed
