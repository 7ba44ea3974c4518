#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# daemons/README.md against the program: its messages are those of the wire, and its JSON fields those that are printed, each
# way. A field of a row that says *sometimes* need not be printed here.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
top=$PWD
PATH=$(cd "$B/bin" && pwd):$PATH
work=$(mktemp -d) || exit 2
. tests/common/ok.sh
node=$work/node
end() {
	aloe down --dir "$node" >/dev/null 2>&1
	aloe down --dir "$node.a" >/dev/null 2>&1
	rm -rf "$work"
}
trap end EXIT
cd "$work" || exit 2
page=$top/daemons/README.md

# documented SECTION [sometimes]: the fields in the first column of its table.
documented() {
	awk -F '|' -v section="$1" -v leave="${2:-}" '
		/^#/ { here = $0 == "### " section }
		here && /^\| `/ && !(leave != "" && /\*sometimes\*/) { print $2 }' "$page" | grep -oE '`[a-zA-Z_0-9.-]+`' | tr -d '`' | sort -u
}

# printed FILE: fields, but for those that are named by the waveform.
printed() {
	awk '/"(variables|paths|paths_last|values)": \{/ { match($0, /^ */); deep = RLENGTH; print; skip = !/\}/; next }
		skip { match($0, /^ */); if (RLENGTH <= deep) skip = 0; next }
		{ print }' "$1" | grep -oE '"[A-Za-z_0-9.]+": ?' | tr -d '": ' | sort -u
}

# agrees SECTION FILE
agrees() {
	documented "$1" >all
	documented "$1" always >always
	test -s all || return 1
	printed "$2" >have
	test -s have && comm -13 all have >undocumented && comm -23 always have >unprinted && test ! -s undocumented -a ! -s unprinted &&
		return
	sed 's/^/printed, and not in the page: /' undocumented
	sed 's/^/in the page, and not printed: /' unprinted
	return 1
}

awk '/^enum wire_type/ { here = 1 } /^};/ { here = 0 }
	here && /^\tWIRE_[A-Z]+ = / { sub(/,.*/, ""); sub(/\tWIRE_/, ""); print $1, $3 }' "$top/core/wire/wire.h" >wire
awk -F '[| ]+' '/^## The wire/ { here = 1 } /^## JSON/ { here = 0 } here && $2 ~ /^[A-Z]+$/ && $3 ~ /^[0-9]+$/ { print $2, $3 }' "$page" >told
ok "there are messages" test -s wire
ok "each message is in the page" cmp wire told

sed -n '/^enum wire_tag/,/^};/s/^\tWIRE_TAG_[A-Z_]* = \([0-9]*\).*/\1/p' "$top/core/wire/wire.h" | sort | uniq -d >twice
ok "no two fields of the wire have one tag" test ! -s twice
sed -n '/^enum wire_tag/,/^};/s/^\tWIRE_TAG_\([A-Z_]*\) = \([0-9]*\).*/\1 \2/p' "$top/core/wire/wire.h" | sort >tags
sed -n '/^Tags of fields:/,/^$/p' "$page" | tr '\n' ' ' | grep -oE '[A-Z_]+ [0-9]+' | sort >tags.told
ok "each tag of a field is in the page" cmp tags tags.told

# The pairs of the messages, "client, swman, exec" being two, and the tests that are named for pairs.
awk -F '|' '/^## The wire/ { here = 1 } /^## / && !/wire/ { here = 0 } here && $3 ~ /[0-9]/ && $4 ~ /,/ {
	n = split($4, chain, ";")
	for (i = 1; i <= n; i++) {
		m = split(chain[i], who, ",")
		for (k = 1; k < m; k++) { gsub(/ /, "", who[k]); gsub(/ /, "", who[k + 1]); print who[k] ", " who[k + 1] }
	} }' "$page" | sort -u >pairs
awk -F '|' '/^## What one writes/ { here = 1 } /^## JSON/ { here = 0 } here && $2 ~ /,/ { gsub(/^ | $/, "", $2); print $2 }' "$page" |
	sort -u >tested
ok "each pair of the messages has a test through both" sh -c "test -s pairs && comm -23 pairs tested >missing && cat missing && test ! -s missing"
ok "those tests are there" sh -c "cd '$top' && for t in \$(grep -oE 'tests/[a-z_/]+[.](c|sh)' '$page'); do ls \"\$t\" || exit 1; done"

