#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Nodes in networks of their own (network namespaces): a manager m and the nodes a, b, c, each with one interface. All interfaces
# end at a relay of this test, which delivers Ethernet frames late, in another order, not at all (datagrams), or cuts a node off.
# A bearer over a, b and c has the bits of one lane, over TCP, and over UDP with 5 % of the datagrams lost. Under skip: a node is
# killed and comes back, the manager is killed, a link is cut for two seconds, bridges are killed (NODE_LINK_KILLS of them).
set -u
cd "$(dirname "$0")/../.." || exit 2
if [ -z "${NODE_LINKS_APART:-}" ]; then
	export NODE_LINKS_APART=1
	unshare -n true 2>/dev/null && exec unshare -n "$0"
	unshare -rn true 2>/dev/null && NODE_LINKS_APART=user exec unshare -rn "$0"
	echo "this user may not have a network of his own (unshare --net)"
	exit 77
fi
. tests/common/nodes.sh
export ALOE_LOG=note
end() {
	for node in m a b c; do signal KILL $node; done
	for pid in $holders $relay; do kill -9 "$pid" 2>/dev/null; done
	rm -rf "$work"
}
holders='' relay=''
trap end EXIT

# ---- the networks ----

cat >relay.c <<'END'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* relay RULES LOST INTERFACE...: interface i has the Ethernet address 02:00:00:00:00:i. RULES has three numbers of 8 characters
 * each: how many of 1000 datagrams (UDP) are lost, how many us a frame takes at most (each another time), which interface is cut
 * off (0: none). A byte is added to LOST for each datagram that is lost. Frames go with their virtio_net_hdr, so that what the
 * kernel has left to do (checksums, segments) stays to be done. */
enum { PORTS = 8, BYTES = 70000, HEAD = sizeof(struct virtio_net_hdr) };

struct late {
	struct late *next;
	long long due;
	int port, len;
	unsigned char bytes[];
};

static int sockets[PORTS], ports, lost;
static const char *rules;
static struct late *first;
static unsigned long long state = 88172645463325252ull;

static long long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ll + now.tv_nsec / 1000;
}

static int chance(int of)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return of > 0 ? (int)(state % (unsigned)of) : 0;
}

static int rule(int which)
{
	return atoi(rules + 8 * which);
}

static void keep(int port, const unsigned char *bytes, int len)
{
	struct late *one = malloc(sizeof(*one) + len), **at = &first;

	if (!one)
		abort();
	one->due = now_us() + chance(rule(1));
	one->port = port;
	one->len = len;
	memcpy(one->bytes, bytes, len);
	while (*at && (*at)->due <= one->due)
		at = &(*at)->next;
	one->next = *at;
	*at = one;
}

static int is_datagram(const unsigned char *frame, int len)
{
	return len > 34 && frame[12] == 8 && frame[13] == 0 && frame[23] == IPPROTO_UDP;
}

static void take(int from)
{
	unsigned char bytes[BYTES];
	struct sockaddr_ll peer;
	socklen_t size = sizeof(peer);
	const int len = recvfrom(sockets[from], bytes, sizeof(bytes), MSG_DONTWAIT, (struct sockaddr *)&peer, &size);
	const unsigned char *frame = bytes + HEAD;

	if (len < HEAD + 14 || peer.sll_pkttype == PACKET_OUTGOING || rule(2) == from + 1)
		return;
	if (is_datagram(frame, len - HEAD) && chance(1000) < rule(0)) {
		if (write(lost, "x", 1) != 1)
			abort();
		return;
	}
	for (int to = 0; to < ports; to++)
		if (to != from && rule(2) != to + 1 && (frame[0] & 1 || frame[5] == to + 1))
			keep(to, bytes, len);
}

