#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/run.sh PROGRAM... - run test programs one after another and end with a table.
#
# A compiled program is a CMocka program: its counts are read from its last lines; TEST_RUNNER (qemu-aarch64), if set, runs
# it. A script (*.sh) counts as its lines `ok WHAT` and `not ok WHAT`, or as one test by its exit status where it prints
# none; exit 77 skips it, the reason is its last line. A skip needs a line in tests/expected-skips when CI=true.
# Each program runs in a folder of its own for temporary and run-time files. Files left there, and processes left behind,
# are failures. What depends on real time goes one after another, beside what only computes, which gives way to it; all else goes
# side by side. A program of several parts (ALOE_PART in tests/common/aloe.h) is run once with each. The time-out (TEST_TIMEOUT,
# seconds) is only a guard against hangs. Logs: BUILD/test-logs; the last line is in its file `sum` as well.
set -u

cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
TEST_TIMEOUT=${TEST_TIMEOUT:-900}
unset MAKEFLAGS MFLAGS MAKELEVEL
logs=$B/test-logs
scratch=$(mktemp -d /tmp/aloe-check.XXXXXX) || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'trap "" TERM; kill $(left_behind $$. | cut -d " " -f 1) 0; exit 130' INT TERM # also those in the background and in sessions of their own
mkdir -p "$logs"
rm -f "$logs/sum"
: >"$scratch/results"
: >"$scratch/skips"
: >"$scratch/failures"
export B ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1}"
export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions=$PWD/tests/leaks:print_suppressions=0}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export CCACHE_TEMPDIR="$scratch" # a compiler that is ccache leaves files beside the run-time files otherwise, and an empty folder in any case
export TSAN_OPTIONS="${TSAN_OPTIONS:-ignore_noninstrumented_modules=1 atexit_sleep_ms=50}"

