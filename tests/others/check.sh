#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/others/check.sh [PART...] - programs of others against x310sim with UBX daughterboards, on loopback: `examples` of
# Debian's uhd-host, `discovery` by uhd_find_devices, `devtest` (Ettus' own tests of a USRP X3x0, from uhd-host), `gnuradio`
# (gr-uhd), `soapy` (SoapyUHD), `soapy_radio` (a waveform on its radio); `deb`: Debian packages (tests/others/deb.sh);
# `grzmq`: zmq_source and zmq_sink with GNU Radio (tests/others/grzmq.sh);
# `bler`: the example of Python with matplotlib, which makes BUILD/bler.png;
# `trace`: traces read with the protos of pip's perfetto (tests/others/trace.sh);
# `srsran`, by name only: srsRAN's pdsch_enodeb and pdsch_ue through a channel (tests/others/srsran.sh);
# `dashboard`: the page of a node in headless Chromium (tests/others/dashboard.sh);
# `sigmf`: recordings before the validator of pip's sigmf (tests/others/sigmf.sh);
# `metrics`: /metrics of a node before the judges of others (promtool for the old format,
# prometheus_client's strict parser for OpenMetrics); and `slurm` with three nodes (tests/others/slurm.sh). Default: all. By
# `make check-others`, which installs the programs (tests/deps.sh test others).
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
trap 'kill $sim 2>/dev/null; "$B/bin/aloe" down --dir "$work/node" >/dev/null 2>&1; rm -rf "$work"' EXIT
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
plays_what_it_hears() { # rx_samples of channel 0 = tx_samples of channel 2
	heard=$(sed 's/.*"channels": \[//' "$work/json" | grep -o '"rx_samples": [0-9]*' | head -n 1 | sed 's/.* //')
	played=$(sed 's/.*"channels": \[//' "$work/json" | grep -o '"tx_samples": [0-9]*' | sed -n '3s/.* //p')
	echo "heard $heard, played $played"
	[ "$heard" -gt 1000000 ] && [ "$heard" = "$played" ]
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
	ok "a clock of 184.32 MHz" says "Actual RX Rate: 1.843200" $examples/rx_samples_to_file --args $args,master_clock_rate=184.32e6 \
		--rate 1.8432e6 --freq 1e9 --nsamps 100000 --type short --file "$work/iq"
	ok "all samples of it" test "$(stat -c %s "$work/iq")" = 400000
	ok "rx_timed_samples" says "Done!" $examples/rx_timed_samples --args $args --rate 1e6 --nsamps 10000 --secs 0.5
	ok "tx_timed_samples" says "Done!" $examples/tx_timed_samples --args $args --rate 1e6 --nsamps 10000 --secs 0.5
	ok "it ends" sim_end
	ok "what was sent was played" channel_0 tx_samples -ge 10000
	ok "it begins once more" sim_start
	ok "rfnoc_radio_loopback: from one radio to the other, within the device" says "Done" \
		$examples/rfnoc_radio_loopback --args $args --rx-freq 1e9 --tx-freq 1e9 --duration 1
	ok "it ends" sim_end
	ok "the second radio played what the first one heard" plays_what_it_hears
}
# At 1 MSa/s and not at 25: of that rate a machine that plays the device itself would be tested. Between programs 3 s are
# waited, not 15: a claim lapses after 2.
part_devtest() {
	cp -r $devtest "$work/devtest"
	ok "devtest has the rates that are left out" sed -i "s/, (25e6, 'fast')//w $work/left_out" "$work/devtest/devtest_x3x0.py"
	ok "they are" test -s "$work/left_out"
	ok "devtest waits" sed -i "s/time.sleep(15)/time.sleep(3)/w $work/waits" "$work/devtest/uhd_test_base.py"
	ok "it does" test -s "$work/waits"
	ok "x310sim begins" sim_start
	PATH=$examples:$PATH timeout 600 /usr/bin/python3 "$work/devtest/run_testsuite.py" -p x3x0 -a addr=$ip,type=x300 \
		--src-dir "$work/devtest" --build-dir /usr/libexec/uhd -l "$work" >"$work/out" 2>&1
	status=$?
	grep -E '\.\.\. (ok|FAIL|ERROR|skipped)|^Ran ' "$work/out"
	ok "devtest for the X3x0 passes" test $status = 0
	[ $status = 0 ] || tail -n 60 "$work/out"
	ok "it ends" sim_end
}
# Without an address UHD broadcasts, on every interface but lo: so over a cable of our own.
discover() {
	ip link set lo up && ip link add near0 type veth peer name far0 && ip addr add 10.9.8.1/24 brd + dev near0 &&
		ip link set near0 up || return
	unshare -n sleep 30 &
	far=$!
	sleep 0.5
	there="nsenter -t $far -n"
	ip link set far0 netns $far && $there ip addr add 10.9.8.2/24 brd + dev far0 && $there ip link set far0 up || return
	$there "$B/bin/x310sim" --address 10.9.8.2 &
	device=$!
	sleep 1
	uhd_find_devices --args type=x300
	kill $device $far
	wait
}
part_discovery() {
	if ! unshare -n true 2>/dev/null || ! command -v ip >/dev/null; then
		echo "not tried: discovery, which needs a network namespace (root, unshare, ip)"
		return
	fi
	ok "uhd_find_devices finds it without an address" says "addr: 10.9.8.2" \
		unshare -n sh -c "B=$B; $(sed -n '/^discover()/,/^}/p' "$0"); discover"
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
part_soapy_radio() {
	printf '%s\n' 'name = "pass"; clock = "radio"; slot_samples = 1000; rate = 1e6;' \
		'instances: { rx: { component = "radio_rx"; type = "ci16"; }; tx: { component = "radio_tx"; }; };' \
		'links = ( "rx -> tx" );' >"$work/pass.conf"
	echo "radio: { type = \"soapy\"; args = \"driver=uhd,$args\"; direction = \"both\"; frequency = 1e9; gain = 10.0;" \
		"tx_advance = 500000; patience_ms = 5000.0; };" >"$work/radio.conf"
	ok "x310sim begins again" sim_start
	ok "a waveform on this radio receives and sends" soapy_passes
	ok "it ends" sim_end
	ok "the device sent samples" channel_0 rx_samples -ge 1000000
	ok "and played what came back at its time" channel_0 tx_samples -ge 1000000
}
# All slots run, and the device is never lost; of a machine that plays the device as well a third may come too late.
soapy_passes() {
	timeout -k 5 60 "$B/bin/aloe" run "$work/pass.conf" --radio "$work/radio.conf" --slots 3000 --json -q >"$work/report" 2>"$work/out" ||
		{ cat "$work/out" && return 1; }
	python3 -c 'import json, sys
radio = json.load(open(sys.argv[1]))["radio"]
print({key: radio[key] for key in ("packets", "sent", "flywheeled", "late", "restarts", "unsized")})
sys.exit(radio["packets"] < 2000 or radio["sent"] < 2000 or radio["unsized"] + radio["restarts"] > 0)' "$work/report"
}
# promtool is one file of a package that would start a server; so the package is not installed.
promtool_get() {
	promtool=$(command -v promtool) && return
	(cd "$work" && apt-get download prometheus && dpkg -x prometheus_*.deb prometheus) && promtool=$work/prometheus/usr/bin/promtool
}
scrape() { # ACCEPT FILE
	python3 -c 'import sys, urllib.request as u
sys.stdout.buffer.write(u.urlopen(u.Request(sys.argv[1], headers={"Accept": sys.argv[2]})).read())' \
		"http://127.0.0.1:$port/metrics" "$1" >"$2"
}
openmetrics_parse() { # FILE: all of its samples, by the strict parser
	/usr/bin/python3 -c 'import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
print(sum(len(f.samples) for f in parse(open(sys.argv[1]).read())), "samples")' "$1"
}
part_metrics() {
	port=$((8100 + $$ % 500))
	ok "promtool is there" promtool_get
	ok "a node" "$B/bin/aloe" up --dir "$work/node" --state "$work/state" --metrics $port
	ok "nothing is loaded: the old format" scrape text/plain "$work/empty"
	ok "promtool takes it" sh -c "'$promtool' check metrics <'$work/empty'"
	ok "a waveform" "$B/bin/aloe" load waveforms/utran384-random.conf --dir "$work/node" --clock virtual --slots 500
	ok "it runs" "$B/bin/aloe" start utran384-random --dir "$work/node"
	ok "the old format" scrape text/plain "$work/text"
	ok "promtool takes that" sh -c "'$promtool' check metrics <'$work/text'"
	ok "OpenMetrics" scrape application/openmetrics-text "$work/open"
	ok "prometheus_client takes it" openmetrics_parse "$work/open"
	ok "and not the old one" sh -c "! /usr/bin/python3 -c 'import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
list(parse(open(sys.argv[1]).read()))' '$work/text' 2>/dev/null"
	ok "down" "$B/bin/aloe" down --dir "$work/node"
}

part_slurm() {
	tests/others/slurm.sh || failed=1
}

. tests/others/grzmq.sh
. tests/others/sigmf.sh
. tests/others/trace.sh
. tests/others/dashboard.sh

# The picture has 1200 x 675 points, lines of four colours, and its legend beside the axes.
picture_is_whole() { # FILE
	MPLBACKEND=Agg /usr/bin/python3 -c 'import sys
from matplotlib import image
seen = image.imread(sys.argv[1])[:, :, :3]
assert seen.shape == (675, 1200, 3), seen.shape
blue = abs(seen - (0x1F / 255, 0x77 / 255, 0xB4 / 255)).sum(axis=2) < 0.02
print(blue[:, :930].sum(), "points of the first line,", blue[:, 960:].sum(), "in the legend")
assert blue[:, :930].sum() > 1000 and blue[:, 960:].sum() > 30' "$1"
}
part_bler() {
	rm -f "$B/bler.png"
	ok "the example of Python sweeps the block error rate" env PATH="$PWD/$B/bin:$PATH" PYTHONPATH=tools/python \
		XDG_STATE_HOME="$work/state" MPLCONFIGDIR="$work" /usr/bin/python3 tools/python/examples/bler.py "$B/bler.png" 200
	ok "and plots it" picture_is_whole "$B/bler.png"
}
. tests/others/srsran.sh

part_deb() {
	tests/others/deb.sh || failed=1
}

for part in ${*:-examples discovery gnuradio grzmq sigmf trace bler soapy soapy_radio devtest metrics dashboard slurm deb}; do
	"part_$part"
done
exit $failed
