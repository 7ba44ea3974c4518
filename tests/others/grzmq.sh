# SPDX-License-Identifier: BSD-3-Clause
#
# tests/others/grzmq.sh - for check.sh to source: zmq_source and zmq_sink with Debian's GNU Radio at the other end, both ways, each
# pattern, with and without tag headers; bytes are compared, tags read, and a flowgraph is killed and started again.
gr() {
	/usr/bin/python3 tests/others/gr_zmq.py "$@"
}
ready() { # FILE
	for _ in $(seq 300); do
		grep -q ready "$1" 2>/dev/null && return
		sleep 0.1
	done
	return 1
}
gr_conf() { # NAME COMPONENT-LINES LINKS
	printf 'name = "%s";\nslot_ns = 1000000;\ninstances: {\n%s\n};\nlinks = ( %s );\n' "$1" "$2" "$3" >"$work/$1.conf"
}
run_quiet() { # FILE JSON
	"$B/bin/aloe" run "$1" --clock virtual --json -q >"$2" 2>"$work/said"
}
from_gnuradio() { # PATTERN-OF-GNURADIO PATTERN-OF-ALOE TAGS PORT
	address=tcp://127.0.0.1:$4
	gr_conf take "in: { component = \"zmq_source\"; address = \"$address\"; pattern = \"$2\"; tagged = $([ $3 = 1 ] && echo true || echo false);
		type = \"f32\"; length = 1000; idle_ms = 4000; }; out: { component = \"file_sink\"; path = \"$work/taken\"; };" '"in -> out"'
	: >"$work/gr.said"
	mkfifo "$work/hold"
	gr send $address $1 $3 "$work/floats" <"$work/hold" >"$work/gr.said" 2>&1 &
	sender=$!
	exec 8>"$work/hold"
	ready "$work/gr.said"
	run_quiet "$work/take.conf" "$work/json"
	status=$?
	exec 8>&-
	wait $sender
	rm "$work/hold"
	[ $status = 0 ] || { cat "$work/said" "$work/gr.said"; return 1; }
	cmp "$work/floats" "$work/taken"
}
to_gnuradio() { # PATTERN-OF-ALOE PATTERN-OF-GNURADIO TAGS PORT
	address=tcp://127.0.0.1:$4
	gr_conf give "in: { component = \"file_source\"; path = \"$work/floats\"; type = \"f32\"; length = 1000; };
		out: { component = \"zmq_sink\"; address = \"$address\"; pattern = \"$1\"; tagged = $([ $3 = 1 ] && echo true || echo false); };" '"in -> out"'
	: >"$work/gr.said"
	gr take $address $2 $3 "$work/got" 100000 >"$work/gr.said" 2>&1 &
	taker=$!
	ready "$work/gr.said"
	run_quiet "$work/give.conf" "$work/json" || { cat "$work/said"; kill $taker; return 1; }
	wait $taker || return 1
	cmp "$work/floats" "$work/got"
}
# The flowgraph counts without end; it is killed in the midst of a run, and another one takes its place. 6 000 slots take 6 s.
counter_start() { # NAME PATTERN ADDRESS
	: >"$work/gr.said"
	mkfifo "$work/$1"
	gr send "$3" "$2" 0 - <"$work/$1" >"$work/gr.said" 2>&1 &
	sender=$!
	exec 8>"$work/$1"
	ready "$work/gr.said"
}
counter_kill() {
	kill -9 $sender
	wait $sender 2>/dev/null
	exec 8>&-
}
killed_and_restarted() { # PATTERN-OF-GNURADIO PATTERN-OF-ALOE PORT
	address=tcp://127.0.0.1:$3
	gr_conf take "in: { component = \"zmq_source\"; address = \"$address\"; pattern = \"$2\"; type = \"f32\"; length = 1000; };
		out: { component = \"null_sink\"; };" '"in -> out"'
	counter_start "first-$1" $1 $address
	"$B/bin/aloe" run "$work/take.conf" --clock timer --late slip --slots 6000 --json -q >"$work/json" 2>"$work/said" &
	runner=$!
	sleep 3
	counter_kill
	kill -0 $runner || { cat "$work/said"; return 1; }
	sleep 1
	counter_start "second-$1" $1 $address
	wait $runner
	status=$?
	counter_kill
	[ $status = 0 ] && tr -d ' \n' <"$work/json" | grep -q '"calls":6000' && return
	cat "$work/said"
	return 1
}
part_grzmq() {
	/usr/bin/python3 -c 'import array; array.array("f", range(100000)).tofile(open("'"$work/floats"'", "wb"))'
	port=5600
	for tags in 0 1; do
		port=$((port + 10))
		ok "GNU Radio's PUSH Sink to ALOE, tags $tags: the same bytes" from_gnuradio push pull $tags $((port + 1))
		[ $tags = 0 ] || ok "the tags are read" sh -c "tr -d ' \n' <'$work/json' | grep -q '\"tags\":2' && tr -d ' \n' <'$work/json' | grep -q '\"rx_time\":77.25'"
		ok "GNU Radio's REP Sink to ALOE, tags $tags: the same bytes" from_gnuradio rep req $tags $((port + 2))
		ok "ALOE to GNU Radio's PULL Source, tags $tags: the same bytes" to_gnuradio push pull $tags $((port + 3))
		ok "ALOE to GNU Radio's REQ Source, tags $tags: the same bytes" to_gnuradio rep req $tags $((port + 4))
	done
	ok "a flowgraph that is killed and started again: PUSH" killed_and_restarted push pull 5641
	ok "a flowgraph that is killed and started again: REP" killed_and_restarted rep req 5642
}
