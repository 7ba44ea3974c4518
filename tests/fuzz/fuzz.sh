#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/fuzz/fuzz.sh FOLDER SECONDS - run every libFuzzer program of FOLDER for SECONDS, from its corpus. New inputs and
# crashes stay in FOLDER; one worth keeping is copied to tests/fuzz/corpus/NAME by hand. With `corpus` for SECONDS each runs over
# its corpus once, and nothing new is tried.
set -eu
export LSAN_OPTIONS="suppressions=$PWD/tests/leaks:print_suppressions=0"
for program in "$1"/*; do
	[ -f "$program" ] && [ -x "$program" ] || continue
	name=${program##*/}
	mkdir -p "$1/new/$name"
	if [ "$2" = corpus ]; then
		echo "== $name, its corpus"
		"$program" -runs=0 -verbosity=0 -artifact_prefix="$1/new/$name." "tests/fuzz/corpus/$name"
		continue
	fi
	echo "== $name, $2 s"
	"$program" -max_total_time="$2" -max_len=65536 -print_final_stats=1 -verbosity=0 -artifact_prefix="$1/new/$name." \
		"$1/new/$name" "tests/fuzz/corpus/$name"
done
