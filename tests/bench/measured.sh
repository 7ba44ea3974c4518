#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/bench/measured.sh [--into FILE] [--out DIR] [--short] [NAME...] - write what this machine measures into FILE
# (tests/bench/MEASURED.md): `aloe run --verify`, `make truth` and every command of `aloe bench` below, one after another, as Markdown with
# tables, conditions, machine and date.
#
# DIR (build/measured) has NAME.md, NAME.csv and, of most, NAME.svg of each and, of all that are there, measured.md: a benchmark can be
# repeated alone. The section stands between the lines `<!-- measured: begin -->` and `<!-- measured: end -->` of FILE.
# --short takes few samples, about an hour, and leaves `copies` out, unless named; the whole takes some hours. Both want
# a machine that does nothing else. What DIR has not stays in FILE as it was.
set -eu
cd "$(dirname "$0")/../.."
B=${B:-build}
into=tests/bench/MEASURED.md out='' short='' names=''

while [ $# -gt 0 ]; do
	case $1 in
	--into | --out)
		[ $# -gt 1 ] || { echo "measured.sh: $1: a path is needed" >&2; exit 2; }
		[ "$1" = --into ] && into=$2 || out=$2
		shift
		;;
	--short) short=yes ;;
	-*) sed -n '4,11s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
	*) names="$names $1" ;;
	esac
	shift
done
out=${out:-$B/measured}
limit=${short:+900}
limit=${limit:-14400}
all='verify table1 hist bpsk link overhead daemons memory utran lengths copies bler map map-published growth pipes items messages chain throughput handover bridge two-node response truth x310 x310-recovery'

# title NAME: its heading. A name that is not known has none.
title() {
	case $1 in
	verify) echo 'The same bits' ;;
	table1) echo 'Execution times of the UTRAN chain (Table I)' ;;
	hist) echo 'Their distribution (Figure 1)' ;;
	bpsk) echo 'BPSK: the largest packet that is stable (Figure 2)' ;;
	link) echo 'Links (Figures 3 and 4)' ;;
	overhead) echo 'Overhead (Figures 5 and 6)' ;;
	daemons) echo 'Daemons (Table II)' ;;
	memory) echo 'Memory (Table III)' ;;
	utran) echo 'The UTRAN bearer, component by component' ;;
	lengths) echo 'Times of components at a third length, from two others' ;;
	copies) echo 'Bearers on a core' ;;
	bler) echo 'Block error rates' ;;
	map) echo 'Mappers' ;;
	map-published) echo 'Stages beside published optima (HeRAD, 2CATAC, FERTAC, OTAC)' ;;
	growth) echo 'What loading, running and unloading cost, by instances and waveforms' ;;
	pipes) echo 'Streams through pipes and stages (Bloessl et al.)' ;;
	items) echo 'Streams, by the items in a slot' ;;
	messages) echo 'Messages through pipes and stages' ;;
	chain) echo 'A paced chain' ;;
	throughput) echo 'BPSK, as fast as it goes' ;;
	handover) echo 'From one component to the next' ;;
	bridge) echo 'From one node to another' ;;
	response) echo 'Late responses under load (Wang et al., Figure 6)' ;;
	truth) echo 'Causes that `aloe why` names, beside what was done (confusion matrix)' ;;
	two-node) echo 'The chain on two nodes' ;;
	x310) echo 'From a radio and back to it (Engelhardt et al., Table I and Figure 4)' ;;
	x310-recovery) echo 'One transmit packet that goes wrong' ;;
	*) return 1 ;;
	esac
}

# beside PEER...: --vs those of them that `make bench-peers` has built.
beside() {
	vs=''
	for peer; do
		[ ! -x "$B/peers/$peer" ] || vs=$vs${vs:+,}$peer
	done
	echo "${vs:+--vs $vs}"
}

verified='utran384 bpsk channel-emulator'
times='system,setup,runs,mean,low,high,rate,whole_s' ratios='against,pairs,ratio,quarter,three_quarters,whole_ratio,reach,reached'
limits='chain_p50_us,chain_p99_us,share_p50,share_p99,in_process_times,missed'

