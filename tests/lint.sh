#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/lint.sh - clang-format, clang-tidy and cppcheck over the tracked sources. A tool that is not there is said so and
# is a failure when CI=true.
set -u
cd "$(dirname "$0")/.." || exit 2
failed=0
sources=$(git ls-files '*.c')
headers=$(git ls-files '*.h')
jobs=$(nproc)
radios=$(cd platforms && printf 'RADIO(%s) ' $(dirname */driver.c)) # as the Makefile has it
export radios

# have TOOL: says when it is missing.
have() {
	command -v "$1" >/dev/null && return 0
	echo "not here: $1"
	[ "${CI:-}" = true ] && failed=1
	return 1
}

# verdict TOOL STATUS
verdict() {
	if [ "$2" = 0 ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		failed=1
	fi
}

if have clang-format; then
	echo "$sources" "$headers" | xargs clang-format --dry-run -Werror
	verdict clang-format $?
fi
if have cppcheck; then
	echo "$sources" | xargs cppcheck -q -j "$jobs" --std=c11 --enable=warning,performance,portability --inline-suppr \
		--error-exitcode=1 --suppress=missingInclude --suppress=checkersReport -D_GNU_SOURCE -D"RADIOS=$radios" -I. \
		-Icore/include
	verdict cppcheck $?
fi
if have clang-tidy; then
	# srsRAN's headers come with its source, which is not here
	echo "$sources" | grep -vE '^platforms/dpdk/|/srsran\.c$' | xargs -P "$jobs" -n 4 sh -c \
		'clang-tidy --quiet "$@" -- -std=c11 -I. -Icore/include -D_GNU_SOURCE "-DALOE_VERSION=\"0\"" "-DRADIOS=$radios" 2>/dev/null' tidy
	verdict clang-tidy $?
	if pkg-config --exists libdpdk; then
		clang-tidy --quiet $(git ls-files 'platforms/dpdk/*.c') -- -std=c11 -I. -Icore/include -D_GNU_SOURCE \
			$(pkg-config --cflags libdpdk) 2>/dev/null
		verdict "clang-tidy, DPDK" $?
	else
		echo "not here: libdpdk"
		[ "${CI:-}" = true ] && failed=1
	fi
fi
exit $failed