int main(int argc, char **argv)
{
	struct pollfd fds[PORTS];
	const int one = 1;

	rules = mmap(NULL, 24, PROT_READ, MAP_SHARED, open(argv[1], O_RDONLY), 0);
	lost = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600);
	for (ports = 0; ports < argc - 3; ports++) {
		const struct sockaddr_ll at = {.sll_family = AF_PACKET,
		    .sll_protocol = htons(ETH_P_ALL),
		    .sll_ifindex = if_nametoindex(argv[ports + 3])};

		sockets[ports] = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
		if (sockets[ports] < 0 || setsockopt(sockets[ports], SOL_PACKET, PACKET_VNET_HDR, &one, sizeof(one)) < 0 ||
		    bind(sockets[ports], (const struct sockaddr *)&at, sizeof(at)) < 0) {
			perror(argv[ports + 3]);
			return 1;
		}
		fds[ports] = (struct pollfd){sockets[ports], POLLIN, 0};
	}
	for (;;) {
		const long long left = first ? first->due - now_us() : 1000000;
		const struct timespec until = {left > 0 ? left / 1000000 : 0, left > 0 ? left % 1000000 * 1000 : 0};

		ppoll(fds, ports, &until, NULL);
		for (int i = 0; i < ports; i++)
			if (fds[i].revents)
				take(i);
		while (first && first->due <= now_us()) {
			struct late *gone = first;

			first = gone->next;
			send(sockets[gone->port], gone->bytes, gone->len, MSG_DONTWAIT);
			free(gone);
		}
	}
}
END
rules() { printf '%7d %7d %7d ' "$@" 1<>rules; } # LOST_OF_1000 US CUT: one write, nothing is cut off
apart() { test "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)"; }
network() { # NODE NUMBER: with the address 10.77.0.NUMBER
	unshare -n sleep 3600 &
	eval "holder_$1=$!"
	holders="$holders $!"
	eventually apart $! || return
	ip link add name "to_$1" type veth peer name eth0 netns $! || return
	ip link set "to_$1" up
	inside "$1" sh -c "ip link set lo up && ip link set eth0 address 02:00:00:00:00:0$2 && ip addr add 10.77.0.$2/24 dev eth0 &&
		ip link set eth0 up"
}
inside() { # NODE COMMAND...
	in=$1
	shift
	eval "nsenter -n -t \$holder_$in \"\$@\""
}
network_up() {
	rules 0 0 0
	${CC:-cc} -O1 -o relay relay.c || return
	n=0
	for node in m a b c; do
		n=$((n + 1))
		network $node $n || return
	done
	./relay rules lost to_m to_a to_b to_c &
	relay=$!
}
ok "four networks and a relay" network_up

# ---- the nodes ----

entry() { # NAME NUMBER CPU MORE
	echo "	$1: { mmac_per_s = 1000.0; address = \"10.77.0.$2:7000\"; lanes = [$3]; key = \"$(cat key.$1)\"; $4 };"
}
platform() { # CPU_OF_B MORE_OF_A_NODE MORE_OF_A_LINK
	echo 'name = "apart"; nodes: {'
	entry m 1 0 "manager = true; shared = true;"
	entry a 2 0 "$2"
	entry b 3 "$1" "$2"
	entry c 4 0 "shared = true;"
	echo "}; links = ( $(link a b "$3"), $(link b c "$3"), $(link a c "$3") );"
}
keys() {
	for node in m a b c; do
		aloe keys new $node --keys "state-$node/keys" | sed -n 's/^  public key   //p' >key.$node
		test -s key.$node || return
	done
	for node in m a b c; do
		for other in m a b c; do
			[ $node = $other ] || aloe keys allow $other --keys "state-$node/keys" -- "$(cat key.$other)" || return
		done
	done
}
up() { # NODE
	NODE_MARK=$work/$1 inside "$1" "$bin/aloe" up --platform "$work/apart.conf" --node "$1" --dir "$work/$1" \
		--state "$work/state-$1"
}
all_up() {
	for node in "$@"; do up $node || return; done
	eventually joined $# --dir "$work/m"
}
all_down() {
	for node in "$@"; do aloe down --dir "$work/$node" || return; done
}
at() { aloe "$@" --dir "$work/m"; }
ok "each node has a key and knows the others'" keys

# ---- a bearer over three nodes: transmitter, channel, receiver ----

bearer >bearer.conf
ok "every instance has a node" test "$(grep -c 'node = ' bearer.conf)" = 22
aloe run "$top/waveforms/utran384.conf" --clock virtual --slots 150 -q --set sink.path=lane.wav --set noise.ebn0_db=1
for transport in tcp udp; do
	platform 0 "shared = true;" "transport = \"$transport\";" >apart.conf
	rules $([ $transport = udp ] && echo 50 3000 || echo 0 1000) 0
	ok "four nodes are up and have joined, $transport" all_up m a b c
	ok "the bearer is loaded, $transport" says 0 "utran384 is loaded" at load bearer.conf --slots 150 --slot-us 20000 \
		--set sink.path=nodes.wav --set noise.ebn0_db=1
	ok "it is started, $transport" says 0 "utran384 runs" at start utran384
	ok "it ends, $transport" eventually state_is utran384 STOP --dir "$work/m"
	ok "its sound is that of one lane, $transport" same nodes.wav lane.wav
	ok "it is unloaded, $transport" says 0 "is unloaded" at unload utran384
	ok "four nodes are down, $transport" all_down c b a m
	rm -f nodes.wav
