#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/house/house.sh [ROOT] - the house rules, held against the files that git tracks in ROOT (default: this house) and
# against what stands in ROOT/$B. Prints `ok RULE` or `not ok RULE` after the lines that break it; exit 1 if any does.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/../..}" || exit 2
B=${B:-build}
CC=${CC:-cc}
CXX=${CXX:-c++}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# present: of the files that it reads, one a line, those that are there.
present() {
	while read -r file; do
		[ -f "$file" ] && echo "$file"
	done
}
if git rev-parse --git-dir >/dev/null 2>&1; then
	git ls-files
else
	find . -name 'build*' -prune -o -type f -print | sed 's,^\./,,'
fi | present >"$tmp/files"
files() {
	grep -E "$1" "$tmp/files"
}

# rule NAME: reads the violations, one a line.
rule() {
	cat >"$tmp/lines"
	if [ -s "$tmp/lines" ]; then
		sed 's/^/  /' "$tmp/lines"
		echo "not ok $1"
		: >"$tmp/broken" # not a variable: most rules are the end of a pipe, a process of its own
	else
		echo "ok $1"
	fi
}

sources='\.(c|h|cpp)$'

# ---- includes -----------------------------------------------------------------------------------------------------------
files "$sources" | xargs -r grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null >"$tmp/includes"
grep '\.\./' "$tmp/includes" | rule "includes are written from the root"

