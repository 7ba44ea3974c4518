#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A node that stays: up, load, start, pause, step, set, get, watch, status, stop, unload, down, with two waveforms at once;
# execinfo on what runs and on what was saved; a daemon that dies; a node that is killed. On the virtual and the step clock.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/node.sh
rm -rf "$XDG_STATE_HOME"/aloe/capacity # this node measures the machine itself
number() { # WAVEFORM NAME
	aloe get "$1" "$2" | sed 's/.* //'
}

ok "without a node: how to start one" says 1 '`aloe up` starts a node' aloe list
exec 9>"$work/lock"
flock 9
ok "up" says 0 "the node is up" aloe up
exec 9>&-
ok "the node holds no descriptor of who started it" flock -n "$work/lock" true
ok "up again: it is there" says 0 "is up already" aloe up
ok "the machine is measured meanwhile" eventually sh -c "grep -q handover_ns '$XDG_STATE_HOME'/aloe/capacity/*.json"
ok "nothing is loaded" says 0 "no waveform is loaded" aloe list
ok "load" says 0 "bpsk is loaded" aloe load waveforms/bpsk.conf --clock step
ok "the same name again is refused" says 2 'waveform "bpsk" is loaded already' aloe load waveforms/bpsk.conf
cat >"$work/other.conf" <<'END'
name = "other";
slot_ns = 1000000;
instances: {
  source: { component = "random_source"; length = 10; };
  mod:    { component = "bpsk_mod"; };
  gain:   { component = "gain"; };
  demod:  { component = "bpsk_demod"; };
  check:  { component = "bit_compare"; };
};
links = ( "source -> mod -> gain -> demod -> check.received", "source -> check.sent" );
END
ok "a second waveform" says 0 "other is loaded" aloe load "$work/other.conf" --clock virtual
ok "a file with errors" says 2 'no such file, and no waveform of this name' aloe load nothing.conf
ok "both are listed" says 0 "^other.*INIT" aloe list
ok "names only" says 0 "^bpsk$" aloe list --names
ok "start a waveform that is not there" says 2 'no waveform "nobody" is loaded' aloe start nobody
ok "set: an unknown instance" says 2 'has no instance "noise"' aloe set bpsk noise.x=1
ok "set: no value" says 2 'a parameter is set by INSTANCE.PARAMETER=VALUE' aloe set bpsk noise.x
ok "start" says 0 "bpsk runs" aloe start bpsk
ok "step 5" says 0 "bpsk steps" aloe step bpsk --count 5
ok "5 blocks" test "$(number bpsk check.blocks)" = 5
ok "step 1" says 0 "bpsk steps" aloe step bpsk
ok "6 blocks" test "$(number bpsk check.blocks)" = 6
ok "the other one runs freely" says 0 "other runs" aloe start other
ok "pause it" says 0 "other pauses" aloe pause other
held=$(number other check.blocks)
ok "it has run" test "$held" -gt 0
ok "it holds" test "$(number other check.blocks)" = "$held"
ok "go on" says 0 "other runs" aloe start other
went_on() { test "$(number other check.blocks)" -gt "$held"; }
ok "it goes on" eventually went_on
ok "the first stood still meanwhile" test "$(number bpsk check.blocks)" = 6
ok "set while it runs: from which index" says 0 "^gain.gain = 2.5 from index [0-9]" aloe set other gain.gain=2.5
ok "and it holds" says 0 "gain.gain 2.5" aloe get other gain.gain
ok "set: out of range" says 2 "1000" aloe set other gain.gain=1001
ok "set: a parameter that is read at init only" says 2 "init only" aloe set other source.length=5
ahead() { # sets it at an index that is to come: further ahead, where the machine is too slow to carry the command
	for far in 500000 1000000 2000000 4000000 8000000; do
		later=$(($(number other check.blocks) + far))
		says 0 "^gain.gain = 3 from index $later\$" aloe set other gain.gain=3 --at $later && return
		grep -q "is too late" "$work/said" || return 1
	done
	return 1
}
ok "set at an index that is to come" ahead
ok "and then it holds" eventually says 0 "gain.gain 3" aloe get other gain.gain
ok "set at an index that has passed" says 1 "index 5 is too late, newest is" aloe set other gain.gain=1 --at 5
ok "watch" says 0 "check.blocks 6" aloe watch bpsk check.blocks --interval 10 --count 2
ok "get: an unknown instance" says 2 "nobody" aloe get bpsk nobody
ok "status" says 0 "other: RUN" aloe status other
ok "status as JSON" says 0 '"schema": 1' aloe status other --json
ok "execinfo of one of two: name it" says 1 "more than one waveform is loaded (2)" "$bin/execinfo"
ok "execinfo" says 0 "^check  *bit_compare" "$bin/execinfo" other
ok "execinfo names the glossary" says 0 "man aloe-words" "$bin/execinfo" other
ok "so does the status" says 0 "man aloe-words" aloe status other
ok "so does the plan" says 0 "man aloe-words" aloe plan waveforms/bpsk.conf
ok "execinfo, newest samples" says 0 "of the newest 200 calls" "$bin/execinfo" other --samples 200
ok "execinfo, csv" says 0 "^other,check,bit_compare," "$bin/execinfo" other --csv
ok "execinfo, histogram of samples" says 0 "^mod: 300 samples" "$bin/execinfo" other --hist mod --samples 300
logarithmic() { # each cell begins at as many times the one before; all samples are in one
	"$bin/execinfo" other --hist mod --samples 300 >"$work/hist" &&
		awk 'NR == 2 { first = $1 } NR > 1 { last = $1; n += $3; rows++ } NR > 2 && rows == 11 { middle = $1 }
			END { r = middle * middle / (first * first); s = (last / first) ^ (20 / 19)
				exit !(rows == 20 && n == 300 && s > 1.02 && r / s > 0.9 && r / s < 1.1) }' "$work/hist"
}
ok "execinfo, cells of the histogram are logarithmic" logarithmic
ok "execinfo, samples kept as costs" says 0 "^stored as the costs of other on " "$bin/execinfo" other --samples 200 --save
ok "execinfo, costs are there" grep -q '"classes_ns"' "$XDG_STATE_HOME"/aloe/profiles/other/*.json
ok "execinfo, a core by class of work" says 0 "^  trellis .* ns an item" "$bin/execinfo" --calibrate
ok "execinfo, what is kept of it, and since when" says 0 "^stored in .*/aloe, measured [0-9]* s ago: .* MMAC/s" "$bin/execinfo" --calibrate
ok "execinfo: too few samples asked for" says 2 "100 .. 100000" "$bin/execinfo" other --samples 99

