#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Little memory, a small /dev/shm, a full disk, an ordinary user: `aloe run` works, or ends with the cause and the sizes.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
aloe=$PWD/$B/bin/aloe
work=$(mktemp -d /tmp/aloe-limits.XXXXXX) || exit 2 # where an ordinary user can go, too
trap 'rm -rf "$work"' EXIT
export XDG_RUNTIME_DIR="$work/run" XDG_STATE_HOME="$work/state"
mkdir -m 700 "$XDG_RUNTIME_DIR"
. tests/common/ok.sh

# expect WHAT STATUS TEXT COMMAND...: the exit status, TEXT in what it says, and nothing left in the runtime directory
expect() {
	what=$1 status=$2 text=$3
	shift 3
	for _ in $(seq 240); do # a lane has its CPU for itself; another test may have it just now
		"$@" >"$work/said" 2>&1 </dev/null
		got=$?
		grep -q "taken by the lane of another" "$work/said" || break
		sleep 0.5
	done
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		left=$(ls -A "$XDG_RUNTIME_DIR")
		[ -z "$left" ] && break
		sleep 0.2
	done
	if [ $got = "$status" ] && { [ -z "$text" ] || grep -qF -- "$text" "$work/said"; } && [ -z "$left" ]; then
		echo "ok $what"
	else
		echo "not ok $what: exit $got (wanted $status, \"$text\"), left: $left"
		sed 's/^/  | /' "$work/said" | head -n 20
		failed=1
	fi
}

root() { [ "$(id -u)" = 0 ]; }
unshared() { root && unshare -m true 2>/dev/null; }

cat >"$work/large.conf" <<END
name = "large";
slot_ns = 1000000000;
pipelined = true;
instances: {
	source: { component = "random_source"; length = 16777216; };
	mod: { component = "bpsk_mod"; };
	c1: { component = "copy"; };
	c2: { component = "copy"; };
	sink: { component = "null_sink"; };
};
links = ( "source -> mod -> c1 -> c2 -> sink" );
END
cat >"$work/small.conf" <<END
name = "small";
slot_ns = 1000000;
instances: {
	source: { component = "random_source"; length = 10000; };
	copy: { component = "copy"; };
	sink: { component = "file_sink"; path = "$work/small.out"; };
};
links = ( "source -> copy -> sink" );
END

rest() { # takes no lane
	# ---- memory
	expect "a limit on addresses: refused with both sizes" 2 "\"large\" needs 1" \
		prlimit --as=500000000 "$aloe" run "$work/large.conf" --clock virtual --slots 2 --quiet
	grep -q "[0-9] MB are available" "$work/said" || { echo "not ok the size that is available is not told"; failed=1; }
	expect "no limit: it runs" 0 "" "$aloe" run "$work/large.conf" --clock virtual --slots 2 --quiet

	# ---- /dev/shm, disk
	if unshared; then
		expect "/dev/shm of 1 MB is not used" 0 "" unshare -m sh -c \
			"mount -t tmpfs -o size=1M none /dev/shm && exec '$aloe' run '$work/large.conf' --clock virtual --slots 2 --quiet"
		mkdir "$work/disk"
		expect "a disk that fills up: path, offset, cause" 1 "No space left on device" unshare -m sh -c \
			"mount -t tmpfs -o size=1M none '$work/disk' && exec '$aloe' run '$work/small.conf' --quiet --slots 100000 \
			--clock virtual --set sink.path='$work/disk/out'"
		grep -q "$work/disk/out.*10[0-9]\{5\}" "$work/said" || { echo "not ok the offset is not told"; cat "$work/said"; failed=1; }
	else
		echo "  (not root: no tmpfs of our own; /dev/full stands for it in test_refused)"
	fi
	expect "a limit on file sizes: path and cause" 1 "$work/small.out" \
		prlimit --fsize=4000000 "$aloe" run "$work/small.conf" --quiet --slots 100000 --clock virtual
	expect "no file may have a byte: refused at once, with both sizes" 0 "a file may have 0 bytes (ulimit -f)" \
		sh -c "{ prlimit --fsize=0 '$aloe' run '$work/small.conf' --quiet --slots 10 --clock virtual; echo exit \$?; } 2>&1 | cat"
	grep -q "^exit 1$" "$work/said" || { echo "not ok the exit status is another"; cat "$work/said"; failed=1; }

	# ---- standard output
	if [ -c /dev/full ]; then
		expect "a report to a full disk is a failure" 1 "aloe: standard output: No space left on device" \
			sh -c "exec '$aloe' run '$work/small.conf' --slots 10 --clock virtual --json --quiet >/dev/full"
		expect "so is a list" 1 "aloe: standard output: No space left on device" \
			sh -c "exec '$aloe' list components --json >/dev/full"
		expect "and a version" 1 "aloe: standard output: No space left on device" sh -c "exec '$aloe' --version >/dev/full"
	fi

	# ---- descriptors
	for files in 12 24 40; do
		expect "$files descriptors: refused with both numbers" 1 "may open $files files (ulimit -n), but a node needs" \
			prlimit --nofile=$files "$aloe" run "$work/small.conf" --quiet --slots 10 --clock virtual
	done
	expect "too few for the hosts of a waveform: refused with the numbers" 2 "has 60 hosts, for which aloe-exec needs 121 more" \
		prlimit --nofile=128 "$aloe" run "$work/small.conf" --quiet --slots 10 --clock virtual --copies 20 \
		--isolation component --set "sink.path=$work/{copy}.out"
	expect "the soft limit does not matter" 0 "" \
		prlimit --nofile=64:4096 "$aloe" run "$work/small.conf" --quiet --slots 10 --clock virtual --copies 10 \
		--isolation component --set "sink.path=$work/{copy}.out"
}
lanes() { # no memory that may be locked, an ordinary user
	expect "no memory may be locked: it runs" 0 "" prlimit --memlock=0 "$aloe" run "$work/small.conf" --slots 100
	if root; then
		chmod 755 "$work"
		mkdir "$work/other"
		chown 65534:65534 "$work/other" "$XDG_RUNTIME_DIR"
		user="setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all env XDG_STATE_HOME=$work/other HOME=$work/other"
		if ! $user test -x "$aloe"; then
			echo "  (an ordinary user cannot reach $aloe)"
			user=
		fi
	else
		user=env
	fi
	if [ -n "$user" ]; then
		to="--set sink.path=${work}/other/out"
		[ -d "$work/other" ] || to=
		expect "an ordinary user: it runs, and says what is lost" 0 "no real-time priority" \
			$user "$aloe" run "$work/small.conf" --slots 200 $to
		for megabytes in 1 8 32 64 128; do
			prlimit --memlock=${megabytes}000000 true 2>/dev/null || continue
			expect "an ordinary user who may lock $megabytes MB" 0 "" \
				prlimit --memlock=${megabytes}000000 $user "$aloe" run "$work/small.conf" --slots 100 --quiet $to
		done
	fi
}
if part rest; then rest; fi
if part lanes; then lanes; fi
exit $failed
