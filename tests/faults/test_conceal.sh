#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# overrun = "conceal" on a node: a stage takes longer than the slot, so its outputs become ABSENT; it takes less again, and
# after 1000 slots in time nothing is concealed any more. Nothing here depends on how fast the machine is.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=$(cd "${B:-build}" && pwd) || exit 2
work=$(mktemp -d) || exit 2
aloe=$B/bin/aloe
trap '"$aloe" down --dir "$work/node" >/dev/null 2>&1; rm -rf "$work"' EXIT
. tests/common/ok.sh
capacity_copy "$work/state"

cat >"$work/slow.conf" <<'END'
name = "slow";
slot_ns = 1000000;
overrun = "conceal";
admit = "always";
instances: {
	source: { component = "random_source"; length = 8; };
	stage: { component = "spin"; mean_us = 1500.0; budget_us = 500.0; };
	sink: { component = "null_sink"; };
};
links = ( "source -> stage -> sink" );
END
# of KEY INSTANCE: a count of an instance in the report
of() { "$aloe" status slow --json --dir "$work/node" | python3 -c "
import json, sys
print([i for i in json.load(sys.stdin)['instances'] if i['name'] == '$2'][0]['$1'])"; }
soon() { for _ in $(seq 100); do "$@" && return 0; sleep 0.2; done; return 1; }
conceals() { [ "$(of concealed stage)" -gt 0 ]; }
logged() { grep -qF "$1" "$work/state/node.log"; }

ok "up" "$aloe" up --dir "$work/node" --state "$work/state"
ok "load" "$aloe" load "$work/slow.conf" --dir "$work/node"
ok "start" "$aloe" start slow --dir "$work/node"
ok "outputs beyond the budget are ABSENT, and counted" soon conceals
ok "the log says so once" [ "$(grep -c 'are ABSENT from now on' "$work/state/node.log")" = 1 ]
ok "the stage is quick again" "$aloe" set slow stage.mean_us=10 --dir "$work/node"
ok "after 1000 slots in time it is over" soon logged "nothing is concealed any more"
before=$(of concealed stage)
sleep 0.5
ok "and nothing is concealed" [ -n "$before" -a "$(of concealed stage)" = "$before" ]
ok "down" "$aloe" down --dir "$work/node"
exit $failed