# options NAME: what is given to it; with --short, few samples.
options() {
	case $1 in
	hist) echo '--table summary' ;;
	bpsk) echo '--table largest --table lanes --columns lanes,counting,slot_us,bits,mbit_per_s,samples,missed,in_gaps,mapping,replicas,pairs,one_us,two_us,times,bare_times,limit_share,reach,reached' ;;
	link) echo '--columns isolation,bits,samples,mean_us,p50_us,p99_us,max_to_mean,published_max_to_mean,in_process_max_to_mean,gbit_per_s,zero_copy_us' ;;
	overhead) echo '--table lines --table evidence --table switches --table relative --columns isolation,component_us,core_share,wakes,off_us,on_us,switch_us,switch_low_us,switch_high_us,here,of,slot_us,samples,base_us,base_direct_us,module_us,module_low_us,module_high_us,module_direct_us,published_module_us,share,published_share,times,in_process_module_us,in_process_share' ;;
	daemons) echo '--columns daemon,node,on_cpu,slot_us,slots,us_per_slot,wakes_per_slot,frames_per_slot,published_us,reach_us,reached' ;;
	memory) echo '--columns isolation,process,components,samples,private_kb,image_kb,sum_kb,reach_kb,reached,published_kb,published_ti_kb,times' ;;
	table1) echo '--columns isolation,component,calls,mean_us,max_us,kmac,published_mean_us,published_max_us,published_kmac,times,in_process_max_us' ;;
	utran) echo '--table sums' ;;
	copies | bler) echo "--table $([ "$1" = copies ] && echo largest || echo crossings)" ;;
	map) echo '--table mappers' ;;
	pipes) echo "$(beside gnuradio futuresdr) --columns pipes,stages,lanes,$times,$ratios,ours,copying,share,call_ns,most" ;;
	items) echo '--table slot_items --columns pipes,stages,slot_items,kib,setup,mean,rate,best' ;;
	messages) echo "--packets 20,1 $(beside gnuradio) --columns pipes,stages,$times,$ratios" ;;
	throughput) echo "$(beside gnuradio) --columns $times,$ratios" ;;
	chain) echo "$(beside gnuradio) --columns $times,second,third,$ratios,$limits" ;;
	handover) echo "$(beside jack) --columns $times,second,third,$ratios,$limits" ;;
	x310-recovery) echo '--columns device,fault,recovery,round_trips,inits,discarded,left_out,silent,slip,restored_us' ;;
	esac
	case $1${short:+-short} in
	hist-short) echo '--samples 500' ;;
	bpsk-short) echo '--slot-us 100,1000 --slots 1000' ;;
	link-short) echo '--samples 2000 --each 200 --bits 100000,64,1048576' ;;
	overhead-short) echo '--samples 2000 --rounds 2 --components 3,10,50 --slot-us 1000' ;;
	lengths-short) echo '--rounds 2' ;;
	utran-short) echo '--rounds 1 --seconds 2' ;;
	copies-short) echo '--seconds 1 --lanes 1' ;;
	bler-short) echo '--iterations 2 --blocks 1000' ;;
	map-short) echo '--seeds 20 --units 0' ;;
	growth-short) echo '--instances 10,1000,10000 --waveforms 1,10,100' ;;
	pipes-short) echo '--sizes 2,6,10,20 --items 2e7 --runs 8' ;;
	items) echo '--sizes 2,5,10 --slot-items 256,512,1024,2048,3072,3840,5120,8192' ;;
	items-short) echo '--sizes 10 --slot-items 512,1024,2048,3840,8192 --items 2e7 --runs 3' ;;
	messages-short) echo '--sizes 2,5,10 --items 1e4 --runs 5' ;;
	chain-short) echo '--runs 3 --seconds 1' ;;
	throughput-short) echo '--runs 5' ;;
	handover-short) echo '--runs 3 --seconds 0.7' ;;
	bridge-short) echo '--rounds 3 --seconds 0.2' ;;
	response) echo "--resume $out/response.json" ;;
	response-short) echo '--subframes 40' ;;
	daemons-short) echo '--slots 1000' ;;
	two-node-short) echo '--slots 150' ;;
	x310-short) echo '--seconds 1' ;;
	esac
}

