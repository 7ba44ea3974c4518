#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe bench overhead --daemons, with few slots on the virtual clock: every daemon of every node has its row, the total is the sum,
# the published figures are beside it; overhead --web has a row for each crowd, and what its clients were sent; and what is refused.
# The figures themselves say nothing here.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/node.sh
export TMPDIR="$work" # where the bench has its nodes
cpus() { nproc | sed 's/^1$/1/; s/^[^1].*$/2/'; } # the lane's, and another one where there is one

ok "a run" sh -c "'$bin/aloe-bench' overhead --daemons --slots 20 --slot-us 10000 --clock virtual -q --csv '$work/rows' >'$work/text'"
row() { # DAEMON NODE: how many there are
	awk -F , -v daemon="$1" -v node="\"$2\"" '$1 == daemon && $0 ~ node { n++ } END { print n + 0 }' "$work/rows"
}
for daemon in EXEC STATS SWLOAD FRONTEND "node keeper" TOTAL SWMAN STATSMAN; do
	for node in "one node" "with a peer, idle" "with a peer, carrying"; do
		ok "$daemon, $node" test "$(grep -c "^$daemon,\"\?$node\"\?," "$work/rows")" = "$(cpus)"
	done
done
ok "one node has no bridge" test "$(grep -c '^BRIDGE,"\?one node' "$work/rows")" = 0
ok "a node with a peer has one" test "$(grep -c '^BRIDGE,' "$work/rows")" = "$(($(cpus) * 2))"
ok "a frame has its row" test "$(grep -c '^a frame,' "$work/rows")" = "$(cpus)"
# The columns after the name of the node, which may have a comma: CPU, slot, slots, us, wake-ups, frames, published.
sed 's/"with a peer, \([a-z]*\)"/\1/' "$work/rows" >"$work/plain"
sums() {
	awk -F , 'NR > 1 && $1 ~ /^(EXEC|STATS|BRIDGE|FRONTEND|node keeper)$/ { us += $6; wakes += $7 }
		$1 == "TOTAL" { n++; if (us - $6 > 1e-3 || $6 - us > 1e-3 || wakes - $7 > 1e-3 || $7 - wakes > 1e-3) { print; exit 1 }
			us = wakes = 0 }
		END { exit !n }' "$work/plain"
}
ok "the total is the sum" sums
ok "what was published is beside it" awk -F , '$1 == "TOTAL" && $9 != 186.7 { exit 1 } $1 == "EXEC" && $9 != 87.1 { exit 1 }' "$work/plain"
ok "who looks at the dashboard" sh -c "'$bin/aloe-bench' overhead --web --rounds 2 --slots 20 --slot-us 10000 --clock virtual -q --csv '$work/web' >'$work/text'"
ok "nobody, one and four clients" test "$(awk -F , 'NR > 1 { printf "%s ", $2 }' "$work/web")" = "0 1 4 "
ok "a lane is compared with itself" awk -F , 'NR == 2 && ($5 != 1 || $7 != 1 || $9 != 1) { exit 1 } NR > 1 && !($3 > 0 && $5 > 0) { exit 1 }' "$work/web"
ok "who looks is sent something" awk -F , 'NR == 2 && $13 != "" { exit 1 } NR > 2 && !($12 > 0 && $13 > 5) { exit 1 }' "$work/web"
ok "components belong to no dashboard" says 2 "--components is for measurements without --web" "$bin/aloe-bench" overhead --web --components 3
ok "no option of other measurements" says 2 "--rounds is for measurements without --daemons" "$bin/aloe-bench" overhead --daemons --rounds 2
ok "nor its own without it" says 2 "--slots is for measurements with --daemons or --web" "$bin/aloe-bench" overhead --slots 20
ok "too few slots" says 2 "10 .. 10000000" "$bin/aloe-bench" overhead --daemons --slots 1
ok "no node is left" test -z "$(ps -eo args= | grep "^aloe-[a-z]* --dir[= ]$work/aloe-bench-")"
exit $failed
