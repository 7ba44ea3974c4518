#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The Debian packages: built, judged by lintian, installed on this machine, used as an ordinary user, and removed without a
# trace. As root; where a package aloe is installed already, nothing is touched and the test fails.
set -u
cd "$(dirname "$0")/../.." || exit 2
top=$PWD
work=$(mktemp -d) || exit 2
. tests/common/ok.sh

packages="aloe aloe-x310sim aloe-dev python3-aloe"
mine=
trap '[ -z "$mine" ] || dpkg -P $packages >/dev/null 2>&1; rm -rf "$work"' EXIT

installed() {
	dpkg-query -W -f '${db:Status-Status}\n' $packages 2>/dev/null | grep -q '^installed$'
}
if installed; then
	echo "a package of ALOE is installed on this machine, and would be removed: dpkg -P $packages"
	ok "the machine has no packages of ALOE" false
	exit 1
fi

built() { # unless DEB names a folder with packages
	[ -n "${DEB:-}" ] || make -s deb >"$work/built" 2>&1 || { tail -n 40 "$work/built" && return 1; }
}
judged() {
	lintian --fail-on error --tag-display-limit 0 "$DEB"/*.deb >"$work/lintian" 2>&1
	status=$?
	grep -E '^[EW]:' "$work/lintian"
	return $status
}
install_all() {
	mine=yes
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$DEB"/aloe_*.deb "$DEB"/aloe-x310sim_*.deb \
		"$DEB"/aloe-dev_*.deb "$DEB"/python3-aloe_*.deb >"$work/apt" 2>&1 || { tail -n 20 "$work/apt" && return 1; }
	dpkg -L $packages | sort -u >"$work/files"
}
# An ordinary user without a home, in a folder of its own.
as_user() { # COMMAND
	mkdir -p "$work/user" && chmod 755 "$work" && chown nobody "$work/user" &&
		(cd "$work/user" && setpriv --reuid nobody --regid nogroup --clear-groups env -i PATH=/usr/bin:/bin \
			HOME="$work/user" XDG_RUNTIME_DIR="$work/user" XDG_STATE_HOME="$work/user/state" "$@")
}
version() {
	as_user aloe --version | grep -qF "$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)"
}
speech() { # WAVEFORM
	rm -f "$work/user/received.wav"
	as_user aloe run "$1" --clock virtual --quiet && cmp /usr/share/aloe/waveforms/speech.wav "$work/user/received.wav"
}
component() {
	as_user aloe new component ramp >"$work/new" && as_user make -s -C ramp && as_user make -s -C ramp test >"$work/new" 2>&1 ||
		{ tail -n 20 "$work/new" && return 1; }
}
python_runs() {
	as_user python3 -c 'import aloe; assert aloe.run("bpsk", clock="virtual", slots=10)["slots"]["run"] == 10'
}
simulates() {
	as_user timeout -s TERM 2 x310sim --address 127.0.0.78 2>"$work/said"
	grep -q ready "$work/said"
}
nothing_left() {
	left=$(while read -r file; do [ -d "$file" ] || ls -d "$file" 2>/dev/null; done <"$work/files"
		find /etc /lib/systemd /usr /var/lib -xdev -iname '*aloe*' -not -path '/var/lib/apt/*' -not -path "$top/*" -not -path '/usr/local/*')
	[ -z "$left" ] || { echo "$left" && false; }
}

ok "make deb" built
DEB=$(cd "${DEB:-build-deb}" && pwd)
ok "lintian finds no error" judged
ok "they are installed" install_all
ok "aloe --version is that of debian/changelog" version
ok "an ordinary user runs the installed waveform by its path" speech /usr/share/aloe/waveforms/utran384.conf
ok "and by its name" speech utran384
ok "makes a component and tests it" component
ok "and runs a waveform from Python" python_runs
ok "and has an X310 without the hardware" simulates
ok "x310sim alone needs no package aloe" sh -c '! dpkg-deb -f "$1"/aloe-x310sim_*.deb Depends | grep -qw aloe' - "$DEB"
ok "they are removed" dpkg -P $packages
mine=
ok "nothing is left" nothing_left
exit $failed
