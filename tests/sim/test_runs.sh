#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe runs, aloe report: what is kept of runs, listed, printed, put beside each other and removed; reports that are cut or
# no reports; names of no run; a run that goes on stays.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/node.sh
waves=$PWD/waveforms
cd "$work" || exit 2
kept=$work/state/aloe/runs
run() { # SLOTS
	aloe run "$waves/bpsk.conf" --clock virtual --slots "$1" --quiet
}
first_of() { # FILE: the name in its second line
	sed -n '2s/ .*//p' "$1"
}

ok "no run" says 0 "no run is kept in $kept" aloe runs
ok "no run of that name" says 2 "there is none" aloe report x
ok "a run" run 100
ok "it is listed" says 0 '^bpsk-[0-9-]*  20[0-9-]* [0-9:]* .* 100 .* 0 of 100  *virtual$' aloe runs
aloe runs >one
a=$(first_of one)
ok "another" run 200
aloe runs >two
b=$(first_of two)
ok "the newest is first" says 0 '^index 200\|index 200 of 200' aloe report last
ok "by name" says 0 'index 100 of 100' aloe report "$a"
ok "as JSON, as it was saved" sh -c "'$bin/aloe' report '$a' --json | python3 -c 'import json, sys; assert json.load(sys.stdin) == json.load(open(\"$kept/$a/report.json\"))'"
ok "side by side" says 0 '^slots  *100  *200  *+100$' aloe runs --compare "$a" "$b"
ok "last is a name" says 0 "^second: $b" aloe runs --compare "$a" last
ok "one run is not enough" says 2 'needs two runs' aloe runs --compare "$a"
ok "a name that is nearly one" says 2 "did you mean \"$a\"" aloe report "${a}x"
ok "which there are" says 2 "^  $b" aloe runs --compare "$a" x
ok "a path is no name" says 2 'no run "../runs' aloe report "../runs/$a"
ok "options that exclude one another" says 2 'exclude one another' aloe runs --prune --json
ok "keep goes with prune" says 2 'goes with --prune' aloe runs --keep 3

mkdir "$kept/cut-20260101-000000"
head -c 300 "$kept/$a/report.json" >"$kept/cut-20260101-000000/report.json"
ok "a report that is cut is said" says 0 'cut-20260101-000000/report.json:[0-9]*: not JSON' aloe runs
ok "and counted" says 0 '1 of 3 runs: left out' aloe runs
ok "it cannot be printed" says 1 'not JSON' aloe report cut-20260101-000000
ok "the list as JSON" sh -c "'$bin/aloe' runs --json 2>/dev/null | python3 -c 'import json, sys; rows = json.load(sys.stdin)[\"runs\"]; assert [(r[\"state\"], r.get(\"slots\")) for r in rows] == [(\"over\", 200), (\"over\", 100), (\"broken\", None)]'"

ok "prune says what it keeps" says 0 '^0 runs are removed, 3 are kept (the newest 100 stay' aloe runs --prune
ok "up" says 0 "the node is up" aloe up
ok "a run that goes on" says 0 "loaded" aloe load "$waves/bpsk.conf" --clock step
ok "is listed so" says 0 'no report: the run goes on' aloe runs
touch -d '2 days ago' "$kept"/bpsk-*
ok "and stays" says 0 '^3 runs are removed, 1 is kept; 1 older run has no report yet' aloe runs --prune --keep 0
ok "one is left" test "$(ls "$kept" | wc -l)" = 1
ok "the node goes on" says 0 "bpsk runs" aloe start bpsk
ok "its report is saved" says 0 "" aloe unload bpsk
ok "then it is a run as others" says 0 '^bpsk-[0-9-]*  20.* step$' aloe runs
ok "which goes" says 0 '^1 run is removed, 0 are kept' aloe runs --prune --keep 0
exit "$failed"