# The machine is measured once, for the nodes of all tests (capacity_copy in tests/common); otherwise each node does it.
if [ $# -gt 1 ] && [ -x "$B/bin/aloe" ]; then
	mkdir -m 700 "$scratch/machine"
	XDG_RUNTIME_DIR=$scratch/machine XDG_STATE_HOME=$scratch/machine timeout -k 10 120 "$B/bin/aloe" run waveforms/bpsk.conf --clock virtual \
		--slots 1 -q >"$scratch/machine/said" 2>&1 || sed 's/^/  the machine was not measured: /' "$scratch/machine/said"
	grep -qs handover_ns "$scratch/machine/aloe/capacity"/*.json && export ALOE_TEST_CAPACITY="$scratch/machine/aloe/capacity"
fi

# left_behind MARK prints "PID COMMAND" of every process that was started under this mark and still lives.
left_behind() {
	grep -lsaF "ALOE_TEST_MARK=$1" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ pid _; do
		state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$pid/status" 2>/dev/null)
		case $state in '' | Z | X) ;; *) echo "$pid $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)" ;; esac
	done
}

# count LOG STATUS prints "passed failed skipped", from what a CMocka program or a script said.
count() {
	awk -v status="$2" -v script="$3" '
		/^\[  PASSED  \] [0-9]+ test/ { passed += $4; told = 1 }
		/^\[  FAILED  \] [0-9]+ test/ { failed += $4; told = 1 }
		/^\[  SKIPPED \] [0-9]+ test/ { skipped += $4; told = 1 }
		/^ok / { if (script) { passed++; told = 1 } }
		/^not ok / { if (script) { failed++; told = 1 } }
		END {
			if (status == 77) { passed = failed = 0; skipped = 1 }
			else if (script && !told && status == 0) passed = 1
			else if (!told || (status != 0 && !failed)) failed++
			print passed + 0, failed + 0, skipped + 0
		}' "$1"
}

# skips NAME LOG STATUS prints a line "NAME TEST: reason" for each test that was skipped.
skips() {
	if [ "$3" = 77 ]; then
		echo "$1: $(tail -n 1 "$2")"
		return
	fi
	awk -v name="$1" '
		/^skip: / { reason = substr($0, 7) }
		/^\[  SKIPPED \] [^0-9]/ && !seen[$4]++ { print name " " $4 ": " (reason == "" ? "no reason given" : reason); reason = "" }
	' "$2"
}

# shows LOG SCRIPT PLACE prints each test that failed, from its name to its failure, with what was said between them; where none
# has a name, the end of the log. PLACE is a file that nobody else uses meanwhile.
shows() {
	awk -v script="$2" '
		function flush() { if (wanted) { printf "%s", block; shown++ } block = ""; wanted = 0 }
		script && /^ok / { flush(); next }
		!script && /^\[ RUN      \] / { flush(); ended = 0 }
		{ block = block $0 "\n" }
		/^run.sh: / || (script && /^not ok /) { wanted = 1 }
		script { next }
		/^\[  FAILED  \] [^0-9]/ && !ended { wanted = 1; flush() }
		/^\[       OK \] / || /^\[  SKIPPED \] / { block = "" }
		/^\[==========\] [0-9]+ test\(s\) run/ { ended = 1; block = "" }
		END { flush(); exit !shown }' "$1" >"$3" || tail -n 60 "$1" >"$3"
	if [ "$(wc -l <"$3")" -gt 120 ]; then
		head -n 60 "$3"
		echo "... ($(($(wc -l <"$3") - 120)) lines left out, see the log)"
		tail -n 60 "$3"
	else
		cat "$3"
	fi | cut -c 1-300
}

# run_one N PROGRAM[:PART]
run_one() {
	n=$1
	program=${2%:*}
	case $2 in *:*) export TEST_PART="${2##*:}" ;; *) unset TEST_PART ;; esac
	name=${2#"$B"/tests/}
	name=${name#tests/}
	log=$logs/$(echo "$name" | tr /: ..).log
	mark=$$.$n. # with an end: no mark is the beginning of another
	mkdir -p "$scratch/$n/run" "$scratch/$n/home/aloe"
	[ -z "${ALOE_TEST_CAPACITY:-}" ] || cp -R "$ALOE_TEST_CAPACITY" "$scratch/$n/home/aloe/capacity"
	chmod 700 "$scratch/$n/run"
	case $program in *.sh) script=1 ;; *) script= ;; esac
	began=$(date +%s)
	sanitizer=log_path=$scratch/$n/report # of every process that the program starts
	ASAN_OPTIONS=$ASAN_OPTIONS:$sanitizer UBSAN_OPTIONS=$UBSAN_OPTIONS:$sanitizer TSAN_OPTIONS=$TSAN_OPTIONS:$sanitizer \
		ALOE_TEST_MARK=$mark TMPDIR=$scratch/$n/run XDG_RUNTIME_DIR=$scratch/$n/run XDG_STATE_HOME=$scratch/$n/home \
		HOME=$scratch/$n/home timeout -k 10 "$TEST_TIMEOUT" ${yields:+setsid sh -c "$yields" yields} ${TEST_RUNNER:-} "$program" >"$log" 2>&1 </dev/null
	status=$?
	seconds=$(($(date +%s) - began))
	[ $status = 124 ] && echo "run.sh: stopped after $TEST_TIMEOUT s" >>"$log"
	gone=0
	for _ in 1 2 3 4 5 6 7 8 9 10; do # what has been told to end may take a moment; what is in the midst of exec has no environment
		left=$(left_behind "$mark")
		if [ -n "$left" ]; then gone=0; else gone=$((gone + 1)); fi
		[ $gone = 2 ] && break
		if [ $gone = 0 ]; then sleep 0.2; else sleep 0.05; fi
	done
	for report in "$scratch/$n"/report.*; do # a thread that ends under LeakSanitizer's eyes is no finding
		[ -f "$report" ] && ! grep -qv '^==[0-9]*==Unable to get registers from thread' "$report" && rm "$report"
	done
	if ls "$scratch/$n"/report.* >/dev/null 2>&1; then
		cat "$scratch/$n"/report.* >>"$log"
		echo "run.sh: a sanitizer has something to say (above)" >>"$log"
		[ $status = 0 ] && status=1
	fi
	if [ -n "$left" ]; then
		echo "$left" | sed 's/^/run.sh: left behind: process /' >>"$log"
		echo "$left" | while read -r pid _; do kill -9 "$pid"; done
		[ $status = 0 ] && status=1
	fi
	files=$(find "$scratch/$n/run" -mindepth 1 ! '(' -path "$scratch/$n/run/ccache-tmp" -empty ')' | head -n 5)
	if [ -n "$files" ]; then
		echo "$files" | sed 's/^/run.sh: left behind: /' >>"$log"
		[ $status = 0 ] && status=1
	fi
	rm -rf "${scratch:?}/$n/"*
	[ $status -gt 128 ] && [ $status -lt 193 ] && echo "run.sh: ended by signal $((status - 128))" >>"$log"
	set -- $(count "$log" $status "$script")
	echo "${name%%/*} $1 $2 $3 $seconds" >>"$scratch/results"
	skips "${name%:*}" "$log" $status >>"$scratch/skips"
	if [ "$2" != 0 ]; then
		echo "$name ($log)" >>"$scratch/failures"
		told="  FAIL  $(printf %-40s "$name") $1 passed, $2 failed, exit $status, $seconds s
$(shows "$log" "$script" "$scratch/shown.$n" | tail -n 60 | sed 's/^/        /')"
	else
		told="  ok    $(printf '%-40s %3d passed' "$name" "$1")"
		[ "$3" = 0 ] || told="$told, $3 skipped"
		told="$told, $seconds s"
	fi
	echo "$told"
}

# run_all LETTER PROGRAM... runs those that nobody else has taken. (Names are short: a socket's path has an end.)
run_all() {
	letter=$1
	place=0
	shift
	for one in "$@"; do
		place=$((place + 1))
		mkdir "$scratch/$letter$place" 2>/dev/null && run_one "$letter$place" "$one"
	done
}

# What computes has nothing to do with real time: it takes what all others leave of the CPUs, from the first to the last of them
# (SCHED_IDLE, in a session of its own with the least share, because the kernel may share the CPUs among sessions first).
# Side by side: what waits for most of its time, three at once, which end with the rows of lanes; and what has lanes on the timer or a radio, waits for most of its
# time, and promises nothing of time. A lane has a CPU for itself, so of these stand side by side only what has lane 0 and no other,
# and what has a radio and names no lane, and has the last CPU then (ALOE_TEST_LANE; tests/common). Two lanes of radios at once
# would poll on both CPUs and leave none to the simulated device. What has two lanes, or promises a little of time, follows in one
# row. Then, side by side: nodes that share their CPUs, and lanes of the virtual clock, which rows of lanes would starve, and that
# wait for most of their time.
# Then, one after another: what does promise something of time. In each row the longest are the first.
computes=
waits=
zero=
last=
radios=
beside=
nodes=
alone=
for program in "$@"; do
	case ${program#"$B"/} in
	# of several parts: with lanes, with two lanes, and the rest
	tests/faults/test_run | tests/faults/test_force) zero="$program:lanes $zero" waits="$program:rest $waits" ;;
	tests/sim/test_run_live | tests/golden/test_run_tails | tests/sim/test_bench | tests/faults/test_limits.sh)
		zero="$zero $program:lanes" waits="$program:rest $waits" ;;
	tests/sim/test_run_node) zero="$zero $program:lanes" beside="$beside $program:two" waits="$program:rest $waits" ;;
	tests/golden/test_run_levels) last="$program:lanes $last" computes="$program:rest $computes" ;;
	tests/sim/test_radio_run) radios="$program:lanes $radios" beside="$beside $program:two" ;;
	tests/sim/test_readme.sh) beside="$program:lanes $beside" computes="$program:rest $computes" ;;
	tests/sim/test_run_determinism | tests/faults/test_refused | tests/sim/test_short_runs.sh)
		beside="$beside $program:lanes" waits="$program:rest $waits" ;;
	tests/faults/test_kill | tests/faults/test_components | tests/faults/test_attacks | tests/sim/test_changes)
		alone="$alone $program:lanes" waits="$program:rest $waits" ;;
	tests/golden/test_run_exit | tests/sim/test_daemons_readme.sh) alone="$alone $program" ;;
	tests/sim/test_node_links.sh | tests/sim/test_upgrade.sh) nodes="$program $nodes" ;;
	tests/sim/test_node_loss.sh | tests/sim/test_clock.sh) nodes="$nodes $program" ;;
	tests/faults/test_restore | tests/sim/test_at.sh | tests/sim/test_plan.sh | \
		tests/sim/test_record_live.sh | tests/sim/test_trace.sh) zero="$zero $program" ;;
	tests/sim/test_x310_reasons.sh) last="$program $last" ;;
	tests/sim/test_soapy | tests/sim/test_radio_recovery | tests/sim/test_radio_file | tests/sim/test_x310_transports | \
		tests/sim/test_x310_apart.sh | tests/install/test_new_radio.sh | \
		tests/sim/test_record_radio.sh | tests/sim/test_lane_names.sh) last="$last $program" ;;
	tests/sim/test_x310_channel) radios="$radios $program" ;;
	tests/sim/test_x310_ready.sh | tests/sim/test_bench_peers | tests/sim/test_run_copies | tests/golden/test_run_fm | \
		tests/sim/test_record_late.sh | tests/sim/test_verify.sh | tests/sim/test_x310_uhd.sh) beside="$beside $program" ;;
	# nodes on loopback, whose lanes take no CPU for themselves
	tests/sim/test_platform.sh | tests/sim/test_statsman.sh | tests/sim/test_builds.sh | tests/sim/test_bench_papers | \
		tests/sim/test_bench_daemons.sh | tests/sim/test_bench_two_node.sh | tests/sim/test_node_cpus.sh | \
		tests/faults/test_intruders | tests/sim/test_node_dpdk.sh | tests/sim/test_record.sh | tests/sim/test_record_nodes.sh | \
		tests/sim/test_compare.sh) waits="$program $waits" ;;
	tests/unit/test_frontend | tests/unit/test_frontend_killed | tests/faults/test_many | tests/faults/test_requests | \
		tests/faults/test_remap_kills | \
		tests/faults/test_starved.sh | tests/sim/test_run_ends.sh | tests/sim/test_node.sh | tests/sim/test_words.sh | \
		tests/sim/test_many_waveforms.sh | \
		tests/sim/test_set_kinds.sh | tests/sim/test_tap.sh | tests/sim/test_graph.sh | tests/sim/test_scope.sh | tests/sim/test_web.sh | \
		tests/sim/test_runs.sh | tests/sim/test_python.sh | tests/sim/test_terminal | tests/sim/test_notify | \
		tests/sim/test_doctor.sh | tests/sim/test_doctor_radio.sh | tests/sim/test_x310_init | \
		tests/sim/test_keys.sh | tests/sim/test_measured.sh | \
		tests/sim/test_x310sim_users.sh) waits="$waits $program" ;;
	tests/house/* | tests/golden/test_run_utran_rf | tests/golden/test_run_waveforms | tests/unit/test_utran_decoder | \
		tests/unit/test_components_utran_sync) computes="$program $computes" ;;
	tests/unit/* | tests/contract/* | tests/fuzz/* | tests/golden/* | tests/install/* | tests/sim/test_engine | \
		tests/sim/test_engine_nodes | tests/sim/test_replicas | tests/sim/test_slot_sacred | tests/sim/test_plan_property | tests/sim/test_remap | tests/sim/test_baton | \
		tests/sim/test_x310_streams | tests/sim/test_x310sim | tests/sim/test_json | tests/sim/test_bridge | \
		tests/sim/test_cluster | tests/sim/test_map_unsolved | tests/sim/test_comprun.sh | tests/sim/test_plots.sh | tests/sim/test_plan_kinds | \
		tests/sim/test_bench_stages) computes="$computes $program" ;;
	*) alone="$alone $program" ;;
	esac
done
cpu=$(taskset -pc $$ 2>/dev/null | sed -n 's/.*[,-]//p') # the last of several
[ -n "$cpu" ] || beside="$zero $last $radios $beside" zero= last= radios=
computing=
for _ in $(seq "$(nproc)"); do
	yields='{ echo 19 >/proc/self/autogroup; } 2>/dev/null; exec chrt -i 0 "$@"' run_all c $computes &
	computing="$computing $!"
done
others=
for _ in 1 2 3; do
	run_all w $waits &
	others="$others $!"
done
{
	run_all z $zero &
	ALOE_TEST_LANE=$cpu run_all l $last &
	wait
	ALOE_TEST_LANE=$cpu run_all r $radios
	run_all b $beside
} &
wait $others $!
others=
for _ in 1 2 3; do
	run_all n $nodes &
	others="$others $!"
done
wait $others
run_all a $alone
wait $computing

unexpected=0
: >"$scratch/skip-lines"
while IFS= read -r line; do
	if grep -v '^#' tests/expected-skips | cut -d: -f1 | grep -qxF "${line%%:*}"; then
		echo "  skipped   $line" >>"$scratch/skip-lines"
	else
		echo "  skipped   $line (not in tests/expected-skips)" >>"$scratch/skip-lines"
		[ "${CI:-}" = true ] && unexpected=$((unexpected + 1))
	fi
done <"$scratch/skips"

echo
awk '
	{ programs[$1]++; passed[$1] += $2; failed[$1] += $3; skipped[$1] += $4; seconds[$1] += $5; p += $2; f += $3; s += $4; t += $5 }
	BEGIN { printf "  %-10s %9s %7s %7s %8s %8s\n", "suite", "programs", "passed", "failed", "skipped", "seconds" }
	END {
		n = split("unit contract golden sim fuzz install house", order, " ")
		for (i = 1; i <= n; i++) known[order[i]] = 1
		for (suite in programs) if (!(suite in known)) order[++n] = suite
		for (i = 1; i <= n; i++) if (order[i] in programs) {
			k = order[i]
			printf "  %-10s %9d %7d %7d %8d %8d\n", k, programs[k], passed[k], failed[k], skipped[k], seconds[k]
			all += programs[k]
		}
		printf "  %-10s %9d %7d %7d %8d %8d\n", "all", all, p, f, s, t
	}' "$scratch/results"
cat "$scratch/skip-lines"
while IFS= read -r failure; do # whoever reads this may not have the log
	log=${failure##*(}
	echo "  failed    $failure:"
	case $failure in *.sh[\ :]*) script=1 ;; *) script= ;; esac
	shows "${log%)}" "$script" "$scratch/shown" | sed 's/^/        /'
done <"$scratch/failures"
set -- $(awk '{ p += $2; f += $3; s += $4 } END { print p + 0, f + 0, s + 0 }' "$scratch/results")
[ $unexpected = 0 ] || echo "  with CI=true, $unexpected skips that tests/expected-skips does not have are failures"
echo "$1 passed, $(($2 + unexpected)) failed, $3 skipped" | tee "$logs/sum"
[ "$2" = 0 ] && [ $unexpected = 0 ] && [ "$1" != 0 ]
