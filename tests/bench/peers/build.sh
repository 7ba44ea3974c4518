#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/bench/peers/build.sh - install and build what `aloe bench` measures itself against, into $B/peers. A peer that cannot be
# had is said and left out; exit 1 only if there is none. Their packages and crates are their own (GPL-3, LGPL-2.1, Apache-2.0, MIT);
# the programs here are ours, and nothing of ALOE is linked to them. They have -O3 and this machine's instructions; what they are
# linked to is Debian's, as it is, or what stands in a folder that is given; NAME.built says both in one line, which is printed
# beside what is measured.
set -u
cd "$(dirname "$0")/../../.." || exit 2
B=${B:-build}
CXX=${CXX:-c++}
out=$(mkdir -p "$B/peers" && cd "$B/peers" && pwd) || exit 2
built=

leave_out() {
	echo "peers: without $1: $2" >&2
}

flags='-std=c++17 -O3 -march=native'

# of PACKAGE: its version, as Debian has it installed.
of() {
	dpkg-query -W -f '${Package} ${Version} (Debian)' "$1" 2>/dev/null || echo "$1"
}

# program NAME PACKAGE FLAGS...: one source of ours against an installed library.
program() {
	name=$1 package=$2
	shift 2
	# shellcheck disable=SC2086 # flags are words
	"$CXX" $flags -Wall -Wextra -I. "tests/bench/peers/$name.cpp" -o "$out/$name" "$@" || return 1
	echo "$(of "$package"); our program by $("$CXX" --version | head -n 1), $flags" >"$out/$name.built"
	built="$built $name"
}

gnuradio() {
	tests/deps.sh gnuradio || return 1
	program gnuradio gnuradio-dev $(pkg-config --cflags gnuradio-runtime gnuradio-blocks gnuradio-digital | sed 's/-I/-isystem /g') \
		$(pkg-config --libs gnuradio-runtime gnuradio-blocks gnuradio-digital) -lfmt -lspdlog
}

jack() {
	tests/deps.sh jack || return 1
	program jack jackd2 -ljack
}

uhd() {
	tests/deps.sh uhd || return 1
	program uhd libuhd-dev -luhd -lfftw3f -lm
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
	export RUSTFLAGS='-Zcrate-attr=feature(float_algebraic) -C target-cpu=native'
	if ! [ -f "$rust/registry" ]; then
		rm -f "$rust/Cargo.lock"
		(cd "$rust" && cargo generate-lockfile --quiet) || return 1
		sed -n 's/^source = "\(.*\)"$/\1/p' "$rust/Cargo.lock" | head -n 1 >"$rust/registry"
	fi
	sed "s,@REGISTRY@,$(cat "$rust/registry")," tests/bench/peers/futuresdr/Cargo.lock.in >"$rust/Cargo.lock"
	(cd "$rust" && cargo build --quiet --release --locked) || return 1
	cp "$CARGO_TARGET_DIR/release/futuresdr" "$out/" || return 1
	version=$(sed -n '/^name = "futuresdr"$/{n;s/version = "\(.*\)"/\1/p}' "$rust/Cargo.lock")
	echo "futuresdr $version, and our program, by $(rustc --version), release (-O3), target-cpu=native" >"$out/futuresdr.built"
	built="$built futuresdr"
}

# A srsRAN 4G that stands installed in $SRSRAN_PREFIX, headers and libraries, as its own build has put it there; nothing of it is built
# here.
srsran() {
	prefix=${SRSRAN_PREFIX:-}
	[ -n "$prefix" ] && [ -e "$prefix/lib/libsrsran_phy.a" ] && [ -d "$prefix/include/srsran" ] || {
		echo "peers: SRSRAN_PREFIX=FOLDER names no folder in which srsRAN 4G stands installed, with its headers and libsrsran_phy.a" >&2
		return 1
	}
	version=$(sed -n 's/^#define SRSRAN_VERSION_\(MAJOR\|MINOR\|PATCH\) *//p' "$prefix/include/srsran/version.h" | paste -sd.)
	as='-std=gnu11 -O3 -march=native -DLV_HAVE_SSE -DLV_HAVE_AVX -DLV_HAVE_AVX2'
	# shellcheck disable=SC2086 # flags are words
	${CC:-cc} $as -D_GNU_SOURCE -w -I. -isystem "$prefix/include" tests/bench/peers/srsran.c -o "$out/srsran" \
		"$prefix/lib/libsrsran_phy.a" -lm || return 1
	echo "srsRAN 4G ${version:-of unknown version}, our program by $(${CC:-cc} --version | head -n 1), $as" >"$out/srsran.built"
	built="$built srsran"
}

# An AFF3CT that stands installed in $AFF3CT_PREFIX, headers and library, as its own build has put it there; nothing of it is built
# here. What the headers hold of its decoder has the flags of our program, so its library needs flags for the same vectors:
# $AFF3CT_FLAGS are more flags, such as -mno-avx512f for vectors of 256 bits. -funroll-loops is what its manual asks for.
aff3ct() {
	prefix=${AFF3CT_PREFIX:-}
	headers=$(ls -d "$prefix"/include/aff3ct-* 2>/dev/null | head -n 1)
	[ -n "$prefix" ] && [ -d "$headers/aff3ct" ] || {
		echo "peers: AFF3CT_PREFIX=FOLDER names no folder in which AFF3CT stands installed, with its headers and its library" >&2
		return 1
	}
	version=${headers##*/aff3ct-}
	ours=$flags
	flags="$flags -funroll-loops ${AFF3CT_FLAGS:-}"
	program aff3ct "AFF3CT $version" -DAFF3CT_MULTI_PREC $(printf -- '-isystem %s ' "$headers"/*/) \
		-L"$prefix/lib" -Wl,-rpath,"$prefix/lib" "-laff3ct-$version" -pthread
	status=$?
	flags=$ours
	return $status
}

gnuradio || leave_out gnuradio "see above"
jack || leave_out jack "see above"
uhd || leave_out uhd "see above"
futuresdr || leave_out futuresdr "see above"
srsran || leave_out srsran "see above"
aff3ct || leave_out aff3ct "see above"
echo "peers:${built:- none} in $out"
[ -n "$built" ]
