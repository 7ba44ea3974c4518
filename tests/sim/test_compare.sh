#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe run --record DIR --digests, aloe replay --compare, aloe compare: two builds of a component that differ from an index on,
# vector levels, other lanes and processes, recordings of different waveforms and lengths; digests that are truncated, altered,
# of a newer version or cut short.
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
record() { # DIR OPTION...
	dir=$work/$1
	shift
	aloe run "$work/w.conf" --clock virtual --slots 60 --record "$dir" --digests "$@"
	[ $status = 0 ] || sed 's/^/# /' "$work/out"
}
says() { # STATUS PATTERN...: so the command ended, and each pattern is in what it said
	[ "$status" = "$1" ] || return 1
	shift
	for pattern; do
		grep -q -E -e "$pattern" "$work/out" || return 1
	done
}
levels_agree() { # DIR: replayed on every vector level that this machine has
	levels=0
	for level in plain sse41 avx2 avx512 neon; do
		ALOE_SIMD=$level aloe replay "$1" --compare
		grep -q 'is not available on this machine' "$work/out" && continue
		says 0 '^same  *no message differs' || return 1
		levels=$((levels + 1))
	done
	[ $levels -gt 0 ]
}

# The build `late` of the component drift changes numbers from index 25 on.
mkdir "$work/late"
cp "$B/tests/components/drift.desc" "$work/late"
sed 's/drift from index 99999999/drift from index 00000025/' "$B/tests/components/drift.so" >"$work/late/drift.so"
builds="$B/tests/components:$B/lib/aloe" late="$work/late:$B/lib/aloe"
head -c 60000 waveforms/speech.wav >"$work/sent"
cat >"$work/w.conf" <<-EOF
	name = "w"; slot_ns = 1000000;
	instances: {
		sink:   { component = "file_sink"; path = "$work/received"; };
		drop:   { component = "null_sink"; };
		behind: { component = "copy"; };
		drift:  { component = "drift"; };
		beside: { component = "copy"; };
		before: { component = "copy"; };
		source: { component = "file_source"; path = "$work/sent"; type = "i16"; length = 500; };
	};
	links = ( "source -> before -> drift -> behind -> sink", "before -> beside -> drop" );
EOF
export ALOE_COMPONENTS="$builds"
record one
ok "digests are recorded" test "$(ls "$work/one" | grep -c '\.digests$')" = 5
record moved --lanes 0,0 --pipelined --isolation component
aloe compare "$work/one" "$work/moved"
ok "two runs of one build agree, wherever they run" says 0 '^compared  *300 messages of 5 outputs' '^same '
aloe replay "$work/one" --compare --lanes 0,0
ok "a replay agrees" says 0 '^compared  *300 messages of 5 outputs' '^same '

export ALOE_COMPONENTS="$late"
record two
aloe compare "$work/one" "$work/two"
ok "of two builds the index and the instance are named" \
	says 1 '^DIFFERS  *first at index 25, in drift.out \(output [1-5] of 5 in the order of the graph\)$'
ok "and both digests" says 1 '^ *first  *VALID, 500 i16 items, digest [0-9a-f]{16}$' \
	'^ *second  *VALID, 500 i16 items, digest [0-9a-f]{16}$' '2 of 5 outputs differ,'
ok "and the component" says 1 '^builds  *of drift differ: [0-9a-f]{16} and [0-9a-f]{16}$'
aloe replay "$work/one" --compare
ok "a replay by the other build names the same" says 1 '^DIFFERS  *first at index 25, in drift.out ' '^ *recorded  *VALID' \
	'^ *replayed  *VALID' '^sink.path .*DIFFERS'
export ALOE_COMPONENTS="$builds"

printf '\377\177' | dd of="$work/sent" bs=1 seek=17460 conv=notrunc 2>/dev/null # item 230 of index 17
record input
aloe compare "$work/one" "$work/input"
ok "items are shown where messages were recorded" says 1 '^DIFFERS  *first at index 17, in source.out \(output 1 ' \
	'^ *item 230 is the first that differs: -?[0-9]+ and 32767$'
