#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A build that only the manager has goes to the node that needs it, once, and is kept there by its content.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/nodes.sh
lib=${bin%/bin}/lib/aloe
export ALOE_LOG=note
trap '"$bin/aloe" down --platform "$work/pair.conf" >/dev/null 2>&1; rm -rf "$work"' EXIT

sum() { sha256sum <"$1" | cut -c1-64; }
sent() { grep -c "of component bpsk_mod goes to node \"b\"" "$work/state/aloe/node.log"; }

port=$((6300 + $$ % 50 * 16))
pair >pair.conf
two a 'node = "a"; ' >two.conf
aloe run two.conf --clock virtual --slots 100 -q --set sink.path=one.bin
mkdir mine
cp "$lib/bpsk_mod.desc" "$lib/bpsk_mod.so" mine
echo "another build" >>mine/bpsk_mod.so # what is behind the last section changes nothing but the content
build=$(sum mine/bpsk_mod.so)
kept="$work/state/aloe/nodes/b/builds/bpsk_mod.$build.so"

ok "the manager is up, with a component of its own" says 0 "the node is up" \
	env ALOE_COMPONENTS="$work/mine:$lib" "$bin/aloe" up --platform pair.conf --node a
ok "the other node is up, without" says 0 "the node is up" "$bin/aloe" up --platform pair.conf
ok "both have joined" eventually joined
ok "load" says 0 "two is loaded" aloe load two.conf --clock virtual --slots 100
ok "the node keeps the build by its content" test "$(sum "$kept")" = "$build"
ok "it is closed to others" test "$(stat -c %a "$kept")" = 600
ok "the host has it open" sh -c "cat /proc/[0-9]*/maps 2>/dev/null | grep -q '$kept'"
ok "start" says 0 "two runs" aloe start two
ok "it ends" eventually state_is two STOP
ok "its bits are those of one lane" cmp two.bin one.bin
ok "the report names the build" sh -c "'$bin/aloe' status two --json | grep -q '$build'"
ok "unload" says 0 "two is unloaded" aloe unload two
ok "load again" says 0 "two is loaded" aloe load two.conf --clock virtual --slots 100
ok "it was sent once" test "$(sent)" = 1
ok "unload again" says 0 "two is unloaded" aloe unload two
echo spoiled >"$kept"
ok "load, with a file that is spoiled" says 0 "two is loaded" aloe load two.conf --clock virtual --slots 100
ok "it was sent anew" test "$(sent)" = 2
ok "and is whole" test "$(sum "$kept")" = "$build"
ok "down" says 0 "the node is down" aloe down --platform pair.conf

exit $failed
