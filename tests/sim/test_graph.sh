#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe graph: a waveform file as lines, as text of Graphviz and as pictures that Graphviz draws; a waveform as it runs, with
# what went wrong there; what is said without Graphviz, of wrong files and of pictures that cannot be written.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/node.sh
cd "$work" || exit 2
cat >w.conf <<'END'
name = "w";
slot_ns = 1000000;
instances: {
	source: { component = "random_source"; length = 100; };
	mod:    { component = "bpsk_mod"; period = 2; };
	demod:  { component = "bpsk_demod"; };
	check:  { component = "bit_compare"; };
};
links = ( "source -> mod -> demod -> check.received", { path = "source -> check.sent"; delay = 3; } );
END
sed 's/demod -> check/dmod -> check/' w.conf >wrong.conf
mkdir none
xml() {
	test "$(head -c 5 "$1")" = '<?xml' && grep -q '</svg>' "$1" && grep -q '>demod<' "$1"
}
png() {
	test "$(head -c 4 "$1" | tail -c 3)" = PNG
}

ok "a file, as lines" says 0 '^[|+ -]*`[->|]* demod *bpsk_demod *lane 0, place 3' aloe graph w.conf
ok "a declared delay" says 0 'to check.sent delay 3 distance 3' aloe graph w.conf
ok "the latency" says 0 '^latency 1 slot = 1000 us$' aloe graph ./w.conf
ok "the text of Graphviz" says 0 '^digraph waveform {$' aloe graph w.conf --dot -
ok "the same text again" sh -c "'$bin/aloe' graph w.conf --dot one && '$bin/aloe' graph w.conf --dot - | cmp - one"
ok "copies are drawn once" says 0 '^w: 4 instances on 1 lane, 5 copies' aloe graph w.conf --copies 5
ok "an SVG, and a PNG" aloe graph w.conf --svg one.svg --png one.png
ok "they are such" sh -c "test -s one.svg -a -s one.png"
ok "the SVG has the instances" xml one.svg
ok "the PNG is one" png one.png
ok "a wrong file" says 2 'wrong.conf:[0-9]*:.*"dmod"' aloe graph wrong.conf
ok "no such file" says 2 'x.conf' aloe graph x.conf
ok "no such platform" says 2 'nowhere' aloe graph w.conf --platform nowhere
ok "a folder that is not there" says 1 "none/x/one.svg: cannot be written" aloe graph w.conf --svg none/x/one.svg
ok "without Graphviz: what to install" says 2 'needs Graphviz.*apt-get install graphviz.*--dot FILE' \
	env PATH="$work/none" "$bin/aloe" graph w.conf --svg two.svg
ok "no file is made then" test ! -e two.svg
ok "the lines need none" says 0 'demod' env PATH="$work/none" "$bin/aloe" graph w.conf
printf '#!/bin/sh\nexit 3\n' >none/dot
chmod +x none/dot
ok "a Graphviz that fails" says 1 'no picture: dot ended with status 3' env PATH="$work/none:/usr/bin:/bin" "$bin/aloe" graph w.conf --svg two.svg

# ---- as it runs ----
ok "up" says 0 "the node is up" aloe up
ok "a file while nothing is loaded" says 0 '^w: 4 instances on 1 lane' aloe graph w.conf
ok "load" says 0 "w is loaded" aloe load w.conf --clock step --slots 300
ok "a loaded waveform" says 0 '^w: [A-Z]* at index 0' aloe graph w
ok "start" says 0 "w runs" aloe start w
ok "40 slots" sh -c "'$bin/aloe' step w --count 40 >step.said"
ok "they are through" eventually sh -c "'$bin/aloe' graph w | grep -q 'at index 40'"
ok "time and share of the slot" says 0 'source .*lane 0, place 1 *[0-9.]* us, most [0-9.]* us, [0-9.]* %' aloe graph w
ok "the load of the lane" says 0 '^lane 0 (CPU [0-9]*): load [0-9.]* %' aloe graph w
ok "the links are those of the file" sh -c "'$bin/aloe' graph w | grep -o '^.*: 100 [a-z0-9]*.*' | sed 's/^[^a-z]*//' >run && '$bin/aloe' graph ./w.conf | grep -o '^.*: 100 [a-z0-9]*.*' | sed 's/^[^a-z]*//' | cmp - run"
ok "a picture of it" aloe graph w --svg run.svg
ok "it has the instances" xml run.svg
ok "a file all the same" says 0 '^w: 4 instances' aloe graph ./w.conf
exit "$failed"
