#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe upgrade: another build in the place of an instance that runs. The sink has the bytes of a run without upgrades: the
# count that tally keeps is taken over, no index is left out or done twice, exec killed among them or not (UPGRADES=1000
# for many). A build that starts fresh, that refuses the state, whose ports differ. Shadow runs: equal, within a dB, the
# first index that differs, and a build that crashes or hangs there. On the virtual clock.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/common/node.sh
export ALOE_COMPONENTS="$PWD/$B/tests/components"
seed=${ALOE_SEED:-7}
cd "$work" || exit 2
cat >w.conf <<'END'
name = "w";
slot_ns = 1000000;
clock = "virtual";
instances: {
	source: { component = "random_source"; length = 40; };
	load:   { component = "spin"; mean_us = 300.0; };
	tally:  { component = "tally"; };
	after:  { component = "spin"; };
	file:   { component = "file_sink"; path = "sink"; };
};
links = ( "source -> load -> tally -> after -> file" );
END
for n in 1 2; do # builds of the same name, as a compiler leaves them
	mkdir "new$n"
	cp "$ALOE_COMPONENTS/tally.so" "$ALOE_COMPONENTS/tally.desc" "new$n"
done
messages() { # FILE: whole ones
	echo $(($(wc -c <"$1") / 48))
}
# counts FILE: "count before, count" wherever one does not follow the one before
counts() {
	od -An -v -w48 -t u4 "$1" | awk 'NR > 1 && $1 != last + 1 { print last ", " $1 } { last = $1 }'
}
# as_without FILE: what is in FILE is what a run without upgrades writes
as_without() {
	"$bin/aloe" run w.conf --slots "$(messages "$1")" --set load.mean_us=0 --set file.path=plain -q && cmp plain "$1"
}
exec_pid() {
	pgrep -f "^aloe-exec .*--dir $work/aloe" | head -n 1
}
another_exec() {
	now=$(exec_pid)
	[ -n "$now" ] && [ "$now" != "$killed" ] && "$bin/aloe" status w
}
begin() { # [OPTION...]
	rm -f sink
	"$bin/aloe" load w.conf "$@" && "$bin/aloe" start w
}
end() {
	"$bin/aloe" stop w && "$bin/aloe" unload w
}
up() { # STATUS WORDS OPTION...
	s=$1
	w=$2
	shift 2
	says "$s" "$w" "$bin/aloe" upgrade w tally "$@"
}
over() {
	"$bin/aloe" upgrade w tally --status | grep -qv '^the shadow run works'
}

ok "up" says 0 "the node is up" aloe up
ok "load and start" begin --lanes 0,1

# ---- the state is taken over ----
ok "a build from a path" up 0 "took over at index" --component new1/tally.so
ok "it says what it has taken over" grep -q "tally: the new build has taken over 8 bytes of state" said
"$bin/aloe" upgrade w source --component random_source >said 2>&1
ok "a source without state starts fresh, which is said" grep -q "source: the new build starts fresh, because the old one has no export_state" said
next=$(($(aloe get w tally.count | sed 's/.* //') + 600))
ok "at an index" up 0 "took over at index $next\$" --component new2/tally.so --at $next
ok "not at one that is over" up 1 "too late for index 3" --component new1/tally.so --at 3
ok "the report: which, and since when" sh -c "'$bin/aloe' status w --json | grep -q '\"upgraded_at\": $next'"
ok "and as text" says 0 "^upgraded   tally has another build of tally since index $next;" aloe status w
ok "the build before, again" up 0 "took over at index" --rollback
ok "a remap keeps the build" says 0 "on its new lanes" aloe remap w
ok "it is in the report still" sh -c "'$bin/aloe' status w --json | grep -A1 '\"upgrade\"' | grep -q upgraded_at"

# ---- what is refused costs nothing ----
ok "the new build refuses the state" up 2 "tally: the state is refused, as asked for" --component tally --set fault=refuse
ok "other ports" up 2 "types differ: load.out makes bit, but tally.in takes cf32" --component gain
ok "messages of another size" says 2 'output "out" of instance "source" has messages of at most 40 items, and with the new build 50' aloe upgrade w source --component random_source --set length=50
ok "a sink has records" says 2 "through the I/O thread" aloe upgrade w file --component file_sink
ok "no such component" up 2 'no component "tolly" is known' --component tolly
ok "no such file" up 2 "none/tally.so" --component none/tally.so
ok "no such instance" says 2 'has no instance "x"' aloe upgrade w x --component tally
ok "no such waveform" says 2 'no waveform "x" is loaded' aloe upgrade x tally --component tally
ok "neither a component nor a word" says 2 "one of --component, --status" aloe upgrade w tally
ok "no shadow run" up 1 "has no shadow run" --status
ok "no recording any more" says 2 "was upgraded since the load" aloe record w recorded

