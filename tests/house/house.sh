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
broken=0

if git rev-parse --git-dir >/dev/null 2>&1; then
	git ls-files
else
	find . -name 'build*' -prune -o -type f -print | sed 's,^\./,,'
fi | while read -r file; do [ -f "$file" ] && echo "$file"; done >"$tmp/files"
files() {
	grep -E "$1" "$tmp/files"
}

# rule NAME: reads the violations, one a line.
rule() {
	cat >"$tmp/lines"
	if [ -s "$tmp/lines" ]; then
		sed 's/^/  /' "$tmp/lines"
		echo "not ok $1"
		broken=1
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

awk '
	function begins(path, room) { return index(path, room "/") == 1 }
	FILENAME == ARGV[1] { if (/^[a-z]/) { door = $1; sub(/:$/, "", door); $1 = ""; rooms[door] = $0 } next }
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

# ---- text ---------------------------------------------------------------------------------------------------------------
# Data has none: recordings, vectors, inputs of parsers.
files '' | grep -vE '^(LICENSE|\.gitignore|.*\.(wav|bin|f32))$|^tests/(vectors|fuzz/corpus)/' |
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
	lines=$(wc -l <"$file")
	[ "$lines" -le 800 ] || echo "$file: $lines lines, at most 800"
done | rule "no file above 800 lines"

# ---- headers compile alone ------------------------------------------------------------------------------------------------
files '\.h$' | while read -r file; do
	$CC -std=c11 -D_GNU_SOURCE -I. -Icore/include -Wall -Wextra -Werror -fsyntax-only -x c "$file" 2>"$tmp/err" ||
		{ echo "$file: does not compile alone"; head -n 4 "$tmp/err"; }
done | rule "every header compiles alone"
files '^core/include/.*\.h$' | while read -r file; do
	echo "#include \"$file\"" | $CXX -std=c++20 -I. -Icore/include -Wall -Wextra -Werror -fsyntax-only -x c++ - 2>"$tmp/err" ||
		{ echo "$file: does not compile as C++20"; head -n 4 "$tmp/err"; }
done | rule "public headers compile as C++"

# ---- what was built -------------------------------------------------------------------------------------------------------
built() {
	find "$B/$1" -name "$2" -type f 2>/dev/null | sort
}
for object in $(built obj/components '*.o') $(built obj/core/kernels '*.o') $(built obj/core/fft '*.o'); do
	size -A "$object" | awk -v object="$object" '
		$1 ~ /^\.(data|bss|tdata|tbss)/ && $1 !~ /^\.data\.rel\.ro/ && $2 > 0 {
			print object ": " $2 " bytes of state in " $1 }'
done | rule "components have no state outside of an instance"
for object in $(built lib/aloe '*.so'); do
	name=$(basename "$object" .so)
	nm -D --defined-only "$object" | awk '{ print $3 }' | grep -vxE "aloe_component_$name|_init|_fini" |
		sed "s,^,$object: visible: ,"
	nm -D --undefined-only "$object" | awk '{ print $2 }' | grep '^aloe_' | sed "s,^,$object: left undefined: ,"
done | rule "a component shows one symbol and asks for none"
for program in $(built bin '*'); do
	readelf -d "$program" 2>/dev/null | grep NEEDED | grep -E 'fftw|liquid' | sed "s,^,$program: ,"
done | rule "no program needs FFTW or liquid"

exit $broken
