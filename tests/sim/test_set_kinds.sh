#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A parameter of each kind, set in each way that there is: in a waveform file, by `aloe run --set`, by `comprun --param`
# and by `aloe set`, through the daemons. A value is taken by all of them or refused by all of them in the same words.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/node.sh
ALOE_COMPONENTS=$(cd "$B/tests/components" && pwd)
export ALOE_COMPONENTS

printf '0.5, 0.25 # two\n' >"$work/two.txt"
printf '0.5 x\n' >"$work/wrong.txt"
printf '1 2 3 4 5\n' >"$work/many.txt"

waveform() { # NAME [SETTING]: the waveform, with that setting in its file
	cat <<-END
		name = "$1"; slot_ns = 1000000;
		instances: {
		  kinds: { component = "kinds"; ${2:-} $(case "${2:-}" in list*) ;; *) echo "list = [0.125];" ;; esac) };
		  sink: { component = "file_sink"; path = "$work/$1.f32"; };
		};
		links = ( "kinds -> sink" );
	END
}
first() { # FILE: the six numbers of the first message
	od -A n -t f4 -N 24 -w24 "$1" | tr -s ' '
}

# ---- refused in the same words ----
refused() { # PARAMETER=VALUE SETTING WORDS; SETTING "-": there is none in a file; a leading ! leaves out `aloe set`
	set_too=yes
	case $1 in !*) set_too=no ;; esac
	given=${1#!}
	words=$3
	if [ "$2" != - ]; then
		waveform bad "$2" >"$work/bad.conf"
		(cd "$work" && "$bin/aloe" check bad.conf) >"$work/out" 2>&1
		[ $? = 2 ] && grep -qxF "bad.conf:3: $words" "$work/out" || return 1
	fi
	(cd "$work" && "$bin/aloe" run kinds.conf --slots 1 --clock virtual --set "kinds.$given") >"$work/out" 2>&1
	[ $? = 2 ] && grep -qxF -e "--set kinds.$given: $words" "$work/out" || return 1
	(cd "$work" && "$bin/comprun" kinds -s 1 -p list=0 -p "$given") >"$work/out" 2>&1
	[ $? = 2 ] && grep -qxF "$words" "$work/out" || return 1
	[ $set_too = yes ] || return 0
	(cd "$work" && "$bin/aloe" set kinds "kinds.$given") >"$work/out" 2>&1
	[ $? = 2 ] && grep -qxF "$words" "$work/out" || return 1
	# one of several is refused in the words of one
	(cd "$work" && "$bin/aloe" set kinds kinds.real=0 "kinds.$given") >"$work/out" 2>&1
	[ $? = 2 ] && grep -qxF "$words" "$work/out"
}

waveform kinds >"$work/kinds.conf"
ok "up" "$bin/aloe" up
ok "load" "$bin/aloe" load "$work/kinds.conf" --clock step
ok "start" "$bin/aloe" start kinds
ok "real: outside" refused real=2 'real = 2;' 'kinds.real = 2 is outside [-1, 1] dB'
ok "real: no number" refused real=x - 'kinds.real = "x"; a number is needed'
ok "real: in quotes" refused real=x 'real = "x";' 'kinds.real = "x"; a number is needed'
ok "int: a part" refused whole=1.5 'whole = 1.5;' 'kinds.whole = 1.5; a whole number is needed'
ok "int: outside" refused whole=9 'whole = 9;' 'kinds.whole = 9 is outside [-5, 5]'
ok "wide: outside" refused wide=-1 'wide = -1;' 'kinds.wide = -1 is outside [0, 9007199254740992]'
ok "bool: 7" refused flag=7 'flag = 7;' 'kinds.flag = 7; true or false is needed'
ok "enum: a word that there is not" refused word=tow 'word = "tow";' 'kinds.word = "tow" is unknown, did you mean "two"?'
ok "enum: its number" refused word=7 'word = "7";' 'kinds.word = "7" is unknown; allowed: zero, one, two'
ok "array: outside" refused list=0,2 'list = [0, 2];' 'kinds.list[1] = 2 is outside [-1, 1]'
ok "array: too long" refused list=0,0,0,0,0 'list = [0, 0, 0, 0, 0];' 'kinds.list has 5 items; 1 .. 4 are allowed'
ok "array: empty" refused list= 'list = [];' 'kinds.list has 0 items; 1 .. 4 are allowed'
ok "array: no number" refused list=0,x 'list = [0, "x"];' 'kinds.list[1] = "x"; a number is needed'
ok "file: not there" refused list=@none 'list = "@none";' 'kinds.list = "@none": No such file or directory'
ok "file: no number" refused list=@wrong.txt 'list = "@wrong.txt";' \
	'kinds.list = "@wrong.txt": kinds.list[1] = "x"; a number is needed'
