#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/bench/plots/draw.sh - draw the pictures here again, from the results that are kept beside them.
set -eu
cd "$(dirname "$0")/../../.."
B=${B:-build} plots=tests/bench/plots
for result in "$plots"/*.json; do
	"$B/bin/aloe" bench draw "$result" --plot "${result%.json}.svg"
done
run=$(ls "$plots/state/runs")
"$B/bin/aloe" report "$run" --state "$plots/state" --plot "$plots/report.svg" >/dev/null
"$B/bin/execinfo" --run "$plots/state/runs/$run" --plot "$plots/execinfo.svg" >/dev/null
sed -i 's,>saved run: [^<]*<,><,' "$plots/execinfo.svg" # where it was is of no interest elsewhere
sed -i '1a <!-- SPDX-License-Identifier: BSD-3-Clause; tests/bench/plots/draw.sh -->' "$plots"/*.svg