awk '
	function begins(path, room) { return path == room || index(path, room "/") == 1 }
	function room_of(path,   r, best) {
		best = ""
		for (r in may) if (begins(path, r) && length(r) > length(best)) best = r
		return best
	}
	FILENAME == ARGV[1] { if (/^[a-z]/) { room = $1; sub(/:$/, "", room); $1 = ""; may[room] = $0 } next }
	/"/ {
		file = $0; sub(/:.*/, "", file)
		line = $0; sub(/^[^:]*:/, "", line); sub(/:.*/, "", line)
		target = $0; sub(/^[^"]*"/, "", target); sub(/".*/, "", target)
		folder = file; sub(/\/[^\/]*$/, "", folder)
		if (target ~ /\.\.\//) next
		if (target !~ /\//) { print file ":" line ": \"" target "\" is not written from the root"; next }
		from = room_of(file)
		if (from == "") { print file ":" line ": no room in tests/house/layers has this file"; next }
		if (begins(target, folder) || (from !~ /^(components|daemons|tools)$/ && begins(target, from))) next
		n = split(may[from], allowed, " ")
		for (i = 1; i <= n; i++) if (begins(target, allowed[i])) next
		print file ":" line ": " from " may not include " target
	}' "$here/layers" "$tmp/includes" | rule "layering"

if [ -f core/README.md ]; then
	sed -n 's,^core/\([a-z]*\):,\1:,p' "$here/layers" | sed 's, core/, ,g; s/ *$//' | sort >"$tmp/layers"
	sed -n 's/^| `\([a-z]*\)` | .* | *\([a-z ]*\)|$/\1: \2/p' core/README.md | sed 's/ *$//' | sort >"$tmp/table"
	diff "$tmp/layers" "$tmp/table" | grep '^[<>]' | sed 's/^</in the layers:/; s/^>/in core\/README.md:/'
fi | rule "core/README.md has the rooms of the layers"

awk '
	function begins(path, room) { return index(path, room "/") == 1 }
	FILENAME == ARGV[1] { if (/^[A-Za-z]/) { door = $1; sub(/:$/, "", door); $1 = ""; rooms[door] = $0 } next }
	FILENAME == ARGV[2] { for (i = 1; i <= NF; i++) libc[$i] = 1; next }
	/</ {
		file = $0; sub(/:.*/, "", file)
		line = $0; sub(/^[^:]*:/, "", line); sub(/:.*/, "", line)
		target = $0; sub(/^[^<]*</, "", target); sub(/>.*/, "", target)
		if (target in libc) next
		door = target
		if (!(door in rooms)) sub(/\/.*/, "/", door)
		n = split(rooms[door], allowed, " ")
		for (i = 1; i <= n; i++) if (begins(file, allowed[i])) next
		print file ":" line ": <" target "> has its door in:" (door in rooms ? rooms[door] : " no room")
	}' "$here/doors" "$here/libc" "$tmp/includes" | rule "one door per library"

# ---- circles ------------------------------------------------------------------------------------------------------------
# A file leads to those of its folder that it includes, and to those whose symbols its object asks for.
files '^(core|platforms|components|daemons|tools)/.*\.[ch]$' >"$tmp/product"
sed -n "s,\(.*\)\.c\$,$B/obj/\1.o,p" "$tmp/product" | present | xargs -r nm -A -g >"$tmp/symbols"
awk -v objects="$B/obj/" '
	function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
	FILENAME == ARGV[1] { product[$1] = 1; next }
	FILENAME == ARGV[2] {
		file = $0; sub(/:.*/, "", file)
		target = $0; if (!sub(/^[^"]*"/, "", target)) next
		sub(/".*/, "", target)
		if (product[file] && product[target] && folder_of(file) == folder_of(target)) print file, target
		next
	}
	{
		file = $1; sub(/:.*/, "", file); file = substr(file, length(objects) + 1); sub(/\.o$/, ".c", file)
		if ($(NF - 1) == "U") asked[file, $NF] = 1
		else defined[folder_of(file), $NF] = file
	}
	END {
		for (pair in asked) {
			split(pair, of, SUBSEP)
			target = defined[folder_of(of[1]), of[2]]
			if (target != "" && target != of[1]) print of[1], target
		}
	}' "$tmp/product" "$tmp/includes" "$tmp/symbols" | sort -u | tsort 2>&1 >/dev/null |
	sed 's/^tsort: -: input contains a loop:/a circle:/; s/^tsort: /  /' | rule "no circle of files inside a room"

# ---- reading ------------------------------------------------------------------------------------------------------------
if grep -q '^## The slot engine' core/README.md 2>/dev/null; then
	sed -n '/^## The slot engine/,/^## The way of a sample/p' core/README.md >"$tmp/engine"
	sed -n 's/^[0-9]*\. `\([^`]*\)`.*/\1/p' "$tmp/engine" >"$tmp/first"
	xargs -r cat <"$tmp/first" 2>&1 >"$tmp/read"
	[ "$(wc -l <"$tmp/read")" -le 1200 ] || echo "core/README.md: the first reading is $(wc -l <"$tmp/read") lines, at most 1200"
	files '^core/slot/' | while read -r file; do
		grep -qF "\`$file\`" "$tmp/engine" || echo "core/README.md: the slot engine's readings lack $file"
	done
fi | rule "the slot engine is read in 1 200 lines"

# ---- text ---------------------------------------------------------------------------------------------------------------
# Data has none: recordings, vectors, results, inputs of parsers, pictures; nor have files of others, which are kept as they came.
files '' | grep -vE '^(LICENSE|\.gitignore|debian/(changelog|source/format)|.*\.(wav|bin|f32|png))$|^daemons/statsman/page/uplot/|^tests/(vectors|fuzz/corpus)/|^tests/bench/plots/.*\.json$' |
	xargs -r grep -LE 'SPDX-License-Identifier: (BSD-3-Clause|CC-BY-SA-3.0)' |
	sed 's/$/: no SPDX line/' | rule "an SPDX line in every file"

files '(\.(c|h|cpp|mk)|Makefile)$' | xargs -r grep -nwiE 'TODO|FIXME|XXX|stub' /dev/null | rule "nothing put off"
files '' | grep -v '^tests/house/house.sh$' | xargs -r grep -nIE '(^|[^A-Za-z0-9_.])/(work|home|root|Users)/' /dev/null |
	rule "no path of somebody's machine"

files "$sources" | xargs -r awk '
	FNR == 1 { start = 0 }
	/^\{/ { start = FNR }
	/^\}/ { if (start && FNR - start > 70) print FILENAME ":" start ": a function of " FNR - start " lines, at most 70"; start = 0 }
' | rule "no function above 70 lines"
files '^daemons/.*/main\.c$' | while read -r file; do
	lines=$(wc -l <"$file")
	[ "$lines" -le 150 ] || echo "$file: $lines lines, at most 150"
done | rule "the main of a daemon is short"
files "$sources" | while read -r file; do
	case $file in tests/*) most=860 ;; *) most=800 ;; esac
	lines=$(wc -l <"$file")
	[ "$lines" -le "$most" ] || echo "$file: $lines lines, at most $most"
done | rule "no file above 800 lines, no test above 860"
files "$sources" | xargs -r awk '{
	line = $0
	while ((tab = index(line, "\t")) > 0)
		line = substr(line, 1, tab - 1) substr("        ", 1, 8 - (tab - 1) % 8) substr(line, tab + 1)
	if (length(line) > 100) print FILENAME ":" FNR ": " length(line) " columns, at most 100"
}' | rule "100 columns, comments too"

# The formatter breaks a declaration whose comment is too long behind its type; the comment belongs before it.
files "$sources" | xargs -r grep -nE \
	'^[[:space:]]+((_Atomic|const|static) )*(struct [A-Za-z_0-9]+|u?int[0-9]+_t|bool|double|float|char|unsigned|int|size_t)$' \
	/dev/null | sed 's/$/: a type without its name/' | rule "no declaration is left in fragments"

# A struct that differs from another one has a tag of its own: who looks for it finds it.
files '^(core|components|daemons|platforms|tools)/.*\.(c|h|cpp)$' | xargs -r awk '
	/^[[:space:]]*(static |const |_Alignas\([0-9]+\) )*struct [A-Za-z_0-9]+ \{/ {
		tag = $0; sub(/.*struct /, "", tag); sub(/ \{.*/, "", tag)
		if (tag in first) print FILENAME ":" FNR ": struct " tag " is declared in " first[tag] ", too"
		else first[tag] = FILENAME ":" FNR
	}' | rule "a struct tag is declared once"

# In a file that does not fit on a few screens a function's name says what it acts on, too: packet_take, not take. There are
# no exceptions: a function that a table calls has the noun of its file or struct (hist_result, file_place).
xargs -r awk <"$tmp/product" '
	function file_ends() { if (lines > 150) printf "%s", found; found = head = "" }
	FNR == 1 { file_ends() }
	{ lines = FNR; line = $0 }
	head != "" { line = head " " line; head = "" }
	line !~ /^(static|INLINE|_Noreturn|__attribute__|inline) ?/ || line ~ /^static_assert/ { next }
	{
		while (match(line, /__attribute__\(\([^()]*(\([^()]*\)[^()]*)*\)\) */))
			line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
		at = index(line, "(")
		if (at == 0 && line !~ /[=;{]/) { head = line; next }
		name = at == 0 ? "" : substr(line, 1, at - 1)
		if (name !~ /(^| )(static|INLINE) / || name ~ /[=\[{;]/) next
		sub(/.*[ *]/, "", name)
		if (name != "" && name !~ /_/ && !((FILENAME, name) in seen)) {
			seen[FILENAME, name] = 1
			found = found FILENAME ":" FNR ": static " name "(): the name needs a noun and a verb in more than 150 lines\n"
		}
	}
	END { file_ends() }' | rule "static functions of long files are named noun_verb"

# Those of the layout are written by a program, so that half of the number has to be elsewhere.
files '^core/.*\.[ch]$' | xargs -r awk '
	{ lines++ }
	/(^|[^A-Za-z_])(assert|static_assert|_Static_assert)\(/ { n++; by_hand += FILENAME != "core/image/layout.c" }
	END {
		if (n < 10 * int(lines / 1000)) print "core: " n + 0 " assertions in " lines " lines, at least 10 in 1000"
		else if (by_hand < 5 * int(lines / 1000))
			print "core: " by_hand + 0 " assertions in " lines " lines beside the layout, at least 5 in 1000"
	}' | rule "core asserts what it takes for granted"

# An engine function that has an invariant states two; $here/asserts says why a long one states none.
files '^core/slot/.*\.[ch]$' | xargs -r awk '
	FILENAME == ARGV[1] { if (/^core/) { sub(/:$/, "", $2); excused[$1 " " $2] = $1 } next }
	FNR == 1 { seen[FILENAME] = 1; body = 0 }
	/^[a-z_].*\(/ && !/;$/ { name = $0; sub(/^__attribute__.*\)\) /, "", name); sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
	/^\{/ { body = FNR; n = 0 }
	body && /assert\(/ { n++ }
	body && /^\}/ {
		at = FILENAME " " name
		if (at in excused && n == 0) delete excused[at]
		else if (n == 1 || (n == 0 && FNR - body > 10)) print at ": " FNR - body - 1 " lines with " n " assertions, two are asked for"
		body = 0
	}
	END { for (at in excused) if (excused[at] in seen) print at ": stands in tests/house/asserts, and asserts or is not there" }
	' "$here/asserts" | rule "an engine function asserts twice what it takes for granted"

if [ -f core/image/layout.sh ] && command -v clang-format >/dev/null; then
	sh core/image/layout.sh "$tmp/layout.c" 2>&1
	diff core/image/layout.c "$tmp/layout.c" | sed -n 's,^[<>],core/image/layout.c: &,p' | head -5
fi | rule "core/image/layout.c is what layout.sh writes"

files '^README\.md$' | xargs -r awk '
	FNR == 351 { print FILENAME ": more than 350 lines" }
	/^```/ { code = !code }
	!code && !/^\|/ && length($0) > 100 { print FILENAME ":" FNR ": " length($0) " columns, at most 100" }
' | rule "README is short: 350 lines of 100 columns"

# 1 link, 2 links: what a program counts has its noun from plural (core/base/text.h), unless it is a limit.
for room in core daemons tools; do
	[ ! -d "$room" ] || "$here/messages.sh" "$PWD/$room" | sed "s,^$PWD/,,"
done | awk '{
	text = $0
	while (match(text, /(%(ll?u|zu|u|\.0f)|%N) ([a-z-]+ )?[a-z]+s([^a-z%]|$)/)) {
		noun = substr(text, RSTART, RLENGTH)
		limit = substr(text, 1, RSTART - 1) ~ /(at most|1 \.\.) $/
		text = substr(text, RSTART + RLENGTH)
		if (!limit && noun !~ / (us|ns|ms|is|was|has|does|(and|of|with) [a-z]+|copies)[^a-z]?$/)
			print $0 ": a count of 1 stands before a plural"
	}
}' | rule "a count of 1 stands before no plural"

# ---- headers compile alone ------------------------------------------------------------------------------------------------
# A header that a source includes before all else has been compiled alone, with that source.
files '^(core|platforms|components|daemons|tools|tests)/.*\.c$' | while read -r file; do
	[ -f "$B/obj/${file%.c}.o" ] && echo "$file"
done | xargs -r awk '
	FNR == 1 { first = 1 }
	first && /^[[:space:]]*#/ { if (sub(/^#include "/, "") && sub(/".*/, "")) print; first = 0 }
' | sort -u >"$tmp/compiled"
# compiled COMMAND... prints the errors of a compiler, and that it failed.
compiled() {
	LC_ALL=C "$@" >"$tmp/said" 2>&1 || { grep -E ': (fatal )?error: ' "$tmp/said" || cat "$tmp/said"; echo "$1 failed"; }
}
files '\.h$' | grep -vxFf "$tmp/compiled" >"$tmp/headers"
compiled xargs -r -a "$tmp/headers" $CC -std=c11 -D_GNU_SOURCE -I. -Icore/include -Wall -Wextra -Werror -fsyntax-only -x c |
	rule "every header compiles alone"
files '^core/include/.*\.h$' | while read -r file; do echo "#include \"$file\""; done >"$tmp/public.cpp"
compiled $CXX -std=c++20 -I. -Icore/include -Wall -Wextra -Werror -fsyntax-only -x c++ "$tmp/public.cpp" |
	rule "public headers compile as C++"

# ---- what was built -------------------------------------------------------------------------------------------------------
built() {
	find "$B/$1" -name "$2" -type f 2>/dev/null | sort
}
{ built obj/components '*.o'; built obj/core/kernels '*.o'; built obj/core/fft '*.o'; } | xargs -r size -A | awk '
	/ :$/ { object = $1 }
	$1 ~ /^\.(data|bss|tdata|tbss)/ && $1 !~ /^\.data\.rel\.ro/ && $2 > 0 {
		print object ": " $2 " bytes of state in " $1 }' | rule "components have no state outside of an instance"
built lib/aloe '*.so' | xargs -r nm -A -D | awk '
	{ object = $1; sub(/:[0-9a-f]*$/, "", object); name = object; sub(/.*\//, "", name); sub(/\.so$/, "", name) }
	$(NF - 1) ~ /^[Uwv]$/ { if ($NF ~ /^aloe_/) print object ": left undefined: " $NF; next }
	$NF != "aloe_component_" name && $NF != "_init" && $NF != "_fini" { print object ": visible: " $NF }
' | rule "a component shows one symbol and asks for none"
built bin '*' | xargs -r readelf -d /dev/null 2>/dev/null | awk '
	/^File: / { program = $2 }
	/NEEDED/ && /fftw|liquid/ { print program ": " $0 }' | rule "no program needs FFTW or liquid"

# What a user reads names no file that only a reader of the sources has; the public header is installed. A line that is a
# path alone is of an assertion; data that lies before it may look like letters.
{ built bin '*'; built lib/aloe '*.so'; } | xargs -r strings -d -f | grep -E '[A-Za-z0-9_]\.h\b' |
	grep -vE '^[^ ]*: *[^ ]+\.h$|<?aloe/component\.h' | rule "no text for users names a source header"
files '\.[1-8]$|\.bash$' | xargs -r grep -nE '[A-Za-z0-9_]\.h\b' /dev/null | grep -vE 'aloe/component\.h' |
	rule "no manual names a source header"

[ ! -e "$tmp/broken" ]
