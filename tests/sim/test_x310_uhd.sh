#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# An unmodified UHD (Debian's uhd-host) against x310sim on loopback: it brings the device up, receives a tone sample for
# sample, transmits, and does both at once. Then x310-init brings it up, and a waveform streams with what it printed,
# over the kernel and past it. Most of the time UHD waits, so three parts of it go side by side.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
sim=$B/bin/x310sim
examples=/usr/libexec/uhd/examples
top=$(mktemp -d) || exit 2
export UHD_LOG_CONSOLE_LEVEL=error
if ! command -v uhd_usrp_probe >/dev/null; then
	echo "Debian's uhd-host is not here"
	exit 77
fi

. tests/common/ok.sh
. tests/common/radio.sh
says() { # WORDS COMMAND...
	words=$1
	shift
	"$@" >"$work/out" 2>&1 && grep -q -e "$words" "$work/out" && return
	cat "$work/out"
	return 1
}
count() { # NAME: of channel 0 in what the simulator printed
	sed 's/.*"channels": \[//' "$work/json" | grep -o "\"$1\": [0-9]*" | head -n 1 | sed 's/.* //'
}
is() { # NAME OPERATOR VALUE
	value=$(count "$1")
	[ "$value" "$2" "$3" ] && return
	echo "$1 is $value, not $2 $3"
	cat "$work/json"
	return 1
}
# The tone has a period of 16 samples, so a file of it is its first 64 bytes over and over.
periodic() { # FILE BYTES
	[ "$(stat -c %s "$1")" = "$2" ] || return 1
	head -c $(($2 - 64)) "$1" >"$work/a"
	tail -c +65 "$1" | cmp - "$work/a"
}

init_start() { # OPTIONS...
	"$B/bin/x310-init" "$device" --rate 1e6 "$@" >"$work/radio.conf" 2>"$work/init" &
	init=$!
	for _ in $(seq 900); do
		grep -q ready "$work/init" && return
		sleep 0.1
	done
	cat "$work/init"
	return 1
}
init_end() {
	kill -TERM $init && wait $init
}
# A lane has its CPU for itself; another test may have it just now.
passes() { # SLOTS
	for _ in $(seq 60); do
		timeout 300 "$B/bin/aloe" run waveforms/x310-passthrough.conf --radio "$work/radio.conf" --set rate=1e6 \
			--slots "$1" --force --json >"$work/report" 2>"$work/why" && break
		grep -q "taken by the lane of another" "$work/why" || { cat "$work/why"; return 1; }
		sleep 1
	done
	grep -q "\"run\": *$1" "$work/report" && return
	cat "$work/report" "$work/why" # which names the process that has the CPU
	return 1
}
# UHD initialises, ALOE streams. What x310-init holds is given back in the end.
hand_over() { # WAY OPTIONS...
	way=$1
	shift
	ok "x310-init makes the device ready, $way" init_start "$@"
	ok "a waveform streams with what it printed, $way" passes 1000
	ok "x310-init gives the device back, $way" init_end
	ok "it ends, $way" sims_end
	ok "every answer was in sequence, $way" is tx_sequence_errors = 0
	sent=$(sed -n '/"radio"/,$s/.*"sent": *\([0-9]*\).*/\1/p' "$work/report" | head -n 1)
	ok "all that was sent was played, or too late, $way" test "$sent" -gt 0 -a \
		$(($(count tx_samples) + 256 * $(count tx_late))) -ge $((256 * sent))
}

