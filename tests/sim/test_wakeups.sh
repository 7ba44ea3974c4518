#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Nothing polls that has nothing to do: how often the threads of a node wake up, by the kernel's own figures (voluntary
# switches, /proc/PID/task/*/status), with an idle node, with waveforms that stand, and with one that runs. What is allowed
# is several times of what is needed, and a small part of what a tick of 5 ms takes (200 a second), an I/O thread that
# looks every 2 ms, or a watchdog that looks every 0.1 s. What the report says of a lane's wake-ups is held against its slots.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/node.sh
pids() { # exec, stats, ..., or hosts
	case $1 in
	hosts) pgrep -P "$(pids exec)" ;;
	*) pgrep -f "^aloe-$1 --dir $work/" ;;
	esac
}
switches() { # WHO: of all its threads, so far
	for pid in $(pids "$1"); do
		cat "/proc/$pid"/task/*/status
	done | awk '/^voluntary_ctxt_switches/ { n += $2 } END { print n + 0 }'
}
# WHO MOST...: each wakes up at most so often in one second; a busy machine makes a longer second of the sleep
wakes() {
	rm -f "$work"/before.*
	from=$(date +%s%N)
	for word in "$@"; do
		case $word in
		[0-9]*) ;;
		*) switches "$word" >"$work/before.$word" ;;
		esac
	done
	sleep 1
	all=0
	while [ $# -gt 0 ]; do
		n=$(($(switches "$1") - $(cat "$work/before.$1")))
		n=$((n * 1000 / (($(date +%s%N) - from) / 1000000)))
		echo "$1: $n wake-ups in 1 s, at most $2"
		[ $n -le "$2" ] || all=1
		shift 2
	done
	return $all
}
# A slot that was missed, for the machine was busy, is told to exec: one of a few seconds is a calm one.
calm() {
	for _ in 1 2 3 4 5 6 7 8; do
		wakes "$@" && return
	done
	return 1
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
slot_ns = 10000000;
instances: {
	source: { component = "file_source"; path = "/dev/zero"; type = "byte"; length = 100; };
	copy:   { component = "copy"; };
	sink:   { component = "file_sink"; path = "/dev/null"; };
};
links = ( "source -> copy -> sink" );
END
ok "up" aloe up
ok "the machine is measured, once" eventually sh -c "grep -q handover_ns '$XDG_STATE_HOME'/aloe/capacity/*.json"
sleep 0.2
ok "an idle node" wakes exec 20 stats 20 swman 20 statsman 20
ok "without a clock: loaded" aloe load "$work/t.conf" --clock virtual
ok "started" aloe start t
ok "running without a clock" wakes exec 25
ok "paused" aloe pause t
sleep 0.2
ok "paused without a clock, with files" wakes exec 20 hosts 8
ok "unloaded" aloe unload t
ok "on a clock of 10 ms: loaded" lane load "$work/t.conf"
ok "started" aloe start t
sleep 0.2
ok "running on a clock, watchdogs of its lane included" calm exec 6
counted() { # the report's own words: the lane's thread is woken in each slot, its watchdog hardly ever
	aloe status t >"$work/status" || return 1
	grep 'of the core with its waiting; wake-ups a slot' "$work/status"
	sed -n 's/^.*wake-ups a slot: lane \([0-9.]*\), watchdog \([0-9.]*\), I.O \([0-9.]*\)$/\1 \2 \3/p' "$work/status" |
		awk '{ n++; bad = $1 < 0.9 || $1 > 2.5 || $2 > 0.09 || $3 > 2.5 } END { exit n != 1 || bad }'
}
ok "the report counts who wakes up" counted
ok "and so does the profile" sh -c "'$bin/execinfo' t | grep -q 'with its waiting; wake-ups a slot: lane'"
ok "paused" aloe pause t
sleep 0.2
ok "paused on a clock, with files" wakes exec 25 hosts 8
idle() { # N: waveforms that stand, each with files and a host of its own
	for n in $(seq "$1"); do
		sed "s/\"t\"/\"idle$n\"/" "$work/t.conf" >"$work/idle.conf"
		lane load "$work/idle.conf" >"$work/said" 2>&1 && aloe start "idle$n" && aloe pause "idle$n" || { cat "$work/said"; return 1; }
	done
}
ok "62 more, on the same lane" idle 62
sleep 0.2
ok "they stand" test "$(aloe list | grep -c PAUSE)" = 63
ok "63 that stand cost what none does" calm exec 8 stats 8 swman 8 hosts 8
ok "it goes on from there" sh -c "'$bin/aloe' start t && sleep 0.2 && '$bin/aloe' status t | grep -q RUN"
exit $failed
