#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# An instance in several places: the bits of one place on any lanes and isolation, one instance in plan, graph and report,
# --set at one index of all places, what tools name and count, pause, the death of exec, recordings, and what is refused in
# words.
set -u
cd "$(dirname "$0")/../.." || exit 2
waveforms=$PWD/waveforms
. tests/common/node.sh
cd "$work" || exit 2

# replicas DECODER DEMATCH: utran384 with so many places of these two, and --set ARGS...
replicas() {
	sed "s/iterations = 2; block = 3856; }/iterations = 2; block = 3856; replicas = $1; }/
		s/coded = 11580; }/coded = 11580; replicas = $2; }/; s|{here}|$waveforms|" "$waveforms/utran384.conf" >u.conf
}
sum() {
	aloe run u.conf --clock virtual "$@" >said 2>&1 && sha256sum <received.wav >have && cmp want have
}

replicas 1 1
aloe run u.conf --clock virtual >/dev/null && sha256sum <received.wav >want
ok "the sink of one place has something" test -s received.wav
replicas 2 3
ok "2 and 3 places on one lane" sum --lanes 0
ok "its counts are those of one instance" grep -q 'decoder: *iterations_run 2446' said
ok "its calls, too" grep -q 'decoder .* 1223 ' said
ok "each component in its own process" sum --lanes 0,1 --isolation component
replicas 5 2
ok "5 and 2 places on two lanes" sum --lanes 0,1
ok "copies" aloe run u.conf --clock virtual --lanes 0,1 --copies 2 --set "sink.path=received{copy}.wav"
ok "a copy has the bits" sh -c "test \$(sha256sum <received2.wav | cut -c1-64) = \$(cut -c1-64 want)"
ok "the plan says so" says 0 '^replicas: decoder is in 5 places, and a call may take as many slots' aloe plan u.conf
ok "the graph shows one" sh -c "test \$('$bin/aloe' graph u.conf | grep -c utran_turbo_decoder) = 1"
ok "and says so" says 0 'decoder in 5 places' aloe graph u.conf
ok "skip is refused" says 2 'u.conf:[0-9]*: decoder .*cannot have replicas: late = "skip"' aloe check u.conf --late skip

# ---- what is refused in words ----
cat >words.conf <<'END'
name = "words"; slot_ns = 1000000;
instances: {
	source: { component = "stand_in"; length = 64; };
	mid:    { component = "stand_in"; length = 64; stateless = true; replicas = 64; };
	next:   { component = "stand_in"; length = 64; stateless = true; replicas = 63; };
	sink:   { component = "stand_in"; };
};
links = ( "source -> mid -> next -> sink" );
END
ok "more segments than a process is told of" says 2 'would run 129 segments' aloe plan words.conf --clock virtual --lanes 0,1
ok "not with a process for each component" says 0 'next is in 63 places' \
	aloe plan words.conf --clock virtual --lanes 0,1 --isolation component
sed 's/stateless = true; //' words.conf >keeps.conf
ok "a stand-in that keeps something" says 2 'mid .*cannot have replicas: its parameter .stateless. is not true' aloe check keeps.conf
sed 's/sink:   { /sink:   { beside = true; /' words.conf >beside.conf
ok "who is beside a place" says 2 'sink.beside: next has replicas' aloe check beside.conf

# ---- a call that is longer than the slot ----
sed 's/replicas = 5/replicas = "auto"; budget_us = 1500/; s/replicas = 2/replicas = "auto"/' u.conf >auto.conf
ok "auto: as many places as it needs slots" says 0 '^replicas: decoder is in 2 places' \
	aloe plan auto.conf --clock timer --slot-us 1000 --lanes 0,1,2
ok "and no more of others" sh -c "! '$bin/aloe' plan auto.conf --clock timer --slot-us 1000 --lanes 0,1,2 | grep -q 'dematch is in'"
ok "auto: one place where a call fits" sh -c "! '$bin/aloe' plan auto.conf --clock timer --lanes 0,1,2 | grep -q '^replicas:'"
ok "too few lanes" says 2 'lane ' aloe plan auto.conf --clock timer --slot-us 1000 --lanes 0

# ---- as it runs ----
replicas 2 3
cat >live.conf <<'END'
name = "live";
slot_ns = 1000000;
instances: {
	source: { component = "random_source"; length = 64; seed = 1; };
	mod:    { component = "bpsk_mod"; output = "cf32"; };
	soft:   { component = "bpsk_soft_demod"; scale = 16.0; replicas = 3; };
	sink:   { component = "file_sink"; path = "soft.bin"; };
};
links = ( "source -> mod -> soft -> sink" );
END
ok "up" says 0 "the node is up" aloe up
# lived: the sink after a change at index 20
lived() {
	aloe load live.conf --clock step --slots 35 && aloe start live && aloe step live --count 10 &&
		aloe set live soft.scale=8 --at 20 && aloe step live --count 5 && aloe step live --count 15 &&
		aloe step live --count 10 && aloe stop live && aloe unload live
}
ok "three places live" lived
mv soft.bin three.bin
ok "load" aloe load live.conf --clock step --slots 60
ok "a remap is refused" says 2 'has an instance with replicas' aloe remap live --lanes 0,1
ok "unload" aloe unload live --force
sed -i 's/ replicas = 3;//' live.conf
ok "one place lives" lived
ok "there is something" test -s three.bin
ok "--set is at one index of all places" cmp soft.bin three.bin

# ---- STOP of a waveform that stands: what it gives does not depend on the places ----
stopped() {
	sed "s/scale = 16.0;/scale = 16.0; replicas = $1;/" live.conf >stopped.conf
	aloe load stopped.conf --clock step && aloe start live && aloe step live --count 10 && aloe stop live && aloe unload live
}
ok "one place, stopped after 10 steps" stopped 1
mv soft.bin one.bin
ok "there is something, too" test -s one.bin
for places in 2 4; do
	ok "$places places, stopped after 10 steps" stopped "$places"
	ok "have the bits of one place" cmp soft.bin one.bin
