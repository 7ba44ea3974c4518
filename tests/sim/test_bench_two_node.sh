#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe bench two-node on the virtual clock: both nodes come up, the cost of the transport is measured, plan and run are asked for
# each slot length, and the chain needs 81.5 % of both nodes. Nothing is slowed down, and no figure of time is looked at.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/node.sh
export TMPDIR="$work" # where the bench has its nodes
bench() { "$bin/aloe-bench" two-node --clock virtual --transport tcp "$@"; }

ok "a run" sh -c "'$bin/aloe-bench' two-node --clock virtual --transport tcp --slots 20 --slot-us 40000,20000 -q --json >'$work/json'"
tr -d ' \n' <"$work/json" >"$work/line"
ok "a row for each slot length, the shortest first" grep -q '"trials":\[{"transport":"tcp","slot_us":20000.0.*"slot_us":40000.0' "$work/line"
ok "the chain alone needs 8.3 ms of the fuller node" sh -c "awk -F'\"need_us\":' '{ exit !(\$2 + 0 > 8302) }' '$work/line'"
ok "the cost of the transport is there" grep -q '"costs":\[{"transport":"tcp","base_us":[0-9.]*,"host_a_us":[0-9.]*,"host_b_us":[0-9.]*,"message_us":[0-9.]*,"byte_ns":[0-9.]*' "$work/line"
ok "so is the shortest slot" grep -q '"shortest":\[{"transport":"tcp","predicted_us":' "$work/line"
ok "no other transport" says 2 "must be one of: tcp udp" "$bin/aloe-bench" two-node --transport dpdk
ok "no slot of no length" says 2 "slot-us" bench --slot-us 0
ok "no node is left" test -z "$(ps -eo args= | grep "^aloe-[a-z]* --dir[= ]$work/aloe-bench-")"
exit $failed