child() { # PROGRAM: its pid below this node
	pgrep -f "^aloe-$1 --dir $work/aloe " | head -n 1
}
for daemon in swman stats statsman exec frontend; do
	pid=$(child $daemon)
	ok "kill aloe-$daemon" kill -9 "$pid"
	ok "both waveforms are there again" eventually says 0 "^other.*RUN" aloe list
	ok "and can be asked" eventually says 0 "check.blocks" aloe get other check.blocks
	held=$(number other check.blocks)
	ok "and one of them goes on" eventually went_on
done

ok "stop" says 0 "other is stopped" aloe stop other
ok "stop again does no harm" says 0 "other is stopped" aloe stop other
ok "start after stop is refused" says 2 "STOP" aloe start other
saved() { ls "$XDG_STATE_HOME/aloe/runs/" | grep -q "^$1-" && "$bin/execinfo" --run last "$1" >/dev/null; }
ok "its run is kept" eventually saved other
ok "with four texts" sh -c "ls $XDG_STATE_HOME/aloe/runs/other-*/ | tr '\n' ' ' | grep -q '^plan.txt report.json report.txt waveform.conf \$'"
ok "report and plan name the glossary" test "$(grep -l 'man aloe-words' "$XDG_STATE_HOME"/aloe/runs/other-*/*.txt | wc -l)" = 2
ok "unload" says 0 "other is unloaded" aloe unload other
ok "unload what steps: it is stopped first" says 0 "bpsk is unloaded" aloe unload bpsk
ok "its run is kept as well" eventually saved bpsk
ok "nothing is loaded any more" says 0 "no waveform is loaded" aloe list
ok "the name is free again" says 0 "bpsk is loaded" aloe load waveforms/bpsk.conf --clock virtual --slots 50
ok "start it" says 0 "bpsk runs" aloe start bpsk
ended() { aloe status bpsk | grep -q "^bpsk: ended, index 50 of 50"; }
ok "it ends by itself" eventually ended
ok "execinfo, histogram of the whole run" says 0 "^mod: 50 calls" "$bin/execinfo" --run last bpsk --hist mod

old=$(child frontend)
kill -9 "$old"
ok "the frontend killed: asked at once, the node answers" says 0 "^bpsk.*STOP" aloe list
again() { test -n "$(child frontend)" && test "$(child frontend)" != "$old"; }
ok "by another frontend" eventually again
kill -STOP "$(child swman)"
ok "a daemon that hangs is started again" eventually says 0 "^bpsk.*STOP" aloe list
ok "down" says 0 "the node is down" aloe down
ok "and gone" says 1 "no node is running in " aloe list
gone() { ! pgrep -f "^aloe-.* --dir $work/aloe " && ! test -e "$work/aloe"; }
ok "no process and no socket is left" eventually gone
ok "a name that no node can have" says 2 "a node's name is 1 to 63 letters" aloe up --node "a b"
ok "a node with a name" says 0 "the node is up" aloe up --node hub
ok "asked by its name" says 0 "no waveform is loaded" aloe list --node hub
ok "another name: there is no such node" says 2 '^no node "b", there is hub$' aloe list --node b
ok "nor does it end by that name" says 2 '^no node "b", there is hub$' aloe down --node b
kill -9 "$(child frontend)"
ok "the next frontend has the name" says 2 '^no node "b", there is hub$' aloe status --node b
ok "down by its name" says 0 "the node is down" aloe down --node hub
ok "execinfo without a node: the last run" says 0 "^saved run: .*/bpsk-" "$bin/execinfo"
ok "or the last of a waveform" says 0 "^saved run: .*/other-" "$bin/execinfo" other
ok "of a waveform that has never run: refused" says 1 "no node is running in " "$bin/execinfo" nobody
ok "samples of no node: refused" says 1 "no node is running in " "$bin/execinfo" other --samples 200
exit $failed
