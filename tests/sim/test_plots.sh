#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Pictures of results: aloe bench draw, aloe report --plot, execinfo --plot, from the results of tests/bench/plots. What they
# show is judged by tests/common/svg_figure.py, which has to find what is wrong in pictures that were spoilt. Files are whole
# or not there; results that are none are refused, and so is every ending but three; what is said without gnuplot.
set -u
cd "$(dirname "$0")/../.." || exit 2
top=$PWD
. tests/common/node.sh
plots=$top/tests/bench/plots
cd "$work" || exit 2
bench() {
	"$bin/aloe" bench "$@"
}
figure() { # FILE.svg RESULT.json, or FILE.svg TITLE X Y LOG LEGEND...
	python3 "$top/tests/common/svg_figure.py" "$@"
}
texts() { # FILE.svg: all its words, whatever gnuplot put them in
	sed 's/<[^>]*>/\n/g' "$1" | sed 's/^[[:space:]]*//; s/[[:space:]]*$//' | grep -v -e '^$' -e 'GNUPLOT' | sort
}
same_texts() {
	texts "$1" >a.texts
	texts "$2" >b.texts
	cmp a.texts b.texts
}
spoilt() { # SED-COMMAND WHAT: the picture that it makes of one that is good is found to be wrong
	sed "$1" bler.svg >spoilt.svg
	cmp -s bler.svg spoilt.svg && return 1
	figure spoilt.svg "$plots/bler.json" >found && return 1
	grep -q "$2" found
}

# ---- results that were measured ----------------------------------------------------------------------------------------------
for result in "$plots"/*.json; do
	name=${result##*/}
	name=${name%.json}
	ok "$name" bench draw "$result" --plot "$name.svg"
	ok "$name: as its result says, and readable" figure "$name.svg" "$result"
	ok "$name: the picture that is kept, too" figure "$plots/$name.svg" "$result"
	ok "$name: which says the same" same_texts "$name.svg" "$plots/$name.svg"
done
ok "all kinds are there" ls bler.svg pipes.svg response.svg hist.svg chain.svg copies.svg
ok "a PNG" bench draw "$plots/bler.json" --plot bler.png
ok "is one" sh -c 'head -c 4 bler.png | tail -c 3 | grep -q PNG'
ok "a script" bench draw "$plots/bler.json" --plot bler.gp
ok "has its data, and no terminal" sh -c "grep -q '^\$data0 << END' bler.gp && ! grep -q 'set terminal' bler.gp"
ok "gnuplot takes it" sh -c "(echo 'set terminal dumb'; cat bler.gp) | gnuplot | grep -q 'Eb/N0 .dB.'"

python3 - "$plots/bler.json" <<-'END'
	import json, sys
	result = json.load(open(sys.argv[1]))
	result["plot"]["invalid"] = "VOID: it's a test"
	json.dump(result, open("void.json", "w"))
	result["plot"]["series"][0]["points"][0] = [1, 2]
	json.dump(result, open("short.json", "w"))
	result["plot"]["series"] = []
	json.dump(result, open("empty.json", "w"))
	result["plot"]["series"] = [{"title": "s", "style": "line", "points": [[1, 0, 0, 0.1], [2, 0, 0, 0.1]]}]
	json.dump(result, open("zeros.json", "w"))
	del result["plot"]
	json.dump(result, open("none.json", "w"))
END
ok "a void one" bench draw void.json --plot void.svg
ok "says so in its title" figure void.svg void.json

# ---- a run -------------------------------------------------------------------------------------------------------------------
state=$plots/state
run=$(ls "$state/runs")
ok "a report" says 0 ': ended, index ' aloe report "$run" --state "$state" --plot report.svg
ok "its picture" figure report.svg "Times in the run $run" 'time [us]' 'part of the run' x 'from p50 to p99.9' p50 p99 p99.9 budget \
	'length of a slot'
for row in 'latency, source to sink' 'lane 0, all of a slot' decoder; do
	ok "$row is a row" grep -q ">$row<" report.svg
