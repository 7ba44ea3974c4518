#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/emulated.sh ARCH SYSROOT COMMAND... - run a command where programs for ARCH (aarch64, armhf) run as if they were this
# machine's, also those that they start themselves: by qemu-user and binfmt_misc. The entry of binfmt_misc is made in a user
# namespace of its own (Linux 6.7), so nothing of this machine changes; where ARCH runs here already, there is no namespace.
# Exit 77 with the reason where neither is possible.
set -u
arch=${1:?ARCH} root=${2:?SYSROOT}
shift 2
# the head of an ELF file: class, data, version, ... type 2 or 3 (mask), machine
zeros='\x00\x00\x00\x00\x00\x00\x00\x00'
case $arch in
aarch64) qemu=qemu-aarch64 class='\x02' machine='\xb7\x00' ;;
armhf) qemu=qemu-arm class='\x01' machine='\x28\x00' ;;
*) echo "emulated.sh: no machine $arch; there are aarch64 and armhf" >&2; exit 2 ;;
esac
qemu=$(command -v $qemu) || { echo "$qemu is not installed (tests/deps.sh $arch)"; exit 77; }
export QEMU_LD_PREFIX="$root"

runs() { # a program of that machine, which ends at once and says what it is
	for loader in "$root"/lib/ld-linux-*.so.*; do
		"$loader" --version >/dev/null 2>&1 && return
	done
	return 1
}
runs && exec "$@"

entry=":$arch:M::\\x7fELF$class\\x01\\x01\\x00$zeros\\x02\\x00$machine"
entry="$entry:\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff:$qemu:F"
inside='mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc && printf %s "$0" >/proc/sys/fs/binfmt_misc/register'
if ! unshare --user --map-root-user --mount sh -c "$inside" "$entry" 2>/dev/null; then
	echo "binfmt_misc cannot be had in a user namespace (Linux 6.7, user namespaces), and no entry for $arch is there"
	exit 77
fi
exec unshare --user --map-root-user --mount sh -c "$inside"' && exec "$@"' "$entry" "$@"
