#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe trace: on the virtual clock the file of a waveform whose calls and links are known; what is said of a ring that holds
# less than was asked for; what is refused, and how.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/node.sh
cd "$work" || exit 2
cat >w.conf <<'END'
name = "w";
slot_ns = 1000000;
instances: {
	source: { component = "random_source"; length = 100; };
	mod:    { component = "bpsk_mod"; };
	demod:  { component = "bpsk_demod"; };
	half:   { component = "bpsk_mod"; period = 2; };
	check:  { component = "bit_compare"; };
	rest:   { component = "null_sink"; };
};
links = ( "source -> mod -> demod -> check.received", "source -> check.sent", "source -> half -> rest" );
END
sed 's/"w"/"late"/; s/slot_ns = .*/slot_ns = 100000000;/' w.conf >late.conf

# shape FILE: what is in the JSON, as lines of "TRACK NAME COUNT", flows and their ends, and what is wrong with it.
cat >shape.py <<'END'
import collections, json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
names, counts, flows = {}, collections.Counter(), collections.defaultdict(list)
open_, last = collections.defaultdict(list), {}
for e in events:
    track = e["tid"]
    if e["ph"] == "M":
        if e["name"] in ("thread_name", "process_name"):
            names[track] = e["args"]["name"]
        continue
    assert e["ts"] >= last.get(track, 0), e
    last[track] = e["ts"]
    if e["ph"] == "B":
        inside = open_[track]
        assert len(inside) == (0 if e["name"] == "slot" else 1), e
        inside.append(e["name"])
        counts[names[track], e["name"]] += 1
    elif e["ph"] == "E":
        open_[track].pop()
    elif e["ph"] in "sf":
        assert open_[track], e
        flows[e["id"]].append((e["ph"], open_[track][-1]))
assert not any(open_.values())
for (track, name), n in sorted(counts.items()):
    print(track + ":", name, n)
arrows = collections.Counter()
for ends in flows.values():
    assert [ph for ph, _ in ends] == ["s", "f"], ends
    arrows[ends[0][1], ends[1][1]] += 1
for (tail, head), n in sorted(arrows.items()):
    print(tail, "->", head, n)
END
cat >wanted <<'END'
lane 0: check 20
lane 0: demod 20
lane 0: half 10
lane 0: mod 20
lane 0: rest 20
lane 0: slot 20
lane 0: source 20
demod -> check 20
half -> rest 10
mod -> demod 20
source -> check 20
source -> half 10
source -> mod 20
END
shape() { # FILE
	python3 shape.py "$1" >got && diff wanted got
}
ends() { # WAVEFORM
	"$bin/aloe" list --json | tr -d ' \n' | grep -q "\"name\":\"$1\",\"state\":\"STOP\""
}
magic() { # FILE: begins as a packet of a trace does
	test "$(head -c 1 "$1" | od -An -tu1 | tr -d ' ')" = 10
}

ok "no node: exit 1" says 1 "no node is running" aloe trace w none
ok "up" says 0 "the node is up" aloe up
ok "an unknown waveform" says 2 'no waveform "w" is loaded' aloe trace w none
ok "load" says 0 "w is loaded" aloe load w.conf --clock virtual --slots 20
ok "nothing has run" says 2 'no slot of "w" has run yet' aloe trace w none
ok "start" says 0 "w runs" aloe start w
ok "it ends" eventually ends w
for time in 2 s -1s 2m 0x2s 1e9s "2 s" "" nans; do
	ok "no time is \"$time\"" says 2 "a time is a number and its unit" aloe trace w none --last "$time"
done
ok "no file" says 2 "a FILE is needed, or --on-miss DIR" aloe trace w
ok "a file, or misses" says 2 "a FILE or --on-miss, not both" aloe trace w none --on-miss here
ok "no JSON around misses" says 2 "json is not for --on-miss" aloe trace w --json --on-miss here
ok "no misses without a clock" says 2 "its clock waits for nothing" aloe trace w --on-miss here
ok "no file or folder is made for these" sh -c "! ls -d none here"
ok "a file that cannot be written" says 2 "aloe: nowhere/file: cannot be written: No such file or directory" aloe trace w nowhere/file
ok "a full disk" says 2 "aloe: /dev/full: cannot be written: No space left on device" aloe trace w /dev/full

ok "as the last hour" says 0 "w has run for 0.[0-9]* s only, not 3600.000000 s" aloe trace w w.pftrace --last 3600s
ok "it is a row of packets" magic w.pftrace
ok "what ran, for chrome://tracing" says 0 "^w: 0.[0-9]* s; calls: 1[01][0-9]$" aloe trace w w.json --json
ok "its calls, slots and links" shape w.json
ok "the same on standard output" sh -c "'$bin/aloe' trace w - --json 2>said | cmp - w.json"
ok "nothing but the file is there" grep -q '^w: ' said

# ---- a ring that is too short ----
ok "unload" says 0 "w is unloaded" aloe unload w
ok "load again" says 0 "w is loaded" aloe load w.conf --clock virtual --slots 5000
ok "start again" says 0 "w runs" aloe start w
ok "that ends, too" eventually ends w
ok "it is said how much the ring holds" says 0 "the calls of lane 0 reach back 0.[0-9]* s only, not 2.000000 s, because the ring of its calls holds no more" aloe trace w long.json --json
ok "that has no loose end" python3 shape.py long.json

# ---- the folder for misses, of a waveform on a clock that does not run ----
ok "load on a clock" says 0 "late is loaded" aloe load late.conf --clock timer --late skip
touch file
ok "a file is no folder" says 2 "$work/file: traces cannot be written there: Not a directory" aloe trace late --on-miss file
ok "nor is one in it" says 2 "$work/file/x: traces cannot be written there: Not a directory" aloe trace late --on-miss file/x
ok "the folder is made" says 0 "a trace is written around each miss of late from now on, into $work/misses" aloe trace late --on-miss misses
ok "there it is" test -d misses
ok "and may be named again" says 0 "from now on" aloe trace late --on-miss "$work/misses" --last 100ms
ok "down" says 0 "" aloe down

# ---- around misses: a component that works for longer than the slot ----
sed 's/"w"/"slow"/; s/demod: .*/demod: { component = "bpsk_demod"; };\n	slow: { component = "spin"; mean_us = 1500.0; };/; s/half -> rest/half -> slow -> rest/' \
	w.conf >slow.conf
has() { # FILE WORDS...
	file=$1
	shift
	for words in "$@"; do
		grep -qaF -e "$words" "$file" || { echo "no $words" && return 1; }
	done
}
ok "it runs, and misses slots" says 0 "" aloe run slow.conf --clock timer --late skip --lanes 0 --force --slots 600 --on-miss around
ok "at most one trace a second" sh -c "ls around && test \$(ls around | wc -l) -ge 1 -a \$(ls around | wc -l) -le 3"
ok "it has lanes, calls and misses with their cause" has "around/$(ls around | head -n 1)" "lane 0 misses" "missed: " "cause" "spin" "slow"
ok "run refuses a folder, too" says 2 "$work/file: traces cannot be written there: Not a directory" aloe run late.conf --clock timer --slots 2 --on-miss file
exit $failed
