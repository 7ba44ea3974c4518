#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe upgrade: another build in the place of an instance that runs. The sink has the bytes of a run without upgrades: the
# count that tally keeps is taken over, no index is left out or done twice, exec killed among them or not (UPGRADES=1000
# for many). A build that starts fresh, that refuses the state, whose ports differ. Shadow runs: equal, within a dB, the
# first index that differs, and a build that crashes or hangs there. On the virtual clock: shadow runs begin while the
# waveform stands, and it steps as far as their rings keep, so nothing hangs on how fast the machine is.
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
	other:  { component = "tally"; };
	null:   { component = "null_sink"; };
};
links = ( "source -> load -> tally -> after -> file", "load -> other -> null" );
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
swman_pid() {
	pgrep -f "^aloe-swman .*--dir $work/aloe" | head -n 1
}
swman_children() { # a number that grows with each child that aloe-swman has had (their page faults)
	awk '{ print $11 }' "/proc/$(swman_pid)/stat"
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
	"$bin/aloe" upgrade w "${1:-tally}" --status | grep -qv '^the shadow run works'
}
count_now() {
	aloe get w tally.count | sed 's/.* //'
}
at_index() { # the index must be ahead when exec hears of it, however busy the machine is
	for ahead in 600 3000 20000 100000; do
		next=$(($(count_now) + ahead))
		up 0 "took over at index $next\$" --component new2/tally.so --at $next && return
		grep -q "too late" "$work/said" || return
	done >/dev/null
	return 1
}
# shadow [OPTION...]: begun while the waveform stands, so that $next is the first index
shadow() {
	"$bin/aloe" pause w >"$work/said" 2>&1 # it may stand already
	next=$(count_now)
	up 0 "the shadow run has begun with index $next;" --component new1/tally.so "$@"
}
steps() { # N [INSTANCE], which are compared
	"$bin/aloe" step w -n "$1" && eventually over "${2:-tally}"
}

ok "up" says 0 "the node is up" aloe up
ok "load and start" begin --lanes 0,1

