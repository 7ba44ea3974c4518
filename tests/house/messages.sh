#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/house/messages.sh [FOLDER...] - lists every text of two words or more that the sources of the programs contain
# (errors, notes, log lines, reports, help), each as FILE:LINE: TEXT, so that somebody can read all of them at once.
# Neighbouring literals are joined, as the compiler joins them; comments and #include lines are left out.
set -u
cd "$(dirname "$0")/../.." || exit 2
[ $# -gt 0 ] || set -- core components daemons platforms tools
find "$@" -name '*.[ch]' | LC_ALL=C sort | xargs awk '
	function flush() {
		if (text ~ /[A-Za-z`].* .*[A-Za-z]/) print at ": " text
		text = ""
	}
	FNR == 1 { flush(); comment = 0 }
	/^[ \t]*#[ \t]*include/ { next }
	{
		rest = $0
		sub(/[ \t]*\\$/, "", rest)
		while (rest != "") {
			if (comment) {
				if (!(n = index(rest, "*/"))) break
				comment = 0
				rest = substr(rest, n + 2)
			} else if (match(rest, /^[ \t]+/)) {
				rest = substr(rest, RLENGTH + 1)
			} else if (match(rest, /^(L|u8)?"([^"\\]|\\.)*"/)) {
				if (text == "") at = FILENAME ":" FNR
				text = text substr(rest, 2, RLENGTH - 2)
				rest = substr(rest, RLENGTH + 1)
			} else if (substr(rest, 1, 2) == "/*") {
				comment = 1
				rest = substr(rest, 3)
			} else if (substr(rest, 1, 2) == "//") {
				break
			} else if (match(rest, /^(PRI[a-zA-Z0-9]+|WORDS_[A-Z_]+)/)) {
				text = text "N"
				rest = substr(rest, RLENGTH + 1)
			} else {
				flush()
				if (match(rest, /^\047(\\.|[^\\])[^\047]*\047/) || match(rest, /^[A-Za-z0-9_]+/))
					rest = substr(rest, RLENGTH + 1)
				else
					rest = substr(rest, 2)
			}
		}
	}
	END { flush() }'
