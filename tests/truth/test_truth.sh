#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# What `aloe why` says of slots that somebody has disturbed (tests/truth/inject.c), who tells the engine nothing. In
# `make check` ten of each of three kinds with loose bounds; `make truth` runs the whole matrix (all.sh), a chunk of a kind
# at a time: TRUTH_KINDS, TRUTH_TRIALS and TRUTH_SEED, and TRUTH_SHARE=0 (no bounds).
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
top=$PWD
kinds=${TRUTH_KINDS:-component new-memory preempted}
trials=${TRUTH_TRIALS:-10}
seed=${TRUTH_SEED:-1}
if [ "$(id -u)" != 0 ]; then
	echo "skip: only root may give priority to what disturbs a lane"
	exit 77
fi
PATH=$(cd "$B/bin" && pwd):$PATH
ALOE_COMPONENTS=$(cd "$B/lib/aloe" && pwd):$(cd "$B/tests/components" && pwd)
export ALOE_COMPONENTS
work=$(mktemp -d) || exit 2
. tests/common/ok.sh
node=$work/node
feeder= simulator=
end() {
	aloe down --dir "$node" >/dev/null 2>&1
	feeder_end
	simulator_end
	rm -rf "$work"
}
trap end EXIT
cpu=$(taskset -cp $$ | sed 's/.*[^0-9]//') # the last that this process may use
other=$((cpu == 0))
printf '\0\0\0\0\0\0\0\0' | tee "$work/orders" >"$work/none"
mkfifo "$work/pipe"
exec 9<>"$work/pipe" # so that nobody who opens it waits

# waveform SOURCE: what passes what it gets, and does what it is told
waveform() {
	cat >"$work/truth.conf" <<-END
		name = "truth";
		slot_ns = 1000000;
		late = "skip";
		instances: {
			source: { $1 };
			told: { component = "told"; file = "$work/orders"; busy_us = $busy; $reads $storm };
			steady: { component = "told"; file = "$work/none"; busy_us = $busy; $reads };
			sink: { component = "null_sink"; };
		};
		links = ( "source -> told -> steady -> sink" );
	END
}

# The lane's clock is a simulated radio, on the other CPU.
radio_start() {
	taskset -c "$other" x310sim --source tone --address 127.0.0.93 >"$work/sim" 2>&1 &
	simulator=$!
	echo 'radio: { type = "x310"; transport = "udp"; address = "127.0.0.93"; patience_ms = 20; };' >"$work/radio.conf"
	cat >"$work/truth.conf" <<-END
		name = "truth";
		clock = "radio";
		slot_samples = 1000;
		rate = 1e6;
		late = "skip";
		instances: {
			rx: { component = "radio_rx"; type = "ci16"; };
			sink: { component = "null_sink"; };
		};
		links = ( "rx -> sink" );
	END
	sleep 0.5
}

simulator_end() {
	if [ -n "$simulator" ]; then
		kill "$simulator"
		wait "$simulator" 2>/dev/null
	fi
	simulator=
}

feeder_end() {
	if [ -n "$feeder" ]; then
		kill "$feeder"
		wait "$feeder" 2>/dev/null
	fi
	feeder=
}

# disturb KIND: one line of the matrix
disturb() {
	orders=$work/orders
	busy=300.0 reads='' storm=''
	within=
	source='component = "counter";'
	case $1 in *no-input*)
		orders=$work/pipe
		source="component = \"file_source\"; path = \"$work/pipe\"; length = 4096; buffer_ms = 10;"
		cat /dev/zero >"$work/pipe" & # until inject does it: init waits for a first record
		feeder=$!
		;;
	esac
	case $1 in
	*slow-machine*) reads="read_kib = 8192;" ;;
	*other-cpu-tlb*) storm="storm_cpu = $other;" ;;
	*soft-interrupt*) within="unshare -n -m sh $top/tests/truth/flood.sh $cpu" ;;
	esac
	waveform "$source"
	clock="--clock timer"
	case $1 in *radio*)
		radio_start || return
		orders=$simulator clock="--radio $work/radio.conf"
		;;
	esac
	aloe load "$work/truth.conf" $clock --lanes "$cpu" --dir "$node" >"$work/out" 2>&1 &&
		aloe start truth --dir "$node" >>"$work/out" 2>&1 && feeder_end &&
		$within "$top/$B/tests/truth/inject" "$1" "$trials" "$seed" "$cpu" "$orders" "$work/injected" 2>>"$work/out" &&
		sleep 1
	status=$?
	feeder_end
	simulator_end
	aloe unload truth --force --dir "$node" >>"$work/out" 2>&1
	[ $status = 0 ] && # all records: the run that was saved
		aloe why truth --json --dir "$node" --state "$work/state" >"$work/records" 2>>"$work/out" &&
		"$top/$B/tests/truth/matrix" "$work/injected" "$work/records" >>"$work/table" &&
		{ [ -z "${TRUTH_KEEP:-}" ] || { cp "$work/injected" "$TRUTH_KEEP/$1.injected" && cp "$work/records" "$TRUTH_KEEP/$1.records"; }; }
}

# told_right KIND SHARE: of the trials that left a record, so many per cent
told_right() {
	awk -v kind="$1" -v share="$2" '
		$1 == "trial" && $2 == kind && $3 != "not-late" { judged++; right += $3 == "right" }
		END { exit judged == 0 || right * 100 < share * judged }' "$work/table"
}

# Of a kind from outside: no trial is taken for what a component has done.
blames_nobody() {
	awk -v kind="$1" '$1 == "trial" && $2 == kind { blamed += $6 } END { exit blamed > 0 }' "$work/table"
}

: >"$work/table"
ok "a node" aloe up --dir "$node" --state "$work/state"
for kind in $kinds; do
	ok "$kind is injected" disturb "$kind"
	share=${TRUTH_SHARE:-60}
	[ "$kind" = none ] || [ "$share" = 0 ] || ok "$kind is told right" told_right "$kind" "$share"
	case $share:$kind in 0:* | *:component* | *:new-memory*) ;; *) ok "$kind is blamed on no component" blames_nobody "$kind" ;; esac
done
[ -n "${TRUTH_TABLE:-}" ] && [ $failed = 0 ] && cp "$work/table" "$TRUTH_TABLE"
awk -f tests/truth/table.awk "$work/table" | sed 's/^/# /'
exit $failed
