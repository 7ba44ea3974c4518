#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Types every block of commands of README.md (```sh) as printed and compares the exit status of each command with what
# README says (`# exit status N`, else 0): twice in a row from the build folder and twice installed, one of them as root and one
# as an ordinary user, where this is root, in turn by block; README=all types each block in all four ways (make readme). Blocks
# that use no lane and no port are typed at all places side by side. A block that begins with `# needs: ...` (hardware, a network,
# rights) is listed instead, and its commands are only parsed. TEST_PART=lanes types the blocks that use lanes or ports,
# TEST_PART=rest does all else.
set -u
cd "$(dirname "$0")/../.." || exit 2
top=$PWD
rel=${B:-build}
B=$(cd "$rel" && pwd) || exit 2
work=$(mktemp -d /tmp/aloe-readme-XXXXXX) || exit 2 # where nobody may read, too
chmod 711 "$work"
places=$work
cleanup() {
	for how in build installed build-nobody installed-nobody; do
		[ -e "$places/$how/run/aloe" ] && XDG_RUNTIME_DIR="$places/$how/run" "$B/bin/aloe" down >/dev/null 2>&1
	done
	rm -rf "$places"
}
trap cleanup EXIT

. tests/common/ok.sh

# ---- the blocks of README, one file each ------------------------------------------------------------------------------------
mkdir "$work/blocks"
awk -v folder="$work/blocks" '
	/^```sh$/ { n++; inside = 1; next }
	/^```/ { if (inside) close(file); inside = 0; next }
	inside { file = sprintf("%s/%02d", folder, n); print >file }' README.md
ok "README has blocks of commands" test "$(ls "$work/blocks" | wc -l)" -ge 8
ok "every command line of README is in such a block" sh -c '! awk "/^\`\`\`/ { inside = !inside; plain = inside && \$0 == \"\`\`\`\"; next }
	plain && /^(\\$ |build\\/bin\\/|aloe |make |sudo )/" README.md | grep .'

# typed BLOCK: reads the block as a terminal would, and stops at the first command whose exit status is another one.
cat >"$work/typed.sh" <<'END'
command=
while IFS= read -r line <&3; do
	command="$command$line
