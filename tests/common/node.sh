# SPDX-License-Identifier: BSD-3-Clause
#
# tests/common/node.sh - for scripts to source that start a node of their own, from the top of the sources: the build in $B, a
# folder $work with the node's files, which goes with the node when the script ends, tests/common/ok.sh, and a few commands.
B=${B:-build}
bin=$(cd "$B/bin" && pwd)
work=$(mktemp -d) || exit 2
export XDG_RUNTIME_DIR="$work" XDG_STATE_HOME="$work/state" ALOE_LOG=error
trap '"$bin/aloe" down >/dev/null 2>&1; rm -rf "$work"' EXIT

. tests/common/ok.sh
capacity_copy "$XDG_STATE_HOME/aloe"
aloe() {
	"$bin/aloe" "$@"
}
says() { # STATUS WORDS COMMAND...: words are a pattern, unless exactly=-F
	want=$1
	words=$2
	shift 2
	for _ in $(seq 240); do # a lane has its CPU for itself; another test may have it just now
		"$@" >"$work/said" 2>&1
		got=$?
		grep -q "taken by the lane of another" "$work/said" || break
		sleep 0.5
	done
	[ $got = "$want" ] && grep -q ${exactly:-} -e "$words" "$work/said" && return
	echo "status $got"
	cat "$work/said"
	return 1
}
eventually() { # a condition that comes true by itself
	for _ in $(seq 1200); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.05
	done
	"$@"
}
