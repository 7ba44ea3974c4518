#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A profile with costs at two lengths of messages: `aloe plan --slot-us` prints the costs at a third, says how it came to each, and
# refuses or admits by them. Messages become shorter with the slot, for the source reads so many samples a second.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/common/ok.sh
export XDG_RUNTIME_DIR="$work" XDG_STATE_HOME="$work/state"
aloe=$PWD/$B/bin/aloe
profiles=$work/state/aloe/profiles/lengths

cat >"$work/lengths.conf" <<END
name = "lengths";
slot_ns = 10000000;
instances: {
	source: { component = "wav_source"; path = "$PWD/waveforms/speech.wav"; rate_hz = 24000; };
	bits:   { component = "unpack"; };
	mod:    { component = "bpsk_mod"; };
	gain:   { component = "gain"; };
	sink:   { component = "null_sink"; };
};
links = ( "source.out -> bits -> mod -> gain -> sink" );
END
board() { # MMAC/s
	echo "name = \"one\"; nodes: { board: { mmac_per_s = $1.0; base_us = 100.0; module_us = 10.0; }; };" >"$work/board.conf"
}
build() { # COMPONENT
	sha256sum "$B/lib/aloe/$1.so" | cut -d ' ' -f 1
}
# A message has 240 samples in 10 ms: 480 bytes, 3840 bits, 30720 bytes of symbols. gain reads and writes symbols; it was measured
# at 10 ms and at 2.5 ms. mod was measured at 10 ms, bits at a length that nobody knows.
mkdir -p "$profiles"
cat >"$profiles/0000000000000000-timer.json" <<END
{"schema": 1, "clock": "timer", "missed": 0, "profile": {
	"bits": {"kmac_p50": 3, "kmac_p99": 4, "build": "$(build unpack)"},
	"mod": {"kmac_p50": 20, "kmac_p99": 40, "bytes": 34560, "build": "$(build bpsk_mod)"},
	"gain": {"kmac_p50": 100, "kmac_p99": 110, "bytes": 61440, "build": "$(build gain)",
		"lengths": [{"bytes": 15360, "kmac_p50": 40, "kmac_p99": 50}]}}}
END
plan() {
	"$aloe" plan "$work/lengths.conf" --platform "$work/board.conf" "$@" 2>&1
}
# costs SLOT_US: kMAC and budget of the three that were measured, by instance.
costs() {
	plan --slot-us "$1" | awk '$1 == "gain" || $1 == "mod" || $1 == "bits" { if (NF == 7) printf "%s %s %s; ", $1, $4, $5 }'
}
costs_are() { # SLOT_US COSTS
	costs "$1" >"$work/out"
	[ "$(cat "$work/out")" = "$2" ]
}
says() { # WORDS SLOT_US...
	words=$1
	shift
	plan --slot-us "$@" >"$work/out"
	grep -qF -e "$words" "$work/out"
}
field() { # SLOT_US INSTANCE KEY
	plan --slot-us "$1" --json | tr -d ' \n' | grep -oE "\{\"name\":\"$2\",\"component\"[^}]*" | grep -oE "\"$3\":[^,]*"
}

board 200
ok "the length that was measured last" costs_are 10000 "bits 3.0 21.0; mod 20.0 201.0; gain 100.0 626.0; "
ok "the one that was measured before" costs_are 2500 "bits 3.0 21.0; mod 5.0 51.0; gain 40.0 251.0; "
ok "a third: 20 kMAC and 20 for each 15360 bytes" costs_are 5000 "bits 3.0 21.0; mod 10.0 101.0; gain 60.0 376.0; "
ok "... beyond both" costs_are 20000 "bits 3.0 21.0; mod 40.0 401.0; gain 180.0 1126.0; "
ok "which is fitted" says "lengths: 1 fitted from runs at two or more other lengths: gain" 5000
ok "which is in proportion" says "lengths: 1 in proportion to the one length that was measured: mod" 5000
ok "which nobody knows" says "lengths: 1 as measured, at a length that is not known: bits" 5000
ok "nothing is fitted where it was measured" sh -c "! '$aloe' plan '$work/lengths.conf' --platform '$work/board.conf' | grep -E 'fitted|proportion'"
ok "in JSON: fitted" test "$(field 5000 gain length)" = '"length":"fitted"'
ok "in JSON: its length" test "$(field 5000 gain bytes)" = '"bytes":30720'
ok "in JSON: measured" test "$(field 2500 gain length)" = '"length":"measured"'
ok "in JSON: scaled" test "$(field 5000 mod length)" = '"length":"scaled"'
ok "in JSON: a guess has none" test "$(field 5000 sink length)" = '"length":null'
plan --slot-us 5000 >"$work/once"
plan --slot-us 5000 >"$work/twice"
ok "the same plan again" cmp "$work/once" "$work/twice"
ok "what if the messages were larger: 20 kMAC of gain stay" says "largest messages   13.85 x the present size" 5000

board 25
ok "admitted by the fitted cost" says "lanes: chosen by mapper one lane" 5000
board 15
ok "refused by it" says "cannot hold its 5 instances" 5000
sed -i 's/"bytes": 15360/"bytes": 61440/' "$profiles/0000000000000000-timer.json"
ok "a length that is there twice is refused" says "profile.gain.lengths[0]: bytes = 61440 is there twice" 5000
exit "$failed"
