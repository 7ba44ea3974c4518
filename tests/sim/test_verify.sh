#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe run FILE --verify: a waveform whose bits do not depend on how it runs, one with a component whose bits depend on the
# vector level, and what cannot be run twice.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

. tests/common/ok.sh

# verify: a lane that another node on this machine has at the moment is waited for, a minute at most.
verify() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		"$B/bin/aloe" run "$@" --verify >"$work/out" 2>&1
		status=$?
		grep -q 'taken by the lane of another' "$work/out" || return
		sleep 5
	done
}

head -c 40000 waveforms/speech.wav >"$work/sent"
cat >"$work/carry.conf" <<-EOF
	name = "carry"; slot_ns = 1000000;
	instances: {
		source: { component = "file_source"; path = "$work/sent"; length = 500; pin = 3; };
		noise:  { component = "random_source"; length = 500; seed = 3; };
		far:    { component = "copy"; replicas = 2; };
		sink:   { component = "file_sink"; path = "$work/received"; isolation = "component"; };
		drop:   { component = "null_sink"; };
	};
	links = ( "source -> far -> sink", "noise -> drop" );
EOF
verify "$work/carry.conf" --slots 60
ok "all runs agree" test $status = 0
ok "there is a run of each kind" test "$(grep -c -E '^(2 lanes|2 lanes, pipelined|pipelined|isolation component|isolation none|replicas|replicas, 2 lanes|plain|step|timer) .* same$' "$work/out")" = 10
ok "the hash of a file is that of the file" grep -q "^sink.path  *file  *$(head -c 30000 "$work/sent" | sha256sum | cut -d ' ' -f 1)" "$work/out"
ok "a sink without a file has a hash" grep -q -E '^drop.in +messages +[0-9a-f]{64}$' "$work/out"
ok "the sink's own file is not touched" test ! -e "$work/received"

cat >"$work/level.conf" <<-EOF
	name = "level"; slot_ns = 1000000;
	instances: { source: { component = "level"; }; drop: { component = "null_sink"; }; };
	links = ( "source -> drop" );
EOF
export ALOE_COMPONENTS="$B/tests/components:$B/lib/aloe"
verify "$work/level.conf" --slots 20
unset ALOE_COMPONENTS
ok "a run that differs ends with 1" test $status = 1
ok "the run that differs is named" grep -q '^plain .*DIFFERS$' "$work/out"
ok "the sink that differs is named with both hashes" grep -q -E '^ +drop.in: [0-9a-f]{64}, in the first run [0-9a-f]{64}$' "$work/out"
ok "runs on the same level agree" grep -q '^2 lanes .*same$' "$work/out"

mkfifo "$work/pipe"
verify "$work/carry.conf" --set "source.path=$work/pipe"
ok "what is no file is refused" test $status = 2
ok "with the hint to record" grep -q -- '--record DIR' "$work/out"
verify waveforms/x310-passthrough.conf
ok "a live radio is refused" test $status = 2
ok "with the same hint" grep -q -- '--record DIR' "$work/out"
ok "nothing is left behind" test -z "$(ls -d "${TMPDIR:-/tmp}"/aloe-verify-* 2>/dev/null)"
exit $failed
