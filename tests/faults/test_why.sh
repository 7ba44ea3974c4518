#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The calls of a late slot are kept when the rings have long been overwritten, with slots of 1 ms and of 10 ms, for the last 64
# late slots. Of slots that were late while aloe-exec was not there nobody says that they were on time.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=$(cd "${B:-build}" && pwd) || exit 2
work=$(mktemp -d) || exit 2
aloe=$B/bin/aloe
export ALOE_COMPONENTS="$B/lib/aloe:$B/tests/components"
trap '"$aloe" down --dir "$work/node" >/dev/null 2>&1; rm -rf "$work"' EXIT
. tests/common/ok.sh
. tests/common/thefts.sh
cpu=$(taskset -cp $$ | sed 's/.*[^0-9]//') # the last that this process may use

# waveform SLOT-NS
waveform() {
	printf '\0\0\0\0\0\0\0\0' >"$work/orders"
	cat >"$work/told.conf" <<-END
		name = "told";
		slot_ns = $1;
		late = "skip";
		admit = "always";
		instances: {
			source: { component = "counter"; };
			told: { component = "told"; file = "$work/orders"; };
			sink: { component = "null_sink"; };
		};
		links = ( "source -> told -> sink" );
	END
	"$aloe" load "$work/told.conf" --lanes "$cpu" --dir "$work/node" && "$aloe" start told --dir "$work/node"
}
# order US N: N calls take US longer, one after another
order() { python3 - "$work/orders" "$1" "$2" <<'END'; }
import mmap, struct, sys, time
with open(sys.argv[1], "r+b") as file:
    orders = mmap.mmap(file.fileno(), 8)
    for n in range(int(sys.argv[3])):
        orders[4:8] = struct.pack("I", int(sys.argv[2]))
        orders[0:4] = struct.pack("I", 1)
        for _ in range(10000):
            if orders[0:4] == b"\0\0\0\0":
                break
            time.sleep(0.001)
        time.sleep(0.02)