# ---- the state is taken over ----
ok "a build from a path" up 0 "took over at index" --component new1/tally.so
ok "it says what it has taken over" grep -q "tally: the new build has taken over 8 bytes of state" said
"$bin/aloe" upgrade w source --component random_source >said 2>&1
ok "a source without state starts fresh, which is said" grep -q "source: the new build starts fresh, because the old one has no export_state" said
ok "at an index" at_index
ok "not at one that is over" up 1 "too late for index 3" --component new1/tally.so --at 3
ok "the report: which, and since when" sh -c "'$bin/aloe' status w --json | grep -q '\"upgraded_at\": $next'"
ok "and as text" says 0 "^upgraded   tally has another build of tally since index $next;" aloe status w
ok "the build before, again" up 0 "took over at index" --rollback
had=$(swman_children)
ok "a remap keeps the build" says 0 "on its new lanes" aloe remap w
ok "and starts no process to ask again what is known" [ "$(swman_children)" = "$had" ]
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
ok "a shadow run" shadow --shadow 200
ok "not into the waveform before it is over" up 1 "is not over yet" --commit
ok "it is over" steps 200
ok "equal, with the state" up 0 "compared: 200, all equal bit for bit; the new build had taken over the state" --status
ok "init of another shadow run fails, before anything stands" says 2 "init of the new build failed: init fails, as asked for" aloe upgrade w other --component tally --shadow 9 --set fault=init
ok "the first is as it was" up 0 "compared: 200, all equal" --status
ok "into the waveform" up 0 "took over at index" --commit
ok "once" up 2 "has no shadow run that could be committed" --commit
ok "one that differs later than the run" shadow --shadow 100 --set fault=differ --set at=$(($(count_now) + 600))
ok "over" steps 100
ok "equal so far" up 0 "compared: 100, all equal" --status
ok "dropped" up 0 "the shadow run is dropped" --rollback
"$bin/aloe" upgrade w tally --component new1/tally.so --shadow 100 --set add=1 >said 2>&1
first=$(sed -n 's/.*begun with index \([0-9]*\).*/\1/p' said)
ok "over" steps 100
ok "which index differed first" up 0 "compared: 100, different: 100, the first index that differed: $first;" --status
ok "one of another instance takes its place" says 0 "has begun with index" aloe upgrade w other --component tally --shadow 50
ok "it is over" steps 50 other
ok "whose build is not put into the first" up 2 "has no shadow run that could be committed" --commit
ok "and whose words are not those of the first" up 1 'a shadow run of instance "other" has taken its place' --status
ok "but its own" says 0 "compared: 50, all equal" aloe upgrade w other --status
ok "into the waveform" says 0 "took over at index" aloe upgrade w other --commit
ok "a crash in the shadow" shadow --shadow 300 --set fault=crash --set at=$(($(count_now) + 10))
ok "is seen" steps 30
ok "and said" up 0 "the new build crashed: its process .* at index [0-9]" --status
ok "and not put into the waveform" up 1 "the shadow run of \"w\" failed: the new build crashed" --commit
ok "a hang in the shadow" shadow --shadow 300 --set fault=hang --set at=$(($(count_now) + 10))
ok "is seen" steps 30
ok "and said" up 0 "the new build hung at index [0-9]*, and its process was killed" --status
ok "a hang in its import_state" shadow --shadow 300 --set fault=hang_import
ok "is seen" eventually over
ok "and said" up 0 "import_state of the new build has not returned within 2 s" --status
ok "one whose instance is set" shadow --shadow 300
ok "set" says 0 "tally.add = 0 from index" aloe set w tally.add=0
ok "is ended for it" up 0 "a parameter of the instance was set before index" --status
ok "nothing was compared" up 1 "has compared nothing" --commit
ok "the value is taken" says 0 "" aloe step w
ok "one that is there when exec dies" shadow --shadow 300
killed=$(exec_pid)
kill -9 "$killed"
ok "another exec" eventually another_exec
ok "has none" up 1 "has no shadow run" --commit
ok "the build before, as without one" up 0 "took over at index" --rollback
ok "go on" says 0 "" aloe start w
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
ok "back" up 0 "took over" --rollback
ok "to the value that was set before" says 0 "tally.add 7" aloe get w tally.add
ok "a value given" up 0 "took over" --component new1/tally.so --set add=11 --set at=3
ok "is carried to the next build" up 0 "took over" --component new2/tally.so --set at=4
ok "so" says 0 "tally.add 11" aloe get w tally.add
ok "set while that runs" says 0 "tally.add = 12 from index" aloe set w tally.add=12
ok "goes before what was carried" up 0 "took over" --component new1/tally.so
ok "so" says 0 "tally.add 12" aloe get w tally.add
ok "a rollback takes values, too" up 0 "took over" --rollback --set add=13
ok "so" says 0 "tally.add 13" aloe get w tally.add
ok "stop" end
ok "one break of the count for each fresh start" test "$(counts sink | grep -c ', 0$')" = 4

# ---- an upgrade that waits ----
ok "once more" begin --lanes 0,1
waits() {
	says 2 "waits for index $next; try again then, or abandon the upgrade" aloe remap w
}
far() { # an upgrade that waits for an index that is far away
	next=$(($(count_now) + 10000000))
	"$bin/aloe" upgrade w tally --component new1/tally.so --at $next >far 2>&1 &
	job=$!
	eventually waits
}
gone() { # WORDS: it has ended with them
	! wait $job && grep -q "the upgrade at index $next was abandoned: $1" far
}
ok "an upgrade that waits is named" far
ok "a set, too" says 2 "waits for index $next" aloe set w tally.add=1
ok "an upgrade of another instance, too" says 2 "waits for index $next" aloe upgrade w other --component tally
ok "a rollback ends it" up 0 "the upgrade that waited for index $next is abandoned" --rollback
ok "with words" gone "a rollback was asked for"
ok "once more" far
ok "a pause ends it" says 0 "" aloe pause w
ok "with words" gone "the waveform was paused or stopped"
ok "go on" says 0 "" aloe start w
ok "once more" far
ok "a stop ends it" says 0 "" aloe stop w
ok "with words" gone "the waveform was paused or stopped"
ok "what has stopped is not upgraded" up 2 "is in state STOP and cannot be upgraded from there" --component new1/tally.so
ok "unload" says 0 "" aloe unload w
ok "once more" begin --lanes 0,1

