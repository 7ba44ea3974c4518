#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# `lanes` and `housekeeping` of a node's entry: threads of lanes are on the CPUs of the one, daemons and all other threads of
# hosts on those of the other.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/nodes.sh
trap '"$bin/aloe" down >/dev/null 2>&1; rm -rf "$work"' EXIT

allowed() { sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "$1/status"; }
pids() { # COMMAND: of the processes of this node
	for pid in $(grep -lsaF "XDG_RUNTIME_DIR=$work" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\n'); do
		case $(cat "/proc/$pid/comm" 2>/dev/null) in $1) echo "$pid" ;; esac
	done
}
daemons_on() { # CPU: all of them are there
	found=0
	for pid in $(pids 'aloe-[!h]*'); do
		[ "$(allowed "/proc/$pid")" = "$1" ] || return
		found=$((found + 1))
	done
	test $found -ge 5
}
threads_on() { # CPU: how many threads of hosts
	for pid in $(pids aloe-host); do
		for task in /proc/"$pid"/task/*; do allowed "$task"; done
	done | grep -cx "$1"
}

lane=$(taskset -pc $$ | sed 's/.*: //' | tr ',' '\n' | sed 's/-.*//' | head -n 1)
rest=$(for cpu in $(seq 0 1023); do taskset -c "$cpu" true 2>/dev/null && [ "$cpu" != "$lane" ] && echo "$cpu" && break; done)
if [ -z "$rest" ]; then
	echo "needs two CPUs"
	exit 77
fi
platform() { # HOUSEKEEPING
	echo "name = \"one\"; secure = false; nodes: { a: { mmac_per_s = 1000.0; address = \"127.0.0.1:$((3900 + $$ % 25 * 4))\";" \
		"manager = true; shared = true; lanes = [$lane]; housekeeping = [$1]; }; };"
}
platform 1023 >none.conf
platform "$rest" >one.conf
cat >two.conf <<'END'
name = "two";
slot_ns = 10000000;
instances: {
	source: { component = "random_source"; length = 100; };
	sink:   { component = "file_sink"; path = "/dev/null"; };
};
links = ( "source -> sink" );
END

ok "a CPU that is not there" says 1 'housekeeping of node "a" names CPU 1023' aloe up --platform none.conf
ok "up" says 0 "the node is up" aloe up --platform one.conf
ok "daemons are on the CPU of housekeeping" eventually daemons_on "$rest"
ok "the node says which CPUs it has" says 0 "$rest" aloe list nodes
for clock in virtual timer; do
	ok "load, $clock" says 0 "two is loaded" aloe load two.conf --clock $clock
	ok "start, $clock" says 0 "two runs" aloe start two
	ok "it runs, $clock" eventually state_is two RUN
	ok "the thread of the lane is on the CPU of the lane, $clock" test "$(threads_on "$lane")" = 1
	ok "all others are not, $clock" test "$(threads_on "$rest")" -ge 2
	ok "unload, $clock" says 0 "two is unloaded" aloe unload two
done
ok "down" says 0 "the node is down" aloe down

exit $failed
