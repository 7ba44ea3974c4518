#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The house rules hold here; and each of them is seen to fail on a small house with one violation planted in it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
CC=${CC:-cc}
"$here/house.sh"
failed=$?

slash=/ # so that this file itself holds no such path
tree=$(mktemp -d) || exit 2
trap 'rm -rf "$tree"' EXIT
spdx='/* SPDX-License-Identifier: BSD-3-Clause */'

# put FILE: stdin, after an SPDX line.
put() {
	mkdir -p "$tree/$(dirname "$1")"
	{ echo "$spdx"; cat; } >"$tree/$1"
}

build() {
	mkdir -p "$tree/build/obj/components/good" "$tree/build/lib/aloe" "$tree/build/bin"
	(cd "$tree" && $CC -fPIC -O2 -fvisibility=hidden -Icore/include -c components/good/good.c \
		-o build/obj/components/good/good.o && $CC -shared -o build/lib/aloe/good.so build/obj/components/good/good.o &&
		$CC -I. "${2:-daemons/exec/main.c}" -Wl,--no-as-needed $1 -o build/bin/aloe-exec)
}

house() {
	rm -rf "$tree"
	put core/include/aloe/component.h <<-END
		#ifndef A
		#define A
		struct aloe_entry { int abi; };
		#endif
	END
	put core/base/list.h <<-END
		#ifndef L
		#define L
		#include <stddef.h>
		static inline size_t list_len(void) { return 0; }
		#endif
	END
	put core/wire/wire.h <<-END
		#include "core/base/list.h"
	END
	put components/good/good.c <<-END
		#include <aloe/component.h>
		extern const struct aloe_entry aloe_component_good __attribute__((visibility("default")));
		const struct aloe_entry aloe_component_good = {1};
	END
	put daemons/exec/main.c <<-END
		#include "core/wire/wire.h"
		int main(void)
		{
			return (int)list_len();
		}
	END
}

# verdict RULE: builds the tree and runs the house over it; "ok" or the rules that fail there.
verdict() {
	(cd "$tree" && rm -rf .git && git init -q . && git add . && git rm -rq --cached build 2>/dev/null)
	B=build "$here/house.sh" "$tree" >"$tree.out" 2>&1
	grep '^not ok' "$tree.out" | sed 's/^not ok //'
}

# expect RULE: exactly this rule is broken in the tree.
expect() {
	got=$(verdict)
	if [ "$got" = "$1" ]; then
		echo "ok planted: ${1:-nothing}"
	else
		echo "not ok planted: ${1:-nothing} (broken instead: ${got:-none})"
		sed 's/^/  | /' "$tree.out"
		failed=1
	fi
	rm -f "$tree.out"
}

lines() {
	awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; i++) print text }'
}

house && build '' && expect ''

house && put components/good/up.h <<-END && expect 'includes are written from the root'
	#include "../../core/base/list.h"
END
house && put core/base/upward.h <<-END && expect 'layering'
	#include "core/wire/wire.h"
END
house && put tools/top/top.h <<-END && put core/slot/slot.h </dev/null && expect 'layering'
	#include "core/slot/slot.h"
END
house && put attic/attic.h <<-END && expect 'layering'
	#include "core/base/list.h"
END
house && put daemons/exec/zmq.c <<-END && expect 'one door per library'
	#include <zmq.h>
END
house && put core/base/other.c <<-END && expect 'one door per library'
	#include <gtk/gtk.h>
END
house && echo 'int x;' >"$tree/core/base/bare.c" && expect 'an SPDX line in every file'
house && put core/base/later.c <<-END && expect 'nothing put off'
	/* TODO: everything */
END
house && put core/base/mine.c <<-END && expect "no path of somebody's machine"
	static const char *const path = "${slash}home/me/aloe";
END
house && { echo 'void f(void)'; echo '{'; lines 70 '	f();'; echo '}'; } | put core/base/long.c &&
	expect 'no function above 70 lines'
house && lines 151 '' | put daemons/stats/main.c && expect 'the main of a daemon is short'
house && lines 801 '' | put core/base/file.c && expect 'no file above 800 lines'
house && put core/base/needs.h <<-END && expect 'every header compiles alone'
	static inline size_t needs(void) { return 0; }
END
house && put core/include/aloe/new.h <<-END && expect 'public headers compile as C++'
	static inline int *f(void *new) { int *p = new; return p; }
END
house && echo 'int calls; void count(void) { calls++; }' >>"$tree/components/good/good.c" && build '' &&
	expect 'components have no state outside of an instance'
house && echo '__attribute__((visibility("default"))) void more(void) {}' >>"$tree/components/good/good.c" && build '' &&
	expect 'a component shows one symbol and asks for none'
house && echo 'void aloe_x(void); __attribute__((constructor)) static void f(void) { aloe_x(); }' \
	>>"$tree/components/good/good.c" && build '' && expect 'a component shows one symbol and asks for none'
house && build -lfftw3f && expect 'no program needs FFTW or liquid'
exit $failed
