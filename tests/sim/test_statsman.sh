#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe-statsman: get, set and log of a waveform whose instances are on two nodes, and one index for what is set on both;
# /metrics in both formats, on loopback and only when asked for; who is hostile to it harms nobody; killed, it is there again.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/nodes.sh
slow=
end() {
	[ -n "$slow" ] && kill $slow 2>/dev/null
	[ -f "$work/pair.conf" ] && "$bin/aloe" down --platform "$work/pair.conf" >/dev/null 2>&1
	"$bin/aloe" down >/dev/null 2>&1
	rm -rf "$work"
}
trap end EXIT

# request TEXT: what the port answers to these bytes, given to printf.
request() {
	REQUEST=$1 PORT=$metrics timeout 60 bash -c 'exec 3<>/dev/tcp/127.0.0.1/$PORT && printf "$REQUEST" >&3 && cat <&3' 2>/dev/null
}
scrape() { # ACCEPT: the answer in `page`, its text in `text`
	request "GET /metrics HTTP/1.1\r\nHost: localhost:$metrics\r\nAccept: $1\r\n\r\n" | tr -d '\r' >page
	sed '1,/^$/d' page >text
	head -n 1 page | grep -q '^HTTP/1.1 200 '
}
openmetrics='application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
judged() { # 0 or 1: by which format
	awk -v open="$1" -f "$top/tests/sim/metrics.awk" text
}
# value NAME LABEL...: of the one sample that has these labels.
value() {
	name=$1
	shift
	grep "^$name{" text >found
	for label in "$@"; do
		grep -F "$label" found >fewer
		mv fewer found
	done
	test "$(wc -l <found)" = 1 && sed 's/.* //' found
}
listens() { # NODE_DIRECTORY: where its daemons listen for TCP
	sockets "$1" >inodes
	awk '$4 == "0A" { print $2, $10 }' /proc/net/tcp /proc/net/tcp6 2>/dev/null | while read -r at inode; do
		grep -qx "$inode" inodes && echo "$at"
	done
}

port=$((7200 + $$ % 50 * 16))
metrics=$((port + 7))

# ---- one node ----

ok "an address that others could reach is refused" says 2 "other machines could reach 0.0.0.0:$metrics" aloe up --metrics 0.0.0.0:$metrics
ok "so is one of a network" says 2 "127.0.0.1 is needed" aloe up --metrics 192.168.1.1:$metrics
ok "so is IPv6, which is not served" says 2 "[::1]:$metrics is IPv6" aloe up --metrics "[::1]:$metrics"
ok "so is what is no port" says 2 "a port 1 .. 65535 is needed" aloe up --metrics http
ok "so is port 0" says 2 "a port 1 .. 65535 is needed" aloe up --metrics 0
ok "the daemon refuses it, too" says 2 "other machines could reach" "$bin/aloe-statsman" --dir "$work/none" --metrics 0.0.0.0:$metrics
ok "a node" says 0 "the node is up" aloe up
ok "it has a statsman" test -n "$(pid_of statsman "$work/aloe")"
ok "it listens nowhere" test -z "$(listens "$work/aloe")"
ok "down" says 0 "the node is down" aloe down
ok "a node with /metrics" says 0 "the node is up" aloe up --metrics $metrics
ok "it listens at this address only" test "$(listens "$work/aloe")" = "$(printf '0100007F:%04X' $metrics)"
ok "no second program may have the port" says 1 "another program has 127.0.0.1:$metrics" aloe up --dir "$work/b" --state "$work/sb" --metrics $metrics

