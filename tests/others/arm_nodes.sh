#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/others/arm_nodes.sh ARCH - a node of this machine and one of ARCH (aarch64, armhf), which runs under qemu-user: the
# transmitter of utran384 on the first, noise and receiver on the second, over their bridges, on the virtual clock and in slots of
# 20 ms. The samples at the sink are those of one node, here or there; of armhf that node alone is tried. Each node has ALOE
# installed at the same place, as machines do: the second one has a mount namespace of its own, in which that place has the build
# for ARCH. By `make check-arm`, under tests/emulated.sh.
set -u
cd "$(dirname "$0")/../.." || exit 2
top=$PWD arch=${1:?ARCH}
ours=$top/${B:-build} theirs=$top/build-$arch
work=$(mktemp -d /tmp/aloe-arm.XXXXXX) || exit 2
export XDG_RUNTIME_DIR="$work" XDG_STATE_HOME="$work/state" ALOE_LOG=error
. tests/common/ok.sh
aloe() { "$ours/bin/aloe" "$@"; }
other=
end() {
	aloe down >/dev/null 2>&1
	[ -z "$other" ] || { kill "$other" 2>/dev/null && wait "$other"; }
	rm -rf "$work"
}
trap end EXIT
cd "$work" || exit 2
eventually() { # a condition that comes true by itself
	for _ in $(seq 1200); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.1
	done
	"$@"
}

port=$((8700 + $$ % 25 * 16))
cat >pair.conf <<END
name = "pair";
secure = false;
nodes: {
	a: { mmac_per_s = 1000.0; address = "127.0.0.1:$port"; manager = true; shared = true; lanes = [0]; };
	b: { mmac_per_s = 1000.0; arch = "$arch"; address = "127.0.0.1:$((port + 2))"; shared = true; lanes = [1]; };
};
links = ( { nodes = ["a", "b"]; mbit_per_s = 1000.0; delay = 2; } );
END
# Everything behind the modulator runs on b, but for the ends, whose files are here.
cp "$top/waveforms/speech.wav" .
sed -E '/^\t(noise|soft|deinterleave2|demux|desegment|deinterleave1|dematch|decoder|check|words):/s/ \};/ node = "b"; };/' \
	"$top/waveforms/utran384.conf" >split.conf
ok "ten instances are for the other node" test "$(grep -c 'node = "b"' split.conf)" = 10
# The components that the manager knows for ARCH.
mkdir builds && ln -s "$theirs/lib/aloe" "builds/$arch"
export ALOE_COMPONENTS="$work/builds"

noisy="--set noise.ebn0_db=2" # so that blocks fail, too
ok "the waveform on one node" aloe run "$top/waveforms/utran384.conf" --clock virtual -q $noisy --set sink.path=one.wav
ok "200 slots of it" aloe run "$top/waveforms/utran384.conf" --clock virtual --slots 200 -q $noisy --set sink.path=one200.wav
same() { # ONE TWO
	sha256sum "$1" "$2" && cmp "$1" "$2"
}
ok "and on a node of $arch" "$theirs/bin/aloe" run "$top/waveforms/utran384.conf" --clock virtual -q $noisy --set sink.path=theirs.wav
ok "whose sink has the same bits" same one.wav theirs.wav
sha256sum one.wav theirs.wav
if [ "$arch" = armhf ]; then
	echo "not tried: a waveform on x86_64 and armhf; the plan names a build by its descriptor, which differs with 32 bits"
	exit $failed
fi

ok "node a is up" aloe up --platform pair.conf --node a
unshare --mount sh -c 'mount --bind "$1/lib" "$2/lib" && shift 2 && exec "$@"' - "$theirs" "$ours" \
	"$theirs/bin/aloe" up -f --platform pair.conf --node b --dir "$work/b" --state "$work/state.b" >b.log 2>&1 &
other=$!
joined() { aloe list nodes >nodes && test "$(grep -c ' joined ' nodes)" = 2; }
ok "a node of $arch has joined" eventually joined
cat nodes b.log
is_arm() { readelf -h "$theirs/bin/aloe-exec" | grep -E 'Machine: .*(AArch64|ARM)'; }
ok "it is of $arch" is_arm
ended() { aloe list | grep '^utran384 .*STOP'; }
ok "load, on the virtual clock" aloe load split.conf --clock virtual $noisy --set sink.path="$work/two.wav"
ok "start" aloe start utran384
ok "it ends" eventually ended
aloe status utran384 | grep -E '^(blocks|slots|messages|latency)'
ok "the sink has the same bits as on one node" same one.wav two.wav
sha256sum one.wav two.wav
ok "unload" aloe unload utran384
# An emulator keeps no time: a slot may slip, and nothing is lost.
ok "load, on the timer in slots of 20 ms" aloe load split.conf --slot-us 20000 --slots 200 $noisy --set sink.path="$work/two200.wav"
ok "start that" aloe start utran384
ok "it ends, too" eventually ended
aloe status utran384 | grep -E '^(blocks|slots|messages|latency)'
ok "and has the same bits" same one200.wav two200.wav
ok "unload that" aloe unload utran384
[ $failed = 0 ] || cat b.log
exit $failed
