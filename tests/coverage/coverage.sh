#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/coverage/coverage.sh BUILD - what the tests that have run in BUILD (made by `make coverage`) went through: a table of
# goals, the 20 worst files, and in BUILD/coverage the report: uncovered.txt (per file the lines and branches that no test
# takes), files.txt (all files, the worst first), index.html.
#
# A branch that only a failing assertion takes is not counted: it cannot be taken. Exit 0 whether the goals are reached or
# not, because what a machine lacks (vector levels, rights) is missing from its figures.
set -eu
B=$1
to=$B/coverage
info=$to/coverage.info
options="--rc lcov_branch_coverage=1 --rc geninfo_auto_base=0 --quiet"
mkdir -p "$to"
: >"$to/lcov.log"
# ended STATUS: what lcov has said is in a file.
ended() {
	[ "$1" = 0 ] && return
	{
		echo "coverage: exit status $1; the last lines of $to/lcov.log:"
		tail -n 20 "$to/lcov.log" | sed 's/^/  | /'
		echo "coverage: where counters and programs do not fit, or there are none: rm -r $B, then make coverage; where there is"
		echo "  no lcov: tests/deps.sh build test coverage; else: tests/coverage/coverage.sh $B again, the tests need not run again"
	} >&2
}
trap 'ended $?' EXIT
no_assert='lcov_excl_br_line=LCOV_EXCL_BR_LINE|(^|[^a-z_])assert\('
from=
for room in core daemons tools components platforms; do
	from="$from --directory $B/obj/$room"
done
# What no test has loaded counts as not covered.
lcov $options --rc "$no_assert" --capture --initial $from --output-file "$to/all.info" 2>>"$to/lcov.log"
lcov $options --rc "$no_assert" --capture $from --output-file "$to/run.info" 2>>"$to/lcov.log"
lcov $options --add-tracefile "$to/all.info" --add-tracefile "$to/run.info" --output-file "$to/sum.info" 2>>"$to/lcov.log"
lcov $options --extract "$to/sum.info" "$PWD/core/*" "$PWD/daemons/*" "$PWD/tools/*" "$PWD/components/*" "$PWD/platforms/*" \
	--output-file "$info" 2>>"$to/lcov.log"
genhtml --quiet --branch-coverage --prefix "$PWD" --output-directory "$to" "$info" 2>>"$to/lcov.log" || echo "coverage: no genhtml" >&2

# LINES COVERED BRANCHES TAKEN FILE
awk -v here="$PWD/" '
	/^SF:/ { file = substr($0, 4); if (index(file, here) == 1) file = substr(file, length(here) + 1); lines = hit = branches = taken = 0 }
	/^DA:/ { split(substr($0, 4), f, ","); lines++; hit += f[2] > 0 }
	/^BRDA:/ { split(substr($0, 6), f, ","); branches++; taken += f[4] != "-" && f[4] > 0 }
	/^end_of_record/ { print lines, hit, branches, taken, file }
' "$info" >"$to/counts"
awk -v here="$PWD/" '
	function put() { if (n) print file ": " text; n = 0; text = "" }
	function add(what) { text = text (n++ ? ", " : "") what }
	function range() { if (from) add(from == to ? from : from "-" to); from = 0 }
	/^SF:/ { file = substr($0, 4); if (index(file, here) == 1) file = substr(file, length(here) + 1); text = ""; n = from = 0; delete half }
	/^BRDA:/ { split(substr($0, 6), f, ","); if (f[4] == 0) half[f[1]] = 1 }
	/^DA:/ { split(substr($0, 4), f, ","); if (f[2] > 0) { range(); if (f[1] in half) add(f[1] "b") } else { if (!from) from = f[1]; to = f[1] } }
	/^end_of_record/ { range(); put() }
' "$info" >"$to/uncovered.txt"
sort -k5 "$to/counts" | awk '{ printf "%6.1f %% of %5d lines, %6.1f %% of %5d branches  %s\n", $1 ? 100 * $2 / $1 : 100, $1, $3 ? 100 * $4 / $3 : 100, $3, $5 }' |
	sort -n >"$to/files.txt"

# total ROOM WHAT GOAL
total() {
	awk -v room="$1/" -v what="$2" -v goal="$3" '
		index($5, room) == 1 { all += what == "lines" ? $1 : $3; had += what == "lines" ? $2 : $4 }
		END {
			reached = all ? 100 * had / all : 0
			said = goal == "-" ? "" : (reached >= goal ? "reached" : "missed")
			wanted = goal == "-" ? "-" : goal " %"
			printf "  %-11s %-9s %8d %8d %8.2f %% %7s  %s\n", substr(room, 1, length(room) - 1), what, all, had, reached, wanted, said
		}' "$to/counts"
}
# What tests/run.sh has said at last: a test that failed or was skipped goes through fewer lines.
if [ -f "$B/test-logs/sum" ]; then
	echo "  the last run of tests: $(cat "$B/test-logs/sum")"
else
	echo "  the last run of tests: no count, it did not come to its end"
fi
echo "  room        what           all   covered   share    goal"
total core lines 95
total core branches 85
total daemons lines 90
total daemons branches -
for room in platforms components tools; do
	total $room lines -
	total $room branches -
done
echo
echo "  the 20 files of core and daemons with the most lines that no test takes"
awk '$5 ~ /^(core|daemons)\// { printf "%d %d %.1f %.1f %s\n", $1 - $2, $1, 100 * $2 / ($1 ? $1 : 1), 100 * $4 / ($3 ? $3 : 1), $5 }' "$to/counts" |
	sort -k1,1nr -k5 | head -n 20 | awk '{ printf "  %5d of %5d lines  (%5.1f %% lines, %5.1f %% branches)  %s\n", $1, $2, $3, $4, $5 }'
echo
echo "  the report: $to/index.html; per file what is not covered (line, lines, NUMBERb: a branch of the line): $to/uncovered.txt"
