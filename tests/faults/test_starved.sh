#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# exec gets next to no CPU time for a while: it is not killed for its silence, everybody is told why nobody answers, and once it has a
# CPU again it is the same exec. Starved by the quota of a control group, in which others compute: the machine has no load from it.
set -u
B=${B:-build}
aloe=$PWD/$B/bin/aloe
work=$(mktemp -d) || exit 2
export XDG_RUNTIME_DIR="$work/run" XDG_STATE_HOME="$work/state"
mkdir -m 700 "$XDG_RUNTIME_DIR"
. tests/common/ok.sh

group=
spinners=
end() {
	[ -z "$spinners" ] || kill -9 $spinners 2>/dev/null
	"$aloe" down >/dev/null 2>&1
	wait 2>/dev/null
	sleep 0.2
	[ -z "$group" ] || rmdir "$group"
	rm -rf "$work"
}
trap end EXIT

# 1 ms of a second for all that is in the group
for root in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
	if mkdir "$root/aloe-test.$$" 2>/dev/null; then
		group=$root/aloe-test.$$
		{ echo 1000000 >"$group/cpu.cfs_period_us" && echo 1000 >"$group/cpu.cfs_quota_us"; } 2>/dev/null && break
		echo "1000 1000000" 2>/dev/null >"$group/cpu.max" && break
		rmdir "$group"
		group=
	fi
done
if [ -z "$group" ]; then
	echo "no control group with a CPU quota can be made here: nothing is starved"
	exit 77
fi

exec_pid() {
	for pid in $(pgrep -x aloe-exec); do
		tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qxF "XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR" && echo "$pid"
	done
}

# us for which the first thread of a process has had a CPU
ran_us() {
	awk '{ print int($1 / 1000) }' "/proc/$1/schedstat"
}

# Starves exec for 9 s, in which somebody asks; true if exec has had no CPU in that time. The kernel may let exec
# have one all the same: once a second the group has a millisecond, and not always a spinner is the first to take it.
starve() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		sh -c "echo \$\$ >'$group/cgroup.procs'; while :; do :; done" &
		spinners="$spinners $!"
	done
	sleep 0.3
	lines=$(wc -l <"$log")
	chrt --idle --all-tasks --pid 0 "$before"
	echo "$before" >"$group/cgroup.procs"
	sleep 1.5 # what it has left of its second
	ran=$(ran_us "$before")
	"$aloe" list >"$work/out" 2>&1 &
	asking=$!
	sleep 7.5
	ran=$(($(ran_us "$before") - ran))
	kill -9 $spinners
	spinners=
	echo "$before" >"$(dirname "$group")/cgroup.procs"
	chrt --other --all-tasks --pid 0 "$before"
	[ $ran -le 100 ]
}

log=$work/state/aloe/node.log
ok "a node is up" "$aloe" up
before=$(exec_pid)
tries=1
until starve || [ $tries = 4 ]; do
	echo "  (exec has had a CPU for $ran us, which is not starved: once more)"
	wait $asking
	tries=$((tries + 1))
done
overloaded="the machine is overloaded: aloe-exec (pid $before) has waited [0-9.]* of the last [0-9.]* s for a CPU"
cp "$log" "$work/err"
ok "who asked meanwhile is answered" wait $asking
ok "and was told what it waits for" grep -q "aloe: waiting for aloe-swman to answer LIST, 2 s so far" "$work/out"
ok "and then that the machine is overloaded" grep -q "aloe: $overloaded" "$work/out"
ok "exec is the same" [ "$(exec_pid)" = "$before" ]
told=$(tail -n +$((lines + 1)) "$log" | grep -c "^aloe-frontend: $overloaded; the daemon is not killed for that$")
# not every 2 s: once more at most, where its millisecond was enough for exec to be heard
ok "the log has said so" [ "$told" -ge 1 ]
ok "and has not said so again and again" [ "$told" -le 2 ]
ok "and of no kill" [ "$(grep -c "has not answered" "$log")" = 0 ]
exit $failed
