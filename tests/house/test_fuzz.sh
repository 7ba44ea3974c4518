#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/fuzz/fuzz.sh counts what it says it counts: tried on programs that only look like fuzzers.
set -u
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/common/ok.sh

# fuzzer FOLDER NAME: its text comes from stdin; `said` in it is what libFuzzer says at the end, $artefact where it puts findings.
fuzzer() {
	mkdir -p "$work/$1"
	{
		cat <<-'END'
			#!/bin/sh
			said() { echo "#7 DONE cov: 3 ft: 4"; echo "stat::number_of_executed_units: 7"; }
			for option; do case $option in -artifact_prefix=*) artefact=${option#*=} ;; -seed=*) seed=${option#*=} ;; esac; done
		END
		cat
	} >"$work/$1/$2"
	chmod +x "$work/$1/$2"
}
# runs FOLDER KIND N: `status` and $work/out.
runs() {
	status=0
	TMPDIR=$work tests/fuzz/fuzz.sh "$work/$1" "$2" "$3" >"$work/out" 2>"$work/err" || status=$?
}
has() { grep -Eq "$1" "$work/out"; }

echo said | fuzzer good one
echo said | fuzzer good two
runs good runs 5
ok 'good ones pass' test $status = 0
ok 'and are counted' has '^  2 of 2 targets, 14 executions, 0 findings$'

echo 'said; exit 23' | fuzzer leak one
runs leak runs 5
ok 'a status other than 0 fails' test $status != 0
ok 'and is a finding' has '^  one +7 .* 1$'
ok 'and is said' has 'exit status 23'

echo 'said; : >"$artefact"crash-1; exit 77' | fuzzer crash one
runs crash runs 5
ok 'an artefact fails' test $status != 0
ok 'and is one finding, not two' has '^  one +7 .* 1$'
echo said | fuzzer crash one
runs crash runs 5
ok 'a finding of an earlier run is not counted' test $status = 0
ok 'and is kept' test -e "$work/crash/new/one.crash-1"

echo said | fuzzer lost one
echo said | fuzzer lost two
mkdir -p "$work/lost/new"
: >"$work/lost/new/two"
runs lost runs 5
ok 'a target without a line fails' test $status != 0
ok 'and is named' has '^  two: not run to its end'

cat <<'END' | fuzzer smoke one
for last; do inputs=$was was=$last; done
ls "$inputs" >"${artefact}ls"
: >"$inputs/new"
[ "$seed" = 1 ] && said
END
runs smoke smoke 1
runs smoke smoke 1
ok 'the smoke has seed 1' test $status = 0
ok 'the smoke begins without inputs of earlier runs' test ! -s "$work/smoke/new/one.ls"
ok 'and leaves none' test "$(find "$work" -name new -type f)" = ''
exit $failed
