#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The confusion matrix of `aloe why`: TRUTH_TRIALS judged trials of each of TRUTH_KINDS, in chunks. What is done lies in
# BUILD/truth/SEED, so that it can be interrupted, and goes on with the chunk that is missing. It stops by itself
# before a chunk when TRUTH_SECONDS have gone, with exit status 75: `flock FILE make truth ...`, once more. Trials that made no slot late
# are repeated, at most as many again; the table counts them.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
dir=$B/truth/$TRUTH_SEED
mkdir -p "$dir"
began=$(date +%s)

count() { # KIND RESULT: lines of trials
	cat "$dir/$1".*.trials 2>/dev/null | awk -v kind="$1" -v result="$2" '$1 == "trial" && $2 == kind && $3 ~ result { n++ } END { print n + 0 }'
}

for kind in $TRUTH_KINDS; do
	voids=0
	for chunk in $(seq -w 20); do
		all=$(count "$kind" .)
		judged=$(count "$kind" 'right|wrong')
		if [ "$kind" = none ] || [ $((all)) -lt "$TRUTH_TRIALS" ]; then missing=$((TRUTH_TRIALS - all)); else missing=$((TRUTH_TRIALS - judged)); fi
		if [ $missing -le 0 ] || [ $all -ge $((2 * TRUTH_TRIALS)) ]; then break; fi
		if [ $all -ge "$TRUTH_TRIALS" ] && [ $((2 * judged)) -lt $all ]; then break; fi
		[ ! -e "$dir/$kind.$chunk.trials" ] || continue
		[ $missing -le 30 ] || missing=30
		[ "$kind:$chunk" != stolen:04 ] || break # it waits for what may never come
		[ $(($(date +%s) - began)) -lt "${TRUTH_SECONDS:-100000}" ] || exit 75
		echo "$kind, chunk $chunk: $missing trials"
		B="$B" TRUTH_KINDS="$kind" TRUTH_TRIALS=$missing TRUTH_SEED="$TRUTH_SEED$chunk" TRUTH_SHARE=0 \
			TRUTH_TABLE="$dir/$kind.$chunk.trials" sh tests/truth/test_truth.sh >"$dir/log" 2>&1
		[ -e "$dir/$kind.$chunk.trials" ] || { # another has the lane's CPU, say
			echo "void: $kind: $(grep '^  | ' "$dir/log" | tail -n 2 | head -n 1)" | tee -a "$dir/void"
			voids=$((voids + 1))
			if [ $voids = 3 ]; then
				echo "$kind is not here"
				break
			fi
		}
	done
done
for kind in $TRUTH_KINDS; do cat "$dir/$kind".*.trials 2>/dev/null; done | awk -f tests/truth/table.awk
if [ -e "$dir/void" ]; then echo "chunks that did not begin, and were repeated: $(wc -l <"$dir/void")"; fi
