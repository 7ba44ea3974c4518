#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe doctor looks, measures and tells, as root and as anybody, and changes nothing.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
bin=$(cd "$B/bin" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

. tests/common/ok.sh
# says STATUS WORDS ARGUMENT...: as $user
says() {
	want=$1
	words=$2
	shift 2
	$user "$bin/aloe" doctor "$@" >"$work/out" 2>&1 </dev/null
	status=$?
	cat "$work/out"
	[ $status = "$want" ] && grep -qF -e "$words" "$work/out"
}
# What it would change, as it is now.
knobs() {
	for file in /proc/sys/kernel/sched_rt_runtime_us /proc/sys/kernel/numa_balancing /proc/sys/kernel/watchdog \
		/proc/irq/*/smp_affinity_list /proc/irq/default_smp_affinity /sys/devices/virtual/workqueue/cpumask \
		/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor /sys/devices/system/cpu/cpu*/cpufreq/scaling_max_freq \
		/sys/devices/system/clocksource/clocksource0/current_clocksource /sys/kernel/mm/transparent_hugepage/enabled \
		/sys/kernel/debug/sched/preempt /sys/kernel/debug/sched/fair_server/cpu*/runtime \
		/sys/fs/cgroup/cgroup.subtree_control /sys/fs/cgroup/*/cpuset.cpus; do
		[ -f "$file" ] && echo "$file $(cat "$file" 2>&1)"
	done
}
looks() {
	ok "$who: what it finds, and the shortest slot" says 0 "shortest slot that this machine sustained in the measurement" --seconds 0.4 --state "$state"
	ok "$who: every knob has a verdict" sh -c "test \$(sed '/^measured/,\$d' '$work/out' | grep -c '^  [a-z]') = \
		\$('$bin/aloe' doctor --seconds 0 --json | grep -c '\"verdict\"')"
	ok "$who: as JSON" says 0 '"shortest_us"' --json --seconds 0.2 --state "$state"
	ok "$who: named lanes" says 0 "lanes on CPUs $cpu" --lanes "$cpu" --seconds 0 --state "$state"
	ok "$who: no measuring, no slots" sh -c "! grep -q 'shortest' '$work/out'"
	ok "$who: nothing is left" test ! -e "$state"
	ok "$who: no CPU like that" says 2 "CPU 1023 does not exist or is off line" --lanes 1023
	ok "$who: no list of CPUs" says 2 "a list of CPUs is needed, such as 1,3 or 1-3" --lanes a
	ok "$who: one of the two" says 2 "--apply, --revert and --bench exclude each other" --apply --revert
}

cpu=$(cut -d, -f1 /sys/devices/system/cpu/online | cut -d- -f1)
state=$work/none
knobs >"$work/before"
user='' who="as $(id -un)"
looks
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups "$bin/aloe" version >"$work/log" 2>&1; then
	user='setpriv --reuid=65534 --regid=65534 --clear-groups' who='as nobody'
	looks
fi
if [ "$(id -u)" != 0 ] || [ -n "$user" ]; then
	ok "$who: no right to change anything" says 2 "--apply needs root" --apply
	ok "$who: nor to put back" says 2 "--revert needs root" --revert
fi
if [ "$(id -u)" = 0 ]; then
	user=''
	ok "nothing to put back" says 0 "put back: nothing" --revert --state "$work/empty"
fi
knobs >"$work/after"
ok "all knobs are as they were" cmp "$work/before" "$work/after"
exit $failed
