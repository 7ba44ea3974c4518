#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# In a network of their own, a host and x310sim with nothing but a loopback of MTU 1500: packets that are too long for it, and
# no route to a device, are refused by `aloe run`, with the reason.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=$(realpath "${B:-build}")
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/common/ok.sh
. tests/common/radio.sh
if ! unshare -rn ip link set lo mtu 1500 up 2>/dev/null; then
	echo "this user may not have a network of his own (unshare --net)"
	exit 77
fi
device='address = "127.0.0.41";'
at='127\.0\.0\.41 port 49153, channel 0: '

cat >"$work/apart" <<'S'
ip link set lo mtu 1500 up
${sim_cpus:+taskset -c "$sim_cpus"} "$B/bin/x310sim" --address 127.0.0.41 --clock virtual --seconds 600 2>"$work/said" &
pid=$!
trap 'kill $pid; wait $pid' EXIT
while ! grep -q ready "$work/said"; do sleep 0.05; done
"$@"
S
export B work sim_cpus
waveform 1024 1
radio "$device spp = 520;"
ok "an MTU that is too small is named" refused \
	"${at}MTU 1500 is too small for packets of 2096 bytes, which need MTU 2124; set the MTU.*or set spp to 364 or less" \
	"unshare -rn sh $work/apart"
radio "$device spp = 256; tx_advance = 60000;"
ok "one that suffices is none" run "unshare -rn sh $work/apart" --slots 100
radio 'address = "10.99.99.9";'
ok "no route is named" refused "10\.99\.99\.9 port 49153, channel 0: this machine has no route to the device" \
	"unshare -rn sh $work/apart"
exit $failed
