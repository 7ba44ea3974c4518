#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe record: a recording of a waveform that runs, on the timer and on the clock that steps; it replays to the same messages,
# with changes of parameters before and meanwhile; what has state says from where on it agrees; a tool that is killed; what a
# tap has lost; wrong use.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/node.sh
cd "$work" || exit 2
seq 100000 | head -c 320000 >in
cat >w.conf <<'END'
name = "w";
slot_ns = 2000000;
instances: {
	file:  { component = "file_source"; path = "in"; type = "cf32"; length = 20; loop = true; };
	gain:  { component = "gain"; gain = 2.0; };
	sink:  { component = "file_sink"; path = "out"; };
	rrc:   { component = "rrc_interp"; };
	past:  { component = "file_sink"; path = "past"; };
};
links = ( "file -> gain -> sink", "file -> rrc -> past" );
END
cat >noisy.conf <<'END'
name = "noisy";
slot_ns = 2000000;
instances: {
	bits:  { component = "random_source"; length = 100; };
	mod:   { component = "bpsk_mod"; };
	noise: { component = "awgn"; ebn0_db = 4.0; bits_per_item = 1.0; };
	demod: { component = "bpsk_demod"; };
	check: { component = "bit_compare"; };
};
links = ( "bits -> mod -> noise -> demod -> check.received", "bits -> check.sent" );
END
soon() { # as eventually, but not for a minute
	for _ in $(seq 100); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.05
	done
	"$@"
}
replays() { # DIR: to the same messages
	says 0 "^same  *from index [1-9][0-9]* to [0-9]* no message differs" aloe replay "$1"
}

ok "up" says 0 "the node is up" aloe up
ok "no waveform of the name" says 2 'no waveform "x" is loaded' aloe record x none
ok "no folder is made for it" test ! -e none

# ---- on the timer ----
ok "load" says 0 "noisy is loaded" aloe load noisy.conf --clock timer
ok "start" says 0 "noisy runs" aloe start noisy
ok "a change before the recording" says 0 "" aloe set noisy noise.ebn0_db=2.5
"$bin/aloe" record noisy live --slots 200 >live.said 2>&1 &
live=$!
ok "it has begun" soon grep -q '^recording noisy from index [1-9]' live.said
ok "a change meanwhile" says 0 "" aloe set noisy noise.ebn0_db=6
ok "it ends after its slots" wait $live
ok "and says which" grep -qE '^recorded .*/live: index [0-9]+ to [0-9]+ of noisy' live.said
ok "200 of them" sh -c "sed -n 's/.*index \\([0-9]*\\) to \\([0-9]*\\) of.*/\\1 \\2/p' live.said | awk '{ n = \$2 - \$1 } END { exit n != 199 }'"
ok "both changes are in it" sh -c "test \$(grep -c '\"set\"' live/control.jsonl) = 2"
ok "it replays" replays live
cp -r live other
sed -i '/ebn0_db":"6"/d' other/control.jsonl
ok "without the change it does not" says 1 "DIFFERS in .* first at index" aloe replay other
ok "a folder that is not empty" says 2 "live: the folder is not empty" aloe record noisy live
"$bin/aloe" record noisy cut >cut.said 2>&1 &
cut=$!
ok "another recording" soon grep -q taken cut/control.jsonl
ok "its tool is killed" kill -9 $cut
wait $cut
ok "what is left replays" says 0 "cut was cut short; it replays up to index [0-9]*" aloe replay cut
ok "with the same messages" replays cut
"$bin/aloe" record noisy stopped >stopped.said 2>&1 &
stopped=$!
ok "a third" soon grep -q taken stopped/control.jsonl
ok "Ctrl-C" kill -TERM $stopped
ok "ends it in good order" wait $stopped
ok "it replays, too" replays stopped
ok "unload" says 0 "noisy is unloaded" aloe unload noisy

# ---- what comes from outside, step by step ----
ok "load" says 0 "w is loaded" aloe load w.conf --clock step
ok "start" says 0 "w runs" aloe start w
ok "steps before" says 0 "" aloe step w --count 7
"$bin/aloe" record w outside --slots 30 >outside.said 2>&1 &
outside=$!
ok "it begins at the next index" soon grep -q '^recording w from index 7 on' outside.said
ok "steps" says 0 "" aloe step w --count 20
ok "a change" says 0 "" aloe set w gain.gain=0.5
ok "more steps" says 0 "" aloe step w --count 15
ok "it is recorded" wait $outside
ok "the messages from index 7 on" grep -q '^7 [0-9]* v 20 ' outside/file.out.messages
ok "up to index 36" grep -q '^end 37 4800$' outside/file.out.messages
ok "a filter has a memory" says 1 "^from index 8 on all sinks agree with the recording" aloe replay outside
ok "and nothing else differs" grep -q '^gain.out  *30 messages  same' said
cp -r outside other2
printf x | dd of=other2/file.out.sigmf-data bs=1 seek=99 conv=notrunc 2>/dev/null
ok "altered, it is refused" says 2 'was altered' aloe replay other2
"$bin/aloe" record w lost --keep 16 >lost.said 2>&1 &
lost=$!
ok "a recording with short rings" soon grep -q '^recording w from' lost.said
kill -STOP $lost
ok "its tool stands still" says 0 "" aloe step w --count 3000
kill -CONT $lost
soon grep -q 'the tap of' lost.said
kill -TERM $lost 2>/dev/null
wait $lost
ok "what was lost is an error" test $? = 1
ok "and is said" grep -qE 'the tap of .* lost [0-9]+ messages from index [0-9]+ on' lost.said
ok "unload" says 0 "w is unloaded" aloe unload w

ok "load on the virtual clock" says 0 "w is loaded" aloe load w.conf --clock virtual
ok "it is refused" says 2 "virtual clock: its messages pass faster" aloe record w none
ok "no folder" test ! -e none
ok "down" says 0 "the node is down" aloe down
exit $failed
