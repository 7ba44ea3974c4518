#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Radios that cannot stream: `aloe run` says so, with address, port, channel, the reason and what to do, and does not end with
# 0. Against x310sim on loopback; where this user may have a network of his own, also with an MTU that is too small and
# without a route.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=$(realpath "${B:-build}")
work=$(mktemp -d) || exit 2
pids=
trap 'kill $pids 2>/dev/null; rm -rf "$work"' EXIT
. tests/common/ok.sh

sim_start() { # OPTIONS...
	: >"$work/said"
	"$B/bin/x310sim" --json "$@" >"$work/json" 2>"$work/said" &
	pids="$pids $!"
	for _ in $(seq 200); do
		grep -q ready "$work/said" && return
		sleep 0.05
	done
	cat "$work/said"
	return 1
}
sims_end() {
	kill -TERM $pids && wait $pids
	pids=
}
waveform() { # SLOT_SAMPLES CHANNELS
	{
		printf 'name = "pass";\nclock = "radio";\nslot_samples = %s;\nrate = 1e6;\ninstances: {\n' "$1"
		for c in $(seq 0 $(($2 - 1))); do
			printf 'rx%s: { component = "radio_rx"; type = "ci16"; channel = %s; };\n' $c $c
			printf 'tx%s: { component = "radio_tx"; channel = %s; };\n' $c $c
		done
		printf '};\nlinks = ( "rx0 -> tx0"%s );\n' "$([ "$2" -gt 1 ] && echo ', "rx1 -> tx1"')"
	} >"$work/pass.conf"
}
radio() { # GROUPS: what follows the common keys of each
	common='type = "x310"; transport = "udp"; patience_ms = 100000.0; flow_control = true;'
	list=
	for group; do
		list="$list${list:+, }{ $common $group }"
	done
	echo "radio = ( $list );" >"$work/radio.conf"
}
# A lane has its CPU for itself; another test may have it just now.
run() { # WAY SLOTS...: how to begin the command; the exit status is that of aloe
	way=$1
	shift
	for _ in $(seq 240); do
		$way timeout -k 20 60 "$B/bin/aloe" run "$work/pass.conf" --radio "$work/radio.conf" --json -q "$@" \
			>"$work/out" 2>"$work/err"
		status=$?
		grep -q "taken by the lane of another" "$work/err" || return $status
		sleep 0.5
	done
	return 99
}
refused() { # WORDS WAY...
	words=$1
	shift
	run "${1:-}" --slots 10
	status=$?
	[ $status -gt 0 ] && [ $status -lt 99 ] && grep -q -e "$words" "$work/err" && return
	echo "exit status $status, without \"$words\""
	return 1
}
# Not whole: samples do not come, or not as they should; it is interrupted then.
ends_badly() { # SECONDS WORDS
	run "timeout -s INT -k 20 $1" && return 1
	grep -q -e "$2" "$work/err" && return
	echo "without \"$2\""
	return 1
}
field() { # NAME VALUE: of the report's radio
	sed -n '/"radio"/,$p' "$work/out" | grep -m 1 "\"$1\"" | grep -q ": $2,"
}

device='address = "127.0.0.41";'
at='127\.0\.0\.41 port 49153, channel 0: '

waveform 1024 1
radio "$device spp = 1024;"
ok "the simulator begins, with a port that passes 1472 bytes" sim_start --address 127.0.0.41 --clock virtual --frame-bytes 1472
ok "packets that its port does not pass are named" refused \
	"${at}packets of 4112 bytes do not reach the device, smaller packets do.*set spp to 364 or less"
ok "it ends" sims_end
ok "the simulator begins, with 1 Gbit/s at SFP0" sim_start --address 127.0.0.41 --clock virtual --image HG
ok "so are they with 1 Gbit/s" refused "${at}packets of 4112 bytes do not reach the device"
radio "$device spp = 256; tx_advance = 60000;"
ok "smaller packets pass" run "" --slots 100
ok "it ends again" sims_end

ok "the simulator begins" sim_start --address 127.0.0.41 --clock virtual --lead 6000 --source ticks
radio "$device spp = 256; tx_advance = 200000;"
ok "what the device cannot hold is refused" refused \
	"${at}tx_advance = 200000 is too large: the device buffers 524287 bytes, which hold 112640 samples"
radio "$device spp = 256; tx_advance = 112640;"
ok "the most that it says it holds, it holds" run "" --slots 500
ok "with room for all" field no_room 0
radio "$device channel = 2; initialised = true;"
ok "a channel that nobody has set up is named, and its endpoint" refused \
	"127\.0\.0\.41 port 49153, channel 2: .*endpoint behind port 5 of the crossbar.* lacks its number; run x310-init"
ok "it ends once more" sims_end
ok "the simulator begins, with a rate that nobody has set" sim_start --address 127.0.0.41 --clock virtual --lead 6000
radio "$device initialised = true;"
ok "so is one whose samples come at another rate" ends_badly 6 "${at}samples come, but not one every 200 ticks"
ok "it ends for good" sims_end

waveform 1024 2
radio "$device spp = 256; tx_advance = 60000;" 'address = "127.0.0.42"; spp = 256; tx_advance = 60000;'
ok "the first of two devices begins" sim_start --address 127.0.0.41 --drift-ppm 2
sleep 2
ok "the second one begins later, with a time of its own" sim_start --address 127.0.0.42 --drift-ppm -3
ok "two times are refused, and named" refused \
	"the times of the two devices differ by [1-9][0-9.]* s, and a slot has 0\.001024 s: 127\.0\.0\.41 has [0-9.]* s, 127\.0\.0\.42 has [0-9.]* s; set one time with x310-init 127\.0\.0\.41 127\.0\.0\.42"
ok "both end" sims_end

# In a network of their own, with nothing but a loopback of MTU 1500.
if ! unshare -rn ip link set lo mtu 1500 up 2>/dev/null; then
	echo "ok # SKIP an MTU that is too small, and no route: a network of one's own cannot be had here"
	exit $failed
fi
cat >"$work/apart" <<'S'
ip link set lo mtu 1500 up
"$B/bin/x310sim" --address 127.0.0.41 --clock virtual --seconds 600 2>"$work/said" &
pid=$!
trap 'kill $pid; wait $pid' EXIT
while ! grep -q ready "$work/said"; do sleep 0.05; done
"$@"
S
export B work
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
