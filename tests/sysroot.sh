#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/sysroot.sh ARCH FOLDER - Debian's libraries and headers for another machine (aarch64, armhf), unpacked in FOLDER, and the
# cross compiler and qemu installed here. The packages are those of this machine's own sources; apt has its state in FOLDER, so
# the machine does not get another architecture, and none of its packages changes. FOLDER/made.mk says that all is there.
set -u
cd "$(dirname "$0")/.." || exit 2
arch=${1:?ARCH} root=${2:?FOLDER}
wanted="libzmq3-dev libsodium-dev libconfig-dev libjansson-dev libcivetweb-dev libxxhash-dev libliquid-dev libfftw3-dev libsndfile1-dev libsamplerate0-dev
	libcmocka-dev libc6-dev"
case $arch in
aarch64) debian=arm64 wanted="$wanted libdpdk-dev" ;;
armhf) debian=armhf ;; # Debian has no DPDK for it
*) echo "sysroot.sh: no machine $arch; there are aarch64 and armhf" >&2; exit 2 ;;
esac
command -v apt-get >/dev/null || { echo "sysroot: this is not Debian; its packages for $arch cannot be had" >&2; exit 2; }
tests/deps.sh "$arch" || exit

rm -rf "$root"
mkdir -p "$root/apt/lists/partial" "$root/apt/archives/partial" || exit 2
: >"$root/apt/status"
cat >"$root/apt/conf" <<END
APT::Architecture "$debian";
APT::Architectures "$debian";
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "3";
Dir::State "$root/apt";
Dir::State::status "$root/apt/status";
Dir::Cache "$root/apt";
Debug::NoLocking "true";
END
apt() { APT_CONFIG=$root/apt/conf apt-get -y "$@" >"$root/apt/log" 2>&1; }
echo "sysroot: the libraries for $arch come to $root"
apt update # an index that is being changed fails; what is needed may be in the others
if ! apt install --download-only $wanted; then
	tail -n 5 "$root/apt/log" >&2
	echo "sysroot: apt could not get the packages for $arch (above: its last lines)" >&2
	exit 2
fi
for package in "$root"/apt/archives/*.deb; do
	dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --exclude='./usr/share/*' --exclude='./usr/bin/*' || exit 2
done
# A link that begins at the root of that machine begins here.
find "$root" -type l -lname '/*' | while read -r link; do
	ln -sfn "$root$(readlink "$link")" "$link"
done
rm -rf "$root/apt" "$root/etc" "$root/var" "$root/bin" "$root/sbin" "$root/usr/bin" "$root/usr/sbin" "$root/usr/share"
echo "# $arch: $wanted" | tr -s '\n\t' ' ' >"$root/made.mk"
