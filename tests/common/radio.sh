# SPDX-License-Identifier: BSD-3-Clause
#
# tests/common/radio.sh - for scripts to source that run waveforms on the clock `radio` against x310sim, after
# tests/common/ok.sh: with the build in $B (absolute), a folder $work, and a trap that kills $pids.
pids=

# A lane polls: what wakes up on its CPU has hardly a part of it, until the kernel moves it. A simulator has the other CPUs.
lane_cpu=${ALOE_TEST_LANE:-$(taskset -cp $$ | sed 's/.*: //; s/[^0-9].*//')}
sim_cpus=$(for cpu in $(seq 0 $(($(nproc --all) - 1))); do
	[ "$cpu" != "$lane_cpu" ] && taskset -c "$cpu" true 2>/dev/null && echo "$cpu"
done | paste -sd , -)
sim_start() { # OPTIONS...
	: >"$work/said"
	${sim_cpus:+taskset -c "$sim_cpus"} "$B/bin/x310sim" --json "$@" >"$work/json" 2>"$work/said" &
	pids="$pids $!"
	for _ in $(seq 1200); do
		grep -q ready "$work/said" && return
		sleep 0.05
	done
	cat "$work/said"
	return 1
}
sims_end() {
	kill -TERM $pids && wait $pids
	pids=
}
waveform() { # SLOT_SAMPLES CHANNELS
	{
		printf 'name = "pass";\nclock = "radio";\nslot_samples = %s;\nrate = 1e6;\ninstances: {\n' "$1"
		for c in $(seq 0 $(($2 - 1))); do
			printf 'rx%s: { component = "radio_rx"; type = "ci16"; channel = %s; };\n' $c $c
			printf 'tx%s: { component = "radio_tx"; channel = %s; };\n' $c $c
		done
		printf '};\nlinks = ( "rx0 -> tx0"%s );\n' "$([ "$2" -gt 1 ] && echo ', "rx1 -> tx1"')"
	} >"$work/pass.conf"
}
radio() { # GROUPS: what follows the common keys of each
	common='type = "x310"; transport = "udp"; patience_ms = 100000.0; flow_control = true;'
	list=
	for group; do
		list="$list${list:+, }{ $common $group }"
	done
	echo "radio = ( $list );" >"$work/radio.conf"
}
# A lane has its CPU for itself; another test may have it just now.
run() { # WAY SLOTS...: how to begin the command; the exit status is that of aloe
	way=$1
	shift
	case " $* " in *" --lanes "*) ;; *) set -- "$@" ${ALOE_TEST_LANE:+--lanes "$ALOE_TEST_LANE"} ;; esac # of the row in tests/run.sh
	for _ in $(seq 240); do
		$way timeout -k 20 300 "$B/bin/aloe" run "$work/pass.conf" --radio "$work/radio.conf" --json -q "$@" \
			>"$work/out" 2>"$work/err"
		status=$?
		grep -q "taken by the lane of another" "$work/err" || return $status
		sleep 0.5
	done
	return 99
}
refused() { # WORDS WAY...
	words=$1
	shift
	run "${1:-}" --slots 10
	status=$?
	[ $status -gt 0 ] && [ $status -lt 99 ] && grep -q -e "$words" "$work/err" && return
	echo "exit status $status, without \"$words\""
	return 1
}
# Not whole: samples do not come, or not as they should; it is interrupted after a while, and says so: after a longer while, on a
# busy machine.
ends_badly() { # WORDS
	for seconds in 6 12 24 48; do
		run "timeout -s INT -k 20 $seconds" && return 1
		grep -q -e "$1" "$work/err" && return
	done
	echo "without \"$1\""
	return 1
}