ok "a run" sh -c "aloe run '$top/waveforms/utran384-random.conf' --clock virtual --slots 40 --copies 2 --json --quiet >report.json"
ok "its report is in the page" agrees report report.json
ok "the runs" sh -c "aloe runs --json >runs.json"
ok "they are in the page" agrees runs runs.json
ok "a plan" sh -c "aloe plan '$top/waveforms/utran384-random.conf' --json >plan.json 2>err || { cat err; false; }"
ok "it is in the page" agrees plan plan.json
ok "components" sh -c "aloe list components --json >components.json"
ok "they are in the page" agrees components components.json
ok "the doctor" sh -c "aloe doctor --json --seconds 1 >doctor.json"
ok "what it prints is in the page" agrees doctor doctor.json
ok "a calibration" sh -c "execinfo --calibrate --json >calibrate.json"
sed -i '/"classes_ns": {/,/}/d' calibrate.json # by class of work
echo '"classes_ns": {}' >>calibrate.json
ok "it is in the page" agrees calibrate calibrate.json
ok "the simulated device" sh -c "x310sim --address 127.0.0.78 --seconds 0.05 --json | grep '^{' >x310sim.json"
ok "its counts are in the page" agrees x310sim x310sim.json
if command -v x310-init >/dev/null; then # not without UHD
	x310sim --address 127.0.0.79 >sim 2>&1 &
	sim=$!
	while kill -0 $sim && ! grep -q ready sim; do
		sleep 0.05
	done
	x310-init --json --rate 1e6 127.0.0.79 >init 2>err &
	init=$!
	while kill -0 $init 2>/dev/null && ! grep -q ready err; do
		sleep 0.1
	done
	kill -TERM $init && wait $init
	kill -TERM $sim && wait $sim
	sed 's/":/": /g' init >x310-init.json
	ok "what x310-init prints is in the page" agrees x310-init x310-init.json
fi
awk '/^static const struct column/ { here = 1 } here { print } /};/ { here = 0 }' "$top"/tools/bench/*.c |
	grep -oE '\{"[A-Za-z_0-9-]+", "' | tr -d '{", ' | sort -u >columns
documented aloe-bench >all
ok "each column of aloe-bench is in the page" sh -c "test -s columns && comm -23 columns all >rest && cat rest && test ! -s rest"
ok "a benchmark" sh -c "aloe-bench map --seeds 2 --units 0 --json --quiet | sed '/^  \"[a-z_]*\": \[/d' >bench.json"
printed bench.json >have # without the keys of tables
ok "what it prints is in the page" sh -c "test -s have && comm -23 have all >rest && cat rest && test ! -s rest"
ok "a node" aloe up --dir "$node"
ok "a waveform" aloe load "$top/waveforms/utran384-random.conf" --dir "$node" --clock virtual
ok "a list" sh -c "aloe list --dir '$node' --json >list.json"
{ documented report; documented list; } | sort -u >all
printed list.json >have
ok "its fields are in the page" sh -c "comm -13 all have >rest; cat rest; test ! -s rest"
documented list always | grep -v '^radio$' >always
ok "and the page's are in it" sh -c "comm -23 always have >rest; cat rest; test ! -s rest"
ok "a look" sh -c "aloe watch utran384-random compare --dir '$node' --json --count 1 | sed 's/\"values\":{.*/\"values\": {}/; s/\":/\": /g' >watch.json"
ok "it is in the page" agrees watch watch.json
ok "the outputs" sh -c "aloe tap utran384-random --dir '$node' --json >tap.json"
ok "they are in the page, too" agrees tap tap.json
cat >platform.conf <<END
name = "one"; secure = false;
nodes: { a: { mmac_per_s = 1.0; manager = true; lanes = [0]; address = "127.0.0.1:$((9600 + $$ % 80 * 4))"; }; };
END
ok "a node of a platform" aloe up --dir "$node.a" --platform platform.conf --node a
ok "its nodes" sh -c "aloe list nodes --dir '$node.a' --json >nodes.json"
ok "they are in the page, and the page's in them" agrees nodes nodes.json
exit "$failed"
