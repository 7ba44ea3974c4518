# SPDX-License-Identifier: BSD-3-Clause
#
# tests/common/ok.sh - for scripts to source that have a folder $work and end with `exit $failed`.
failed=0
[ -z "${ALOE_TEST_KILL:-}" ] || . "$ALOE_TEST_KILL" # make coverage

# ok WHAT COMMAND...: one test; what the command said is shown if it fails, and what the script has kept in out and err.
ok() {
	what=$1
	shift
	if "$@" >"$work/log" 2>&1; then
		echo "ok $what"
	else
		echo "not ok $what: $*"
		for said in log out err; do
			[ -f "$work/$said" ] && sed 's/^/  | /' "$work/$said"
		done
		failed=1
	fi
}

part() { # NAME: as aloe_part in tests/common/aloe.h
	[ "${TEST_PART:-$1}" = "$1" ]
}

# capacity_copy STATE_DIRECTORY: what tests/run.sh has measured of this machine is known there; without it a node measures.
capacity_copy() {
	[ -z "${ALOE_TEST_CAPACITY:-}" ] || { mkdir -p "$1" && cp -R "$ALOE_TEST_CAPACITY" "$1/capacity"; }
}