END
why() { "$aloe" why told "$@" --dir "$work/node"; }
# late: the newest slot in which told worked longer, as it was ordered
late() { why --json | python3 -c "
import json, sys
print([m['slot'] for m in json.load(sys.stdin) if any(c['who'] == 'told' and c['took_us'] > 1500 for c in m['causes'])][-1])"; }
# has_calls SLOT US: its calls come one after another, up to the end of the slot, and that of told takes so long
has_calls() { why "$1" --json >"$work/slot" && python3 - "$work/slot" "$2" <<'END'; }
import json, sys
miss = json.load(open(sys.argv[1]))
calls = miss["calls"]
print(miss["slot"], calls, miss["calls_missing"])
assert miss["calls_missing"] == ""
told = [c for c in calls if c["instance"] == "told"]
assert any(c["end_ns"] - c["begin_ns"] >= int(sys.argv[2]) * 1000 for c in told)
assert {c["instance"] for c in calls} == {"source", "told", "sink"}
assert {c["lane"] for c in calls} == {0}
assert all(c["begin_ns"] <= c["end_ns"] for c in calls)
assert all(a["end_ns"] <= b["begin_ns"] + 20000 for a, b in zip(calls, calls[1:]))  # two clocks
assert all(c["end_ns"] > 0 for c in calls)
assert len({c["index"] for c in told}) == len(told)
END
# says SLOT TEXT
says() { why "$1" --json >"$work/slot" && grep -q "$2" "$work/slot"; }
soon() { for _ in $(seq 100); do "$@" && return 0; sleep 0.1; done; return 1; }
is_late() { late >"$work/late" && [ "$(cat "$work/late")" -gt "$1" ]; }
of() { "$aloe" status told --json --dir "$work/node" | python3 -c "import json, sys; print(json.load(sys.stdin)['$1'])"; }
# keeps US: the calls of a slot are kept when the rings are overwritten; not if aloe-exec came too late, on a busy machine
keeps() {
	for _ in 1 2 3 4 5; do
		order "$1" 1 && soon is_late "${slot:--1}" && slot=$(late) && soon ran $((slot + 200)) && has_calls "$slot" "$1" && return 0
	done
	return 1
}
ran() { [ "$(of slot_last)" -gt "$1" ]; }

ok "up" "$aloe" up --dir "$work/node" --state "$work/state"
for ms in 1 10; do
	ok "a waveform with slots of $ms ms" waveform "${ms}000000"
	sleep 0.5 # so that the usual work is known
	slot=
	ok "the calls of a late slot are kept" keeps "${ms}700"
	[ $ms = 1 ] || break
	ok "70 more slots are late" order 1700 70
	first=$slot
	ok "the newest has its calls" keeps 1700
	ok "the first has none any more" says "$first" '"calls_missing": "only the calls of the last 64 late slots are kept"'
	"$aloe" unload told --force --dir "$work/node" >/dev/null 2>&1
done

# A record that nobody reads: exec stands when it is written, and is killed.
before=$(of slot_last)
exec=$(pgrep -f "^aloe-exec --dir $work/node" | head -n 1)
ok "aloe-exec stands, and is killed" sh -c "kill -STOP $exec && sleep 0.1"
ok "a slot is late" order 15000 2
kill -9 "$exec"
back() { pgrep -f "^aloe-exec --dir $work/node" | grep -qvx "$exec" && ran "$((before + 20))"; }
ok "another goes on" soon back
ok "records are counted that nobody has read" test "$(of misses_unseen)" -ge 1
ok "the table says so" sh -c "'$aloe' why told --dir '$work/node' | grep -q 'late slots were not read, because aloe-exec was not there'"
ok "of a slot before nobody says that it was on time" says "$before" '"what": "no record"'
ok "in words" sh -c "'$aloe' why told $before --dir '$work/node' | grep -q '^slot $before of told: no record: aloe-exec was not there'"
now=$(of slot_last)
ok "slots run on" soon ran $((now + 5))
knows() { why "$1" >"$work/said" && ! grep -q 'no record' "$work/said"; }
ok "of slots since then it is known" knows $((now + 2))

# What could not be written is known to an exec after this one, too: of a saved run nobody says that such slots were on time.
folder=$(ls -d "$work"/state/runs/told*/ | tail -n 1)
unwritten() { [ "$(of misses_unwritten)" -ge 1 ]; }
ok "misses.jsonl cannot be written" sh -c "rm -f '$folder/misses.jsonl' && mkdir '$folder/misses.jsonl'"
ok "a slot is late, and its record is not written" order 15000 1
ok "that is counted" soon unwritten
before=$(of slot_last) exec=$(pgrep -f "^aloe-exec --dir $work/node" | head -n 1)
kill -9 "$exec"
ok "another aloe-exec goes on" soon back
ok "it knows the count" unwritten
now=$(of slot_last)
ok "slots run on" soon ran $((now + 5))
"$aloe" unload told --force --dir "$work/node" >/dev/null 2>&1
saved() { "$aloe" why told "$1" --dir "$work/node" --state "$work/state" >"$work/said" && grep -q "^slot $1 of told: no record: " "$work/said"; }
ok "of the saved run nobody says so either" saved $((now + 2))
# Lanes that were late in one slot have a story each; of one lane the newest counts.
two_lanes() {
	rmdir "$folder/misses.jsonl" && for lane in 0 1 1; do
		printf '{"slot":%d,"count":1,"lane":%d,"what":"missed","late_us":10,"start_late_us":1,"first":%d,"before":"","heavy":false,"causes":[{"kind":"timer","us":10,"text":"cause of %d"}],"evidence":["calls"]}\n' \
			"$1" $lane "$1" $lane
	done >"$folder/misses.jsonl"
	"$aloe" why told "$1" --dir "$work/node" --state "$work/state" >"$work/said" &&
		[ "$(grep -c "^slot $1 of told, lane [01]: missed by 10.0 us" "$work/said")" = 2 ] && grep -q 'cause of 0' "$work/said" &&
		"$aloe" why told "$1" --json --dir "$work/node" --state "$work/state" |
		python3 -c "import json, sys; o = json.load(sys.stdin); assert [o['lane']] + [m['lane'] for m in o['others']] == [1, 0]"
}
ok "each lane of a slot has its story" two_lanes "$before"
ok "another waveform in its place" waveform 1000000
ok "has no such records" test "$(of misses_unseen)" = 0
ok "down" "$aloe" down --dir "$work/node"

# Without the kernel's records nobody knows who had the CPU, but it was not the component.
[ "$(id -u)" = 0 ] || { echo "# only root may give priority to what disturbs a lane"; exit $failed; }
has_off_cpu() { why --json >"$work/records" && python3 - "$work/records" <<'END'; }
import json, sys
misses = json.load(open(sys.argv[1]))
worst = [m["causes"][0]["kind"] for m in misses if m["causes"]]
assert worst.count("off-cpu") >= 10, worst
assert all(m["evidence"] == ["calls", "cpu-clock"] for m in misses if "off-cpu" in [c["kind"] for c in m["causes"]])
END
ok "up without the records of the kernel" env ALOE_EVIDENCE=off "$aloe" up --dir "$work/node" --state "$work/state"
ok "a waveform with slots of 1 ms" waveform 1000000
sleep 0.5
ok "another thread takes the CPU" thefts "$cpu" 20 0.003 0.05
ok "its time is off-cpu" soon has_off_cpu
ok "why there are no records" sh -c "'$aloe' why told --dir '$work/node' | grep -q '^evidence   no work queues: it was turned off'"
ok "why there are no counters" sh -c "'$aloe' why told --dir '$work/node' | grep '^evidence   no hardware counters: .'"
ok "down" "$aloe" down --dir "$work/node"
exit $failed
