#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Nodes that are lost: all processes of a node are killed (SIGKILL), or nothing is heard of it. `hold` waits (test_platform.sh),
# `stop` stops the rest in good order and says why, `restart` loads anew on what is left, and the node that was given up holds its
# part, and is told to drop it when it is back. A manager that is killed asks the nodes.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/nodes.sh
export ALOE_LOG=note
end() {
	for node in a b c; do signal CONT "$node"; done
	"$bin/aloe" down --platform "$work/three.conf" >/dev/null 2>&1
	for node in a b c; do signal KILL "$node"; done
	rm -rf "$work"
}

up() { # NODE
	NODE_MARK=$work/$1 "$bin/aloe" up --platform "$work/three.conf" --node "$1" --dir "$work/$1" --state "$work/state-$1"
}
at() { aloe "$@" --dir "$work/a"; }
begins() { # FILE OTHER: the file is the beginning of the other
	test -s "$1" && head -c "$(stat -c %s "$1")" "$2" | cmp - "$1"
}
steps() { at status two | sed -n 's/^two: .*index \([0-9]*\).*/\1/p' | head -1; }
passes() { # INDEX: the waveform has come so far
	n=$(steps) && test "${n:-0}" -gt "$1"
}
where() { # INSTANCE: its node, as the manager has it
	at get two "$1" --node a 2>&1 | sed -n 's/.* is on node "\([abc]\)".*/\1/p'
}
test_where() { test "$(where mod)" = "$1"; }
rests() { # FILE: it comes to a time in which 50 slots go by and it does not grow
	for _ in $(seq 10); do
		size=$(stat -c %s "$1")
		sleep 1
		test "$(stat -c %s "$1")" = "$size" && return
	done
	return 1
}
hosts() { for pid in $(processes "$1"); do cat "/proc/$pid/comm" 2>/dev/null; done | grep -c '^aloe-host$'; }
no_hosts() { test "$(hosts "$1")" = 0; }
trap end EXIT

port=$((5400 + $$ % 50 * 16))
three >three.conf
# By their budgets the modulator cannot be with the source and the sink, which are on node a.
cat >two.conf <<'END'
name = "two";
slot_ns = 20000000;
instances: {
	source: { component = "random_source"; length = 1000; seed = 7; node = "a"; budget_us = 6000.0; };
	mod:    { component = "bpsk_mod"; budget_us = 12000.0; };
	demod:  { component = "bpsk_demod"; node = "a"; budget_us = 1000.0; };
	sink:   { component = "file_sink"; path = "two.bin"; node = "a"; budget_us = 6000.0; };
};
links = ( "source -> mod -> demod -> sink" );
END
aloe run two.conf --clock virtual --slots 100000 -q --force --set sink.path=many.bin >/dev/null 2>&1

for node in a b c; do ok "node $node is up" says 0 "the node is up" up $node; done
ok "all have joined" eventually joined 3 --dir a

# ---- a host that dies ----

ok "load, with a host that will die" says 0 "two is loaded" at load two.conf --set mod.node=b
ok "start it first" says 0 "two runs" at start two
ok "it runs first" eventually passes 3
signal KILL b host
ok "the other part stops, too" eventually state_is two ABNSTOP --dir a
ok "and all say the same" eventually says 0 'reason     node "b": the host of "mod" was killed by signal 9' at status two
ok "once" test "$(at status two | grep -o 'the host of "mod"' | wc -l)" = 1
ok "its file is closed, with the right bits" eventually begins two.bin many.bin
ok "that is unloaded without force" says 0 "two is unloaded" at unload two

# ---- stop ----

ok "load, to be stopped" says 0 "two is loaded" at load two.conf --set on_node_loss=stop --set mod.node=b
ok "start it" says 0 "two runs" at start two
ok "it runs" eventually passes 3
signal KILL b
ok "node b is gone" eventually is_gone b
ok "what is left is stopped" eventually state_is two ABNSTOP --dir a
ok "and says why" eventually says 0 'reason     node "b" is lost (nothing was heard of it for' at status two
ok "the file is closed, with the right bits" eventually begins two.bin many.bin
ok "it is unloaded without force" says 0 "two is unloaded" at unload two
[ "$failed" = 0 ] || exit 1 # what follows would wait for minutes
ok "nothing is left of it" says 0 "no waveform is loaded" at list
ok "node b is up again" says 0 "the node is up" up b
ok "and has joined" eventually joined 3 --dir a

# ---- restart ----

rm -f two.bin
ok "load, to be loaded anew" says 0 "two is loaded" at load two.conf --set on_node_loss=restart
ok "start that" says 0 "two runs" at start two
ok "that runs" eventually passes 3
first=$(where mod)
ok "it is known where the modulator is" test -n "$first"
[ -n "$first" ] || exit 1
ok "the modulator is on another node" test "$first" = b -o "$first" = c
other=$([ "$first" = b ] && echo c || echo b)

# No word for a while, and nobody who decides: the part is held, and goes on when it is told that its load is the right one.
signal STOP a swman
signal STOP "$first" frontend
ok "without word it is held" eventually grep -q "two: no word from the manager for 1000 ms" "$work/state-$first/node.log"
ok "nothing comes from it" rests two.bin
signal CONT "$first" frontend
ok "the node is heard again" eventually joined 3 --dir a
signal CONT a swman
ok "what is held goes on" eventually grep -q "two goes on" "$work/state-$first/node.log"
seen=$(steps)
ok "as the same load" eventually passes "$((${seen:-0} + 3))"
ok "of which no state is gone" test -z "$(at status two | grep "loaded anew")"
ok "and which says that it was held" says 0 "the waveform was held: no word came from the manager for 1000 ms" at status two

ok "the manager is killed" killed swman "$work/a"
ok "the one that follows knows the waveform" eventually state_is two RUN --dir a
signal KILL "$first"
ok "it goes to the node that is left" eventually test_where "$other"
ok "it runs there" eventually passes 3
ok "and says what was lost" says 0 "the waveform was loaded anew on what is left, from index 0" at status two
ok "node $first is up again, the first" says 0 "the node is up" up "$first"
ok "all have joined again" eventually joined 3 --dir a

# Nothing is heard of the node, which goes on: its part is held, and dropped when it is back.
signal STOP "$other" frontend
ok "it goes back to the first" eventually test_where "$first"
ok "it runs there, too" eventually passes 3
ok "the part that was given up is held" eventually grep -q "two: no word from the manager for 1000 ms" "$work/state-$other/node.log"
ok "hosts of it are there" test "$(hosts "$other")" != 0
signal CONT "$other" frontend
ok "it is dropped when the node is back" eventually no_hosts "$other"
seen=$(steps)
ok "the one that runs is not disturbed" eventually passes "$((${seen:-0} + 3))"
ok "stop it" says 0 "two is stopped" at stop two
ok "its bits are those of one lane from index 0" begins two.bin many.bin
ok "unload it" says 0 "two is unloaded" at unload two

# ---- nowhere to go ----

ok "load, bound to its node" says 0 "two is loaded" at load two.conf --set on_node_loss=restart --set mod.node=b
ok "start the bound one" says 0 "two runs" at start two
ok "the bound one runs" eventually passes 3
signal KILL b
ok "it is stopped" eventually state_is two ABNSTOP --dir a
ok "and says why it is not loaded anew" eventually says 0 "mod must be on node b" at status two
ok "unload the bound one" says 0 "two is unloaded" at unload two

exit $failed