done

# ---- aloe set of a waveform that has slipped ----
sed 's/scale = 16.0;/scale = 16.0; replicas = 3;/; s/slot_ns = 1000000/slot_ns = 10000000/' live.conf >slipped.conf
sed -i 's/links = .*/links = ( "source -> mod -> slow -> soft -> sink" );/
	s/sink:  /slow: { component = "spin"; mean_us = 15000.0; replicas = 1; }; sink:  /' slipped.conf
ok "load what slips" aloe load slipped.conf --clock timer
ok "start" aloe start live
sleep 2
for scale in 4 2; do
	ok "set, however often it slipped" says 0 '' aloe set live soft.scale=$scale
done
ok "stop" aloe stop live
ok "unload what slipped" aloe unload live

# ---- a call that is longer than the slot and than any bound of one slot, in real time ----
cat >long.conf <<'END'
name = "long";
slot_ns = 50000000;
clock = "timer";
instances: {
	source: { component = "random_source"; length = 64; seed = 1; };
	spin:   { component = "spin"; mean_us = 140000.0; replicas = 6; };
	sink:   { component = "file_sink"; path = "long.bin"; };
};
links = ( "source -> spin -> sink" );
END
ok "a call that takes three of its six slots is none that hangs" says 0 '^slots .* 8 run' aloe run long.conf --lanes 0,1 --slots 8
ok "and the sink has all" test "$(wc -c <long.bin)" = 512

# ---- what tools name is the instance, with what all its places have counted ----
cat >counts.conf <<'END'
name = "counts";
slot_ns = 1000000;
instances: {
	source: { component = "random_source"; length = 244; seed = 1; };
	crc:    { component = "utran_crc"; size = 24; replicas = 3; };
	check:  { component = "utran_crc_check"; size = 24; replicas = 2; };
	mod:    { component = "bpsk_mod"; output = "cf32"; };
	soft:   { component = "bpsk_soft_demod"; scale = 16.0; replicas = 5; };
	drop:   { component = "null_sink"; };
	sink:   { component = "file_sink"; path = "checked.bin"; };
};
links = ( "source -> crc -> check -> sink", "crc -> mod -> soft -> drop" );
END
calls() { # INSTANCE: of the report
	aloe status counts | sed -n "s/^  $1 *[a-z_]* *[0-9,al]* *\([0-9]*\) .*/\1/p"
}
count() {
	aloe get counts "$1" | sed 's/.* //'
}
ok "load" aloe load counts.conf --clock step --slots 100 --lanes 0,1
ok "start" aloe start counts
ok "steps" aloe step counts --count 12
ok "get: the sum of all places" sh -c "test $(count check.blocks) = $(calls check) && test $(count check.blocks) -ge 8"
ok "watch: the same" says 0 "^check.blocks $(count check.blocks)\$" aloe watch counts check.blocks --count 1
ok "get: no place has a row" sh -c "! '$bin/aloe' get counts | grep '^[^ ]*/'"
ok "get: a place has no name" says 2 'has no instance "soft/2" (did you mean "soft"?)' aloe get counts soft/2
ok "set: a place has no name" says 2 'has no instance "soft/2"' aloe set counts soft/2.scale=3
ok "set: all places" says 0 'soft.scale = 3 from index' aloe set counts soft.scale=3
ok "log is refused" says 2 '"check" has replicas, .* `aloe watch` prints the sums' aloe log counts check log.csv
ok "tap: one output" sh -c "! '$bin/aloe' tap counts 2>&1 | grep /"
ok "an upgrade is refused" says 2 'has an instance with replicas' aloe upgrade counts soft --component bpsk_soft_demod
ok "unload" aloe unload counts --force

# ---- pause, and the death of exec ----
exec_kill() {
	kill -9 "$(pgrep -f "aloe-exec .*--dir $work" | head -n 1)"
}
at_index() { # N: of the waveform that stands
	aloe list | awk -v n="$1" '$1 == "counts" && $3 >= n {found = 1} END {exit !found}'
}
ok "load" aloe load counts.conf --clock virtual --slots 4000000000 --lanes 0,1
ok "start" aloe start counts
ok "it runs" eventually at_index 1000
ok "exec is killed" exec_kill
ok "pause" says 0 'counts pauses, from slot' aloe pause counts
paused=$(count check.blocks)
ok "it stands" sh -c "sleep 0.1; test $paused = $(count check.blocks)"
ok "every index has been checked once" sh -c "test $paused -ge $(count sink.messages) && test $paused -le $(($(count sink.messages) + 20))"
ok "resume" aloe start counts
ok "it runs" eventually at_index $((paused + 1000))
ok "stop" aloe stop counts
ok "nothing is lost" says 0 'messages   0 absent, 0 late, 0 overwritten, 0 lost' aloe status counts
ok "all places have had each index" sh -c "test $(calls check) = $(calls source) && test $(calls soft) = $(calls drop)"
ok "unload" aloe unload counts

# ---- recordings ----
sed 's/ replicas = [0-9]*;//' counts.conf >single.conf
ok "record" aloe run counts.conf --clock virtual --slots 300 --lanes 0,1 --record three --digests --quiet
ok "record one place" aloe run single.conf --clock virtual --slots 300 --lanes 0,1 --record one --digests --quiet
ok "the text has the places" grep -q 'soft: .* replicas = 5;' three/waveform.conf
ok "no message differs" says 0 'no message differs' aloe compare one three
ok "replay" aloe replay three --compare
exit $failed
