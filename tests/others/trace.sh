# SPDX-License-Identifier: BSD-3-Clause
#
# tests/others/trace.sh - for check.sh to source: traces read with the compiled protos of pip's perfetto (in a folder of its own in
# $B), of a waveform without a clock, and of one with lanes in which a component works for too long: written by itself.
trace_get() {
	python3 -m venv "$B/others-trace" && "$B/others-trace/bin/pip" -q install 'perfetto>=0.16,<1'
}
trace_read() { # FILE LINE...: it is sound, and has these lines
	"$B/others-trace/bin/python" tests/others/trace.py "$1" >"$work/trace.lines" || return
	shift
	for line in "$@"; do
		grep -qE -e "$line" "$work/trace.lines" || { echo "no line $line" && cat "$work/trace.lines" && return 1; }
	done
}
trace_conf() { # NAME SLOT_NS COMPONENT...: source -> work -> sink
	printf 'name = "%s";\nslot_ns = %s;\nlate = "skip";\ninstances: {\n\tsource: { component = "counter_source"; };\n\twork: { %s };
	sink: { component = "null_sink"; };\n};\nlinks = ( "source -> work -> sink" );\n' "$1" "$2" "$3" >"$work/$1.conf"
}
trace_ended() {
	for _ in $(seq 100); do
		"$B/bin/aloe" list --dir "$work/node" --json | tr -d ' \n' | grep -q "\"name\":\"$1\",\"state\":\"STOP\"" && return
		sleep 0.1
	done
	return 1
}
trace_misses() { # in the first file that a run has written by itself
	"$B/bin/aloe" run "$work/spin.conf" --clock timer --force --slots 400 --on-miss "$work/misses" -q || return
	set -- "$work"/misses/spin-*.pftrace
	trace_read "$1" '^lane 0: slot [1-9]' '^lane 0: work [1-9]' '^lane 0 misses: (missed|skipped): ' '^work -> sink [1-9]'
}
part_trace() {
	ok "pip's perfetto is there" trace_get
	trace_conf copies 1000000 'component = "spin";'
	trace_conf spin 1000000 'component = "spin"; mean_us = 1500.0;'
	ok "a node" "$B/bin/aloe" up --dir "$work/node" --state "$work/state"
	ok "a waveform" "$B/bin/aloe" load "$work/copies.conf" --dir "$work/node" --clock virtual --slots 50
	ok "it runs" "$B/bin/aloe" start copies --dir "$work/node"
	ok "it ends" trace_ended copies
	ok "its trace" "$B/bin/aloe" trace copies "$work/copies.pftrace" --dir "$work/node"
	ok "tracks, nesting and flows of it" trace_read "$work/copies.pftrace" '^lane 0: slot 50$' '^lane 0: work 50$' \
		'^source -> work 50$' '^work -> sink 50$'
	ok "one that is cut is seen" sh -c "head -c -1 '$work/copies.pftrace' >'$work/cut.pftrace'; ! '$B/others-trace/bin/python' tests/others/trace.py '$work/cut.pftrace'"
	ok "down" "$B/bin/aloe" down --dir "$work/node"
	ok "a trace that a run writes around a miss" trace_misses
}
