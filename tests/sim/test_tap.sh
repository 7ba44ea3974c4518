#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe tap: the bytes of a link as a file_sink writes them; a ring that an output gets while the waveform runs, beside other
# taps that lose nothing by it; what is lost, said with its indices; the end by end, unload and --count. On the step clock.
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
	file:   { component = "file_sink"; path = "sink"; };
	rest:   { component = "file_sink"; path = "rest"; };
};
links = ( "source -> mod -> demod -> check.received", "source -> check.sent", "source -> file", "source -> half -> rest" );
END
steps() { # N: and all of them are through
	aloe step w --count "$1" >/dev/null && eventually sh -c "test \$('$bin/aloe' get w check.blocks | sed 's/.* //') = $2"
}
# part FILE OTHER FROM BYTES: FILE is BYTES long, and is what OTHER has from FROM on
part() { # FILE OTHER FROM BYTES
	test "$(wc -c <"$1")" = "$4" && dd if="$2" bs=1 skip="$3" count="$4" 2>/dev/null | cmp - "$1"
}

ok "a tap that is not there costs no run" says 2 "source has no output \"in\"" aloe run w.conf --clock virtual --slots 2 --tap source.in
ok "nor one of a sink" says 2 "the instance has no outputs" aloe check w.conf --tap file.in
ok "up" says 0 "the node is up" aloe up
ok "load with a tap" says 0 "w is loaded" aloe load w.conf --clock step --slots 300 --tap source.out --keep 40
ok "which outputs there are" says 0 "^source.out: 100 items of type bit, the ring keeps 63 messages" aloe tap w
ok "others have no ring" says 0 "^mod.out: 100 items of type cf32$" aloe tap w
ok "as JSON" sh -c "'$bin/aloe' tap w --json >list && grep -q '\"schema\": 1' list && grep -q '\"output\": \"demod.out\"' list"
ok "an unknown output: which there are" says 2 'no output "mod.oot" with a link; outputs: source.out, mod.out, demod.out, half.out' aloe tap w mod.oot -o none
ok "an input is none" says 2 'no output "mod.in"' aloe tap w mod.in -o none
ok "no waveform of the name" says 2 'no waveform "x" is loaded' aloe tap x mod.out -o none
ok "no file is made for these" test ! -e none
ok "from, or last" says 2 "both say where to begin" aloe tap w source.out --from 1 --last 1 -o none
ok "start" says 0 "w runs" aloe start w

# ---- a ring from the load on ----
"$bin/aloe" tap w source.out --from 0 -o all 2>all.said &
all=$!
ok "40 slots" steps 40 40
ok "the last 5 of the ring" says 0 "5 messages, index 35 to 39; no gaps" aloe tap w source.out --last 5 --count 5 -o five
ok "every 8th" says 0 "5 messages, index 0 to 32; no gaps" aloe tap w source.out --from 0 --every 8 --count 5 -o eighth
ok "the first tap has read 40" eventually sh -c "test \$(wc -c <all) = 4000"

# ---- a ring while it runs ----
ok "an output without a ring gets one" says 0 "mod.out: 0 messages; no gaps" timeout -s INT 20 sh -c "'$bin/aloe' tap w mod.out --keep 30 -o mod1 & pid=\$!; sleep 1; kill -INT \$pid; wait \$pid"
ok "what ran before it is neither lost nor absent" says 0 "mod.out: 0 messages, 10 before the tap; no gaps" timeout -s INT 20 sh -c "'$bin/aloe' tap w mod.out --last 10 -o mod0 & pid=\$!; sleep 1; kill -INT \$pid; wait \$pid"
ok "it is there" says 0 "^mod.out: .* the ring keeps 31 messages" aloe tap w
ok "the other has kept its own" says 0 "^source.out: .* the ring keeps 63 messages" aloe tap w
"$bin/aloe" tap w mod.out --from 40 -o mod2 2>mod2.said &
mod2=$!
"$bin/aloe" tap w half.out --from 40 --framed -o half 2>half.said &
half=$!
ok "the third output gets one, too" eventually sh -c "'$bin/aloe' tap w | grep -q '^half.out: .* ring'"
ok "20 slots" steps 20 60
ok "a remap beside them" says 0 "w has run on its new lanes" aloe remap w
ok "20 slots more" steps 20 80
ok "both taps have read 40" eventually sh -c "test \$(wc -c <mod2) = 32000"

# ---- what is lost ----
ok "220 slots" steps 220 300
ok "the taps end with the waveform" wait $all $mod2 $half
ok "stop" says 0 "w is stopped" aloe stop w
ok "the first tap: every index, lost or not" sh -c "sed 's/.*: //' all.said | grep -qE '^[0-9]+ messages, index 0 to 299; (no gaps|[0-9]+ gaps?, in which)'"
lengths() { test "$(wc -c <all)" = 30000 -a "$(wc -c <sink)" = 30000; }
ok "as long as the file of the sink, zeros for what was lost" lengths
ok "its first 80 messages are those of the sink" cmp -n 8000 all sink
ok "five are the sink's" part five sink 3500 500
ok "the framed tap says what is idle" grep -qE 'half.out: [0-9]+ messages, index [0-9]+ to 299, [0-9]+ idle' half.said
ok "too late: what is lost, with its indices" says 0 "source.out: [0-9]* messages, index 253 to 299; 1 gap, in which 253 messages are lost (253 from index 0)" aloe tap w source.out --from 0 -o late
ok "zeros stand for these" sh -c "head -c 25300 late | tr -d '\\0' | cmp - /dev/null && tail -c 4700 sink >tail.sink && tail -c 4700 late | cmp - tail.sink"
ok "no bit was wrong, no index left out" says 0 "check.bit_errors 0" aloe get w check.bit_errors
ok "no index twice" says 0 "check.blocks 300" aloe get w check.blocks
ok "as a recording in SigMF" says 0 "source.out: [0-9]* messages" aloe tap w source.out --last 20 --sigmf -o taken
ok "it has its metadata" sh -c "grep -q '\"core:sha512\"' taken.sigmf-meta && grep -q '\"aloe:port\": \"source.out\"' taken.sigmf-meta"
ok "and the items" sh -c "test -s taken.sigmf-data && tail -c \$(wc -c <taken.sigmf-data) sink | cmp - taken.sigmf-data"
ok "it has two files, so no standard output" says 2 "sigmf writes two files" aloe tap w source.out --sigmf
ok "no new ring after the end" says 2 "demod.out has no ring that keeps messages" aloe tap w demod.out -o none
ok "unload" says 0 "w is unloaded" aloe unload w

# ---- the end by unload; what may not get a ring ----
ok "load" says 0 "w is loaded" aloe load w.conf --clock step --set source.tap=true
ok "start" says 0 "w runs" aloe start w
"$bin/aloe" tap w source.out --from 0 -o gone 2>gone.said &
gone=$!
ok "10 slots" steps 10 10
ok "it has read them" eventually sh -c "test \$(wc -c <gone) = 1000"
ok "unload" says 0 "w is unloaded" aloe unload w
ok "the tap ends in good order" wait $gone
ok "with what came" grep -q "^source.out: 10 messages, index 0 to 9; no gaps" gone.said
ok "down" says 0 "the node is down" aloe down
exit $failed