"
	case $line in *"'"*"'"*) ;; *"'"*) open=${open:-}x ;; esac
	[ $((${#open} % 2)) = 0 ] || continue
	want=$(printf %s "$line" | sed -n 's/.*# exit status \([0-9]*\)$/\1/p')
	for _ in $(seq 240); do # a lane has its CPU for itself; another test may have it just now
		eval "$command" 2>"$HOME/err"
		status=$?
		cat "$HOME/err" >&2
		grep -q "taken by the lane of another" "$HOME/err" || break
		sleep 0.5
	done
	[ "$status" = "${want:-0}" ] || {
		echo "exit status $status instead of ${want:-0}: $command" >&2
		[ -z "${!:-}" ] || kill $! 2>/dev/null # what the block has put into the background
		exit 1
	}
	command= open=
done
END
typed() { # HOW BLOCK
	home="$places/$1"
	block=$2
	case $1 in *nobody) as=$nobody ;; *) as= ;; esac
	(cd "$home/src" && env -i PATH="/usr/sbin:/usr/bin:/sbin:/bin" HOME="$home" XDG_STATE_HOME="$home/state" \
		XDG_RUNTIME_DIR="$home/run" open= $as sh -u "$places/typed.sh" 3<"$block")
}

# ---- blocks that need something: their words ------------------------------------------------------------------------------------
capabilities() { # setcap takes pairs of capabilities and a file; root has it do so, on copies
	[ $# -ge 2 ] || return 1
	while [ $# -gt 0 ]; do
		[ $# -ge 2 ] && [ -x "$B/${2#build/}" ] || return 1
		if [ "$(id -u)" = 0 ]; then
			cp "$B/${2#build/}" "$work/capable" && setcap "$1" "$work/capable" && getcap "$work/capable" | grep -q cap_sys_nice || return 1
		else
			case $1 in cap_*[+=]*) ;; *) return 1 ;; esac
		fi
		shift 2
	done
}
capabilities_refused() { ! capabilities cap_sys_nice+ep build/bin/aloe-host build/bin/aloe-exec 2>/dev/null; }
words() { # COMMAND: is it one that the program would take?
	case $1 in
	make\ *) make -n ${1#make } >/dev/null ;;
	setcap\ *) capabilities ${1#setcap } ;;
	aloe\ * | x310-init\ *)
		program=${1%% *}
		[ -x "$B/bin/$program" ] || return 0 # x310-init without libuhd-dev
		eval "\"\$B/bin/$program\" --parse ${1#* }" ;;
	*) echo "no rule for: $1"; return 1 ;;
	esac
}
all_words() { # BLOCK
	sed 's/ *#.*//; s/ *&$//; s/ && /\n/g' "$1" | sed '/^$/d; s/ >.*//' >"$work/words"
	test -s "$work/words" || return 1
	while IFS= read -r line; do words "$line" || return 1; done <"$work/words"
}
wrong_words() { ! "$B/bin/aloe" --parse run file --no-such-option && ! "$B/bin/aloe" --parse run; }
if part rest; then
	ok "--parse finds wrong words" wrong_words
	ok "setcap without capabilities for a file is found" capabilities_refused
fi

# ---- two users, two places -----------------------------------------------------------------------------------------------------
prepare() { # HOW WAVEFORMS [BIN]: a folder as README has it in mind, with waveforms and build/bin
	mkdir -p "$work/$1/src/build" "$work/$1/state" && mkdir -m 700 "$work/$1/run" &&
		cp -r "$2" "$work/$1/src/waveforms" &&
		mkdir "$work/$1/src/platforms" && cp -r platforms/nodes "$work/$1/src/platforms" &&
		if [ -n "${3-}" ]; then ln -s "$3" "$work/$1/src/build/bin"; fi
}
copied() { # HOW: what an ordinary user's build folder has, for this one may be out of reach
	mkdir "$work/$1/src/core" "$work/$1/src/build/lib" "$work/$1/src/build/tests" &&
		cp -r core/include "$work/$1/src/core" && cp -r "$B/bin" "$work/$1/src/build" &&
		cp -r "$B/lib/aloe" "$work/$1/src/build/lib" && cp -r "$B/tests/contract" "$work/$1/src/build/tests"
}
prepare build waveforms "$B/bin" || exit 2
make B="$rel" DESTDIR="$work/stage" PREFIX=/usr install >"$work/log" 2>&1 || { cat "$work/log"; exit 2; }
prepare installed "$work/stage/usr/share/aloe/waveforms" "$work/stage/usr/bin" || exit 2
all="build installed" others=$all
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
if [ "$(id -u)" = 0 ]; then
	all="build installed-nobody" others="installed build-nobody"
	[ "${README:-}" != all ] || all="$all $others" others=$all
	prepare installed-nobody "$work/stage/usr/share/aloe/waveforms" "$work/stage/usr/bin" || exit 2
	prepare build-nobody waveforms && copied build-nobody || exit 2
	chown -R 65534:65534 "$work/installed-nobody" "$work/build-nobody"
fi

twice() ( # HOW BLOCK NAME
	work=$places/$1.log
	mkdir -p "$work"
	failed=0
	for again in "" ", again"; do
		ok "$3, $1$again" typed "$1" "$2"
		# what a block that has failed has started is no node for the tests that follow
		[ $failed = 0 ] || XDG_RUNTIME_DIR="$places/$1/run" "$B/bin/aloe" down >/dev/null 2>&1
	done
	exit $failed
)
apart() { # BLOCK: it takes lanes, or ports
	grep -qE '(^|/)aloe up|x310sim' "$1" || grep -E '(^|/)aloe run' "$1" | grep -qv -e '--clock virtual'
}
side_by_side() { # BLOCK NAME
	pids=
	for how in $all; do
		twice "$how" "$1" "$2" >"$places/$how.out" &
		pids="$pids $!"
	done
	for pid in $pids; do wait "$pid" || failed=1; done
	for how in $all; do cat "$places/$how.out"; done
}
block_done() { # BLOCK
	name="block ${1##*/} ($(grep -v '^#' "$1" | head -n 1))"
	needs=$(sed -n '1s/^# needs: //p' "$1")
	if [ -n "$needs" ]; then
		part rest || return
		echo "# $name needs $needs: only its words are tried"
		ok "$name: its words" all_words "$1"
	elif apart "$1"; then
		part lanes || return
		for how in $all; do twice "$how" "$1" "$name" || failed=1; done
	elif part rest; then
		side_by_side "$1" "$name"
	fi
}
for block in "$work"/blocks/*; do
	block_done "$block"
	[ -n "$needs" ] || { now=$all all=$others others=$now; }
done
exit $failed
