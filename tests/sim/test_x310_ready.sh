#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# What x310-init makes ready and what it says of that, against x310sim: frequency, gain and bandwidth that UHD has changed; a
# channel that was not set up; two devices, each x310sim a process with a clock of its own, made one by their pulse per second
# or one after the other.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=$(realpath "${B:-build}")
top=$(mktemp -d) || exit 2
trap 'rm -rf "$top"' EXIT
. tests/common/ok.sh
. tests/common/radio.sh
if [ ! -x "$B/bin/x310-init" ]; then
	echo "x310-init was not built: libuhd-dev or libboost-dev is not installed"
	exit 77
fi

init_start() { # ADDRESSES AND OPTIONS...
	: >"$work/init"
	"$B/bin/x310-init" --rate 1e6 "$@" >"$work/radio.conf" 2>"$work/init" &
	init=$!
	for _ in $(seq 900); do
		grep -q ready "$work/init" && break
		sleep 0.1
	done
	# a machine that stands still for longer than a pulse is none that this is about
	sed -i 's/initialised = true;/initialised = true; patience_ms = 100000.0; flow_control = true;/' "$work/radio.conf"
	grep -q ready "$work/init" && return
	cat "$work/init"
	return 1
}
init_end() {
	kill -TERM $init && wait $init
}
says() { # WORDS: of x310-init
	grep -q -e "$1" "$work/init" && return
	cat "$work/init"
	return 1
}
# Slots of both devices are whole: none begins because time has passed. Where the machine has kept the simulator from its CPU so
# long that one did, it is tried again, and said.
as_one() {
	for _ in 1 2 3; do
		run "" --slots 100 || return 1
		sed -n '/"radio"/,$p' "$work/out" | grep -m 1 '"flywheeled"' | grep -q ": 0," && return
		echo "# tried again: $(grep -m 1 '"text": "the samples of the radio' "$work/out")"
	done
	return 1
}

one() {
	waveform 10240 1
	ok "the simulator begins, with daughterboards" sim_start --address 127.0.0.146 --daughterboard ubx
	ok "x310-init makes it ready" init_start 127.0.0.146 --freq 7e9 --gain 50
	ok "a frequency that UHD has changed is printed as asked and got" says \
		"127\.0\.0\.146, channel A:0: receive frequency 7000000000 Hz asked, 6000000000 Hz got"
	ok "so is a gain" says "channel A:0: transmit gain 50 dB asked, 31.5 dB got"
	ok "what became as it was asked for is not" sh -c "! grep -q 'bandwidth' '$work/init'"
	ok "the channel that was set up streams" run "" --slots 20
	sed -i 's/channel = 0;/channel = 2;/; /block =/d; /x_port =/d' "$work/radio.conf"
	ok "one that was not is refused, and its endpoint named" refused \
		"127\.0\.0\.146 port 49153, channel 2: .*endpoint behind port 5 of the crossbar.* lacks its number; run x310-init"
	ok "x310-init gives it back" init_end
}
two() {
	waveform 10240 2
	ok "the first of two begins" sim_start --address 127.0.0.147 --drift-ppm 1.5
	ok "the second one begins, with a clock of its own" sim_start --address 127.0.0.148 --drift-ppm -1
	ok "x310-init makes both ready by their pulse" init_start 127.0.0.147 127.0.0.148 --time-source external
	ok "and has compared their times" says "the times of 127\.0\.0\.147 and 127\.0\.0\.148 differ by [0-9.]* us$"
	ok "they run as one radio" as_one
	ok "x310-init gives both back" init_end
	ok "x310-init makes both ready one after the other" init_start 127.0.0.147 127.0.0.148 --time-source internal
	ok "and says that they go apart" says "differ by [0-9.]* us and go apart"
	ok "they run as one radio for a while" as_one
	ok "x310-init gives both back again" init_end
}
side() { # FUNCTION
	pids= init= work=$top/$1
	mkdir "$work" || exit 2
	trap 'kill $pids $init 2>/dev/null' EXIT
	$1
	exit $failed
}
(side one) >"$top/one.said" 2>&1 & # x310-init waits most of the time, so both go side by side
first=$!
(side two) >"$top/two.said" 2>&1 || failed=1
wait $first || failed=1
cat "$top"/*.said
exit $failed
