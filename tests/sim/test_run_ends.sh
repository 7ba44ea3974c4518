#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# However `aloe run` ends, nothing is left: no process, no socket, no directory. Ctrl-C once and twice, kill -9 of aloe
# itself, of every daemon and of the host.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
bin=$(cd "$B/bin" && pwd)
work=$(mktemp -d) || exit 2
export XDG_RUNTIME_DIR="$work/run" XDG_STATE_HOME="$work/state" ALOE_LOG=error
mkdir -m 700 "$work/run"
trap 'rm -rf "$work"' EXIT

. tests/common/ok.sh
capacity_copy "$XDG_STATE_HOME/aloe"
eventually() {
	for _ in $(seq 600); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.05
	done
	return 1
}
child() { # PROGRAM: its pid below this test's runs; a host names no directory, so by its parents' leash
	if [ "$1" = host ]; then
		pgrep -P "$(child exec)" -x aloe-host | head -n 1
	else
		pgrep -f "^aloe-$1 --dir $work/run/" | head -n 1
	fi
}
there() { # PROGRAM
	test -n "$(child "$1")"
}
runs() { # the waveform has run a slot
	"$bin/aloe" status bpsk --json --dir "$work"/run/* 2>&1 | grep -q '"index": *[1-9]' && host=$(child host) && test -n "$host"
}
# The shell starts what is in the background with SIGINT ignored; env gives it back.
begin() {
	host=
	env --default-signal=INT "$bin/aloe" run waveforms/bpsk.conf --clock virtual "$@" >"$work/out" 2>"$work/err" &
	aloe=$!
	eventually there exec
}
ends() { # STATUS
	wait $aloe
	status=$?
	[ $status = "$1" ] && return
	echo "status $status"
	return 1
}
alive() { # a process that nobody has waited for yet is none any more
	grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$1/status"
}
nothing() {
	{ test -z "$host" || ! alive "$host"; } && ! pgrep -f "^aloe-.* --dir $work/run/" && test -z "$(ls "$work/run")"
}

begin
ok "it runs" eventually runs
kill -INT $aloe
ok "Ctrl-C: exit 130" ends 130
ok "with the report" grep -q "^bpsk: ended, index [1-9]" "$work/out"
ok "with its run kept" sh -c "ls $XDG_STATE_HOME/aloe/runs/*/report.json"
ok "and nothing left" eventually nothing

begin
ok "it runs" eventually runs
kill -INT $aloe
sleep 0.01
kill -INT $aloe
ok "the same signal to it and to its group, as by timeout: exit 130" ends 130
ok "which is one end, with the report" grep -q "^bpsk: ended, index [1-9]" "$work/out"
ok "and nothing left" eventually nothing

begin
ok "it runs" eventually runs
kill -INT $aloe
kill -TERM $aloe
ok "a second end: exit 130" ends 130
ok "at once, without a report" sh -c "! grep -q '^bpsk: ended' '$work/out'"
ok "and nothing left" eventually nothing

begin
kill -INT $aloe
ok "Ctrl-C while it begins: exit 130" ends 130
ok "and nothing left" eventually nothing

begin
ok "it runs" eventually runs
kill -TERM $aloe
ok "SIGTERM is as Ctrl-C" ends 130
ok "and nothing left" eventually nothing

begin
ok "it runs" eventually runs
kill -KILL $aloe
ok "kill -9" ends 137
ok "and nothing left" eventually nothing

begin
ok "it runs" eventually runs
kill -KILL "$(child host)"
ok "kill -9 of the host: exit 1" ends 1
ok "in words" grep -q "a fault stopped .*killed" "$work/err"
ok "and nothing left" eventually nothing

for daemon in swman stats statsman exec frontend; do
	begin
	ok "it runs" eventually runs
	old=$(child $daemon)
	kill -KILL "$old"
	again() { test -n "$(child $daemon)" && test "$(child $daemon)" != "$old"; }
	ok "kill -9 of aloe-$daemon: it comes back" eventually again
	sleep 1
	kill -INT $aloe
	ok "the run goes on, to a good end" ends 130
	ok "with the report" grep -q "^bpsk: ended" "$work/out"
	ok "and nothing left" eventually nothing
done

# What holds the lock is a node. This one ends while the command waits without a connection, whose end the command would see.
mkdir -m 700 "$work/ending"
: >"$work/err"
waits() {
	grep -q "^aloe: waiting" "$work/err"
}
(umask 077 && exec 9>"$work/ending/lock" && flock 9 && eventually waits && rm -r "$work/ending") &
ok "a node begins" eventually test -e "$work/ending/lock"
ends_with_the_node() { # ORDER...
	"$bin/aloe" "$@" --dir "$work/ending" 2>"$work/err" && return 1
	grep -qx "aloe: the node has ended" "$work/err" && return
	cat "$work/err"
	return 1
}
ok "an order ends with the node" ends_with_the_node set bpsk source.length=9
exit $failed
