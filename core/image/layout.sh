#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# core/image/layout.sh [FILE] - writes core/image/layout.c (or FILE) anew, after a change of what lies in shared memory: sizes
# and offsets as the compiler has them now. Raise IMAGE_VERSION with it.
set -eu
cd "$(dirname "$0")/../.."
CC=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# STRUCT or STRUCT FIELD, a line each, in the order of the headers.
headers='core/image/program.h core/image/margin.h core/image/state.h core/image/radio.h core/image/node.h'
for header in $headers core/base/hist.h; do
	$CC -fpreprocessed -dD -P -E -x c "$header" 2>/dev/null
done | awk '
	/^struct [a-z_]+ *\{/ && $2 ~ /^(image|node|lane|hist)/ { tag = $2; print tag; text = $0; sub(/^[^{]*\{/, "", text); next }
	tag == "" { next }
	/^\};/ {
		n = split(text, fields, ";")
		for (i = 1; i <= n; i++) {
			k = split(fields[i], names, ",")
			for (j = 1; j <= k; j++) {
				name = names[j]
				gsub(/\[[^]]*\]/, "", name)
				sub(/[ \t]+$/, "", name)
				sub(/.*[^A-Za-z0-9_]/, "", name)
				if (name != "") print tag, name
			}
		}
		tag = ""
		next
	}
	{ text = text " " $0 }' >"$work/fields"

{
	echo '#include <stddef.h>'
	echo '#include <stdio.h>'
	printf '#include "%s"\n' $headers
	echo 'int main(void) {'
	awk 'NF == 1 { printf "printf(\"\\nstatic_assert(sizeof(struct %s) == %%zu, \\\"%s\\\");\\n\", sizeof(struct %s));\n", $1, $1, $1 }
		NF == 2 { printf "printf(\"static_assert(offsetof(struct %s, %s) == %%zu, \\\"%s.%s\\\");\\n\", offsetof(struct %s, %s));\n", $1, $2, $1, $2, $1, $2 }' \
		"$work/fields"
	echo 'return 0; }'
} >"$work/print.c"
$CC -std=c11 -D_GNU_SOURCE -I. -Icore/include "$work/print.c" -o "$work/print"
{
	cat <<-END
		/* SPDX-License-Identifier: BSD-3-Clause
		 *
		 * layout.c - where everything lies in shared memory. A daemon that comes back after an update finds
		 * what the one before it has left, and a tool of another build maps it: what moves here needs
		 * another IMAGE_VERSION. Written by core/image/layout.sh. */
		#include <assert.h>
		#include <stddef.h>

		$(printf '#include "%s"\n' $headers | sort)
	END
	"$work/print"
} >"$work/layout.c"
clang-format --assume-filename="$PWD/core/image/layout.c" <"$work/layout.c" >"$work/formatted"
cp "$work/formatted" "${1:-core/image/layout.c}"
