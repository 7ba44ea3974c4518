#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Radios that cannot stream: `aloe run` says so, with address, port, channel, the reason and what to do, and does not end with
# 0. Against x310sim on loopback.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=$(realpath "${B:-build}")
work=$(mktemp -d) || exit 2
trap 'kill $pids 2>/dev/null; rm -rf "$work"' EXIT
. tests/common/ok.sh

. tests/common/radio.sh
field() { # NAME VALUE: of the report's radio
	sed -n '/"radio"/,$p' "$work/out" | grep -m 1 "\"$1\"" | grep -q ": $2,"
}

device='address = "127.0.0.141";'
at='127\.0\.0\.141 port 49153, channel 0: '

waveform 1024 1
radio "$device spp = 1024;"
ok "the simulator begins, with a port that passes 1472 bytes" sim_start --address 127.0.0.141 --clock virtual --frame-bytes 1472
ok "packets that its port does not pass are named" refused \
	"${at}packets of 4112 bytes do not reach the device, smaller packets do.*set spp to 364 or less"
ok "it ends" sims_end
ok "the simulator begins, with 1 Gbit/s at SFP0" sim_start --address 127.0.0.141 --clock virtual --image HG
ok "so are they with 1 Gbit/s" refused "${at}packets of 4112 bytes do not reach the device"
radio "$device spp = 256; tx_advance = 60000;"
ok "smaller packets pass" run "" --slots 100
ok "it ends again" sims_end

ok "the simulator begins" sim_start --address 127.0.0.141 --clock virtual --lead 6000 --source ticks
radio "$device spp = 256; tx_advance = 200000;"
ok "what the device cannot hold is refused" refused \
	"${at}tx_advance = 200000 is too large: the device buffers 524287 bytes, which hold 112640 samples"
radio "$device spp = 256; tx_advance = 112640;"
ok "the most that it says it holds, it holds" run "" --slots 500
ok "with room for all" field no_room 0
radio "$device channel = 2; initialised = true;"
ok "a channel that nobody has set up is named, and its endpoint" refused \
	"127\.0\.0\.141 port 49153, channel 2: .*endpoint behind port 5 of the crossbar.* lacks its number; run x310-init"
ok "it ends once more" sims_end
ok "the simulator begins, with a rate that nobody has set" sim_start --address 127.0.0.141 --clock virtual --lead 6000
radio "$device initialised = true;"
ok "so is one whose samples come at another rate" ends_badly "${at}samples come, but not one every 200 ticks"
ok "it ends for good" sims_end

waveform 1024 2
radio "$device spp = 256; tx_advance = 60000;" 'address = "127.0.0.142"; spp = 256; tx_advance = 60000;'
ok "the first of two devices begins" sim_start --address 127.0.0.141 --drift-ppm 2
sleep 2
ok "the second one begins later, with a time of its own" sim_start --address 127.0.0.142 --drift-ppm -3
ok "two times are refused, and named" refused \
	"the times of the two devices differ by [1-9][0-9.]* s, and a slot has 0\.001024 s: 127\.0\.0\.141 has [0-9.]* s, 127\.0\.0\.142 has [0-9.]* s; set one time with x310-init 127\.0\.0\.141 127\.0\.0\.142"
ok "both end" sims_end
exit $failed