# rows NAME: which rows are shown, in awk; NAME.csv has all.
rows() {
	case $1 in
	table1) echo '$2 ~ /component/ || $3 ~ /chain|turbo decoder/' ;;
	daemons) echo '$4 ~ /lane/ || $2 ~ /TOTAL|a frame/' ;;
	memory) echo '$2 !~ /component/ || $3 !~ /aloe-host/ || $4 ~ /utran_crc |turbo_decoder/' ;;
	overhead) echo '$3 !~ /mean/' ;;
	map) echo '$3 ~ /tw1 |tw3d|greedy|local|exact|portfolio/' ;;
	*) echo 1 ;;
	esac
}

# command_of NAME: the command and what it measures, without what is only about showing it.
command_of() {
	case $1 in
	verify) echo run waveforms/NAME.conf --verify; return ;;
	truth) echo 'why, by make truth'; return ;;
	items) set -- pipes items ;;
	daemons) set -- 'overhead --daemons' daemons ;;
	map-published) set -- 'map --published' map-published ;;
	*) set -- "$1" "$1" ;;
	esac
	echo "bench $1" $(options "$2" | sed 's/--table [^ ]*//g; s/--columns [^ ]*//g')
}

# handsome NAME: of its output the tables, then, folded, the command, when, how long, on which CPU, and what the figures stand on.
handsome() {
	awk -F'|' -v command="aloe $(command_of "$1")" '
		NR == 3 { n = split($0, part, "; "); when = part[n - 1] ", " part[n] ", " part[1] }
		NR <= 4 { next }
		/^\* / { notes = notes $0 "\n"; next }
		/^\|/ { row++; if (row <= 2 || '"$(rows "$1")"') print; next }
		{ row = 0; print }
		END { printf "\n<details><summary><code>%s</code>, %s</summary>\n\n%s\n</details>\n", command, when, notes }
	' "$out/$1.part" | cat -s
}

# verify: the tables of all waveforms, as they are printed.
verify() {
	status=0 start=$(date +%s)
	for waveform in $verified; do
		printf '**%s**\n\n```text\n' "$waveform"
		"$B/bin/aloe" run "waveforms/$waveform.conf" --verify || status=1
		printf '```\n\n'
	done >"$out/verify.part"
	printf '<details><summary><code>aloe %s</code>, %s, %s s</summary>\n\n%s\n%s\n\n</details>\n' "$(command_of verify)" \
		"$(date -u +%Y-%m-%dT%H:%MZ)" "$(($(date +%s) - start))" \
		'* each run changes one thing against the first; a hash under `all sinks` is of all that the sinks of that run got' \
		'* `slots` is how many indices ran: 1000, or until the source ended' >>"$out/verify.part"
	[ $status != 0 ] || mv "$out/verify.part" "$out/verify.md"
	rm -f "$out/verify.part"
	return $status
}

# truth: the matrix of `make truth`. What is done of it lies in BUILD/truth/SEED, so that it goes on where it was ended.
truth() {
	trials=$([ -z "$short" ] && echo 100 || echo 10) seed=3 start=$(date +%s)
	make -s B="$B" truth TRIALS="$trials" SEED="$seed" >"$out/truth.part" || { rm -f "$out/truth.part"; return 1; }
	{
		awk '/^\| disturbed by/ { show = 1 } !show { next } /^\|/ { print; next } !notes++ { print "" } NF { print "* " $0 }' "$out/truth.part"
		printf '\n<details><summary><code>make truth TRIALS=%s SEED=%s</code>, %s, %s</summary>\n\n%s\n%s\n%s\n\n</details>\n' "$trials" "$seed" \
			"$(date -u +%Y-%m-%dT%H:%MZ)" "$(($(date +%s) - start)) s since it was begun or taken up again" \
			'* slots of 1 ms, four instances on one lane, `late = "skip"`; `tests/truth/inject` disturbs the lane and tells the engine nothing' \
			'* a row is what was done, a column is the largest cause that was named; with two kinds, right is that both are the two largest' \
			'* thresholds stand in `core/evidence`, and were committed before the first trial of this seed'
	} >"$out/truth.md"
	rm -f "$out/truth.part"
}

