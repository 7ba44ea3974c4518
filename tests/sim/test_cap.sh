#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# --cap and `aloe cap` in the kernel: in force within two periods, put back when the node ends, after a kill -9 of its
# daemons, after a crash of the node keeper, and by the last of several nodes only. All in a control group of our own, so nobody else on the machine notices.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=$(cd "${B:-build}" && pwd) || exit 2
cpu=/sys/fs/cgroup/cpu
scope=$cpu/aloe-scope.$$
if [ ! -f $cpu/cgroup.procs ] || ! mkdir $scope 2>/dev/null; then
	echo "needs root and a writable cpu controller of control groups v1"
	exit 77
fi
work=$(mktemp -d) || exit 2
spinners=
leave() {
	"$aloe" down --dir "$work/node" >/dev/null 2>&1
	"$aloe" down --dir "$work/second" >/dev/null 2>&1
	for pid in $spinners; do kill -9 "$pid" 2>/dev/null; done
	echo $$ >$cpu/cgroup.procs
	for pid in $(cat $scope/aloe-others/cgroup.procs 2>/dev/null); do echo "$pid" >$cpu/cgroup.procs; done
	rmdir $scope/aloe-others 2>/dev/null
	sleep 0.2
	rmdir $scope
	rm -rf "$work" "${record%.json}".*
}
aloe=$B/bin/aloe
trap leave EXIT
. tests/common/ok.sh
echo $$ >$scope/cgroup.procs
echo 100000 >$scope/cpu.rt_runtime_us 2>/dev/null # of the parent's; without it lanes have nice -20

sh -c 'while :; do :; done' &
spinners=$!
state=$work/state
record=/run/aloe.cap/aloe-scope.$$.json

# used prints the percent of one CPU that the spinner has had for a second or more.
used() {
	awk '{ print $14 + $15 }' /proc/$spinners/stat >"$work/before" && awk '{ print $1 * 100 }' /proc/uptime >>"$work/before"
	sleep 1
	awk '{ print $14 + $15 }' /proc/$spinners/stat >"$work/after" && awk '{ print $1 * 100 }' /proc/uptime >>"$work/after"
	paste "$work/before" "$work/after" | awk '{ d[NR] = $2 - $1 } END { printf "%d\n", 100 * d[1] / d[2] }'
}
stat_of() { awk -v key="$1" '$1 == key { print $2 }' $scope/aloe-others/cpu.stat; }
# capped PERCENT: two periods after the command it holds: the spinner was stopped, and has not more of a second than that
# (of all CPUs), and 5 %.
capped() {
	[ "$(cat $scope/aloe-others/cpu.cfs_quota_us)" -gt 0 ] || return 1
	throttled=$(stat_of nr_throttled) periods=$(stat_of nr_periods)
	for _ in $(seq 500); do [ "$(stat_of nr_periods)" -ge $((periods + 2)) ] && break; sleep 0.01; done
	[ "$(stat_of nr_throttled)" -gt "$throttled" ] || return 1
	had=$(used)
	echo "had $had % of a CPU"
	[ "$had" -le $(($1 * $(getconf _NPROCESSORS_ONLN) + 5)) ]
}
free() { [ ! -d $scope/aloe-others ] && ! [ -f "$record" ] && grep -q "^$spinners\$" $scope/cgroup.procs; }
node_in_base() { for pid in $(pgrep -P "$(pgrep -f "aloe up --dir $work/node" | head -n 1)"); do grep -q "^$pid\$" $scope/cgroup.procs || return 1; done; }
up() { "$aloe" up --dir "$work/node" --state "$state" "$@"; }
down() { "$aloe" down --dir "$work/node"; }
gone() { for _ in $(seq 50); do "$@" && return 0; sleep 0.1; done; return 1; }

