#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe doctor --radio: each of its answers, from x310sim with the fault that causes it. What only a network of its own
# shows (no route, no carrier, an MTU that is too small) is tried where one can be had.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
bin=$(cd "$B/bin" && pwd)
work=$(mktemp -d) || exit 2
apart=
trap 'kill $apart $(cat "$work"/*/pid 2>/dev/null) 2>/dev/null; rm -rf "$work"' EXIT
. tests/common/ok.sh

# looks NAME ADDRESS KEYS OPTIONS...: the doctor at a device that x310sim plays with these options; none: there is no device.
looks() {
	name=$1 address=$2 keys=$3
	shift 3
	mkdir -p "$work/$name"
	case $keys in *spp*) ;; *) keys="spp = 512; $keys" ;; esac
	case $keys in *rate\ =\ 2*) ;; *) keys="rate = 200e3; $keys" ;; esac
	echo "radio: { type = \"x310\"; transport = \"udp\"; address = \"$address\"; $keys };" >"$work/$name/radio.conf"
	if [ $# != 0 ]; then
		"$bin/x310sim" --address "$address" "$@" >"$work/$name/sim" 2>&1 &
		echo $! >"$work/$name/pid"
		for _ in $(seq 1200); do
			grep -q ready "$work/$name/sim" && break
			sleep 0.05
		done
	fi
	"$bin/aloe" doctor --radio "$work/$name/radio.conf" >"$work/$name/said" 2>&1
	echo $? >"$work/$name/status"
	[ $# = 0 ] || kill "$(cat "$work/$name/pid")"
}
# says NAME STATUS WORDS: in one line of what it said; STATUS any: where a stall of this machine may count packets as late
says() {
	cat "$work/$1/said" "$work/$1/sim" 2>/dev/null
	{ [ "$2" = any ] || [ "$(cat "$work/$1/status")" = "$2" ]; } && grep -q -e "$3" "$work/$1/said"
}
together() { # waits for those in the background
	for job in $jobs; do
		wait "$job"
	done
	jobs=
}

# A cable of our own: veth, the device in another network. This goes on beside the rest.
cable() {
	ip link set lo up && ip link add host type veth peer name device && ip addr add 10.9.8.1/24 dev host &&
		ip link set host up || return
	unshare -n sleep 600 &
	far=$!
	while [ "$(readlink /proc/$far/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
	ip link set device netns $far && nsenter -t $far -n ip addr add 10.9.8.2/24 dev device &&
		nsenter -t $far -n ip link set device up && nsenter -t $far -n ip link set lo up || return
	nsenter -t $far -n "$bin/x310sim" --address 10.9.8.2 >"$work/sim" 2>&1 &
	simulator=$!
	for _ in $(seq 1200); do # the kernel tells of a carrier some time later
		grep -q ready "$work/sim" && ip link show host | grep -q "state UP" && break
		sleep 0.05
	done
}
in_cable() {
	cable || exit 77
	trap 'kill $simulator $far; wait' EXIT
	looks carried 10.9.8.2 "spp = 256;"
	looks small_mtu 10.9.8.2 ""
	looks fast 10.9.8.2 "rate = 200e6; channel = [0, 1]; spp = 16;"
	looks nowhere 203.0.113.5 ""
	nsenter -t $far -n ip link set device down
	for _ in $(seq 100); do # of its loss, too
		ip link show host | grep -q NO-CARRIER && break
		sleep 0.05
	done
	looks pulled 10.9.8.2 ""
}
if unshare -n true 2>/dev/null && [ "$(id -u)" = 0 ] && command -v ip >/dev/null; then
	export work bin
	unshare -n sh -c "$(sed -n '/^looks()/,/^}/p; /^cable()/,/^}/p; /^in_cable()/,/^}/p' "$0"); in_cable" >"$work/cable" 2>&1 &
	apart=$!
fi

jobs=
looks well 127.0.0.60 "" --source tone & jobs="$jobs $!"
looks later 127.0.0.61 "" --fpga 4.11 & jobs="$jobs $!"
looks unknown 127.0.0.62 "" --fpga next & jobs="$jobs $!"
looks switch 127.0.0.63 "" --frame-bytes 1472 & jobs="$jobs $!"
looks off 127.0.0.64 "" & jobs="$jobs $!"
looks strange 127.0.0.64 'own_address = "192.0.2.1";' & jobs="$jobs $!"
together
ok "every answer is good: exit 0" says well 0 "good  *loopback  *channel 0, 1 s at 200000 samples/s: 39[0-9] packets received, 0 lost"
for answer in route link mtu firmware frame open fpga time loopback; do
	ok "there is a good answer about $answer" says well 0 "^  good  *$answer "
done
ok "the FPGA image is named" says later 0 "good  *fpga  *127.0.0.61 has the image of UHD 4.11 (radio compat 1.0, protocol 2.0)"
ok "an unknown FPGA image: which are known" says unknown 1 "bad  *open .*radio compat 2.0.*known are 4.0 to 4.9"
ok "a switch without jumbo frames: what passes, and which spp" says switch 1 \
	"bad  *frame .*2064 bytes.*at most 1472 bytes reach the device and 1472 come back.*spp to 364"
ok "and nothing was opened after that" says switch 1 "good  *firmware"
ok "no device at the address" says off 1 "bad  *firmware  *no answer from UDP port 49152"
ok "an own_address that this machine has not" says strange 1 "bad  *route  *own_address = 192.0.2.1 is no address of this machine"

looks silent 127.0.0.65 "" --fault-rx loss=1 & jobs="$jobs $!"
looks lossy 127.0.0.66 "" --fault-rx loss=@100/100 & jobs="$jobs $!"
looks lossy_tx 127.0.0.67 "" --fault-tx loss=@100/100 & jobs="$jobs $!"
looks slow 127.0.0.68 "" --fault-tx delay=@100/100:400000 & jobs="$jobs $!"
looks clock 127.0.0.69 "clock_rate = 180e6;" --source tone & jobs="$jobs $!"
together
ok "no samples: the last thing that worked" says silent 1 "bad  *loopback  *channel 0: no samples came; .*no data packets"
ok "samples lost on their way here" says lossy 1 "bad  *loopback .* [1-9][0-9]* lost"
ok "samples lost on their way there" says lossy_tx 1 "bad  *loopback .* 0 lost.* [1-9][0-9]* out of sequence"
ok "samples that come too late" says slow 1 "bad  *loopback .* [1-9][0-9]* \(late\|out of sequence\)"
ok "a clock that is not the one of the radio file" says clock 1 "bad  *time .*clock_rate = 180000000 is not the rate"

# Two devices: of one reference, and each with its own time.
two() { # NAME SECOND-ADDRESS
	cat >"$work/$1.conf" <<-END
		radio: ( { type = "x310"; transport = "udp"; address = "127.0.0.70"; rate = 200e3; spp = 512; },
		         { type = "x310"; transport = "udp"; address = "$2"; rate = 200e3; spp = 512; } );
	END
	mkdir -p "$work/$1"
	"$bin/aloe" doctor --radio "$work/$1.conf" >"$work/$1/said" 2>&1
	echo $? >"$work/$1/status"
}
sim() { # NAME OPTIONS...
	mkdir -p "$work/$1"
	"$bin/x310sim" --address "$2" --devices "$3" >"$work/$1/sim" 2>&1 &
	echo $! >"$work/$1/pid"
	for _ in $(seq 1200); do
		grep -q ready "$work/$1/sim" && return
		sleep 0.05
	done
	cat "$work/$1/sim"
	return 1
}
ok "two devices of one reference begin" sim one 127.0.0.70 2
sleep 1.2 # what begins within the same second has the same time
ok "and one with a time of its own" sim other 127.0.0.72 1
two together 127.0.0.71
two apart 127.0.0.72
ok "two devices have one time" says together any "good  *times  *both devices have one time"
ok "two channels are looked at" says together any "good  *loopback  *channel 1,"
ok "two devices with times of their own: both times" says apart 1 "bad .*times of the two devices differ by .* has .* has "

# The doctor's own manners.
radio_says() { # STATUS WORDS ARGUMENT...
	want=$1 words=$2
	shift 2
	"$bin/aloe" doctor "$@" >"$work/out" 2>&1
	status=$?
	cat "$work/out"
	[ $status = "$want" ] && grep -qF -e "$words" "$work/out"
}
head -c 8000 /dev/zero >"$work/iq"
echo "radio: { type = \"file\"; path = \"$work/iq\"; format = \"ci16_le\"; rate = 1e3; tx_path = \"$work/sent\"; };" >"$work/file.conf"
ok "a radio of files: how long it is" radio_says 0 "2 s at 1000 samples/s" --radio "$work/file.conf"
ok "and no file is written" test ! -e "$work/sent"
ok "as JSON" radio_says 0 '"verdict": "good"' --radio "$work/file.conf" --json
echo 'radio: { type = "x310"; transport = "udp"; };' >"$work/wrong.conf"
ok "a radio file that is wrong" radio_says 2 "address is missing" --radio "$work/wrong.conf"
ok "no radio file" radio_says 2 "cannot be read" --radio "$work/none.conf"
ok "not beside the machine" radio_says 2 "--radio and --lanes exclude each other" --radio "$work/file.conf" --lanes 0

carried_out() {
	wait $apart && return
	cat "$work/cable"
	return 1
}
if [ -n "$apart" ]; then
	ok "a network of our own" carried_out
	ok "a cable: its rate" says carried any "good  *link  *host is up at [0-9.]* Gbit/s"
	ok "an MTU that is too small: which is needed" says small_mtu 1 "bad  *mtu .*is 1500.*need 2092"
	ok "a rate that the cable does not carry" says fast 1 "bad  *link .*2 channels of 2e+08 samples/s need"
	ok "no route" says nowhere 1 "bad  *route  *no way to 203.0.113.5: Network is unreachable"
	ok "no carrier" says pulled 1 "bad  *link  *host has no carrier"
	ok "x310sim says at its start what its port does not carry" grep -q \
		"SFP0: device has an MTU of 1500, so packets with spp over 364 do not pass; the device allows spp 1996" "$work/sim"
else
	echo "not tried: route, carrier and MTU, which need a network namespace (root, unshare, ip)"
fi
exit $failed