# measure NAME: into NAME.md; what has taken far too long is told to end, and gives what it has until then.
measure() {
	case $1 in verify | truth) "$1"; return ;; esac
	status=0
	# shellcheck disable=SC2046 # options are words
	set -- "$1" $(command_of "$1") $(options "$1" | grep -o -e '--table [^ ]*' -e '--columns [^ ]*')
	name=$1
	shift
	case $name in map-published | growth) ;; *) set -- "$@" --plot "$out/$name.svg" ;; esac # those have tables alone
	timeout --foreground -k 20 "$limit" "$B/bin/aloe" "$@" --markdown --csv "$out/$name.csv" >"$out/$name.part" || status=$?
	[ $status != 124 ] || echo "measured.sh: $name took too long: what it had until then" >&2
	if [ -s "$out/$name.part" ] && { [ $status = 0 ] || [ $status = 124 ]; }; then
		handsome "$name" >"$out/$name.md"
		sed -n '3s/\(.*\); [^;]*; [^;]*$/\1/p' "$out/$name.part" >"$out/machine"
		[ $status = 124 ] || rm -f "$out/$name.json" # what it has kept to go on with
	fi
	rm -f "$out/$name.part"
	return $status
}

# section: measured.md of all that are there.
section() {
	printf 'On this machine: %s. ' "$(cat "$out/machine" 2>/dev/null || sed -n 's/^On this machine: \(.*[^.]\)\. By .*/\1/p' "$into")"
	printf 'By `tests/bench/measured.sh%s`, last on %s: %s in %s s, with a load of %s when it began. ' "${short:+ --short}" \
		"$(date -u +%Y-%m-%dT%H:%MZ)" "$(echo $done_names | wc -w) benchmarks" "$(($(date +%s) - began))" "$load"
	printf 'Below each table, folded, are its command, its date, its CPU (of tables from 2026-11-28 on), and what the figures stand on. '
	printf 'Ratios to what was published are across machines, and only of isolation `component`: a process each, as theirs.\n\n'
	for name in $all; do
		if [ -f "$out/$name.md" ]; then cat "$out/$name.md"; else kept "$name"; fi >"$out/body"
		[ ! -s "$out/body" ] || { printf '### %s\n\n' "$(title "$name")"; cat "$out/body"; echo; }
	done
	rm -f "$out/body"
}

# kept NAME: its part of FILE, as it was measured before.
kept() {
	awk -v title="### $(title "$1")" '/^### / { inside = $0 == title; next } /^<!-- measured: end -->/ { inside = 0 } inside' "$into" |
		sed -e '/./,$!d' | sed -e ':a' -e '/^\n*$/{$d;N;ba' -e '}'
}

into_file() {
	awk -v part="$out/measured.md" '
		$0 == "<!-- measured: end -->" { inside = 0 }
		!inside { print }
		$0 == "<!-- measured: begin -->" {
			inside = 1
			print ""
			while ((getline line < part) > 0)
				print line
		}' "$into" >"$out/into" && cat "$out/into" >"$into" && rm "$out/into"
}

fail() {
	echo "measured.sh: $1" >&2
	exit 2
}

{ grep -qx '<!-- measured: begin -->' "$into" && grep -qx '<!-- measured: end -->' "$into"; } ||
	fail "$into has no lines \`<!-- measured: begin -->\` and \`<!-- measured: end -->\`"
[ -x "$B/bin/aloe" ] || fail "$B/bin/aloe is not there: make (or B=FOLDER)"
for name in $names; do
	title "$name" >/dev/null || fail "$name: there are $all"
done
for peer in gnuradio futuresdr jack uhd; do
	[ -x "$B/peers/$peer" ] || echo "measured.sh: without $peer: \`make bench-peers\` builds it" >&2
done

[ -n "$names" ] || names=$([ -z "$short" ] && echo "$all" || echo "$all" | sed 's/ copies / /')
began=$(date +%s) load=$(cut -d' ' -f1 /proc/loadavg) failed=0 done_names=''
mkdir -p "$out"
for name in $names; do
	printf '%4d s  %s\n' "$(($(date +%s) - began))" "$(command_of "$name")" >&2
	measure "$name" || {
		status=$?
		[ $status != 130 ] || exit 130
		[ $status = 124 ] || echo "measured.sh: $name has failed (exit $status)$([ ! -f "$out/$name.md" ] ||
			echo ": its figures of before are kept")" >&2
		failed=1
	}
	done_names="$done_names $name"
done
section >"$out/measured.md"
into_file
printf '%4d s  in all: %s, and in %s\n' "$(($(date +%s) - began))" "$out/measured.md" "$into" >&2
exit $failed
