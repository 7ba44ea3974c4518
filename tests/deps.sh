#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/deps.sh SET... - install the Debian packages of the sets (build, test, bench, coverage, deb, fuzz, lint, neon, aarch64, armhf, others, and the peers' gnuradio, jack, uhd) that are missing, and say which.
# Nothing to do where everything is there. Exit 2, naming what is missing, where it cannot be installed.
set -u

packages() {
	case $1 in
	build) echo gcc g++ make binutils libc6-dev pkg-config libzmq3-dev libsodium-dev libconfig-dev libjansson-dev \
		libcivetweb-dev libxxhash-dev libliquid-dev libfftw3-dev libsndfile1-dev libsamplerate0-dev libsoapysdr-dev ;;
	test) echo libcmocka-dev gdb procps iproute2 gnuplot-nox graphviz uhd-host libuhd-dev libboost-dev libdpdk-dev \
		python3-numpy python3-pytest ;;
	bench) echo valgrind ;;
	coverage) echo lcov ;;
	deb) echo debhelper dh-python dpkg-dev lintian python3 python3-numpy ;;
	gnuradio) echo g++ pkg-config gnuradio-dev ;;
	jack) echo g++ jackd2 libjack-jackd2-dev ;;
	uhd) echo g++ libuhd-dev libboost-dev libfftw3-dev ;;
	others) echo uhd-host gnuradio python3-venv python3-numpy soapysdr-tools soapysdr0.8-module-uhd slurmctld slurmd slurm-client munge \
		python3-prometheus-client python3-matplotlib chromium-driver python3-selenium ;;
	fuzz) echo clang libclang-rt-dev ;;
	lint) echo clang-format clang-tidy cppcheck ;;
	aarch64) echo make gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user ;;
	armhf) echo make gcc-arm-linux-gnueabihf libc6-dev-armhf-cross qemu-user ;;
	neon) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user libcmocka-dev:arm64 ;;
	*) echo "deps.sh: no set '$1'; there are: build, test, bench, coverage, deb, fuzz, lint, neon, aarch64, armhf, others, gnuradio, jack, uhd" >&2; exit 2 ;;
	esac
}

wanted=
for set in "$@"; do
	names=$(packages "$set") || exit 2
	wanted="$wanted $names"
done

if ! command -v dpkg-query >/dev/null; then
	echo "deps: this is not Debian; going on, in the hope that it has what Debian calls:$wanted" >&2
	exit 0
fi

# Packages of this machine show without an architecture, or with it where there may be others beside them.
missing=
native=$(dpkg --print-architecture)
present=" $(dpkg-query -W -f '${db:Status-Abbrev}${binary:Package} ' $wanted 2>/dev/null) "
for name in $wanted; do
	case $present in
	*"ii $name "* | *"ii $name:$native "*) ;;
	*) missing="$missing $name" ;;
	esac
done
[ -n "$missing" ] || exit 0

refuse() {
	echo "deps: $1" >&2
	echo "deps: missing packages:$missing" >&2
	echo "deps: ask an administrator for: apt-get install --no-install-recommends$missing" >&2
	exit 2
}

as_root=
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null || refuse "packages are missing, and this user is not root and has no sudo"
	as_root=sudo
fi
echo "deps: installing$missing"
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
install() {
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $missing >"$log" 2>&1
}
install && exit 0
for foreign in $(echo "$missing" | tr ' ' '\n' | sed -n 's/.*://p' | sort -u); do
	$as_root dpkg --add-architecture "$foreign"
done
$as_root apt-get update >"$log" 2>&1
install && exit 0
tail -n 5 "$log" >&2
refuse "apt-get could not install them (above: its last lines)"
