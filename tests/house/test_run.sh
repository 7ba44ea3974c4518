#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The test of the test: tests/run.sh counts right, and fails on what it must fail on.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export B="$work/build"
mkdir -p "$B/tests/unit"

# program NAME: stdin is its text, run by sh.
program() {
	{ echo '#!/bin/sh'; cat; } >"$B/tests/unit/$1"
	chmod +x "$B/tests/unit/$1"
}

# expect WHAT STATUS LAST-LINE PROGRAM...: what the runner says of these programs.
expect() {
	what=$1 status=$2 last=$3
	shift 3
	for name in "$@"; do
		case $name in */*) echo "$B/tests/$name" ;; *) echo "$B/tests/unit/$name" ;; esac
	done | xargs "$here/run.sh" >"$work/out" 2>&1
	got=$?
	[ $got = 0 ] || got=1
	if [ $got = "$status" ] && [ "$(tail -n 1 "$work/out")" = "$last" ]; then
		echo "ok $what"
	else
		echo "not ok $what (status $got)"
		sed 's/^/  | /' "$work/out"
		failed=1
	fi
}

program good <<'END'
echo '[  PASSED  ] 3 test(s).'
END
program bad <<'END'
echo '[  PASSED  ] 2 test(s).'
echo '[  FAILED  ] 1 test(s), listed below:'
exit 1
END
program silent </dev/null
program crash <<'END'
echo '[  PASSED  ] 3 test(s).'
kill -SEGV $$
END
program hang <<'END'
sleep 60
END
program process <<'END'
setsid sleep 60 >/dev/null 2>&1 &
echo '[  PASSED  ] 1 test(s).'
END
program cached <<'END'
mkdir "$XDG_RUNTIME_DIR/ccache-tmp"
echo '[  PASSED  ] 1 test(s).'
END
program litter <<'END'
: >"$XDG_RUNTIME_DIR/socket"
echo '[  PASSED  ] 1 test(s).'
END
program finding <<'END'
printf '%s\n' '==1==Unable to get registers from thread 2.' '==1==ERROR: heap-use-after-free' >"${ASAN_OPTIONS##*log_path=}.1"
echo '[  PASSED  ] 1 test(s).'
END
program note <<'END'
echo '==1==Unable to get registers from thread 2.' >"${ASAN_OPTIONS##*log_path=}.1"
echo '[  PASSED  ] 1 test(s).'
END
program two <<'END'
echo '[ RUN      ] test_good
said by a good one
[       OK ] test_good
[ RUN      ] test_bad
said by the command'
seq -f 'line %g' 40
echo '[  FAILED  ] test_bad
[ RUN      ] test_last
[       OK ] test_last
[==========] 3 test(s) run.
[  PASSED  ] 2 test(s).
[  FAILED  ] 1 test(s), listed below:
[  FAILED  ] test_bad'
exit 1
END
program last.sh <<'END'
echo 'ok one
  said by a good one
ok two
not ok three
  | said by the command'
seq -f 'ok %g' 4 40
exit 1
END
program skips <<'END'
echo '[  PASSED  ] 1 test(s).'
echo '[  SKIPPED ] 1 test(s), listed below:'
echo '[  SKIPPED ] test_other'
END
program tap.sh <<'END'
echo ok one
echo not ok two
exit 1
END
program quiet.sh </dev/null
program away.sh <<'END'
echo 'this machine has no such device'
exit 77
END

program parts <<'END'
case ${TEST_PART:-} in
lanes) echo '[  PASSED  ] 2 test(s).' ;;
rest) echo '[  PASSED  ] 3 test(s).' ;;
*) echo '[  PASSED  ] 7 test(s).' ;;
esac
END
mkdir "$B/tests/faults" && mv "$B/tests/unit/parts" "$B/tests/faults/test_kill"

export CI=
expect "passed are counted" 0 "6 passed, 0 failed, 0 skipped" good good
expect "failed are counted" 1 "5 passed, 1 failed, 0 skipped" good bad
if sed '1,/^  all /d' "$work/out" | grep -q '^        .*1 test(s), listed below'; then
	echo "ok the end of its log is shown after the table"
else
	echo "not ok the end of its log is shown after the table"
	failed=1
fi
# shown PROGRAM FIRST LAST: after the table, what has failed in it is shown from this line to that one, and nothing else.
shown() {
	sed '1,/^  all /d; /^  failed /d; /^[0-9]* passed/d; s/^        //' "$work/out" >"$work/shown"
	if [ "$(sed -n '1p;$p' "$work/shown")" = "$2
$3" ] && grep -q 'said by the command' "$work/shown" && ! grep -q 'said by a good one' "$work/shown"; then
		echo "ok $1: what has failed is shown from its name to its failure"
	else
		echo "not ok $1: what has failed is shown from its name to its failure"
		sed 's/^/  | /' "$work/out"
		failed=1
	fi
}
expect "two of three" 1 "2 passed, 1 failed, 0 skipped" two
if sed '/^ *suite /,$d' "$work/out" | grep -A 40 'said by the command' | grep -q '^        line 40$'; then
	echo "ok the whole of it is shown at once, too"
else
	echo "not ok the whole of it is shown at once, too"
	sed 's/^/  | /' "$work/out"
	failed=1
fi
shown two '[ RUN      ] test_bad' '[  FAILED  ] test_bad'
expect "one of many" 1 "39 passed, 1 failed, 0 skipped" last.sh
shown last.sh 'not ok three' '  | said by the command'
expect "a program that tells nothing has failed" 1 "0 passed, 1 failed, 0 skipped" silent
expect "a crash is a failure" 1 "3 passed, 1 failed, 0 skipped" crash
TEST_TIMEOUT=1 expect "a hang is ended and is a failure" 1 "0 passed, 1 failed, 0 skipped" hang
expect "a process left behind is a failure" 1 "1 passed, 1 failed, 0 skipped" process
expect "the empty folder of a ccache is none" 0 "1 passed, 0 failed, 0 skipped" cached
expect "a file left behind is a failure" 1 "1 passed, 1 failed, 0 skipped" litter
expect "what a sanitizer finds is a failure" 1 "1 passed, 1 failed, 0 skipped" finding
expect "a thread that ended under its eyes is none" 0 "1 passed, 0 failed, 0 skipped" note
expect "lines of a script are counted" 1 "1 passed, 1 failed, 0 skipped" tap.sh
expect "a silent script counts by its status" 0 "1 passed, 0 failed, 0 skipped" quiet.sh
expect "a skip is no failure" 0 "5 passed, 0 failed, 2 skipped" good skips quiet.sh away.sh
expect "a program of two parts is run with each" 0 "8 passed, 0 failed, 0 skipped" faults/test_kill good
CI=true expect "but with CI=true it needs to be expected" 1 "4 passed, 2 failed, 2 skipped" good skips away.sh
exit $failed