done
ok "the one that is kept says the same" same_texts report.svg "$plots/report.svg"
ok "JSON beside it" sh -c "'$bin/aloe' report '$run' --state '$state' --json --plot report.svg | python3 -m json.tool >json"
ok "execution times" says 0 'decoder' "$bin/execinfo" --run "$state/runs/$run" --plot execinfo.svg
ok "their picture" figure execinfo.svg "Times of a call of each instance of utran384-random" 'time [us]' instance x p50 p99 p99.9 budget
sed 's,>saved run: [^<]*<,><,' execinfo.svg >anywhere.svg # the path of this house
ok "the one that is kept says the same" same_texts anywhere.svg "$plots/execinfo.svg"
ok "of one instance" says 0 'p50' "$bin/execinfo" --run "$state/runs/$run" --hist decoder --plot decoder.svg
ok "its picture" figure decoder.svg 'Times of a call of decoder, of utran384-random' 'time [us]' 'calls in a cell' xy \
	'calls in a cell of the histogram'
ok "the time left" says 0 'p50' "$bin/execinfo" --run "$state/runs/$run" --margin 0 --plot margin.svg
ok "its picture" figure margin.svg 'Time left at the ends of the slots of lane 0, of utran384-random' 'time left [us]' 'number of slots' y \
	'in a cell of the histogram'
ok "nothing is drawn of nothing" says 2 "no instance" "$bin/execinfo" --run "$state/runs/$run" --hist none --plot no.svg
ok "and no file is left" test ! -e no.svg
ok "what is kept has no picture" says 2 'leave --plot out' "$bin/execinfo" --run "$state/runs/$run" --save --plot no.svg

for what in '--describe gain' --calibrate; do
	ok "nor has this: $what" says 2 'leave --plot out' "$bin/execinfo" $what --plot no.svg
done
mkdir -p nothing/runs
cp -r "$state/runs/$run" nothing/runs/
python3 - "nothing/runs/$run/report.json" <<-'END'
	import json, sys
	report = json.load(open(sys.argv[1]))
	report["latency"] = None
	for lane in report["lanes"]:
	    lane["load_p50"] = lane["load_p99"] = None
	for instance in report["instances"]:
	    instance["calls"] = 0
	json.dump(report, open(sys.argv[1], "w"))
END
ok "a run with nothing measured" says 1 'there is no point to draw' aloe report "$run" --state "$work/nothing" --plot no.svg
ok "its instances" says 1 'there is no point to draw' "$bin/execinfo" --run "nothing/runs/$run" --plot no.svg
ok "have no file" test ! -e no.svg

# ---- a benchmark -----------------------------------------------------------------------------------------------------------------
ok "what is not on the axis is below it" bench x310-recovery -q --plot recovery.gp
ok "how many never are right again" grep -q "'not drawn: [0-9]* never right again, [0-9]* right again at once'" recovery.gp
ok "interrupted before there is a point" says 130 '' timeout --preserve-status -s INT 0.2 "$bin/aloe" bench hist --clock virtual --samples 100000 -q --plot no.svg
ok "there is no file" test ! -e no.svg

# ---- the judge finds what is wrong ---------------------------------------------------------------------------------------------
ok "no title" spoilt 's/Block error rate of/Rate of/' 'no title line'
ok "no unit" spoilt 's,Eb/N0 \[dB\],Eb/N0,' 'no label at the x axis'
ok "a label beyond the canvas" spoilt 's/viewBox="0 0 900/viewBox="0 0 500/' 'outside of the canvas'
ok "a legend over the axes" spoilt '/>1 iteration</{x;s/.*//;x};s/translate(\([0-9.]*\),2[0-9.]*)/translate(\1,300.0)/' 'not in the legend'
ok "an axis that is not logarithmic" spoilt 's/>0.001</>0.05</' 'is not logarithmic'
ok "no legend" spoilt 's/>2 iterations</></' 'not in the legend'

# ---- what is refused -----------------------------------------------------------------------------------------------------------
for name in a.pdf .svg svg a.svg.txt -; do
	ok "an ending that is none: $name" says 2 "ends in .svg, .png or .gp" "$bin/aloe" bench draw "$plots/bler.json" --plot "$name"
