#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Which ports of x310sim who may have: kernel UDP and memif everybody; af_packet who has CAP_NET_RAW and, as DPDK writes the
# interface's address back, CAP_NET_ADMIN. As the user that runs this, and if that is root as nobody too. What cannot be
# tried here is said.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
sim=$(realpath "$B")/bin/x310sim
failed=0
number=0
work=$(mktemp -d /tmp/aloe-users.XXXXXX) || exit 2 # others cannot go where TMPDIR is
chmod 777 "$work"
link=x310u$$
trap 'ip link del ${link}a 2>/dev/null; rm -rf "$work"' EXIT

# ok WHAT STATUS WORDS COMMAND...: exits so, and says so.
ok() {
	what=$1 status=$2 words=$3
	shift 3
	(cd "$work" && HOME=$work XDG_RUNTIME_DIR=$work "$@") >"$work/said" 2>&1
	got=$?
	if [ $got = "$status" ] && grep -q -e "$words" "$work/said"; then
		echo "ok $what"
	else
		echo "not ok $what: exit $got, not $status with \"$words\""
		sed 's/^/  | /' "$work/said"
		failed=1
	fi
	rm -f "$work/said"
}
# tries WHO UDP MEMIF...: the ports that need no right, with what makes us that user before the program.
tries() {
	who=$1
	shift
	number=$((number + 1))
	at="--address 127.0.0.1$number --seconds 0.05"
	ok "$who: kernel UDP" 0 "ready on" "$@" "$sim" $at
	if [ -e "$B/lib/aloe-transports/dpdk.so" ]; then
		memif=role=server,socket-abstract=no,socket=$work/memif$number
		ok "$who: memif" 0 "ready on" "$@" "$sim" $at --port "net_memif0,$memif"
		ok "$who: memif, two devices" 0 "ready on" "$@" "$sim" $at --devices 2 --port "net_memif0,${memif}a" \
			--port "net_memif1,id=1,${memif}b"
	fi
}
packet() { # WHO STATUS WORDS [PREFIX...]
	who=$1 status=$2 words=$3
	shift 3
	ok "$who: af_packet" "$status" "$words" "$@" "$sim" --address 127.0.0.19 --seconds 0.05 \
		--port "net_af_packet0,iface=${link}b"
}

tries "$(id -un)"
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
if [ "$(id -u)" = 0 ] && $nobody test -x "$sim" 2>/dev/null; then
	tries nobody $nobody
else
	echo "not tried: nobody, which needs root and setpriv, and the program where nobody may read it"
fi
[ -e "$B/lib/aloe-transports/dpdk.so" ] || echo "not tried: memif and af_packet, which need libdpdk-dev"
if [ -e "$B/lib/aloe-transports/dpdk.so" ] && ip link add ${link}a type veth peer name ${link}b 2>/dev/null; then
	ip link set ${link}a up && ip link set ${link}b up
	packet "$(id -un)" 0 "ready on"
	if [ "$(id -u)" = 0 ] && $nobody test -x "$sim" 2>/dev/null; then
		packet nobody 1 "net_af_packet0,iface=${link}b: the device cannot be opened: Operation not permitted" $nobody
		packet "nobody with CAP_NET_RAW" 1 "the device does not start: Operation not permitted" \
			$nobody --inh-caps +net_raw --ambient-caps +net_raw
		packet "nobody with CAP_NET_RAW and CAP_NET_ADMIN" 0 "ready on" \
			$nobody --inh-caps +net_raw,+net_admin --ambient-caps +net_raw,+net_admin
	fi
else
	echo "not tried: af_packet, which needs a pair of virtual Ethernet devices (CAP_NET_ADMIN)"
fi
exit $failed