aloe compare "$work/two" "$work/input"
ok "the first index comes before the first instance" says 1 '^DIFFERS  *first at index 17, in source.out '

aloe run "$work/w.conf" --clock virtual --slots 40 --record "$work/short" --digests
aloe compare "$work/input" "$work/short"
ok "different lengths are said" says 0 '^LENGTHS  *first has 60 indices, and second has 40;' '^compared  *200 messages' '^same '
aloe run "$work/w.conf" --clock virtual --slots 10 --record "$work/plain"
aloe compare "$work/one" "$work/plain"
ok "a recording without digests is refused" says 2 'plain/control.jsonl:1: the recording has no digests; record it with'
aloe replay "$work/plain" --compare
ok "by a replay, too" says 2 'the recording has no digests'
aloe run "$work/w.conf" --clock virtual --digests
ok "digests without a recording are refused" says 2 'give its folder, --record DIR'

sed 's/beside: /besides: /; s/> beside -/> besides -/' "$work/w.conf" >"$work/w2.conf"
aloe run "$work/w2.conf" --clock virtual --slots 10 --record "$work/other" --digests
aloe compare "$work/one" "$work/other"
ok "outputs of another graph are refused" says 2 'one: output [0-9] of the waveform w is beside.out; .* cannot be compared' \
	'other: output [0-9] of the waveform w is besides.out'
aloe run waveforms/utran384.conf --clock virtual --slots 30 --record "$work/levels" --digests --set sink.path="$work/wav"
ok "every vector level gives the same messages" levels_agree "$work/levels"
aloe compare "$work/one" "$work/levels"
ok "another waveform is refused" says 2 'is a recording of the waveform w, and .* of utran384; only recordings of one waveform'

cat >"$work/w.conf" <<-EOF
	name = "level"; slot_ns = 1000000;
	instances: { source: { component = "level"; }; far: { component = "copy"; }; drop: { component = "null_sink"; }; };
	links = ( "source -> far -> drop" );
EOF
record best
if ALOE_SIMD=sse41 "$B/bin/aloe" check "$work/w.conf" >"$work/out" 2>&1 && ALOE_SIMD=plain record least; then
	aloe compare "$work/best" "$work/least"
	ok "a component whose bits depend on the level is found" says 1 '^DIFFERS  *first at index 0, in source.out '
fi

copy() { rm -rf "$work/bad" && cp -r "$work/one" "$work/bad"; }
refused() { # WHAT PATTERN
	for command in compare replay; do
		if [ $command = compare ]; then aloe compare "$work/one" "$work/bad"; else aloe replay "$work/bad" --compare; fi
		ok "$command: $1 is refused, with file and place" says 2 "bad/drift.out.digests: $2"
	done
}
copy
head -c 1000 "$work/one/drift.out.digests" >"$work/bad/drift.out.digests"
refused "a truncated file" 'was cut short: the file ends at offset 1000, in the block that begins at offset 32,'
copy
printf x | dd of="$work/bad/drift.out.digests" bs=1 seek=500 conv=notrunc 2>/dev/null
refused "an altered file" 'offset 32: the rows from there on \(count 60, .* were altered'
copy
printf '\002' | dd of="$work/bad/drift.out.digests" bs=1 seek=8 conv=notrunc 2>/dev/null
refused "a newer version" 'offset 0: the file has version 2, and this ALOE reads version 1'
copy
rm "$work/bad/drift.out.digests"
refused "a missing file" 'cannot be read: No such file'
copy
sed -i '$d' "$work/bad/control.jsonl"
head -c 1000 "$work/one/drift.out.digests" >"$work/bad/drift.out.digests"
aloe compare "$work/one" "$work/bad"
ok "what a crash has left is compared" says 0 '^CUT SHORT .*bad has no line `end`' '^compared  *240 messages' '^same '
exit $failed
