#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/fuzz/fuzz.sh FOLDER SECONDS|corpus|runs N|smoke SECONDS - run every libFuzzer program of FOLDER from its corpus: for
# SECONDS; with `corpus` over its corpus once, trying nothing new; with `runs N` for N executions, but at most FUZZ_SECONDS each
# (0: no bound). New inputs and crashes stay in FOLDER/new; one worth keeping is copied to tests/fuzz/corpus/NAME by hand.
# `smoke SECONDS` is `runs` without chance: with seed 1, from the kept corpus alone, and of what it tries only findings stay.
# FUZZ_ONLY="NAME...": these alone.
#
# `runs` prints a table, as many targets at a time as there are CPUs: target, executions, seconds, edges that its inputs
# reach, findings (inputs that crashed, hung or took too much memory, or at which a sanitizer said something; a program that
# failed otherwise is one). A finding does not keep the others from being run; the exit status is 1 then, and where a target
# has no line in the table. Findings of earlier runs are kept, and not counted again.
set -eu
export LSAN_OPTIONS="suppressions=$PWD/tests/leaks:print_suppressions=0"
folder=$1
kind=$2

# field NAME LOG prints the number behind `stat::NAME:` (-print_final_stats=1).
field() {
	awk -v name="stat::$1:" '$1 == name { n = $2 } END { print n + 0 }' "$2"
}

# counted NAME N prints a line of the table, and the end of the log where there is a finding.
counted() {
	at=$folder/new/$1
	inputs=${FUZZ_INPUTS:-$folder/new}/$1
	began=$(date +%s)
	status=0
	mkdir -p "$inputs"
	: >"$at.began"
	"$folder/$1" -runs="$2" -seed="${FUZZ_SEED:-0}" -max_total_time="${FUZZ_SECONDS:-0}" -max_len=65536 -timeout=60 \
		-print_final_stats=1 -artifact_prefix="$at." "$inputs" "tests/fuzz/corpus/$1" >"$at.log" 2>&1 || status=$?
	found=$(find "$folder/new" -maxdepth 1 -newer "$at.began" -name "$1.*-*" ! -name "$1.slow-unit-*" | wc -l)
	if [ "$status" != 0 ] && [ "$found" = 0 ]; then
		found=1
		echo "fuzz.sh: exit status $status, and no input was written" >>"$at.log"
	fi
	found=$((found + $(grep -c 'runtime error:' "$at.log" || :)))
	runs=$(field number_of_executed_units "$at.log")
	[ "$runs" != 0 ] || [ "$found" != 0 ] || found=1
	edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$at.log" | tail -n 1)
	printf '  %-16s %12d %8d %9s %9d\n' "$1" "$runs" $(($(date +%s) - began)) "${edges:--}" "$found"
	[ "$found" = 0 ] || tail -n 25 "$at.log"
}

# table N runs all, N executions each at most.
table() {
	printf '  %-16s %12s %8s %9s %9s\n' target executions seconds edges findings
	names | xargs -P "$(nproc)" -I NAME "$0" "$folder" one NAME "$1" | tee "$folder/new/table"
	awk -v names="$(names | tr '\n' ' ')" '
		NF == 5 && $2 $3 $5 ~ /^[0-9]+$/ { told[$1]; targets++; runs += $2; n += $5 }
		END {
			wanted = split(names, name, " ")
			for (i = 1; i <= wanted; i++) if (!(name[i] in told)) print "  " name[i] ": not run to its end, it has no line above"
			printf "  %d of %d targets, %d executions, %d findings\n", targets, wanted, runs, n
			exit !targets || targets < wanted || n > 0
		}' "$folder/new/table"
}

names() {
	for program in "$folder"/*; do
		name=${program##*/}
		[ -f "$program" ] && [ -x "$program" ] || continue
		case " ${FUZZ_ONLY:-$name} " in *" $name "*) echo "$name" ;; esac
	done
}

mkdir -p "$folder/new"
case $kind in
one)
	counted "$3" "$4"
	;;
runs)
	table "$3"
	;;
smoke)
	FUZZ_INPUTS=$(mktemp -d)
	trap 'rm -rf "$FUZZ_INPUTS"' EXIT
	trap 'exit 143' INT TERM
	export FUZZ_INPUTS FUZZ_SEED=1 FUZZ_SECONDS="$3"
	table 1000000000
	;;
corpus)
	for name in $(names); do
		echo "== $name, its corpus"
		"$folder/$name" -runs=0 -verbosity=0 -artifact_prefix="$folder/new/$name." "tests/fuzz/corpus/$name"
	done
	;;
*)
	for name in $(names); do
		echo "== $name, $kind s"
		mkdir -p "$folder/new/$name"
		"$folder/$name" -max_total_time="$kind" -max_len=65536 -print_final_stats=1 -verbosity=0 \
			-artifact_prefix="$folder/new/$name." "$folder/new/$name" "tests/fuzz/corpus/$name"
	done
	;;
esac
