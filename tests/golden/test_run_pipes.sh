#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The habits of unix: standard input and output of `aloe run` (path -), and FIFOs, give the bits that files give. A reader
# that ends, an input that is empty, and what is refused.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
aloe=$(cd "$B/bin" && pwd)/aloe
work=$(mktemp -d) || exit 2
export XDG_RUNTIME_DIR="$work/run" XDG_STATE_HOME="$work/state" ALOE_LOG=error
mkdir -m 700 "$work/run"
trap 'rm -rf "$work"' EXIT

. tests/common/ok.sh
capacity_copy "$XDG_STATE_HOME/aloe"

# conf NAME FROM TO: bytes of FROM into TO, by way of a link; 25 ms of ring are less than the bytes
conf() {
	cat >"$work/$1.conf" <<END
name = "$1"; slot_ns = 1000000; clock = "virtual";
instances: {
	from: { component = "file_source"; path = "$2"; type = "byte"; length = 1000; buffer_ms = 25; };
	to: { component = "file_sink"; path = "$3"; buffer_ms = 25; };
};
links = ( "from -> to" );
END
}
run() { # NAME [OPTION...]
	name=$1
	shift
	timeout 60 "$aloe" run "$work/$name.conf" "$@" 2>"$work/err"
}
same() { # FILE: the bytes of x
	cmp "$work/x" "$1"
}
says() { # WORDS
	cat "$work/err" "$work/out" 2>&1 | grep -q -- "$1"
}
slots() { # NUMBER: as a file of 1000500 bytes has
	says "^slots *$1 run"
}
refused() { # WORDS COMMAND...
	words=$1
	shift
	timeout 60 "$@" >"$work/out" 2>"$work/err" </dev/null
	[ $? = 2 ] && says "$words"
}

head -c 1000500 /dev/urandom >"$work/x" # the last message is short
conf files "$work/x" "$work/made"
conf both - -
conf in - "$work/made"
conf out "$work/x" -

run files --quiet
ok "files" same "$work/made"
# shellcheck disable=SC2002
cat "$work/x" | run both >"$work/got"
ok "standard input to standard output: the same bytes" same "$work/got"
ok "and as many slots as from a file" slots 1001
ok "the report goes to standard error" says "^written *to: standard output$"
run both --record "$work/rec" <"$work/x" >"$work/got"
ok "recorded meanwhile: the same bytes, and nothing else" same "$work/got"
run in --quiet <"$work/x"
ok "a file as standard input" same "$work/made"
echo head >"$work/got"
run out --quiet >>"$work/got"
ok "standard output is appended to" sh -c "tail -c +6 '$work/got' | cmp - '$work/x'"

# 10 ms between two parts, in the middle of a message
{ head -c 1700; sleep 0.01; cat; } <"$work/x" | run both >"$work/got"
ok "an input that stops for a while" same "$work/got"
ok "and no other number of slots" slots 1001
run both <"$work/x" | { sleep 3; cat >"$work/got"; }
ok "a reader that begins late" same "$work/got"
run both </dev/null >"$work/got"
ok "an empty input ends the run" slots 1
ok "and makes an empty output" test ! -s "$work/got"

{ run both </dev/zero; echo $? >"$work/status"; } | head -c 4000 >"$work/got"
ok "a reader that has enough ends the run" says "reads standard output has closed it"
ok "and that is no failure" grep -qx 0 "$work/status"
ok "and is given all that it wanted" test "$(wc -c <"$work/got")" = 4000
run out >/dev/full
ok "what was lost is a failure" test $? = 1
ok "standard output that is full ends the run" says "cannot be written, and the run ends: No space"
run in </
ok "so is an input that cannot be read" test $? = 1
ok "which is said" says "standard input cannot be read, and ends here: Is a directory"
conf little - -
rm -f "$work/status" "$work/err"
head -c 100000 "$work/x" >"$work/y"
{ # a reader that stands still, and a signal
	timeout 60 "$aloe" run "$work/little.conf" <"$work/y" 2>"$work/err" &
	echo $! >"$work/pid"
	wait $!
	echo $? >"$work/status"
} | {
	for _ in $(seq 300); do # the run is over, and waits for its reader
		grep -q '^slots' "$work/err" 2>"$work/log" && break
		sleep 0.1
	done
	sleep 0.5
	kill -TERM "$(cat "$work/pid")"
	for _ in $(seq 300); do
		[ -s "$work/status" ] && break
		sleep 0.1
	done
} >/dev/null
ok "a signal ends the wait for a reader that stands still" test "$(cat "$work/status")" != 0
ok "and it is said" says "a signal came before standard output had everything"

mkfifo "$work/a" "$work/b"
conf fifos "$work/a" "$work/b"
{ sleep 0.3; cat "$work/x" >"$work/a"; } &
{ sleep 0.6; cat "$work/b" >"$work/got"; } &
reader=$!
run fifos >"$work/out"
wait $reader
ok "a FIFO waits for its writer, and another for its reader" same "$work/got"
ok "with as many slots" slots 1001
conf broken "$work/x" "$work/b"
head -c 100 "$work/b" >"$work/got" &
run broken >"$work/out"
status=$?
ok "a FIFO whose reader ends is a fault" test $status = 1
ok "which is said" says "b: its reader has closed it at offset"
: >"$work/a" &
conf empty "$work/a" "$work/made"
run empty >"$work/out"
ok "a FIFO whose writer brings nothing" slots 1

sed 's/^links.*/links = ( "from -> to", "more -> also" );/
	s/^instances.*/&\n more: { component = "file_source"; path = "-"; length = 9; };\n also: { component = "file_sink"; path = "\/dev\/null"; };/' \
	"$work/in.conf" >"$work/two.conf"
ok "two instances for one input" refused "two.conf:.: more and from both have path -, and standard input is only one" \
	"$aloe" run "$work/two.conf"
ok "aloe load has none" refused "both.conf:3: path - of from is standard input of .aloe run" "$aloe" load "$work/both.conf"
ok "--verify needs the same input again" refused "reads something that is no file" "$aloe" run "$work/in.conf" --verify
ok "--json needs standard output" refused "--json: to writes to standard output" "$aloe" run "$work/out.conf" --json
sed 's/file_sink/wav_sink/; s/"byte"/"i16"/' "$work/out.conf" >"$work/wav.conf"
ok "other components do not take -" refused "only file_source and file_sink take" "$aloe" check "$work/wav.conf"
ok "nothing is left" test -z "$(ls "$work/run")"
exit $failed
