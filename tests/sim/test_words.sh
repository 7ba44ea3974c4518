#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# What the tools say of what they are given, in words that name the cause, and with the exit status that the manual promises.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=$(cd "${B:-build}" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

. tests/common/ok.sh
capacity_copy "$work/state"

aloe=$B/bin/aloe

# said STATUS TEXT COMMAND...: the command ends with that status, in time, and says TEXT.
said() {
	status=$1 text=$2
	shift 2
	timeout 120 "$@" >"$work/out" 2>&1 </dev/null
	[ $? -eq "$status" ] && grep -qF -e "$text" "$work/out"
}

# ---- files that are none -------------------------------------------------------------------------------------------------
mkfifo "$work/fifo"
ok "check of a FIFO" said 2 "$work/fifo: cannot be read: this is a FIFO, a socket or a device" "$aloe" check "$work/fifo"
ok "check of a device" said 2 "/dev/zero: cannot be read: this is a FIFO, a socket or a device" "$aloe" check /dev/zero
ok "check of a directory" said 2 "$work: cannot be read: this is a directory" "$aloe" check "$work"
ok "plan for a FIFO" said 2 "this is a FIFO, a socket or a device" "$aloe" plan waveforms/bpsk.conf --platform "$work/fifo"
ok "a radio from a FIFO" said 2 "this is a FIFO, a socket or a device" "$aloe" check waveforms/bpsk-rf.conf --radio "$work/fifo"

# ---- counts ----------------------------------------------------------------------------------------------------------------
cat >"$work/one.conf" <<'END'
name = "one";
slot_ns = 1000000;
instances: {
  source: { component = "random_source"; length = 10; seed = 9007199254740991; };
  sink:   { component = "null_sink"; };
};
links = ( "source -> sink" );
END
ok "one link" said 0 "2 instances, 1 link, slot" "$aloe" check "$work/one.conf"
ok "a seed has all its digits" said 0 "whole number 0 .. 9007199254740992; default 1" "$aloe" help random_source
run="$aloe run $work/one.conf --state $work/state"
ok "slots are those of the indices" said 0 "slots      2000 run, 0 skipped" $run --clock virtual --slots 2000
ok "with a pipeline as well" said 0 "slots      2000 run, 0 skipped, 0 missed, 0 slipped; 1 more until" \
	$run --clock virtual --slots 2000 --pipelined

# ---- the keyboard ----------------------------------------------------------------------------------------------------------
# steps KEYS WORDS: what `aloe run --clock step` says to what is typed.
steps() {
	printf "$1" | timeout 300 script -qec "$aloe run $work/one.conf --state $work/state --clock step" /dev/null >"$work/out" 2>&1
	grep -qF -e "$2" "$work/out"
}
ok "q runs no slot" steps 'q\n' "one: ended, index 0,"
ok "Enter runs one, q no more" steps '\nq\n' "slots      1 run"
ok "s runs one" steps 's\nq\n' "slots      1 run"
ok "a number runs so many" steps '12\nq\n' "slots      12 run"
ok "anything else runs nothing" steps 'hello\n-1\n2 3\n0\n1x\nq\n' "one: ended, index 0,"
ok "and is answered" steps '1x\nq\n' '`1x` is not understood: Enter or s runs one slot'
ok "the end of the input quits" steps '\n\004' "slots      1 run"

# ---- files to be written -----------------------------------------------------------------------------------------------------
if [ -x "$B/bin/aloe-bench" ]; then
	ok "a plot that cannot be written: before measuring" said 1 "nothing was measured" \
		"$B/bin/aloe-bench" map --seeds 3 --units 0 --plot "$work/nowhere/x.gp"
	ok "a table that cannot be written: before measuring" said 1 "nothing was measured" \
		"$B/bin/aloe-bench" map --seeds 3 --units 0 --csv "$work/nowhere/x.csv"
	ok "a plot that can be" said 0 "" "$B/bin/aloe-bench" map --seeds 3 --units 0 --plot "$work/x.gp"
	ok "is there" test -s "$work/x.gp"
fi

exit $failed
