#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# `make install` into a folder; a component in C and one in C++ built out of tree against what was installed, through
# pkg-config, and run by name; `make uninstall` leaves nothing.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
top=$PWD
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
stage=$work/stage
outside=$PWD/tests/install/outside

. tests/common/ok.sh

ok "install" make B="$B" DESTDIR="$stage" PREFIX=/usr install
for file in bin/aloe bin/execinfo bin/comprun bin/aloe-frontend bin/aloe-bridge bin/aloe-exec bin/aloe-host bin/aloe-stats bin/aloe-statsman bin/aloe-swman \
	lib/aloe/gain.so lib/aloe/gain.desc lib/pkgconfig/aloe.pc include/aloe/component.h \
	share/aloe/waveforms/utran384.conf share/man/man1/aloe.1 share/man/man1/execinfo.1 share/man/man1/comprun.1 \
	share/bash-completion/completions/aloe share/doc/aloe/daemons.md share/doc/aloe/platforms.md \
	lib/systemd/system/aloe@.service share/aloe/deploy/aloe.slurm share/aloe/deploy/grafana.json; do
	ok "installed: $file" test -s "$stage/usr/$file"
done

# The unit as it was installed, but for the folder; whatever systemd has to say of it is a failure.
unit_says() { # [SED]: into `verdict`
	sed "s,=/usr/bin/aloe ,=$stage/usr/bin/aloe ,; ${1:-}" "$stage/usr/lib/systemd/system/aloe@.service" >"$work/aloe@.service"
	systemd-analyze verify --man=no "$work/aloe@node.service" >"$work/verdict" 2>&1
}
unit_is_valid() { unit_says && ! test -s "$work/verdict" || { cat "$work/verdict" && false; }; }
unit_is_not() { ! unit_says "$1" || test -s "$work/verdict"; }
if command -v systemd-analyze >/dev/null; then
	ok "the unit is valid" unit_is_valid
	ok "a program that is not there would be found" unit_is_not s,/bin/aloe,/bin/none,
	ok "and a wrong word, too" unit_is_not s/WatchdogSec/WatchdogSeconds/
else
	echo "# systemd-analyze is not here, so nothing judges the unit"
fi

export PKG_CONFIG_PATH="$stage/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$stage"
flags=$(pkg-config --cflags aloe)
describe=$(pkg-config --variable=describe aloe)
export PATH="$stage/usr/bin:$PATH" HOME="$work/home"
mine=$HOME/.local/lib/aloe
mkdir -p "$mine"
cd "$work" || exit 2

component() { # NAME COMPILER...
	name=$1
	shift
	"$@" -fPIC -shared -O2 -Wall -Wextra -Werror -Wno-missing-field-initializers $flags -o "$mine/$name.so" &&
		$describe "$mine/$name.so" >"$mine/$name.desc"
}
ok "a component in C, out of tree" component ramp cc -std=c11 "$outside/ramp.c"
ok "a component in C++, out of tree" component negate c++ -std=c++20 "$outside/negate.cpp"

cat >outside.conf <<'END'
name = "outside";
slot_ns = 1000000;
instances: {
  ramp:   { component = "ramp"; step = 3; length = 8; };
  negate: { component = "negate"; offset = 5; };
  sink:   { component = "file_sink"; path = "out.i16"; };
};
links = ( "ramp -> negate -> sink" );
END
ok "both are checked by name" aloe check outside.conf
ok "both run by name" aloe run outside.conf --clock virtual --slots 100 --quiet
awk 'BEGIN { for (k = 0; k < 100; k++) for (i = 0; i < 8; i++) print 5 - (3 * k + i) }' >expected
od -An -v -w2 -td2 out.i16 2>/dev/null | tr -d ' ' >received
ok "and give what they should" cmp expected received

# The waveforms that were installed, by name and from any folder: each finds the files that it names.
anywhere=$work/anywhere
mkdir "$anywhere" && cd "$anywhere" || exit 2
ok "aloe run bpsk finds the installed waveform" aloe run bpsk --clock virtual --slots 10 --quiet
ok "utran384 finds its recording" aloe run utran384 --clock virtual --quiet
ok "and leaves what it received here" cmp "$stage/usr/share/aloe/waveforms/speech.wav" received.wav
ok "utran384-tx" aloe run utran384-tx --clock virtual --quiet
all_checked() {
	for file in "$stage"/usr/share/aloe/waveforms/*.conf; do
		aloe check "$(basename "$file" .conf)" || return 1
	done
}
ok "all installed waveforms are valid, with the files that they name" all_checked
mkdir mine && sed 's/name = "bpsk"/name = "other"/' "$stage/usr/share/aloe/waveforms/bpsk.conf" >mine/bpsk.conf
found() { # what the search finds, in its order
	aloe run bpsk --clock virtual --slots 1 --json --quiet | grep -q '"waveform": "bpsk"' &&
		ALOE_WAVEFORMS=/nowhere:$anywhere/mine aloe run bpsk --clock virtual --slots 1 --json --quiet | grep -q '"waveform": "other"' &&
		sed 's/"bpsk"/"given"/' "$stage/usr/share/aloe/waveforms/bpsk.conf" >bpsk &&
		ALOE_WAVEFORMS=$anywhere/mine aloe run bpsk --clock virtual --slots 1 --json --quiet | grep -q '"waveform": "given"' &&
		rm bpsk
}
ok "a file as given comes first, then ALOE_WAVEFORMS, then what is installed" found
unknown() {
	aloe run bpks >refusal 2>&1
	[ $? = 2 ] && grep -q 'bpks.*no such file, and no waveform of this name in ALOE_WAVEFORMS' refusal
}
ok "a name that is nowhere is told with where it was looked for" unknown
cd "$work" || exit 2

ok "both are listed" sh -c 'aloe list components | grep -q "^ramp" && aloe list components | grep -q "^negate"'
refused() {
	aloe check outside.conf --set ramp.step=101 >refusal 2>&1
	[ $? = 2 ] && grep -q 'ramp.step' refusal && grep -q '100' refusal
}
ok "a value out of its range is refused, with the range" refused

cd "$top" || exit 2
ok "uninstall" make B="$B" DESTDIR="$stage" PREFIX=/usr uninstall
ok "nothing is left" test -z "$(find "$stage" -type f)"
exit $failed
