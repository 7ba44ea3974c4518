#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe scope: a recording and an output of a running waveform, as lines, values and pictures; a signal that ALOE has made is
# as strong as it should be; what is said without gnuplot and of what cannot be shown. On the step clock.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/node.sh
speech=$PWD/waveforms/speech.sigmf-meta
cd "$work" || exit 2
# 1000 samples in a slot of 1 ms are 1 MHz; amplitude 0.5 is -6.02 dBFS
cat >w.conf <<'END'
name = "w";
slot_ns = 1000000;
instances: {
	bits: { component = "random_source"; length = 1000; };
	ones: { component = "bpsk_mod"; };
	half: { component = "gain"; gain = 0.5; };
	sink: { component = "file_sink"; path = "sink"; };
};
links = ( "bits -> ones -> half -> sink" );
END
mkdir none
# step_for COMMAND...: slots, while it waits for them
step_for() {
	(sleep 0.3 && aloe step w --count 80 >/dev/null) &
	"$@"
	got=$?
	wait
	return "$got"
}
picture() { # FILE TYPE
	case $2 in png) head -c 4 "$1" | tail -c 3 | grep -q PNG ;; svg) grep -q '</svg>' "$1" ;; esac
}

ok "a recording, as lines" says 0 'spectrum: Welch, 127 blocks of 1024, flat top window, RBW 88.3[0-9]* Hz' aloe scope "$speech"
ok "its frequencies" says 0 '^ *0  *12000$' aloe scope "$speech"
ok "another centre" says 0 '^ *1000000  *1012000$' aloe scope "$speech" --centre 1e6
ok "values" says 0 '^frequency in Hz,level in dBFS$' aloe scope "$speech" --csv -
ok "as many as lines" sh -c "test \$('$bin/aloe' scope '$speech' --fft 256 --csv - 2>said | wc -l) = 130 && grep -q 'blocks of 256' said"
ok "a waterfall as a picture" aloe scope "$speech" --view waterfall --png fall.png
ok "it is one" picture fall.png png
ok "an SVG" aloe scope "$speech" --view time --samples 500 --svg time.svg
ok "it is one, too" picture time.svg svg
ok "no recording" says 2 'x.sigmf-meta' aloe scope x.sigmf-meta
ok "a view that it cannot have" says 2 'a constellation needs complex items' aloe scope "$speech" --view constellation
ok "nothing left" says 1 'no sample came' aloe scope "$speech" --skip 100000000
ok "an odd block" says 2 'a power of two' aloe scope "$speech" --fft 101
ok "an eye of nothing" says 2 'needs --symbol' aloe scope "$speech" --view eye
ok "without gnuplot: what to install" says 2 'needs gnuplot.*apt-get install gnuplot-nox.*--csv' \
	env PATH="$work/none" "$bin/aloe" scope "$speech" --png two.png
ok "no file is made then" test ! -e two.png

ok "up" says 0 "the node is up" aloe up
ok "load" says 0 "w is loaded" aloe load w.conf --clock step --slots 2000 --tap half.out
ok "start" says 0 "w runs" aloe start w
ok "an output" step_for says 0 '^half.out spectrum: Welch, [0-9]* blocks of 1024' aloe scope w half.out --samples 16384
ok "its frequencies are of slot and message" step_for says 0 '^ *-500000  *49[0-9.]*$' aloe scope w half.out --samples 16384
ok "amplitude 0.5, spread over the rate" step_for sh -c "'$bin/aloe' scope w half.out --samples 60000 --csv - 2>said | awk -F , 'NR > 1 { sum += 10 ^ (\$2 / 10); n++ } END { power = 10 * log(sum / 3.77) / log(10); print power; exit !(n == 1024 && power > -6.12 && power < -5.92) }'"
ok "EVM of a clean BPSK" step_for says 0 'constellation: 5000 samples, EVM 0.00 %' aloe scope w half.out --view constellation --modulation bpsk --samples 5000
ok "bits" step_for says 0 '^bits.out bits: bits 0 to 1023 of 2000$' aloe scope w bits.out --view bits --samples 2000
ok "an output that is not there" says 2 'no output "half.in"' aloe scope w half.in
ok "no waveform of the name" says 2 'no waveform "x" is loaded' aloe scope x half.out
exit "$failed"