cat >one.conf <<'END'
name = "one";
slot_ns = 1000000;
instances: {
	source: { component = "random_source"; length = 100; };
	mod:    { component = "bpsk_mod"; };
	demod:  { component = "bpsk_demod"; };
	check:  { component = "bit_compare"; };
};
links = ( "source -> mod -> demod -> check.received", "source -> check.sent" );
END
ok "load" says 0 "one is loaded" aloe load one.conf --clock virtual --slots 20000
ok "nothing of a waveform that is not there" says 2 'no waveform "two" is loaded; loaded: one' aloe log two check one.csv
ok "no parameter is logged" says 2 "only variables can be logged" aloe log one source.length one.csv
ok "a name that is wrong" says 2 'no variable or parameter "block" (did you mean "blocks"?)' aloe log one check.block one.csv
ok "nothing is left of what was refused" sh -c "! test -s one.csv"
"$bin/aloe" log one check.blocks one.csv >log.said 2>&1 &
logs=$!
ok "start" says 0 "one runs" aloe start one
ok "the log ends with the waveform" wait $logs
ok "it says how many lines there are" grep -qE '^one.csv: [0-9]+ lines?, index [0-9]+ to 19999; ' log.said
exact() { # FILE EVERY: each line has the blocks that were compared after its index, one line at most for EVERY, gaps as said
	awk -F , -v every="$2" 'NR == 1 { if ($0 != "index,check.blocks") exit 1; next }
		{ if ($2 != $1 + 1) { print "after index " $1 ", " $2 " blocks"; exit 1 }
			part = int($1 / every)
			if (NR > 2 && part <= last) { print "line " NR; exit 1 }
			if (NR > 2) missing += part - last - 1
			last = part }
		END { print NR - 1 + 0, missing + 0 }' "$1" >counted || { cat counted; return 1; }
	read -r lines missing <counted
	told=$(sed -n 's/.* in which \([0-9]*\) lines* .*/\1/p' log.said)
	echo "$lines lines, $missing missing; told: $(cat log.said)"
	test "$lines" -ge 1 -a "$missing" = "${told:-0}" && grep -q "^one.csv: $lines line" log.said
}
ok "each line is of its index, and the gaps are counted" exact one.csv 1
ok "one line more for 100 indices of what has ended" says 0 "index 19999 to 19999; no gaps" aloe log one check one.csv --every 100
ok "with all variables of the instance" grep -q '^index,check.blocks,check.block_errors,' one.csv

for round in old new; do
	case $round in
	old) accept='text/plain' format=0 type='text/plain; version=0.0.4; charset=utf-8' ;;
	new) accept=$openmetrics format=1 type='application/openmetrics-text; version=1.0.0; charset=utf-8' ;;
	esac
	ok "/metrics, $round format" scrape "$accept"
	ok "its type, $round format" grep -qx "Content-Type: $type" page
	ok "it is of that format: $round" judged $format
	ok "it is not of the other one: $round" sh -c "! awk -v open=$((1 - format)) -f '$top/tests/sim/metrics.awk' text"
	ok "all calls, $round format" test "$(value aloe_instance_calls_total 'instance="check"')" = 20000
	times=$(value aloe_instance_busy_seconds_bucket 'instance="check"' 'le="+Inf"')
	ok "times of one step of 16 or more, $round format: $times" test "$times" -ge 1250 -a "$times" -le 20000
	ok "the state, $round format" test "$(value aloe_waveform_state 'aloe_waveform_state="STOP"')" = 1
	ok "slots, $round format" test "$(value aloe_slots_total 'result="run"')" = 20000
	ok "batons, $round format" test "$(value aloe_lane_batons_total 'result="reset"')" = 0
done
request "GET /metrics HTTP/1.0\r\n\r\n" | tr -d '\r' >page
ok "without Accept: the old format" grep -qx 'Content-Type: text/plain; version=0.0.4; charset=utf-8' page
answers() { # STATUS REQUEST
	request "$2" | head -n 1 | grep -q "^HTTP/1.1 $1 "
}
ok "there is nothing else" answers 404 "GET /etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n"
ok "nor above" answers '40[04]' "GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n"
ok "nothing can be put there" answers 405 "PUT /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
ok "a page of another name cannot read it" answers 403 "GET /metrics HTTP/1.1\r\nHost: example.com\r\n\r\n"

# ---- who is hostile ----

before=$(pid_of statsman "$work/aloe")
threads=$(awk '/^Threads/ { print $2 }' "/proc/$before/status")
ok "unload" says 0 "one is unloaded" aloe unload one
ok "load, to run beside it" says 0 "one is loaded" aloe load one.conf --clock virtual
ok "start that" says 0 "one runs" aloe start one
long=$(head -c 100000 /dev/zero | tr '\0' x)
PORT=$metrics LONG=$long bash -c '
	bytes() { exec 3<>/dev/tcp/127.0.0.1/$PORT && "$@" >&3 && cat <&3; }
	bytes printf "GET /metrics HTTP/1.1\r\nHost: %s\r\n\r\n" "$LONG" &
	bytes printf "GET /%s HTTP/1.1\r\n\r\n" "$LONG" &
	bytes printf "GET /metrics HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n" &
	bytes head -c 100000 /dev/urandom &
	wait' >/dev/null 2>&1 &
rude=$!
# Long lines, bytes that are no request; and more than are read at a time: of each half a request, and then nothing until they are killed.
PORT=$metrics bash -c 'for n in $(seq 5 64); do eval "exec $n<>/dev/tcp/127.0.0.1/$PORT" && printf "GET /metrics HTTP/1.1\r\nHo" >&$n; done
	touch half; exec sleep 600' 2>/dev/null &
