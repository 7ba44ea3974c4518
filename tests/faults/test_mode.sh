#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# overrun = "mode": a stage takes longer than the slot, so on_overrun is set, and back after 1000 slots in time, again and
# again. The recording has these sets with their indices, and replay repeats them. A thread above the lane's on the same CPU,
# which makes it miss slots as well, sets nothing.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=$(cd "${B:-build}" && pwd) || exit 2
work=$(mktemp -d) || exit 2
aloe=$B/bin/aloe
trap '"$aloe" down --dir "$work/node" >/dev/null 2>&1; rm -rf "$work"' EXIT
. tests/common/ok.sh
. tests/common/thefts.sh
capacity_copy "$work/state"
cpu=$(taskset -cp $$ | sed 's/.*[^0-9]//') # the last that this process may use

# waveform US MODE-US: a stage that takes US, and MODE-US once on_overrun is set
waveform() {
	cat >"$work/slow.conf" <<-END
		name = "slow";
		slot_ns = 1000000;
		overrun = "mode";
		on_overrun = ("stage.mean_us=$2");
		admit = "always";
		instances: {
			source: { component = "random_source"; length = 8; };
			stage: { component = "spin"; mean_us = $1; budget_us = 500.0; };
			sink: { component = "null_sink"; };
		};
		links = ( "source -> stage -> sink" );
	END
}
# of KEY FILE: a number of the report
of() { python3 -c "
import json, sys
r = json.load(open('$2'))
print(r['$1'] if '$1' in r else r['slots']['$1'])"; }
# in_turn FILE: the values come in turn, at indices that grow, and 1000 slots lie between one and the way back
in_turn() { python3 - "$1" <<'END'; }
import json, sys
sets = [line for line in map(json.loads, open(sys.argv[1])) if "set" in line]
values = [line["set"]["stage.mean_us"] for line in sets]
indices = [line["index"] for line in sets]
good = len(sets) >= 3 and values == ["10", "1500"] * (len(sets) // 2) + ["10"] * (len(sets) % 2)
for n in range(1, len(sets)):
    good = good and indices[n] > indices[n - 1] + (1000 if n % 2 else 0)
print("#", list(zip(values, indices)))
sys.exit(not good)
END

waveform 1500.0 10
"$aloe" run "$work/slow.conf" --lanes "$cpu" --slots 3000 --record "$work/recorded" --json >"$work/report"
ok "a run" [ $? = 0 ]
ok "on_overrun is set, and counted" [ "$(of modes "$work/report")" -ge 2 ]
ok "the recording has the sets in turn, with their indices" in_turn "$work/recorded/control.jsonl"
ok "replay repeats them" "$aloe" replay "$work/recorded"

waveform 1500.0 10
ok "up" "$aloe" up --dir "$work/node" --state "$work/state"
ok "load" "$aloe" load "$work/slow.conf" --lanes "$cpu" --dir "$work/node"
ok "start" "$aloe" start slow --dir "$work/node"
logged() { grep -qE "$1" "$work/state/node.log"; }
soon() { for _ in $(seq 100); do "$@" && return 0; sleep 0.2; done; return 1; }
ok "the log has both indices" soon logged 'stage.mean_us=1500 again from index [0-9]+ on; overrun = "mode" held from index [0-9]+'
ok "the live view shows it" sh -c "'$aloe' status slow --dir '$work/node' | grep -q 'overrun = \"mode\" set on_overrun'"
"$aloe" unload slow --force --dir "$work/node" >/dev/null 2>&1

[ "$(id -u)" = 0 ] || { echo "# only root may give priority to what disturbs a lane"; exit $failed; }
# a thread above the lane's has its CPU for 1.5 ms in each 4 ms: more than 3 of 16 slots
waveform 200.0 10
ok "load" "$aloe" load "$work/slow.conf" --lanes "$cpu" --dir "$work/node"
ok "start" "$aloe" start slow --dir "$work/node"
sleep 0.3 # so that the usual work is known
ok "another thread takes the CPU" thefts "$cpu" 100 0.0015 0.0025
sleep 0.3 # until exec has looked
"$aloe" status slow --json --dir "$work/node" >"$work/report"
ok "slots are missed" [ "$(of missed "$work/report")" -ge 16 ]
ok "and nothing is set" [ "$(of modes "$work/report")" = 0 ]
ok "down" "$aloe" down --dir "$work/node"
exit $failed
