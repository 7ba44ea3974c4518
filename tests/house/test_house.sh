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

# verdict RULE: runs the house over the tree; "ok" or the rules that fail there. Compilers look at the headers where the rule, or
# none, is about them.
verdict() {
	case $1 in
	'' | *header*) B=build CC=$CC "$here/house.sh" "$tree" ;;
	*) B=build CC=true CXX=true "$here/house.sh" "$tree" ;;
	esac >"$tree.out" 2>&1
	grep '^not ok' "$tree.out" | sed 's/^not ok //'
}

# expect RULE: exactly this rule is broken in the tree.
expect() {
	got=$(verdict "$1")
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

house && { echo '<!-- SPDX-License-Identifier: BSD-3-Clause -->'; sed -n 's,^core/\([a-z]*\):,| `\1` | a room |,p' "$here/layers" |
	sed 's, core/, ,g; s/$/ |/'; } >"$tree/core/README.md" && cp "$tree/core/README.md" "$tree.table" && expect '' &&
	sed 's/^\(| `wire` |.*|\) base/\1 base slot/' "$tree.table" >"$tree/core/README.md" &&
	expect 'core/README.md has the rooms of the layers'
rm -f "$tree.table"
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
house && lines 799 '' | put core/base/file.c && lines 859 '' | put tests/unit/test_file.c && expect ''
house && lines 800 '' | put core/base/file.c && expect 'no file above 800 lines, no test above 860'
house && lines 860 '' | put tests/unit/test_file.c && expect 'no file above 800 lines, no test above 860'
house && echo "/* $(lines 1 "$(printf '%095d' 0)") */" | put core/base/wide.c && expect '100 columns, comments too'
house && printf 'void f(void)\n{\n\t/* %087d */\n}\n' 0 | put core/base/deep.c && expect '100 columns, comments too'
house && printf 'struct s {\n\t_Atomic uint32_t\n\t    /* words */\n\t    n;\n};\n' | put core/base/broken.c &&
	expect 'no declaration is left in fragments'
house && { echo '<!-- SPDX-License-Identifier: BSD-3-Clause -->'; lines 350 'words'; } | put README.md && expect 'README is short: 350 lines of 100 columns'
house && printf '<!-- SPDX-License-Identifier: BSD-3-Clause -->\n%0101d\n' 0 | put README.md && expect 'README is short: 350 lines of 100 columns'
if command -v clang-format >/dev/null; then
	house && put core/image/layout.c </dev/null && echo "echo '$spdx' >\"\$1\"" >"$tree/core/image/layout.sh" &&
		echo '# SPDX-License-Identifier: BSD-3-Clause' >>"$tree/core/image/layout.sh" && expect '' &&
		echo '/* by hand */' >>"$tree/core/image/layout.c" && expect 'core/image/layout.c is what layout.sh writes'
fi
house && put core/base/needs.h <<-END && expect 'every header compiles alone'
	static inline size_t needs(void) { return 0; }
END
# A source has included the header, after another one that it needs.
house && put core/base/needs.h <<-END && printf '#include "core/base/list.h"\n#include "core/base/needs.h"\n' | put core/base/user.c &&
	static inline size_t needs(void) { return 0; }
END
	mkdir -p "$tree/build/obj/core/base" && (cd "$tree" && $CC -I. -c core/base/user.c -o build/obj/core/base/user.o) &&
	expect 'every header compiles alone'
house && put core/include/aloe/new.h <<-END && expect 'public headers compile as C++'
	static inline int *f(void *new) { int *p = new; return p; }
END
house && echo 'int calls; void count(void) { calls++; }' >>"$tree/components/good/good.c" && build '' &&
	expect 'components have no state outside of an instance'
house && echo '__attribute__((visibility("default"))) void more(void) {}' >>"$tree/components/good/good.c" && build '' &&
	expect 'a component shows one symbol and asks for none'
house && echo 'void aloe_x(void); __attribute__((constructor)) static void f(void) { aloe_x(); }' \
	>>"$tree/components/good/good.c" && build '' && expect 'a component shows one symbol and asks for none'
# circle NAME ASKED: core/base/NAME.c, whose function NAME calls ASKED, and its object.
circle() {
	put "core/base/$1.c" <<-END
		int $2(void);
		int $1(void);
		int $1(void) { return $2(); }
	END
	mkdir -p "$tree/build/obj/core/base" &&
		(cd "$tree" && $CC -c "core/base/$1.c" -o "build/obj/core/base/$1.o")
}
house && circle there back && circle further there && expect ''
house && circle there back && circle back there && expect 'no circle of files inside a room'
house && { echo '#ifndef T'; echo '#define T'; echo '#include "core/base/back.h"'; echo '#endif'; } | put core/base/there.h &&
	{ echo '#ifndef B'; echo '#define B'; echo '#include "core/base/there.h"'; echo '#endif'; } | put core/base/back.h &&
	expect 'no circle of files inside a room'
house && printf 'const char *said(void);\nconst char *said(void) { return "%%s has %%zu link%%s in %%.0f us"; }\n' |
	put core/base/counts.c && expect '' &&
	printf 'const char *said(void);\nconst char *said(void) { return "%%s has %%zu open links"; }\n' |
	put core/base/counts.c && expect 'a count of 1 stands before no plural'
# long LINES DECLARATION: core/base/long.c, so many lines with the declaration at its end.
long() {
	{ lines $(($1 - 2)) ''; echo "$2"; } | put core/base/long.c
}
house && long 150 'static int take(void);' && expect '' && long 151 'static int take(void);' &&
	expect 'static functions of long files are named noun_verb'
house && long 151 '__attribute__((format(printf, 1, 2))) static inline int take(const char *format, ...);' &&
	expect 'static functions of long files are named noun_verb'
house && long 151 '__attribute__((cold)) static const char *const list[] = {f(1)}; static int packet_take(void);' && expect ''
house && printf 'struct twice {\n\tint a;\n};\n' | put core/base/once.c &&
	printf 'static struct twice {\n\tlong b;\n} x;\n' | put daemons/exec/again.c && expect 'a struct tag is declared once'
house && printf 'const char *said(void);\nconst char *said(void) { return "see core/base/list.h"; }\n' >>"$tree/daemons/exec/main.c" &&
	build '' && expect 'no text for users names a source header'
house && echo '.\" SPDX-License-Identifier: BSD-3-Clause, see core/base/list.h' >"$tree/daemons/exec/aloe-exec.8" &&
	expect 'no manual names a source header'
house && { echo '<!-- SPDX-License-Identifier: BSD-3-Clause -->'; sed -n 's,^core/\([a-z]*\):,| `\1` | a room |,p' "$here/layers" |
	sed 's, core/, ,g; s/$/ |/'; echo '## The slot engine'; echo '1. `core/slot/a.c`: all of it'; echo '## The way of a sample'; } \
	>"$tree/core/README.md" && lines 700 "" | put core/slot/a.c && expect '' && lines 1200 'assert(1);' | put core/slot/a.c &&
	expect "$(printf 'the slot engine is read in 1 200 lines\nno file above 800 lines, no test above 860')"
house && lines 600 '' | put core/base/one.c && lines 600 '' | put core/base/two.c &&
	expect 'core asserts what it takes for granted'
house && lines 600 '' | put core/base/one.c && lines 600 'static_assert(1, "");' | put core/image/layout.c &&
	expect 'core asserts what it takes for granted'
# engine LINES ASSERTIONS: core/slot/engine.c, a function of so many lines.
engine() {
	{ echo 'static int f(int x)'; echo '{'; lines "$2" '	assert(x > 0);'; lines $(($1 - $2)) '	x++;'; echo '}'; } |
		put core/slot/engine.c
}
twice='an engine function asserts twice what it takes for granted'
house && engine 9 0 && expect '' && engine 10 2 && expect '' && engine 10 0 && expect "$twice" && engine 3 1 && expect "$twice"
excused=$(sed -n 's/^\(core[^ ]* [^:]*\):.*/\1/p' "$here/asserts" | head -n 1)
house && engine 10 0 && sed "s/ f(/ ${excused#* }(/" "$tree/core/slot/engine.c" >"$tree/engine" && mv "$tree/engine" "$tree/${excused% *}" &&
	rm "$tree/core/slot/engine.c" && expect '' && engine 9 0 && mv "$tree/core/slot/engine.c" "$tree/${excused% *}" && expect "$twice"
house && build -lfftw3f && expect 'no program needs FFTW or liquid'
exit $failed