ok "text: too long" refused !text=12345678 'text = "12345678";' 'kinds.text has 8 bytes; at most 7 are allowed'
ok "path: empty" refused !path= 'path = "";' 'kinds.path = ""; the path of a file is needed'

# ---- taken, to the same effect ----
taken() { # PARAMETER=VALUE SETTING PLACE NUMBER: that number is the PLACEth that kinds shows
	waveform good "$2" >"$work/good.conf"
	(cd "$work" && "$bin/aloe" run good.conf --slots 1 --clock virtual) >"$work/out" 2>&1 || return 1
	[ "$(first "$work/good.f32" | cut -d ' ' -f "$(($3 + 1))")" = "$4" ] || return 1
	waveform good >"$work/good.conf"
	(cd "$work" && "$bin/aloe" run good.conf --slots 1 --clock virtual --set "kinds.$1") >"$work/out" 2>&1 || return 1
	[ "$(first "$work/good.f32" | cut -d ' ' -f "$(($3 + 1))")" = "$4" ] || return 1
	(cd "$work" && "$bin/comprun" kinds -s 1 -p list=0 -p "$1" -o out=c.f32) >"$work/out" 2>&1 || return 1
	[ "$(first "$work/c.f32" | cut -d ' ' -f "$(($3 + 1))")" = "$4" ] || return 1
	(cd "$work" && "$bin/aloe" set kinds "kinds.$1") >"$work/out" 2>&1 &&
		echo >"$work/step" && "$bin/aloe" step kinds >"$work/out" 2>&1 &&
		"$bin/aloe" get kinds "kinds.${1%%=*}" >"$work/out" 2>&1 || return 1
	case $1 in
	word=*) grep -q "${1#*=}" "$work/out" ;;
	flag=*) grep -qE 'true|1$' "$work/out" ;;
	*) grep -q -e "$4" "$work/out" ;;
	esac
}

ok "real" taken real=-0.75 'real = -0.75;' 1 -0.75
ok "int" taken whole=-3 'whole = -3;' 2 -3
ok "wide" taken wide=4096 'wide = 4096;' 3 4096
ok "bool: true" taken flag=true 'flag = true;' 4 1
ok "bool: 1" taken flag=1 'flag = 1;' 4 1
ok "enum" taken word=two 'word = "two";' 5 2
ok "array" taken list=0.375,1 'list = [0.375, 1];' 6 0.375
ok "array in brackets" taken 'list=[0.625,1]' 'list = [0.625, 1];' 6 0.625
ok "array of a file" taken list=@two.txt 'list = "@two.txt";' 6 0.5
ok "an array is set alone" sh -c "! '$bin/aloe' set kinds kinds.real=0 kinds.list=0 2>'$work/err' &&
	grep -qF 'kinds.list is an array; set the array alone' '$work/err'"
ok "a text is read at init only" sh -c "! '$bin/aloe' set kinds kinds.text=a 2>'$work/err' &&
	grep -qF 'kinds.text is read at init only' '$work/err'"
ok "text and path" sh -c "cd '$work' && '$bin/aloe' run kinds.conf --slots 1 --clock virtual --set kinds.text=1234567 \
	--set kinds.path=two.txt"
exit $failed