done
head -c 3000 "$plots/bler.json" >cut.json
echo '[1]' >list.json
ok "a result that is cut" says 2 'cut.json:[0-9]*: not JSON' bench draw cut.json --plot no.svg
ok "JSON of something else" says 2 'list.json' bench draw list.json --plot no.svg
ok "a result without a picture" says 2 'none.json: this result of aloe bench has no "plot"' bench draw none.json --plot no.svg
ok "a point that is too short" says 2 'short.json: plot.series\[0\].points\[0\]: found 2 values; a point of this style has 4' bench draw short.json --plot no.svg
ok "no point at all" says 2 'there is no point to draw' bench draw empty.json --plot no.svg
ok "only zeros on a logarithmic axis" says 2 'there is no point to draw' bench draw zeros.json --plot no.svg
ok "no such result" says 2 'no.json: cannot be read' bench draw no.json --plot no.svg
ok "a folder that is not there" says 1 'x/no.svg: cannot be written' bench draw "$plots/bler.json" --plot x/no.svg
ok "a report of no run" says 2 'no run "none"' aloe report none --state "$state" --plot no.svg
ok "no file is left of all that" test ! -e no.svg

# ---- gnuplot that is not there, or fails; files that are no files ----------------------------------------------------------------
mkdir empty half
for name in 'bench draw' report; do
	what="$plots/bler.json"
	[ "$name" = report ] && what="$run --state $state"
	ok "$name without gnuplot: what to install, and what needs none" \
		says 2 'needs gnuplot.*apt-get install gnuplot-nox); --plot FILE.gp needs no gnuplot' \
		env PATH="$work/empty" "$bin/aloe" $name $what --plot no.svg
done
ok "execinfo, too" says 2 'needs gnuplot.*apt-get install gnuplot-nox' env PATH="$work/empty" "$bin/execinfo" --run "$state/runs/$run" --plot no.png
ok "no file is made then" test ! -e no.svg -a ! -e no.png
ok "the script needs none" env PATH="$work/empty" "$bin/aloe" bench draw "$plots/bler.json" --plot bler.gp
mkdir home
echo 'set title "of ~/.gnuplot"; set terminal dumb' >home/.gnuplot
echo 'print "read"; exit status 3' >>home/.gnuplot
ok "the settings of a user" env HOME="$work/home" "$bin/aloe" bench draw "$plots/bler.json" --plot home.svg
ok "change no picture" same_texts home.svg bler.svg
printf '#!/bin/sh\nhead -c 100 >/dev/null\necho "<svg> half of it"\nexit 3\n' >half/gnuplot
chmod +x half/gnuplot
echo before >old.svg
ok "a gnuplot that fails" says 1 'no picture: gnuplot ended with status 3' \
	env PATH="$work/half:/usr/bin:/bin" "$bin/aloe" bench draw "$plots/bler.json" --plot old.svg
ok "leaves what was there" grep -qx before old.svg
ln -s old.svg link.svg
ok "a link" bench draw "$plots/bler.json" --plot link.svg
ok "is still one" test -h link.svg
ok "and its file is the picture" figure old.svg "$plots/bler.json"
ln -s later.svg first.svg
mkdir links
ln -s ../first.svg links/second.svg
ok "links to a file that is not there yet" bench draw "$plots/bler.json" --plot links/second.svg
ok "are still such" test -h links/second.svg -a -h first.svg
ok "and there the picture is" figure later.svg "$plots/bler.json"
ln -s later.csv to.csv
ok "a benchmark" bench map --seeds 1 --units 0 -q --csv to.csv
ok "leaves the link" test -h to.csv -a -s later.csv
ln -s ring.csv ring.csv
ok "a link to itself" says 1 'cannot be written.*nothing was measured' bench map --seeds 1 --units 0 -q --csv ring.csv
ok "a folder" says 1 'cannot be written: Is a directory; nothing was measured' bench map --seeds 1 --units 0 -q --csv links
mkdir closed
echo before >closed/x.csv
chmod 666 closed/x.csv
chmod 555 closed
closed() { # root may write everywhere
	[ "$(id -u)" != 0 ] || set -- setpriv --reuid=65534 --clear-groups "$@"
	"$@"
}
chmod 711 .
if closed "$bin/aloe-bench" --version >/dev/null 2>&1; then
	ok "a file in a folder that others own" says 1 'cannot be written.*nothing was measured' \
		closed env TMPDIR=/tmp "$bin/aloe-bench" map --seeds 1 --units 0 -q --csv "$work/closed/x.csv"
fi
chmod 755 closed
mkfifo pipe.svg
cat pipe.svg >piped.svg &
ok "a FIFO" bench draw "$plots/bler.json" --plot pipe.svg
wait $!
ok "is still one" test -p pipe.svg
ok "and who reads it has the picture" figure piped.svg "$plots/bler.json"
exit "$failed"
