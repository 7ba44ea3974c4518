#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe run --record and aloe replay on two nodes of a platform: one folder has what came from outside on both and the changes of
# both; it replays on one node and on two, and so does a recording of one node; what cannot be had whole is refused.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/nodes.sh
end() {
	[ -z "${run:-}" ] || kill -9 "$run" 2>/dev/null
	for p in "$work"/pair.conf "$work"/others.conf; do "$bin/aloe" down --platform "$p" >/dev/null 2>&1; done
	rm -rf "$work"
}
trap end EXIT

port=$((8000 + $$ % 80 * 8))
pair >pair.conf
three >three.conf
for name in near far; do head -c 4000 /dev/urandom | LC_ALL=C tr '\000-\377' '[\000*128][\001*128]' >$name.bits; done
cat >two.conf <<-CONF
	name = "two";
	slot_ns = 20000000;
	instances: {
		near:  { component = "file_source"; path = "near.bits"; type = "bit"; length = 1000; loop = true; };
		far:   { component = "file_source"; path = "far.bits"; type = "bit"; length = 400; loop = true; node = "b"; };
		mod:   { component = "bpsk_mod"; node = "b"; };
		noise: { component = "awgn"; ebn0_db = 6.0; bits_per_item = 1.0; seed = 3; node = "b"; };
		level: { component = "gain"; node = "a"; };
		demod: { component = "bpsk_demod"; node = "a"; };
		check: { component = "bit_compare"; node = "b"; };
		sink:  { component = "file_sink"; path = "two.bin"; };
		other: { component = "file_sink"; path = "other.bin"; node = "b"; };
	};
	links = ( "near -> mod -> noise -> level -> demod -> check.received", "near -> check.sent", "demod -> sink", "far -> other" );
CONF

replays() { # DIR OPTION...: every sink gets the same bits
	aloe replay "$@" >said 2>&1 && test "$(grep -c ' same$' said)" -ge 5 && ! grep -q DIFFERS said && return
	cat said
	return 1
}
placed() { # in the report of the last replay: lane 0 is of a, lane 1 of b
	awk '$1 ~ /^(mod|noise|check)$/ { n += $3 == 1 } $1 ~ /^(level|demod)$/ { n += $3 == 0 } END { exit n != 5 }' said
}
is_running() { state_is two RUN; }

ok "--dir needs --platform" says 2 "--dir names a node that is up" aloe run two.conf --dir "$work/aloe"
ok "--cap is for a node of one's own" says 2 "--cap is for a node of this command's own" aloe run two.conf --platform pair.conf --cap 50
ok "no node is up" says 1 "no node is running" aloe run two.conf --platform pair.conf --slots 10
aloe up >/dev/null
ok "a node that is alone" says 2 "is alone, and no node of pair" aloe run two.conf --platform pair.conf --slots 10
aloe down >/dev/null
ok "the nodes are up" says 0 "the node is up: $work/aloe-b" aloe up --platform pair.conf
ok "both have joined" eventually joined
ok "another platform" says 2 "is a node of another platform, and no node of three" aloe run two.conf --platform three.conf --slots 10
ok "what instances miss cannot be gathered" says 2 'record with --late slip' \
	aloe run two.conf --platform pair.conf --record skip --late skip --slots 10
ok "nor what is concealed" says 2 'record with --late slip' \
	aloe run two.conf --platform pair.conf --record conceal --set overrun=conceal --slots 10
ok "nor what begins anew" says 2 'on_node_loss = "restart" the waveform would begin at index 0 again' \
	aloe run two.conf --platform pair.conf --record anew --set on_node_loss=restart --slots 10
ok "no folder is made for these" test ! -e skip -a ! -e conceal -a ! -e anew
ok "not from a node that is not the manager" says 2 'record from node "a", which is the manager' \
	aloe run two.conf --platform pair.conf --dir "$work/aloe-b" --record b --slots 10
