#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The dashboard's server: every address, who is let in, a set that arrives with its index, events, signals, 17 clients, bad input,
# a rate that is lowered, and statsman killed while a page looks (web_cases.py). On the step clock.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/node.sh
cases=$PWD/tests/sim/web_cases.py
page=$PWD/daemons/statsman/page
cd "$work" || exit 2
cat >w.conf <<'W'
name = "w";
slot_ns = 10000000;
instances: {
	source: { component = "random_source"; length = 600; };
	mod:    { component = "bpsk_mod"; };
	level:  { component = "gain"; gain = 1.0; };
	demod:  { component = "bpsk_demod"; };
	check:  { component = "bit_compare"; };
};
links = ( "source -> mod -> level -> demod -> check.received", "source -> check.sent" );
W
port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
port=$(port)

# ---- the commands ----
ok "another address is refused in words" says 2 "127.0.0.1 is needed" aloe up --web=192.168.1.1:7373
ok "no port" says 2 "a port" aloe up --web=x
ok "one port for both" says 2 "the dashboard serves /metrics, too" aloe up --web="$port" --metrics "$port"
ok "no node, no dashboard" says 1 "" aloe web
ok "up without it" says 0 "the node is up" aloe up
ok "which web says" says 1 "serves no dashboard" aloe web
ok "down" says 0 "" aloe down
ok "up" says 0 "the node is up" aloe up --web="$port"
ok "web" says 0 "address: http://127.0.0.1:$port/" aloe web
ok "the token is its user's alone" test "$(stat -c %a aloe/web)" = 600
ok "web --json" sh -c "'$bin/aloe' web --json | python3 -c 'import json, sys; web = json.load(sys.stdin); assert len(web[\"token\"]) == 64 and web[\"file\"].endswith(\"/web\")'"
ok "another program has the port" says 1 "another program has 127.0.0.1:$port" aloe run w.conf --clock virtual --slots 1 --web="$port"
ok "load" says 0 "w is loaded" aloe load w.conf --clock step --slots 100000 --tap mod.out --tap level.out --keep 8
ok "start" says 0 "w runs" aloe start w
ok "step" says 0 "" aloe step w --count 20

# ---- the rest ----
python3 "$cases" "$bin/aloe" "$work/aloe" "$port" "$page"
[ $? = 0 ] || failed=1

ok "a file that others can read is no token" sh -c "chmod 644 aloe/web && ! '$bin/aloe' web"
ok "down at the end" says 0 "" aloe down
ok "nothing is left of it" test ! -e aloe/web

# ---- a node that was killed ----
ok "up again" says 0 "the node is up" aloe up --web="$port"
cp -p aloe/web kept
"$bin/aloe" down >/dev/null
mkdir -p -m 700 aloe
cp -p kept aloe/web # as SIGKILL leaves it
ok "up without it" says 0 "the node is up" aloe up
ok "an old file is no dashboard" says 1 "serves no dashboard" aloe web
ok "down" says 0 "" aloe down
port=$(port)
ok "a run serves it, too" says 0 "dashboard: http://127.0.0.1:$port/#" aloe run w.conf --clock virtual --slots 5 --web="$port"
ok "but not on nodes that are up" says 2 "aloe up --platform" aloe run w.conf --platform x --web
exit $failed
