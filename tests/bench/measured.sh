#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/bench/measured.sh [--into FILE] [--out DIR] [--short] [NAME...] - what this machine measures, as README's section
# "Measured": every command of `aloe bench` below, one after another, as Markdown with its tables, notes, machine and date.
#
# DIR (build/measured) has NAME.md, NAME.csv and NAME.svg of each and, of all that are there, measured.md: a benchmark can be
# repeated alone. --into puts that between the lines `<!-- measured: begin -->` and `<!-- measured: end -->` of FILE.
# --short takes few samples, to try it. The whole takes some hours, and wants a machine that does nothing else.
set -eu
cd "$(dirname "$0")/../.."
B=${B:-build}
into='' out='' short='' names=''

while [ $# -gt 0 ]; do
	case $1 in
	--into | --out)
		[ $# -gt 1 ] || { echo "measured.sh: $1: a path is needed" >&2; exit 2; }
		[ "$1" = --into ] && into=$2 || out=$2
		shift
		;;
	--short) short=yes ;;
	-*) sed -n '4,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
	*) names="$names $1" ;;
	esac
	shift
done
out=${out:-$B/measured}
all='table1 hist bpsk link overhead memory utran copies bler map pipes messages chain throughput handover'

# title NAME: its heading. A name that is not known has none.
title() {
	case $1 in
	table1) echo 'Execution times of the UTRAN chain (Table I)' ;;
	hist) echo 'Their distribution (Figure 1)' ;;
	bpsk) echo 'BPSK: the largest packet that is stable (Figure 2)' ;;
	link) echo 'Links (Figures 3 and 4)' ;;
	overhead) echo 'Overhead (Figures 5 and 6)' ;;
	memory) echo 'Memory (Table III)' ;;
	utran) echo 'The UTRAN bearer, component by component' ;;
	copies) echo 'Bearers on a core' ;;
	bler) echo 'Block error rates' ;;
	map) echo 'Mappers' ;;
	pipes) echo 'Streams through pipes and stages (Bloessl et al.)' ;;
	messages) echo 'Messages through pipes and stages' ;;
	chain) echo 'A paced chain' ;;
	throughput) echo 'BPSK, as fast as it goes' ;;
	handover) echo 'From one component to the next' ;;
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

# options NAME: what is given to it; with --short, few samples.
options() {
	case $1${short:+-short} in
	table1) echo '' ;;
	table1-short) echo '--samples 20' ;;
	hist) echo '--table summary' ;;
	hist-short) echo '--table summary --samples 100' ;;
	bpsk) echo '--table largest' ;;
	bpsk-short) echo '--table largest --slot-us 1000 --slots 100' ;;
	link) echo '' ;;
	link-short) echo '--samples 1000 --each 100 --bits 100000,64,1048576' ;;
	overhead) echo '--table lines --table relative' ;;
	overhead-short) echo '--table lines --table relative --samples 1000 --rounds 2 --components 3,10 --slot-us 1000' ;;
	memory | memory-short) echo '' ;;
	utran) echo '--table sums' ;;
	utran-short) echo '--table sums --rounds 1 --seconds 1' ;;
	copies) echo '--table largest' ;;
	copies-short) echo '--table largest --max 4 --seconds 1' ;;
	bler) echo '--table crossings' ;;
	bler-short) echo '--table crossings --iterations 2 --blocks 400' ;;
	map) echo '--table mappers' ;;
	map-short) echo '--table mappers --seeds 10 --units 0' ;;
	pipes) beside gnuradio futuresdr ;;
	pipes-short) echo "--sizes 2 --items 1e6 --runs 2 $(beside gnuradio futuresdr)" ;;
	messages) beside gnuradio ;;
	messages-short) echo "--sizes 2 --items 1e4 --runs 2 $(beside gnuradio)" ;;
	chain | throughput) beside gnuradio ;;
	chain-short | throughput-short) echo "--runs 2 $(beside gnuradio)" ;;
	handover) beside jack ;;
	handover-short) echo "--runs 2 $(beside jack)" ;;
	*) echo '' ;;
	esac
}

[ -z "$into" ] || { grep -qx '<!-- measured: begin -->' "$into" && grep -qx '<!-- measured: end -->' "$into"; } || {
	echo "measured.sh: $into has no lines \`<!-- measured: begin -->\` and \`<!-- measured: end -->\`" >&2
	exit 2
}
for name in $names; do
	title "$name" >/dev/null || { echo "measured.sh: $name: there are $all" >&2; exit 2; }
done

failed=0
mkdir -p "$out"
for name in ${names:-$all}; do
	echo "$name" >&2
	# shellcheck disable=SC2046 # options are words
	"$B/bin/aloe" bench "$name" $(options "$name") --markdown --csv "$out/$name.csv" --plot "$out/$name.svg" \
		>"$out/$name.part" || {
		status=$?
		rm "$out/$name.part"
		[ $status != 130 ] || exit 130
		echo "measured.sh: $name has failed: left out" >&2
		failed=1
		continue
	}
	sed '1s/ --markdown .*/`/' "$out/$name.part" >"$out/$name.md" # the command as one would give it
	rm "$out/$name.part"
done

: >"$out/measured.md"
for name in $all; do
	[ ! -f "$out/$name.md" ] || { printf '### %s\n\n' "$(title "$name")"; cat "$out/$name.md"; echo; } >>"$out/measured.md"
done
[ -z "$into" ] || {
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
echo "$out/measured.md${into:+, and in $into}" >&2
exit $failed