slow=$!
eventually test -f half
ok "60 slow clients are there" test -f half
ok "the node answers beside them" says 0 "one: RUN" aloe status one
ok "so does statsman" says 0 "check.blocks" aloe get one check.blocks
ok "it has no more threads than before" test "$(awk '/^Threads/ { print $2 }' "/proc/$before/status")" -le "$threads"
nice_of() { ps -o cls=,ni= -p "$1" | tr -d ' '; }
ok "it has ordinary priority" test "$(nice_of "$before")" = TS0
kill $slow
wait $slow $rude 2>/dev/null
slow=
ok "when they are gone, it is read again" eventually scrape text/plain
ok "and is whole" judged 0
many() { # 40 readers at a time, each gets a whole page
	for n in $(seq 40); do
		(request "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" >"many.$n") &
	done
	wait
	for n in $(seq 40); do
		tr -d '\r' <"many.$n" | sed '1,/^$/d' >text
		judged 0 || return 1
	done
	rm -f many.*
}
ok "40 readers at a time" many
ok "all the time it was the same process" test "$(pid_of statsman "$work/aloe")" = "$before"
ok "and nothing was lost of the waveform" sh -c "'$bin/aloe' get one check | grep -qx 'check.block_errors 0'"

# ---- killed ----

kill -9 "$before"
ok "killed: who asks is answered by the next one" says 0 "check.blocks" aloe get one check.blocks
ok "that is another one" test "$(pid_of statsman "$work/aloe")" != "$before"
ok "/metrics is there again" eventually scrape "$openmetrics"
ok "and is whole again" judged 1
"$bin/aloe" log one check.blocks one.csv --every 1000 2>log.said &
logs=$!
ok "a log has begun" eventually test -s one.csv
lines=$(wc -l <one.csv)
kill -9 "$(pid_of stats "$work/aloe")"
more() { test "$(wc -l <one.csv)" -gt $((lines + 1)); }
ok "it goes on with another aloe-stats" eventually more
kill -TERM $logs # as Ctrl-C, which a shell keeps from what is in its background
ok "interrupted, it ends in good order" wait $logs
ok "and its lines and gaps are as it says" exact one.csv 1000
ok "stop" says 0 "one is stopped" aloe stop one
ok "down with it" says 0 "the node is down" aloe down
ok "its port is free" sh -c "! bash -c 'exec 3<>/dev/tcp/127.0.0.1/$metrics' 2>/dev/null"

# ---- two nodes ----

pair >pair.conf
cat >two.conf <<'END'
name = "two";
slot_ns = 20000000;
instances: {
	source: { component = "random_source"; length = 10; seed = 7; node = "a"; };
	mod:    { component = "bpsk_mod"; node = "a"; };
	near:   { component = "gain"; node = "a"; };
	far:    { component = "gain"; node = "b"; };
	demod:  { component = "bpsk_demod"; node = "b"; };
	check:  { component = "bit_compare"; node = "b"; };
	sink:   { component = "file_sink"; path = "two.bin"; node = "a"; };
};
links = ( "source -> mod -> near -> far -> sink", "far -> demod -> check.received", "source -> check.sent" );
END
ok "/metrics is the manager's" says 2 'node "b" is not the manager' aloe up --platform pair.conf --node b --dir "$work/aloe-b" --metrics $metrics
ok "two nodes, with /metrics" says 0 "the node is up: $work/aloe-b" aloe up --platform pair.conf --metrics $metrics
ok "both have joined" eventually joined
ok "statsman is on the manager only" test -n "$(pid_of statsman "$work/aloe")" -a -z "$(pid_of statsman "$work/aloe-b")"
ok "load on both" says 0 "two is loaded" aloe load two.conf --tap far.out --keep 4000
"$bin/aloe" tap two far.out --from 0 -o far.bin 2>far.said &
far=$!
ok "an output of two nodes gets no ring later" says 2 "load the waveform with --tap near.out" aloe tap two near.out -o near.bin
ok "start on both" says 0 "two runs" aloe start two
for dir in aloe aloe-b; do
	ok "a parameter of a, asked at $dir" says 0 "near.gain 1.0" aloe get two near.gain --dir "$work/$dir"
	ok "a parameter of b, asked at $dir" says 0 "far.gain 1.0" aloe get two far.gain --dir "$work/$dir"
	ok "all of both, asked at $dir" sh -c "'$bin/aloe' get two --dir '$work/$dir' >all && grep -q '^near.gain 1.0$' all && grep -q '^check.blocks' all"
