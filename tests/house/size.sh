#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/house/size.sh [COMMIT]... - lines of product code at each commit (default: HEAD), by rooms: C and C++ of core,
# components, daemons, platforms and tools, without blank lines, comments and assertions. What measures is no product:
# tools/bench and tools/x310loop. An old tree has its benchmarks in tools/aloe/bench, where they were part of the
# product: they are a row of their own, and the sum is printed with and without them. With two commits the last column
# is the second as a part of the first. The trees must be formatted alike: 2d4547f is 5dcacc8 in today's format.
set -eu
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- HEAD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints "ROOM LINES" for the files that are given.
count() {
	awk '
	# What is left of a line without comments and the insides of texts.
	function bare(line,   out, at, two) {
		out = ""
		while (line != "") {
			if (comment) {
				at = index(line, "*/")
				if (at == 0) return out
				comment = 0
				line = substr(line, at + 2)
				continue
			}
			at = match(line, /\/[*\/]|["\047]/)
			if (at == 0) return out line
			two = substr(line, at, 2)
			out = out substr(line, 1, at - 1)
			if (two == "//") return out
			if (two == "/*") { comment = 1; line = substr(line, at + 2); continue }
			line = substr(line, at)
			if (match(line, /^("([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047)/) == 0) return out line
			out = out "\"\""
			line = substr(line, RLENGTH + 1)
		}
		return out
	}
	# Eats an assertion, which may go on for lines, up to its semicolon; what is left of the line behind it.
	function after(line,   i, c) {
		for (i = 1; i <= length(line); i++) {
			c = substr(line, i, 1)
			if (c == "(") depth++
			if (c == ")") depth--
			if (c == ";" && depth == 0) { assertion = 0; return substr(line, i + 1) }
		}
		return ""
	}
	FNR == 1 { comment = assertion = depth = 0 }
	{
		line = bare($0)
		if (!assertion && line ~ /^[ \t]*(assert|static_assert|_Static_assert)[ \t]*\(/) assertion = 1
		if (assertion) line = after(line)
		gsub(/[ \t\\]/, "", line)
		if (line == "") next
		room = FILENAME
		if (room !~ /^tools\/aloe\/bench\// && room !~ /^core\//) sub(/\/.*/, "", room)
		sub(/\/[^\/]*$/, "", room)
		lines[room]++
	}
	END { for (room in lines) print room, lines[room] }' "$@"
}

n=0
for commit in "$@"; do
	n=$((n + 1))
	mkdir "$work/$n"
	git archive "$commit" core components daemons platforms tools | tar -x -C "$work/$n"
	(
		cd "$work/$n"
		find . -type f \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) | sed 's,^\./,,' |
			grep -vE '^tools/(bench|x310loop)/' | sort >files
		count $(cat files)
	) | sed "s/^/$n /"
done | sort -k2 >"$work/counts"

awk -v names="$*" '
	function row(name, figures,   i, text) {
		text = sprintf("%-28s", name)
		for (i = 1; i <= n; i++) text = text sprintf(" %10d", figures[i])
		if (n == 2 && figures[1] > 0) text = text sprintf(" %10.3f", figures[2] / figures[1])
		print text
	}
	{ lines[$2, $1] = $3; if (!($2 in known)) { known[$2] = 1; rooms[++k] = $2 } }
	END {
		n = split(names, name, " ")
		text = sprintf("%-28s", "room")
		for (i = 1; i <= n; i++) text = text sprintf(" %10.10s", name[i])
		print text (n == 2 ? "      ratio" : "")
		for (j = 1; j <= k; j++) {
			for (i = 1; i <= n; i++) {
				now[i] = lines[rooms[j], i] + 0
				all[i] += now[i]
				if (rooms[j] != "tools/aloe/bench") product[i] += now[i]
			}
			row(rooms[j], now)
		}
		if ("tools/aloe/bench" in known) {
			row("without tools/aloe/bench", product)
			row("with tools/aloe/bench", all)
		} else
			row("sum", all)
	}' "$work/counts"