receives_and_transmits() {
	args=type=x300,addr=127.0.0.2
	ok "the simulator begins" sim_start --address 127.0.0.2
	ok "a second one on the same address says why it cannot" says "UDP port 49152: Address already in use" \
		sh -c "! $sim --address 127.0.0.2 2>&1"
	ok "uhd_usrp_probe finds both radios" says "0/Radio#1" timeout 300 uhd_usrp_probe --args $args
	ok "rx_samples_to_file" timeout 300 $examples/rx_samples_to_file --args $args --type short --rate 1e6 \
		--freq 0 --nsamps 1000000 --file "$work/rx"
	ok "every sample is there" periodic "$work/rx" 4000000
	ok "it ends" sims_end
	ok "no overrun, nothing malformed" is rx_overruns = 0

	ok "the simulator begins again, as the FPGA of a later UHD" sim_start --address 127.0.0.2 --record "$work/tx" \
		--stop-on-error
	ok "tx_waveforms" timeout 300 $examples/tx_waveforms --args $args --rate 1e6 --freq 0 --nsamps 500000 \
		--wave-type SINE --wave-freq 62500 --ampl 0.5
	ok "it ends with what it recorded" sims_end
	ok "what was transmitted was played" is tx_samples -ge 500000
	ok "in sequence" is tx_sequence_errors = 0
	ok "within the window" is tx_overflowed = 0
	ok "and recorded" test "$(stat -c %s "$work/tx")" = $(($(count tx_samples) * 4))
}
streams_both_ways() {
	ok "the simulator begins, as two devices" sim_start --devices 2 --address 127.0.0.22 --address 127.0.0.23
	ok "benchmark_rate on both as one, by their pulse per second, both ways" says "Num dropped samples:      0" \
		timeout 300 $examples/benchmark_rate --args type=x300,addr0=127.0.0.22,addr1=127.0.0.23 --rx_rate 1e6 \
		--tx_rate 1e6 --duration 1 --rx_channels 0,2 --tx_channels 0,2
	ok "no sequence error" grep -q "Num sequence errors (Rx): 0" "$work/out"
	ok "it ends" sims_end
	ok "nothing was out of sequence" is tx_sequence_errors = 0
}
# An FPGA image that this UHD cannot have is named, and so are both UHDs.
init_refuses() { # WORDS
	"$B/bin/x310-init" "$device" --rate 1e6 >"$work/out" 2>&1
	status=$?
	[ $status = 2 ] && grep -q -e "$1" "$work/out" && return
	echo "exit status $status"
	cat "$work/out"
	return 1
}
is_told_apart() {
	[ -x "$B/bin/x310-init" ] || return
	device=127.0.0.26
	for fpga in 4.10 4.11; do
		ok "the simulator begins, with the image of $fpga" sim_start --address $device --fpga $fpga
		ok "x310-init says which UHD $fpga needs, and which there is" \
			init_refuses "image of the device is that of UHD $fpga .* needs UHD $fpga .* installed is UHD 4\.[0-9]"
		ok "it ends, with $fpga" sims_end
	done
	ok "the simulator begins, with an image that nobody knows" sim_start --address $device --fpga next
	ok "x310-init says that, and which images it knows" init_refuses "radio compat 2.0.*not known, known are 4.0 to 4.9"
	ok "it ends, without a host" sims_end
}
# UHD by SFP1 of an image that is wired differently: what was found is in the radio file.
is_found() {
	[ -x "$B/bin/x310-init" ] || return
	device=127.0.0.29
	ok "the simulator begins, wired differently" sim_start --address 127.0.0.28 --sfp1 $device --image HG \
		--layout-seed 7 --source ticks
	hand_over "by SFP1 of another wiring"
	ok "the radio file says SFP1" grep -q "sfp = 1;" "$work/radio.conf"
	ok "nothing was lost by a wrong route" grep -q '"no_address": 0, "no_route": 0' "$work/json"
}
is_handed_over() {
	[ -x "$B/bin/x310-init" ] || return
	device=127.0.0.24
	ok "the simulator begins" sim_start --address 127.0.0.24 --source ticks
	hand_over "by kernel UDP"
	[ -e "$B/lib/aloe-transports/dpdk.so" ] || return
	memif=socket=$work/memif,socket-abstract=no,bsize=2304
	ok "the simulator begins, with SFP1 on memif" sim_start --address 127.0.0.24 --source ticks --port-bytes 2176 \
		--port "net_memif0,role=server,$memif"
	hand_over "by DPDK" --port "net_memif0,role=client,$memif" --own-address 192.168.40.1 \
		--stream-address 192.168.40.2
}
side() { # FUNCTION
	pids= init= device= work=$top/$1
	mkdir "$work" || exit 2
	trap 'kill $pids $init 2>/dev/null' EXIT
	$1
	exit $failed
}
trap 'rm -rf "$top"' EXIT
sides=
for function in receives_and_transmits streams_both_ways is_told_apart; do
	(sim_cpus= side $function) >"$top/$function.said" 2>&1 & # without lanes
	sides="$sides $!"
done
for side in $sides; do
	wait "$side" || failed=1
done
(side is_found) >"$top/is_found.said" 2>&1 &
found=$!
(side is_handed_over) >"$top/is_handed_over.said" 2>&1 || failed=1
wait $found || failed=1
cat "$top"/*.said
exit $failed
