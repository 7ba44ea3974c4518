# SPDX-License-Identifier: BSD-3-Clause
#
# tests/coverage/kill.sh - for tests/common/ok.sh in `make coverage`: who is killed by SIGKILL writes its counters first, where
# it can (tests/coverage/dump.c: signal 63), and then kills itself.
kill() {
	case ${1:-} in
	-9 | -KILL) shift ;;
	*)
		command kill "$@"
		return
		;;
	esac
	for killed_one in "$@"; do
		case $(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$killed_one/status" 2>/dev/null) in
		[4-7c-f]*) command kill -63 "$killed_one" ;;
		*) continue ;;
		esac
		for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			grep -q '^State:[[:space:]]*[^ZX]' "/proc/$killed_one/status" 2>/dev/null || break
			sleep 0.05
		done
	done
	command kill -9 "$@" 2>/dev/null || :
}
