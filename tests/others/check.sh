#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/others/check.sh [PART...] - programs of others against x310sim with UBX daughterboards, on loopback: `examples` of
# Debian's uhd-host, `devtest` (Ettus' own tests of a USRP X3x0, from uhd-host), `gnuradio` (gr-uhd), `soapy` (SoapyUHD).
# Default: all but devtest, which fails where x310sim keeps a radio's message for a host that has gone: it answers no reset
# of a block. By `make check-others`, which installs the programs (tests/deps.sh test others); PARTS=devtest for that part.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
ip=127.0.0.42
args=type=x300,addr=$ip
examples=/usr/libexec/uhd/examples
devtest=/usr/libexec/uhd/tests/devtest
work=$(mktemp -d) || exit 2
export UHD_LOG_CONSOLE_LEVEL=error
. tests/common/ok.sh

sim=
trap 'kill $sim 2>/dev/null; rm -rf "$work"' EXIT
sim_start() {
	"$B/bin/x310sim" --address $ip --daughterboard "${1:-ubx}" --json >"$work/json" 2>"$work/said" &
	sim=$!
	for _ in $(seq 100); do
		grep -q ready "$work/said" && return
		sleep 0.05
	done
	cat "$work/said"
	return 1
}
sim_end() {
	kill -TERM $sim && wait $sim
}
# What a program says; a claim of one that was killed lapses after 2 s.
says() { # WORDS COMMAND...
	words=$1
	shift
	timeout 120 "$@" >"$work/out" 2>&1
	status=$?
	[ $status = 0 ] && grep -q -e "$words" "$work/out" && return
	echo "exit $status, not 0 with \"$words\""
	tail -n 20 "$work/out"
	return 1
}
channel_0() { # NAME OPERATOR VALUE: what the simulator counted
	value=$(sed 's/.*"channels": \[//' "$work/json" | grep -o "\"$1\": [0-9]*" | head -n 1 | sed 's/.* //')
	[ "$value" "$2" "$3" ] && return
	echo "$1 is $value, not $2 $3"
	return 1
}
sensor() { # WORDS
	says "$1" uhd_usrp_probe --args $args --sensor "/blocks/0/Radio#0/dboard/rx_frontends/0/sensors/lo_locked"
}

part_examples() {
	ok "x310sim begins with oscillators that do not lock" sim_start ubx-unlocked
	ok "uhd_usrp_probe: lo_locked is false" sensor false
	ok "it ends" sim_end
	ok "x310sim begins with UBX daughterboards" sim_start
	ok "uhd_usrp_probe: their frequencies" says "10.000 to 6000.000 MHz" uhd_usrp_probe --args $args
	ok "uhd_usrp_probe: lo_locked is true" sensor true
	ok "test_timed_commands" says "Done!" $examples/test_timed_commands --args $args
	ok "test_messages: underrun, late, end of burst" says "Test Late Command *-> *[0-9]* successes, *0 failures" \
		$examples/test_messages --args $args
	ok "gpio: pins read back as they are set" says "All tests passed" $examples/gpio --args $args --dwell 0.3
	ok "it ends" sim_end
	ok "it begins again" sim_start
	ok "rx_timed_samples" says "Done!" $examples/rx_timed_samples --args $args --rate 1e6 --nsamps 10000 --secs 0.5
	ok "tx_timed_samples" says "Done!" $examples/tx_timed_samples --args $args --rate 1e6 --nsamps 10000 --secs 0.5
	ok "it ends" sim_end
	ok "what was sent was played" channel_0 tx_samples -ge 10000
}
part_devtest() {
	ok "x310sim begins" sim_start
	PATH=$examples:$PATH timeout 900 /usr/bin/python3 $devtest/run_testsuite.py -p x3x0 -a addr=$ip,type=x300 \
		--src-dir $devtest --build-dir /usr/libexec/uhd -l "$work" >"$work/out" 2>&1
	status=$?
	grep -E '\.\.\. (ok|FAIL|ERROR|skipped)|^Ran ' "$work/out"
	ok "devtest for the X3x0 passes" test $status = 0
	[ $status = 0 ] || tail -n 60 "$work/out"
	ok "it ends" sim_end
}
part_gnuradio() {
	ok "x310sim begins" sim_start
	ok "gr-uhd: source, tagged bursts, timed commands" says "starts at its times" /usr/bin/python3 tests/others/gr_uhd.py $ip
	grep "^ok" "$work/out"
	ok "it ends" sim_end
	ok "every burst was played" channel_0 tx_bursts -ge 3
	ok "every sample of the bursts was played" channel_0 tx_samples -ge 4500
	ok "none was late" channel_0 tx_late = 0
}
part_soapy() {
	ok "x310sim begins" sim_start
	ok "SoapyUHD finds it" says "driver=uhd" SoapySDRUtil --probe="driver=uhd,$args"
	ok "SoapyUHD receives" says "Stream format" \
		sh -c "timeout -s INT 12 SoapySDRUtil --args=driver=uhd,$args --rate=1e6 --channels=0 --direction=RX || :"
	ok "it ends" sim_end
	ok "the device sent a second of samples and more" channel_0 rx_samples -ge 1000000
}

for part in ${*:-examples gnuradio soapy}; do
	"part_$part"
done
exit $failed