# ---- shadow runs ----
ok "a shadow run" up 0 "the shadow run has begun with index" --component new1/tally.so --shadow 200
ok "it is over" eventually over
ok "equal, with the state" up 0 "compared: 200, all equal bit for bit; the new build had taken over the state" --status
ok "into the waveform" up 0 "took over at index" --commit
ok "one that differs" up 0 "has begun with index" --component new1/tally.so --shadow 100 --set fault=differ --set at=$(($(aloe get w tally.count | sed 's/.* //') + 600))
ok "over" eventually over
ok "one that differs later than the run" up 0 "compared: 100, all equal" --status
ok "dropped" up 0 "the shadow run is dropped" --rollback
"$bin/aloe" upgrade w tally --component new1/tally.so --shadow 100 --set add=1 >said 2>&1
first=$(sed -n 's/.*begun with index \([0-9]*\).*/\1/p' said)
ok "over" eventually over
ok "which index differed first" up 0 "compared: 100, different: 100, the first index that differed: $first;" --status
ok "a crash in the shadow" up 0 "has begun" --component tally --shadow 60000 --set fault=crash --set at=$(($(aloe get w tally.count | sed 's/.* //') + 1000))
ok "is seen" eventually over
ok "and said" up 0 "the new build crashed: its process .* at index [0-9]" --status
ok "and not put into the waveform" up 1 "the shadow run of \"w\" failed: the new build crashed" --commit
ok "a hang in the shadow" up 0 "has begun" --component tally --shadow 60000 --set fault=hang --set at=$(($(aloe get w tally.count | sed 's/.* //') + 1000))
ok "is seen" eventually over
ok "and said" up 0 "the new build hung at index [0-9]*, and its process was killed" --status
ok "stop" end
ok "every count once" test -z "$(counts sink)"
ok "the bytes of a run without all this" as_without sink

# ---- parameters ----
ok "once more" begin
ok "set while it runs" says 0 "tally.add = 7 from index" aloe set w tally.add=7
ok "a fresh start is said, and takes the count along as it is" up 0 "tally: the new build starts fresh, because it has no import_state" --component tally_fresh
ok "what was set stays" says 0 "tally.add 7" aloe get w tally.add
ok "what the old build did not have is the default" says 0 "tally.scale 1" aloe get w tally.scale
ok "set reaches the new build" says 0 "tally.scale = 2 from index" aloe set w tally.scale=2
ok "a given value goes before" up 0 "took over" --component tally_fresh --set add=9
ok "so" says 0 "tally.add 9" aloe get w tally.add
ok "stop" end
ok "one break of the count for each fresh start" test "$(counts sink | grep -c ', 0$')" = 2

# ---- upgrades with exec killed among them ----
ok "once more" begin --lanes 0,1
once() { # N: a kill of exec during every fifth
	"$bin/aloe" upgrade w tally --component "new$(($1 % 2 + 1))/tally.so" >said 2>&1 &
	job=$!
	if [ $(($1 % 5)) = 0 ]; then
		seed=$(((seed * 1103515245 + 12345) % 2147483648))
		sleep "0.0$((seed / 65536 % 10))$((seed / 65536 / 10 % 10))"
		killed=$(exec_pid)
		[ -n "$killed" ] && kill -9 "$killed" && kills=$((kills + 1))
		wait $job && done=$((done + 1))
		eventually another_exec
		return
	fi
	wait $job && done=$((done + 1)) && return
	echo "upgrade $1:"
	cat said
	return 1
}
kills=0
done=0
all_upgrades() {
	for i in $(seq "${UPGRADES:-20}"); do
		once "$i" || return 1
	done
}
ok "${UPGRADES:-20} upgrades, exec killed during every fifth" all_upgrades
ok "an exec has been killed" test $kills -gt 0
ok "one more, at the end" up 0 "taken over 8 bytes" --component new1/tally.so
ok "the waveform runs" sh -c "'$bin/aloe' status w --json | grep -q '\"state\": \"RUN\"'"
ok "stop" end
ok "every count once" test -z "$(counts sink)"
ok "the bytes of a run without upgrades" as_without sink
ok "no build is left in the folders of runs" sh -c "! ls -d state/aloe/runs/*/build-* 2>/dev/null | grep ."
echo "$done upgrades told as done, $kills kills of exec, $(messages sink) messages in the sink"
exit $failed