done
ok "datagrams of the bearer were lost" test -s lost

# ---- under skip ----

# Two nodes of a CPU each, in real time if this user may; the manager runs nothing. `far` goes from a to b, `near` is on a alone.
wave() { # NAME NODE_OF_THE_SINK
	cat <<-END
		name = "$1"; slot_ns = 20000000; late = "skip";
		instances: {
			source: { component = "random_source"; length = 1000; seed = 7; node = "a"; };
			sink:   { component = "file_sink"; path = "$work/$1.bin"; node = "$2"; };
		};
		links = ( "source -> sink" );
	END
}
count() { # WAVEFORM COUNT...: their sum, by its report
	name=$1
	shift
	at status "$name" --json | tr -d ' ",' | awk -F: -v names=" $* " 'index(names, " " $1 " ") && !seen[$1]++ { n += $2 } END { print n + 0 }'
}
index() { at status "$1" --json | sed -n 's/^ *"index": \([0-9]*\).*/\1/p' | head -n 1; }
grows() { # FILE: more is written to it
	size=$(stat -c %s "$1")
	eventually more "$1" "$size"
}
more() { test "$(stat -c %s "$1")" -gt "$2"; }
far_begins() {
	rm -f far.bin
	eventually at load far.conf && at start far && eventually more far.bin 10000 # when the clocks are known to agree
}
# undisturbed WHAT...: what is done to others costs `near` no slot. A stall of the machine may: then it is done again.
undisturbed() {
	for _ in 1 2 3 4 5; do
		had=$(count near skipped absent)
		"$@" || return
		has=$(count near skipped absent)
		[ "$had" = "$has" ] && return
		echo "near lost $((has - had)) slots in: $*"
	done
	return 1
}
node_killed() {
	: >state-a/node.log
	signal KILL b
	eventually is_gone b || return
	eventually grep -q 'nothing has been heard of node "b" for' state-a/node.log || { echo "nobody notices"; return 1; }
	says 0 'nothing has been heard of node "b" for' at status far || return
	sleep 0.5
	up b && eventually joined 3 --dir "$work/m" && at unload far --force && far_begins
}
manager_killed() {
	signal KILL m
	eventually is_gone m && grows far.bin && up m && eventually joined 3 --dir "$work/m" &&
		eventually state_is far RUN --dir "$work/m"
}
link_cut() {
	absent=$(count far absent)
	rules 0 1000 3
	sleep 2
	rules 0 1000 0
	eventually state_is far RUN --dir "$work/m" && eventually joined 3 --dir "$work/m" || return
	eventually absences "$absent" && grows far.bin
}
absences() { test "$(count far absent)" -gt "$1"; }
bridges_killed() { # HOW_MANY
	for turn in $(seq "$1"); do
		killed bridge "$work/$([ $((turn % 2)) = 0 ] && echo a || echo b)" || return
	done
	grows far.bin
}

cpus=$(taskset -pc $$ | sed 's/.*: //' | tr ',' '\n' | sed 's/.*-//' | tail -n 1)
wave far b >far.conf
wave near a >near.conf
platform "$cpus" "$([ "$NODE_LINKS_APART" = user ] || [ "$cpus" = 0 ] && echo 'shared = true;')" 'transport = "udp"; delay = 2;' >apart.conf
rules 0 1000 0
ok "three nodes are up and have joined" all_up m a b
ok "a waveform on one of them is loaded" eventually at load near.conf # when the CPU is free
ok "it runs" says 0 "near runs" at start near
ok "one over two of them runs" far_begins
[ $failed = 0 ] || exit 1
ok "a node is killed, which is noticed, and comes back" undisturbed node_killed
ok "the manager is killed, and comes back" undisturbed manager_killed
ok "a link is cut for two seconds" undisturbed link_cut
ok "bridges are killed" undisturbed bridges_killed "${NODE_LINK_KILLS:-4}"
ok "the waveform on one node has gone on" test "$(index near)" -gt 100
ok "stop it" says 0 "far is stopped" at stop far
ok "unload it" says 0 "far is unloaded" at unload far
ok "three nodes are down" all_down b a m

exit $failed
