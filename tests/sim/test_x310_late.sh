#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A radio that passes nothing for some milliseconds: `aloe why` has a record of the slots whose samples came late, although
# none of them was missed, and names the radio. Under --clock virtual nothing is late.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=$(realpath "${B:-build}")
aloe=$B/bin/aloe
work=$(mktemp -d) || exit 2
pid=
trap '[ -n "$pid" ] && kill "$pid" && wait "$pid" 2>/dev/null; rm -rf "$work"' EXIT
. tests/common/ok.sh
. tests/common/radio.sh
capacity_copy "$work/state"
cat >"$work/late.conf" <<-END
	name = "late";
	clock = "radio";
	slot_samples = 1000;
	rate = 1e6;
	instances: {
		rx: { component = "radio_rx"; type = "ci16"; };
		sink: { component = "null_sink"; };
	};
	links = ( "rx -> sink" );
END
# patience MS
radio() { echo "radio: { type = \"x310\"; transport = \"udp\"; address = \"127.0.0.94\"; spp = 250; patience_ms = $1; };" >"$work/radio.conf"; }
# simulator OPTION...: passes nothing for 6 ms after packet 2000, which is in slot 500
simulator() {
	[ -n "$pid" ] && kill "$pid" && wait "$pid" 2>/dev/null
	${sim_cpus:+taskset -c "$sim_cpus"} "$B/bin/x310sim" --source tone --address 127.0.0.94 --fault-rx stall=@2000:6000 "$@" >"$work/said" 2>&1 &
	pid=$!
	for _ in $(seq 100); do grep -qs ready "$work/said" && break; sleep 0.05; done
}
run() { "$aloe" run "$work/late.conf" --radio "$work/radio.conf" --slots 900 --state "$work/state" -q "$@"; }
# told FIRST LAST LEAST: a record of the row around the stall: its slots, how late in us, the cause. A simulator that waits
# for a busy CPU after its stall makes the samples later, up to the radio's patience; nothing makes them earlier.
told() { "$aloe" why late --json --state "$work/state" | python3 -c "
import json, sys
first, last, least = map(float, sys.argv[1:])
found = [r for r in json.load(sys.stdin) if r['what'] == 'radio late' and first <= r['slot'] <= last]
print(found)
sys.exit(not any(least <= r['late_us'] <= 1.1e6 and [c['kind'] for c in r['causes']] == ['radio'] and not r['own'] for r in found))
" "$@"; }
slot() { "$aloe" why late --json --state "$work/state" | python3 -c "
import json, sys
print(max((r['late_us'], r['slot']) for r in json.load(sys.stdin) if r['what'] == 'radio late')[1])"; }

radio 1000
simulator
ok "a run of a radio that is patient" run
ok "has a record of samples that came 4 ms late or more" told 495 505 4000
ok "aloe why tells the slot" sh -c "\"$aloe\" why late $(slot) --state \"$work/state\" | grep 'the samples of the radio came .* us late'"
ok "and has the radio in its table" sh -c "\"$aloe\" why late --state \"$work/state\" | grep radio"
radio 2
simulator
ok "a run of one that is not" run
ok "has a record of samples that had not come" told 495 505 2000
simulator --clock virtual
ok "a run under the virtual clock" run --clock virtual
ok "has none" sh -c "! \"$aloe\" why late --state \"$work/state\" | grep radio"
exit $failed