done
ok "a look at b, from a" says 0 '"check.blocks":' aloe watch two check --json --count 1
ok "the name of nothing" says 2 'has no instance "nea" (did you mean "near"?)' aloe get two nea.gain
ok "no variable is set" says 2 "check.blocks is a variable, but only a parameter can be set" aloe set two far.gain=2 check.blocks=1
ok "one of b is set from a" says 0 "far.gain = 1 from index" aloe set two far.gain=1
began() { test "$(aloe get two check.blocks --dir "$work/aloe" | sed 's/.* //')" -gt 5; }
ok "both run" eventually began
ok "an index that was: nothing is set" says 1 "index 1 is too late for several nodes, newest is" aloe set two near.gain=7 far.gain=7 --at 1
ok "not on a" says 0 "near.gain 1" aloe get two near.gain
ok "nor on b" says 0 "far.gain 1" aloe get two far.gain
ok "pause" says 0 "two pauses" aloe pause two
newest=$(aloe watch two check --json --count 1 | sed 's/.*"index":\([0-9]*\).*/\1/')
at=$((newest + 30))
ok "several of both nodes, at one index" says 0 "far.gain = 3 from index $at" aloe set two near.gain=2 far.gain=3 --at $at
ok "of the other, too" grep -qx "near.gain = 2 from index $at" said
ok "go on" says 0 "two runs" aloe start two
is_set() { aloe get two near.gain | grep -qx "near.gain $1.0" && aloe get two far.gain | grep -qx "far.gain $2.0"; }
ok "both take it" eventually is_set 2 3
ok "pause once more" says 0 "two pauses" aloe pause two
ok "at the next index for both" says 0 "far.gain = 5 from index" aloe set two near.gain=4 far.gain=5
next=$(sed -n 's/^near.gain = 4 from index //p' said)
ok "which is one" test "$(sed -n 's/^far.gain = 5 from index //p' said)" = "$next"
"$bin/aloe" log two check.blocks two.csv 2>log.said &
logs=$!
ok "go on from there" says 0 "two runs" aloe start two
ok "both take that" eventually is_set 4 5
logged() { test "$(wc -l <two.csv)" -gt 5; }
ok "the variable of b is logged at a" eventually logged
carried() { # the bridges tell once a second
	scrape "$openmetrics" && value aloe_bridge_frames_total 'node="a"' 'peer="b"' 'result="sent"' &&
		value aloe_bridge_bytes_total 'node="b"' 'peer="a"' 'result="received"'
}
ok "/metrics of both, with the frames between them" eventually carried
ok "it is OpenMetrics" judged 1
ok "the lane of a" value aloe_lane_slots_total 'node="a"' 'result="run"'
ok "the lane of b" value aloe_lane_slots_total 'node="b"' 'result="run"'
ok "frames were sent" test "$(value aloe_bridge_frames_total 'node="a"' 'peer="b"' 'result="sent"')" -gt 0
ok "none was refused" test "$(value aloe_bridge_frames_total 'node="b"' 'peer="a"' 'result="refused"')" = 0
ok "the status has them, too" says 0 'node "b": ' sh -c "'$bin/aloe' status two | grep '^bridge .* kB) to node \"a\", .* back'"
ok "an instance of b" value aloe_instance_calls_total 'node="b"' 'instance="far"'
ok "stop both" says 0 "two is stopped" aloe stop two
ok "the log ends" wait $logs
ok "its lines are of their indices" awk -F , 'NR > 1 && $2 != $1 + 1 { exit 1 } END { exit NR < 6 }' two.csv
ok "a tap at a of what b writes ends" wait $far
ok "it lost nothing" grep -q "^far.out: [0-9]* messages, index 0 to [0-9]*; no gaps" far.said
ok "it has the bytes of the sink" sh -c "test -s far.bin && cmp -n \$(wc -c <two.bin) far.bin two.bin"
# Ten items of each index: by how much both together had made them larger.
od -An -v -tf4 -w8 two.bin | awk '{ g = $1 < 0 ? -$1 : $1; if (NR == 1 || g != last) print int((NR - 1) / 10), (NR - 1) % 10, g; last = g }' >steps
printf '0 0 1\n%s 0 6\n%s 0 20\n' "$at" "$next" >steps.want
ok "no index had one of two changes alone" diff steps.want steps
ok "down, both" says 0 "the node is down: $work/aloe" aloe down --platform pair.conf
ok "nothing is left" test -z "$(ps -eo args= | grep "^aloe-[a-z]* --dir $work")"
exit $failed
