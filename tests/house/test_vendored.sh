#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/house/test_vendored.sh - files of others that this house keeps are those that their README names, byte for byte; none
# is there that it does not name. The page of the dashboard loads no file from elsewhere and has no script or style inside.
set -u
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/common/ok.sh
page=daemons/statsman/page

hashes() { # FOLDER: the table of its README, as sha256sum reads it
	sed -n 's/^| `\([^`]*\)` | `\([0-9a-f]\{64\}\)` |$/\2  \1/p' "$1/README.md"
}
is_as_named() { # FOLDER
	hashes "$1" >"$work/hashes"
	(cd "$1" && sha256sum --check --strict --quiet "$work/hashes") || return
	sed 's/^[0-9a-f]*  //' "$work/hashes" | sort >"$work/named"
	ls "$1" | grep -vx README.md | sort | diff "$work/named" - && test -s "$work/named"
}
changed() { # a copy of the folder, with COMMAND run in it: it is noticed
	rm -rf "$work/copy" && cp -r "$page/uplot" "$work/copy" && (cd "$work/copy" && "$@") || return
	! is_as_named "$work/copy"
}
is_alone() { # FOLDER
	! grep -nE '(src|href)="(https?:)?//|@import|url\([^#]|(fetch|import|EventSource|WebSocket)\(["'"'"'`]https?:' "$1"/*.html "$1"/*.css \
		"$1"/*.js || return
	! grep -nE '<style|<script>|<script [^>]*>[^<]|[ "]style="|[ "]on[a-z]+="|javascript:' "$1"/*.html || return
	! grep -nE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function' "$1"/*.js
}
planted() { # LINE FILE: a copy of the page with the line in it is noticed
	rm -rf "$work/copy" && cp -r "$page" "$work/copy" && echo "$1" >>"$work/copy/$2" || return
	! is_alone "$work/copy"
}

ok "uPlot is as its README names it" is_as_named $page/uplot
ok "a changed byte is noticed" changed sh -c 'printf " " >>uPlot.min.css'
ok "a missing file is noticed" changed rm LICENSE
ok "a file more is noticed" changed touch more.js
ok "the page asks nobody else, and has no script or style inside" is_alone $page
ok "a script inside would be noticed" planted '<script>alert(1)</script>' index.html
ok "a file from elsewhere would be noticed" planted '<script src="https://example.org/x.js"></script>' index.html
ok "a style from elsewhere would be noticed" planted '@import "https://example.org/x.css";' style.css
ok "text that becomes HTML would be noticed" planted 'x.innerHTML = name;' app.js
exit "$failed"