ok "no standard output there" says 2 "path - of sink" aloe run two.conf --platform pair.conf --set sink.path=- --slots 10

# ---- recorded on two nodes, on a clock, with changes ----

aloe run two.conf --platform pair.conf --slots 150 --record several --digests >out 2>&1 &
run=$!
ok "it runs" eventually is_running
ok "on both nodes" sh -c "'$bin/aloe' list --json | tr -d ' \n' | grep -q '\"nodes\":\[\"a\",\"b\"\]'"
ok "a change on the other node" says 0 "noise.ebn0_db = 1 from index" aloe set two noise.ebn0_db=1
ok "one on both nodes at one index" says 0 "level.gain = 2 from index" aloe set two noise.ebn0_db=3 level.gain=2
both=$(sed -n 's/^level.* index //p' said)
wait $run
status=$?
run=
ok "it is recorded" test $status = 0
ok "the outputs of both nodes are in the folder" test -s several/near.out.messages -a -s several/far.out.messages
ok "all of their messages" grep -q '^end 150 60000$' several/far.out.messages
ok "the changes, too" test "$(grep -c '^{"set":' several/control.jsonl)" = 3
ok "one index on both nodes" test "$(grep '^{"set":' several/control.jsonl | grep -c "\"index\":$both}")" = 2
ok "nothing is loaded any more" says 0 "no waveform is loaded" aloe list
ok "the nodes are up still" joined
ok "it replays on one node" replays several --compare
ok "on two lanes, pipelined" replays several --lanes 0,0 --pipelined
ok "on two nodes" replays several --platform pair.conf --compare
ok "each instance on the node that the waveform names" placed
ok "on two nodes, on a clock" replays several --platform pair.conf --clock timer
ok "from the other node" replays several --platform pair.conf --dir "$work/aloe-b"

# ---- recorded on one node ----

aloe run two.conf --clock virtual --slots 300 --set noise.ebn0_db=2 --record single >out 2>&1
ok "a recording of one node replays on two" replays single --platform pair.conf
ok "each instance there on its node, too" placed
cp -r single changes
end=$(tail -n 1 changes/control.jsonl)
sed -i '$d' changes/control.jsonl
for n in $(seq 30); do echo "{\"set\":{\"noise.ebn0_db\":\"$n\"},\"index\":$((9 * n))}"; done >>changes/control.jsonl
echo "$end" >>changes/control.jsonl
ok "more changes than several nodes take" says 2 "has more changes of parameters than the 24" aloe replay changes --platform pair.conf
cp -r single lapses
sed -i '1s/"lapses":{}/"lapses":{"noise":""}/' lapses/control.jsonl
printf 'aloe-lapses 1\n17 3 l 0\nend\n' >lapses/noise.lapses
ok "lapses are for one node" says 2 "is repeated on one node only" aloe replay lapses --platform pair.conf

# ---- ends ----

"$bin/aloe" run two.conf --platform pair.conf --clock virtual --record cut >out 2>&1 &
run=$!
ok "it runs without an end" eventually is_running
ok "the name is taken" says 2 "loaded already" aloe run two.conf --platform pair.conf --slots 10
ok "what is there goes on" is_running
kill -INT $run
wait $run
status=$?
run=
ok "Ctrl-C ends it" test $status = 130
ok "and unloads it" says 0 "no waveform is loaded" aloe list
ok "it replays up to there" replays cut
ok "down" says 0 "the node is down: $work/aloe" aloe down --platform pair.conf
sed 's/ a: {/ c: {/; s/ b: {/ d: {/; s/	a: {/	c: {/; s/	b: {/	d: {/; s/"a", "b"/"c", "d"/' pair.conf >others.conf
ok "other nodes are up" says 0 "the node is up" aloe up --platform others.conf
ok "they have joined" eventually joined
ok "it replays where no node has its name" replays several --platform others.conf
ok "and says so" grep -q 'names nodes that the platform does not have' said
exit $failed
