#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Two nodes on this machine whose link has transport = "dpdk", over a pair of memif ports: the bits are those of one lane, on the
# virtual clock, while either bridge is killed, and on a clock; the messages really go over the ports. What is missing, a port, the
# library, an IPv4 address, is said in words.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/nodes.sh
end() {
	for p in "$work"/dpdk.conf "$work"/lost.conf; do
		[ -f "$p" ] && "$bin/aloe" down --platform "$p" >/dev/null 2>&1
	done
	rm -rf "$work"
}
trap end EXIT

port=$((10000 + $$ % 1250 * 8))
memif=socket=$work/memif,socket-abstract=no,rsize=10
ports() { # SERVER CLIENT: nodes a and b with these ports
	pair '' 'transport = "dpdk";' | sed -e "/a: {/s|manager|port = \"$1\"; manager|" -e "/b: {/s|shared|port = \"$2\"; shared|"
}
ports "net_memif0,role=server,$memif" "net_memif0,role=client,$memif" >dpdk.conf
two >two.conf
sed 's/ node = "[ab]";//' two.conf >one.conf

# ---- what is missing ----

pair '' 'transport = "dpdk";' >none.conf
ok "no port" says 1 'its node "a" has no port; port = "net_memif0,...' aloe up --platform none.conf
sed 's/127.0.0.1:/[::1]:/' dpdk.conf >six.conf
ok "no IPv4 address" says 1 'needs an IPv4 address, which is that of its port, too' aloe up --platform six.conf
sed 's/ );$/, { nodes = ["b", "a"]; mbit_per_s = 1.0; } );/' dpdk.conf >both.conf
ok "two transports" says 1 'are joined by a link with transport = "dpdk" in line' aloe up --platform both.conf
said_in_logs() { grep -rqsF "$1" "$XDG_STATE_HOME"; }
mkdir -p bare/bin bare/lib
cp "$bin"/aloe "$bin"/aloe-* bare/bin
ln -s "$bin/../lib/aloe" bare/lib/aloe
"$work/bare/bin/aloe" up --platform dpdk.conf >/dev/null 2>&1 & # it waits long for its daemons
ok "no library" eventually said_in_logs 'this transport is built where libdpdk-dev is installed'
"$work/bare/bin/aloe" down --platform dpdk.conf >/dev/null 2>&1
wait
rm -rf bare
if [ ! -e "$bin/../lib/aloe-transports/dpdk.so" ]; then
	[ $failed = 0 ] || exit 1
	echo "nodes over memif need libdpdk-dev"
	exit 77
fi

# ---- the bits ----

moved() { # HOW_MANY: either bridge, as it ended in good order, has sent and received at least so many
	awk -v most="$1" '/ dpdk: datagrams sent: [0-9]+, received: [0-9]+/ {
		for (i = 1; i <= NF; i++) if ($i == "sent:") { sent = $(i + 1) + 0; got = $(i + 3) }
		n++; if (sent >= most && got >= most) good++
	} END { print n + 0, "bridges, with", most, "each way:", good + 0; exit !(good == 2) }' \
		"$XDG_STATE_HOME"/aloe/node.log "$XDG_STATE_HOME"/aloe/nodes/b/node.log
}

aloe run one.conf --clock virtual --slots 500 -q --set sink.path=more.bin
aloe run one.conf --clock virtual --slots 100 -q --set sink.path=one.bin
export ALOE_LOG=debug
ok "up" says 0 "the node is up" aloe up --platform dpdk.conf
ok "both have joined" eventually joined
ok "load" says 0 "two is loaded" aloe load two.conf --clock virtual --slots 500
ok "start" says 0 "two runs" aloe start two
ok "kill the bridge of b, a client" killed bridge "$work/aloe-b"
ok "kill the bridge of a, a server" killed bridge "$work/aloe"
ok "the end" eventually state_is two STOP
ok "the bits" same two.bin more.bin
ok "unload" says 0 "two is unloaded" aloe unload two
ok "load, on a clock" says 0 "two is loaded" aloe load two.conf --slots 100
ok "start that" says 0 "two runs" aloe start two
ok "the end of that" eventually state_is two STOP
ok "the bits of that" same two.bin one.bin
ok "both ends have the socket of memif" test "$(grep -c "$work/memif" /proc/net/unix)" -ge 2
ok "down" says 0 "the node is down" aloe down --platform dpdk.conf
unset ALOE_LOG
ok "a datagram or more for each slot" moved 100

# ---- no such device ----

ports net_nothing0 net_nothing0 >lost.conf
aloe up --platform lost.conf >/dev/null 2>&1 &
ok "a device that there is not" eventually said_in_logs 'the device cannot be opened'
aloe down --platform lost.conf >/dev/null 2>&1
wait
exit $failed