# ---- what is copied, and who knows of it ----
mkdir lone && cp new1/tally.so lone
ok "a build without its .desc" up 2 "tally.desc: cannot be read" --component lone/tally.so
builds_whole() {
	for dir in state/aloe/runs/*/build-*; do
		[ ! -e "$dir" ] || [ -e "$dir/tally.desc" ] || return
	done
}
ok "leaves no half of it" builds_whole
killed=$(swman_pid)
kill -9 "$killed"
another_swman() {
	[ -n "$(swman_pid)" ] && [ "$(swman_pid)" != "$killed" ] && "$bin/aloe" status w
}
ok "another aloe-swman, which is asked for the status first" eventually another_swman
ok "knows how it was loaded" up 0 "took over at index" --component new1/tally.so

# ---- a waveform that stops under its shadow run ----
ok "a shadow run" shadow --shadow 300
ok "the waveform is ended by force" says 0 "" aloe stop w --force
ok "so is the shadow run" up 0 "the waveform stopped before index $next was compared; unload the waveform" --status
ok "no process of it is left" eventually sh -c "! pgrep -f '^aloe-host --shadow.*$(exec_pid)'"
ok "unload" says 0 "" aloe unload w
ok "once more" begin --lanes 0,1

# ---- what does not return ----
ok "a build whose export takes half a second" up 0 "took over" --component new1/tally.so --set fault=slow_export
"$bin/aloe" upgrade w tally --component new2/tally.so --set fault=none >said 2>&1 &
job=$!
sleep 0.3 # most likely in it
killed=$(exec_pid)
kill -9 "$killed"
wait $job
ok "exec is killed in it" eventually another_exec
ok "no call has been made meanwhile" eventually up 0 "took over" --component new2/tally.so --set fault=none
ok "the waveform runs" sh -c "'$bin/aloe' status w --json | grep -q '\"state\": \"RUN\"'"
ok "an import that does not return" up 1 'has not returned from export_state or import_state within 2 s, in an upgrade of instance "tally", and was killed' --component tally --set fault=hang_import
ok "the reason is kept" says 0 "has not returned from export_state" aloe status w
ok "unload" says 0 "" aloe unload w
hangs() { # what is in force does not return from its export
	begin --lanes 0,1 && up 0 "took over" --component new1/tally.so --set fault=hang_export
}
blamed='has not returned from export_state or import_state within 2 s, in an upgrade of instance "tally", and was killed'
ok "a build whose export does not return" hangs
ok "is blamed for that" up 1 "$blamed" --component new2/tally.so --set fault=none
ok "unload" says 0 "" aloe unload w
ok "once more" hangs
ok "by a shadow run, too" up 1 "$blamed" --component new2/tally.so --shadow 10 --set fault=none
ok "unload" says 0 "" aloe unload w
for how in paused running; do
	ok "once more, $how" hangs
	[ $how = running ] || ok "pause" says 0 "" aloe pause w
	"$bin/aloe" upgrade w tally --component new2/tally.so --set fault=none >said 2>&1 &
	job=$!
	sleep 0.7 # in it, by then
	killed=$(exec_pid)
	kill -9 "$killed"
	wait $job
	ok "exec is killed in it" eventually another_exec
	ok "no step begins before it has returned" says 2 "another change under way\|in state ABNSTOP" aloe start w
	# an exec that was killed too late, on a busy machine, has said it itself
	ok "which it does not" eventually says 0 "aloe-exec was killed in a change, and a host has not answered the next aloe-exec within 2 s\|has not returned from export_state" aloe status w
	ok "unload" says 0 "" aloe unload w
done

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
sed 's/name = "w"/name = "r"/; s/mean_us = 300.0;/mean_us = 300.0; replicas = 2;/; s/"sink"/"sink_r"/' w.conf >r.conf
ok "a waveform with replicas" says 0 "" aloe load r.conf --lanes 0,1
ok "keeps their builds" says 2 "has an instance with replicas, which keep their lanes, rings and builds" aloe upgrade r load --component spin
ok "unload" says 0 "" aloe unload r
ok "no build is left in the folders of runs" sh -c "! ls -d state/aloe/runs/*/build-* 2>/dev/null | grep ."
echo "$done upgrades told as done, $kills kills of exec, $(messages sink) messages in the sink"
exit $failed
