#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe run --record and aloe replay: the same bits on other lanes, isolations and clocks; parameters that change, a pause and a
# remap meanwhile; an array that is replaced 100 times; a recording that is truncated, altered, of a newer version or cut short.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=$PWD/${B:-build}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

. tests/common/ok.sh

aloe() { # leaves its exit status in $status, what it says in $work/out
	"$B/bin/aloe" "$@" >"$work/out" 2>&1
	status=$?
}

replays() { # DIR OPTION...: with the same bits
	aloe replay "$@"
	[ $status = 0 ] && grep -q ' same$' "$work/out" && ! grep -q -E 'DIFFERS|not recorded' "$work/out"
}

aloe run waveforms/utran384.conf --clock virtual --slots 60 --record "$work/speech" --set noise.ebn0_db=2.2 --set sink.path="$work/wav"
ok "a waveform with a file is recorded" test $status = 0
mv "$work/wav" "$work/sent"
ok "it replays" replays "$work/speech"
ok "on two lanes, pipelined" replays "$work/speech" --lanes 0,0 --pipelined
ok "one process for each instance" replays "$work/speech" --isolation component
ok "on the clock that steps" replays "$work/speech" --clock step
ok "the sink's own file is left alone" test ! -e "$work/wav"
ok "the recording names its rate and hash" grep -q '"core:sha512": "[0-9a-f]*"' "$work/speech/source.out.sigmf-meta"
aloe run waveforms/utran384.conf --clock virtual --record "$work/speech"
ok "a folder that is not empty is refused" test $status = 2

copy() { rm -rf "$work/bad" && cp -r "$work/speech" "$work/bad"; }
refused() { # WHAT TEXT
	aloe replay "$work/bad"
	ok "$1 is refused" test $status = 2
	ok "with file and place" grep -q -E "$2" "$work/out"
}
copy
head -c 9600 "$work/speech/source.out.sigmf-data" >"$work/bad/source.out.sigmf-data"
refused "truncated data" 'source.out.sigmf-data: ends at offset 9600, before the items of index 20'
copy
printf x | dd of="$work/bad/source.out.sigmf-data" bs=1 seek=5000 conv=notrunc 2>/dev/null
refused "altered data" 'source.out.sigmf-data: was altered: the bytes from offset 0 to 28799 '
copy
sed -i 's/^0 60 v 240/0 59 v 240/' "$work/bad/source.out.messages"
refused "an altered table" 'source.out.messages was altered'
copy
sed -i 's/"recording":1/"recording":2/' "$work/bad/control.jsonl"
refused "a newer version" 'control.jsonl:1: the recording has version 2, and this ALOE reads version 1'
copy
sed -i '$d' "$work/bad/control.jsonl"
echo '{"set":{"noise.ebn0_db":"1"},"index":4611686018427387900}' >>"$work/bad/control.jsonl"
refused "an index that no waveform reaches" 'control.jsonl:[0-9]*: index: found 4611686018427387900; a whole number 0 .. 281474976710655'
copy
sed -i '$d' "$work/bad/control.jsonl"
sed -i '2s/^0 60 /4611686018427387000 60 /' "$work/bad/source.out.messages"
refused "a message at such an index" 'source.out.messages:2: found `4611686018427387000 '
copy
sed -i 's/ebn0_db = 2.2/ebn0_db = 3.2/' "$work/bad/waveform.conf"
refused "another waveform" 'waveform.conf was altered'
copy
sed -i '$d' "$work/bad/control.jsonl"
sed -i '/^end/d' "$work/bad/source.out.messages"
printf '60 5 v 24' >>"$work/bad/source.out.messages"
aloe replay "$work/bad"
ok "what a crash has left is replayed" test $status = 0
ok "and said" grep -q 'was cut short; it replays up to index 59,' "$work/out"

# The node of `aloe run`, once the waveform runs there.
node_find() { # WAVEFORM
	for _ in $(seq 200); do
		dir=$(ls -d "${XDG_RUNTIME_DIR:-/tmp}"/aloe-run-* 2>/dev/null | head -n 1)
		[ -n "$dir" ] && "$B/bin/aloe" list --dir "$dir" 2>/dev/null | grep -q "$1.*RUN" && return
		sleep 0.05
	done
}

"$B/bin/aloe" run waveforms/bpsk-rf.conf --clock virtual --lanes 0,0 --record "$work/live" >"$work/run" 2>&1 &
run=$!
node_find bpsk-rf
for n in $(seq 70); do
	"$B/bin/aloe" set bpsk-rf noise.ebn0_db=$((n % 9)).5 --dir "$dir" >"$work/out" 2>&1 || ok "set $n" false
	[ "$n" != 20 ] || { "$B/bin/aloe" pause bpsk-rf --dir "$dir" && "$B/bin/aloe" start bpsk-rf --dir "$dir"; } >"$work/out" 2>&1
	[ "$n" != 30 ] || "$B/bin/aloe" remap bpsk-rf --lanes 0 --dir "$dir" >"$work/out" 2>&1
done
kill -INT $run
wait $run
cp "$work/run" "$work/out"
ok "each change has its index" test "$(grep -c -E '^\{"set":\{"noise.ebn0_db":"[0-9.]*"\},"index":[0-9]+\}$' "$work/live/control.jsonl")" = 70
ok "pause and remap, too" test "$(grep -c -E '"(PAUSE|REMAP)","index":[0-9]+' "$work/live/control.jsonl")" = 2
ok "the changes are replayed at their indices" replays "$work/live" --lanes 0

cat >"$work/arrays.conf" <<-EOF
	name = "arrays"; slot_ns = 1000000;
	instances: { source: { component = "arrays"; values = [0]; }; sink: { component = "file_sink"; path = "$work/seen"; }; };
	links = ( "source -> sink" );
EOF
export ALOE_COMPONENTS="$B/tests/components:$B/lib/aloe"
"$B/bin/aloe" run "$work/arrays.conf" --clock virtual --record "$work/many" >"$work/run" 2>&1 &
run=$!
node_find arrays
for n in $(seq 100); do
	"$B/bin/aloe" set arrays "source.values=$n,0.5,$n" --dir "$dir" >"$work/out" 2>&1 || ok "array $n" false
done
kill -INT $run
wait $run
cp "$work/run" "$work/out"
ok "an array that was replaced 100 times is replayed" replays "$work/many"
ok "and has been seen 100 times" test "$(grep -c '^{"set"' "$work/many/control.jsonl")" = 100
unset ALOE_COMPONENTS

head -c 1000000 /dev/urandom >"$work/bytes"
cat >"$work/long.conf" <<-EOF
	name = "long"; slot_ns = 1000000;
	instances: { source: { component = "file_source"; path = "$work/bytes"; length = 100; loop = true; };
		slow: { component = "spin"; mean_us = 200.0; }; sink: { component = "null_sink"; }; };
	links = ( "source -> slow -> sink" );
EOF
"$B/bin/aloe" run "$work/long.conf" --clock virtual --record "$work/crash" >"$work/out" 2>&1 &
run=$!
for _ in $(seq 200); do
	[ "$(grep -c ' v ' "$work/crash/source.out.messages" 2>/dev/null)" -ge 2 ] 2>/dev/null && break
	sleep 0.05
done
kill -KILL $run
wait $run 2>/dev/null
sleep 0.5
aloe replay "$work/crash"
ok "a run that was killed replays up to its last second" test $status = 0
ok "and says so" grep -q 'was cut short; it replays up to index [1-9][0-9]*,' "$work/out"
exit $failed
