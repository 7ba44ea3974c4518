# SPDX-License-Identifier: BSD-3-Clause
#
# tests/common/ok.sh - for scripts to source that have a folder $work and end with `exit $failed`.
failed=0

# ok WHAT COMMAND...: one test; what the command said is shown if it fails.
ok() {
	what=$1
	shift
	if "$@" >"$work/log" 2>&1; then
		echo "ok $what"
	else
		echo "not ok $what: $*"
		sed 's/^/  | /' "$work/log"
		failed=1
	fi
}
