#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Many waveforms of three instances on one node (WAVEFORMS=200; `make many`: 1 000): all load, exec is killed while they stand
# and again after they ran, each runs to its end, and all unload. Then one of 3 000 instances, and swman is killed while exec
# prepares it: LOAD is sent again. Virtual clock. The times are printed, and none is a reason to
# fail.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/node.sh
N=${WAVEFORMS:-200}
SLOTS=100

took() { # WHAT: since `began`
	echo "# $1 of $N waveforms took $(($(date +%s) - began)) s"
}
each() { # COMMAND: for the number of each waveform; the first that fails ends it
	for n in $(seq "$N"); do
		"$1" "$n" || return 1
	done
}
load() {
	sed "s/NAME/w$1/" "$work/one" >"$work/w$1.conf" && aloe load "$work/w$1.conf" --clock virtual --slots $SLOTS
}
start() {
	aloe start "w$1"
}
unload() {
	aloe unload "w$1"
}
report() {
	aloe status "w$1" --json >"$work/w$1.json"
}
all_ran_whole() { # the last instance of each was called in each slot
	each report && python3 - $SLOTS "$work"/w*.json <<'PY'
import json, sys

slots = int(sys.argv[1])
for path in sys.argv[2:]:
    report = json.load(open(path))
    calls = {i["name"]: i["calls"] for i in report["instances"]}
    if calls["c"] != slots or report["index"] != slots:
        sys.exit(f'{path}: index {report["index"]}, calls {calls}')
PY
}
processes() { # NAME: those of this node
	for comm in $(grep -lx "$1" /proc/[0-9]*/comm 2>/dev/null); do
		tr '\0' '\n' <"${comm%comm}environ" 2>/dev/null | grep -qxF "XDG_RUNTIME_DIR=$work" && basename "${comm%/comm}"
	done
}
hosts() {
	processes aloe-host | wc -l
}
listed() { # NUMBER STATE: so many waveforms are there, all of them in this state
	aloe list >"$work/list" || return 1
	[ "$(awk -v state="$2" 'NR > 1 && $2 == state' "$work/list" | wc -l)" = "$1" ] &&
		[ "$(awk 'NR > 1' "$work/list" | wc -l)" = "$1" ]
}
none_left() {
	[ "$(hosts)" = 0 ] && ! aloe list | grep -q '^w[0-9]'
}
another_exec() {
	[ -n "$(processes aloe-exec)" ] && [ "$(processes aloe-exec)" != "$killed" ]
}
exec_killed() { # STATE: and nothing is lost
	killed=$(processes aloe-exec) before=$(hosts)
	echo "$before hosts"
	kill -9 "$killed" && eventually another_exec && eventually listed "$N" "$1" || return 1
	echo "then $(hosts)"
	[ "$(hosts)" = "$before" ]
}

big() { # COPIES: a chain of them
	echo 'name = "big"; slot_ns = 10000000; instances: { a: { component = "counter_source"; };'
	seq -f 'c%.0f: { component = "copy"; };' "$1"
	echo 'z: { component = "null_sink"; }; }; links = ( "a'
	seq -f ' -> c%.0f' "$1"
	echo ' -> z" );'
}
planned() { # what swman writes last before it asks exec
	[ -s "$(echo "$XDG_STATE_HOME"/aloe/runs/big-*/plan.txt)" ]
}
swman_killed() { # SECONDS: after it has asked exec, which still prepares or has just done so
	aloe load "$work/big.conf" --clock virtual --slots $SLOTS &
	until planned || ! kill -0 $! 2>/dev/null; do
		sleep 0.005
	done
	sleep "$1"
	kill -9 "$(processes aloe-swman)"
	wait $!
}

cat >"$work/one" <<END
name = "NAME"; slot_ns = 10000000;
instances: { a: { component = "counter_source"; }; b: { component = "copy"; }; c: { component = "null_sink"; }; };
links = ( "a -> b -> c" );
END

ok "a node is up" aloe up
began=$(date +%s)
ok "$N waveforms load" each load
took "loading"
ok "all are listed" listed "$N" INIT
ok "exec is killed, and all are there, with their hosts" exec_killed INIT
began=$(date +%s)
ok "all run" each start
ok "all have ended" eventually listed "$N" STOP
took "running"
ok "each has run all its slots" all_ran_whole
ok "exec is killed again, and all are there" exec_killed STOP
began=$(date +%s)
ok "all unload" each unload
took "unloading"
ok "nothing is left of them" eventually none_left
big 3000 | tr '\n' ' ' >"$work/big.conf"
for later in 0 0.01 0.03; do
	ok "swman is killed $later s after it asked exec, and the load succeeds" swman_killed $later
	ok "it is there once" listed 1 INIT
	ok "it unloads" aloe unload big
	ok "nothing is left of it" eventually none_left
done
exit $failed