ok "up --cap 20" up --cap 20
ok "the others are capped at 20 %" capped 20
ok "the node is not" node_in_base
ok "cap 10 while it runs" "$aloe" cap 10
ok "the others are capped at 10 %" capped 10
ok "cap off" "$aloe" cap off
ok "nobody is capped" free
ok "cap 25 of a node that runs" "$aloe" cap 25 --slot-us 4000
ok "with the slot as period" [ "$(cat $scope/aloe-others/cpu.cfs_period_us)" = 4000 ]
exec_pid=$(pgrep -f "aloe-exec .*--dir $work/node" | head -n 1)
frontend_pid=$(pgrep -f "aloe-frontend --dir $work/node" | head -n 1)
kill -9 "$exec_pid" "$frontend_pid"
ok "still in force after kill -9 of exec and frontend" capped 25
second_out() {
	pids=$(pgrep -f "aloe-exec .*--dir $work/second")
	for pid in $pids; do grep -q "^$pid\$" $scope/cgroup.procs || return 1; done
	[ -n "$pids" ]
}
in_group() { sh -c "echo \$\$ >$scope/aloe-others/cgroup.procs; exec '$aloe' up --dir '$work/second' --state '$work/state2' 2>'$work/log2'"; }
ok "a node that is started from a capped shell" in_group
ok "says that it leaves the group" grep -qF 'ALOE leaves the group' "$work/log2"
ok "is not capped" second_out
"$aloe" down --dir "$work/second" >/dev/null 2>&1
ok "down" down
ok "put back by the node keeper" gone free
ok "up once more" up --cap 15
kill -9 "$(pgrep -f "aloe up --dir $work/node" | head -n 1)"
ok "left by a keeper that was killed" [ -d $scope/aloe-others ]
ok "doctor --revert" "$aloe" doctor --revert --state "$state"
ok "puts it back" free

# ---- two nodes of one machine ----
second() { "$aloe" up --dir "$work/second" --state "$work/state2" "$@"; }
second_down() { "$aloe" down --dir "$work/second"; }
keeper() { pgrep -f "aloe up --dir $work/$1 " | head -n 1; }
ok "a node with a cap" up --cap 20
ok "another one with a cap" second --cap 30
kill -9 "$(pgrep -f "aloe-exec .*--dir $work/node" | head -n 1)" "$(pgrep -f "aloe-frontend --dir $work/node" | head -n 1)"
ok "the first one, whose daemons were killed, ends" down
sleep 0.5
ok "and leaves the cap of the second one" capped 30
ok "the second one ends" second_down
ok "and puts everything back" gone free
ok "two nodes, one with a cap" eval 'up && second --cap 30'
ok "that without one ends" down
sleep 0.5
ok "and leaves the cap" [ -d $scope/aloe-others ]
ok "aloe cap counts both" eval 'up && "$aloe" cap 20'
ok "so when one ends" second_down
sleep 0.5
ok "its cap stays" [ -d $scope/aloe-others ]
ok "a third one" second --cap 30
kill -9 "$(keeper node)"
ok "and goes with the last one that was not killed" eval 'second_down && gone free'
ok "two nodes with caps" eval 'up --cap 20 && second --cap 30'
ok "doctor --revert puts all back" eval '"$aloe" doctor --revert --state "$state" && free'
ok "down" eval 'down && second_down && free'

refused() { "$aloe" "$@" >"$work/out" 2>&1; [ $? = 2 ] && grep -qF 'from 1 to 100' "$work/out"; }
ok "cap 0 is refused" refused cap 0
ok "cap x is refused" refused cap x
ok "run --cap 101 is refused" refused run waveforms/bpsk.conf --cap 101
ok "run --shield x is refused" sh -c "\"$aloe\" run waveforms/bpsk.conf --shield x 2>&1 | grep -q 'list of CPUs'"
ok "run --cap" "$aloe" run waveforms/bpsk.conf --clock virtual --slots 50 -q --cap 30 --state "$state"
ok "is put back" free
exit $failed
