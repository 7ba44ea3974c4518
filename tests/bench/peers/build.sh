#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/bench/peers/build.sh - install and build what `aloe bench` measures itself against, into $B/peers. A peer that cannot be
# had is said and left out; exit 1 only if there is none. Their packages and crates are their own (GPL-3, LGPL-2.1, Apache-2.0);
# the programs here are ours, and nothing of ALOE is linked to them.
set -u
cd "$(dirname "$0")/../../.." || exit 2
B=${B:-build}
CXX=${CXX:-c++}
out=$(mkdir -p "$B/peers" && cd "$B/peers" && pwd) || exit 2
built=

leave_out() {
	echo "peers: without $1: $2" >&2
}

# program NAME FLAGS...: one source of ours against an installed library.
program() {
	name=$1
	shift
	"$CXX" -std=c++17 -O2 -Wall -Wextra -I. "tests/bench/peers/$name.cpp" -o "$out/$name" "$@" && built="$built $name"
}

gnuradio() {
	tests/deps.sh gnuradio || return 1
	program gnuradio $(pkg-config --cflags gnuradio-runtime gnuradio-blocks gnuradio-digital | sed 's/-I/-isystem /g') \
		$(pkg-config --libs gnuradio-runtime gnuradio-blocks gnuradio-digital) -lfmt -lspdlog
}

jack() {
	tests/deps.sh jack || return 1
	program jack -ljack
}

uhd() {
	tests/deps.sh uhd || return 1
	program uhd -luhd -lfftw3f -lm
}

# The versions of Cargo.lock.in. That version of the crate asks for a nightly compiler, for things that a stable one has and hides.
futuresdr() {
	rust=$out/rust
	command -v cargo >/dev/null || {
		echo "peers: cargo is not installed (that of rustup: 1.95 has done; Debian 12's is too old)" >&2
		return 1
	}
	mkdir -p "$rust/src"
	cp tests/bench/peers/futuresdr/Cargo.toml "$rust/" && cp tests/bench/peers/futuresdr/src/main.rs "$rust/src/" || return 1
	export CARGO_HOME="$out/cargo" CARGO_TARGET_DIR="$out/target" RUSTC_BOOTSTRAP=1
	export RUSTFLAGS='-Zcrate-attr=feature(float_algebraic)'
	if ! [ -f "$rust/registry" ]; then
		rm -f "$rust/Cargo.lock"
		(cd "$rust" && cargo generate-lockfile --quiet) || return 1
		sed -n 's/^source = "\(.*\)"$/\1/p' "$rust/Cargo.lock" | head -n 1 >"$rust/registry"
	fi
	sed "s,@REGISTRY@,$(cat "$rust/registry")," tests/bench/peers/futuresdr/Cargo.lock.in >"$rust/Cargo.lock"
	(cd "$rust" && cargo build --quiet --release --locked) || return 1
	cp "$CARGO_TARGET_DIR/release/futuresdr" "$out/" && built="$built futuresdr"
}

gnuradio || leave_out gnuradio "see above"
jack || leave_out jack "see above"
uhd || leave_out uhd "see above"
futuresdr || leave_out futuresdr "see above"
echo "peers:${built:- none} in $out"
[ -n "$built" ]
