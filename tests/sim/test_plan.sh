#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# aloe plan and admission as a user meets them: platforms by name and by file, mappers, reasons, JSON, refusals with the nearest
# thing that fits; in a node, a waveform that finds no room beside another, and one that is loaded all the same.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
bin=$(cd "$B/bin" && pwd)
failed=0
work=$(mktemp -d) || exit 2
export XDG_RUNTIME_DIR="$work" XDG_STATE_HOME="$work/state" ALOE_LOG=error
trap '"$bin/aloe" down >/dev/null 2>&1; rm -rf "$work"' EXIT

says() { # WHAT STATUS WORDS COMMAND...: the status, and the words among what it prints
	what=$1
	want=$2
	words=$3
	shift 3
	"$@" >"$work/said" 2>&1
	got=$?
	if [ $got = "$want" ] && grep -q -e "$words" "$work/said"; then
		echo "ok $what"
	else
		echo "not ok $what: status $got, not \`$words\` in"
		sed 's/^/  | /' "$work/said"
		failed=1
	fi
}
aloe() {
	"$bin/aloe" "$@"
}
load() { # as soon as no other node has the CPU
	for _ in $(seq 100); do
		said=$("$bin/aloe" load "$@" 2>&1)
		status=$?
		case $said in *"is taken by the lane of another"*) sleep 0.2 ;; *) break ;; esac
	done
	echo "$said"
	return $status
}
json() { # the words, among the JSON without blanks
	aloe "$@" | tr -d ' \n'
}

for costs in 3000 6000 4000; do # us of a slot of 10 ms: 13 ms together
	echo "x$costs { component = \"gain\"; budget_us = $costs; };"
done | sed 's/ /: /' >"$work/instances"
cat >"$work/heavy.conf" <<END
name = "heavy";
slot_ns = 10000000;
instances: {
	source: { component = "null_source"; type = "cf32"; length = 100; budget_us = 1; };
	$(cat "$work/instances")
	sink: { component = "null_sink"; budget_us = 1; };
};
links = ( "source -> x3000 -> x6000 -> x4000 -> sink" );
END
sed 's/"heavy"/"light"/; s/budget_us = .000/budget_us = 2000/' "$work/heavy.conf" >"$work/light.conf"
cat >"$work/one.conf" <<'END'
name = "one";
nodes: { board: { mmac_per_s = 200.0; base_us = 100.0; module_us = 10.0; }; };
END

says "a platform by name" 0 "lane 0 (left CPU 0)" aloe plan "$work/light.conf" --platform arm-pair
says "of another kind: told" 0 "node left is armhf and this machine" aloe plan "$work/light.conf" --platform arm-pair
says "a platform by file" 0 "lane 0 (board CPU 0)" aloe plan "$work/light.conf" --platform "$work/one.conf"
says "a platform that is not there" 2 'this platform is unknown, did you mean "arm-pair"' aloe plan "$work/light.conf" --platform arm-pai
says "a platform file with an error" 2 "light.conf:.*unknown key" aloe plan "$work/light.conf" --platform "$work/light.conf"
cat >"$work/mixed.conf" <<'END'
name = "mixed";
nodes: {
	here: { mmac_per_s = 200.0; arch = "HERE"; };
	there: { mmac_per_s = 200.0; arch = "THERE"; };
};
links = ( { nodes = ["here", "there"]; mbit_per_s = 100.0; } );
END
here=$(uname -m)
there=$([ "$here" = x86_64 ] && echo aarch64 || echo x86_64)
sed -i "s/HERE\"/$here\"/; s/T$here/$there/" "$work/mixed.conf"
sed '/here: { .*"'"$here"'"/d; /^links/d' "$work/mixed.conf" >"$work/other.conf"
mkdir -p "$work/builds/$there"
cp "$B/lib/aloe/gain.desc" "$work/builds/$there/" # gain alone has a build for the other node
says "on the nodes that there is a build for" 0 "no build for $there exists" \
	aloe plan "$work/light.conf" --platform "$work/mixed.conf" --why sink
says "a node that nothing is built for: refused" 2 "source: component null_source has no build for $there" \
	aloe plan "$work/light.conf" --platform "$work/other.conf"
says "with one build the others are refused" 2 "sink: component null_sink has no build" \
	env ALOE_COMPONENTS="$work/builds" "$bin/aloe" plan "$work/light.conf" --platform "$work/other.conf"
says "what is built is not" 1 "^0$" sh -c "ALOE_COMPONENTS=$work/builds $bin/aloe plan $work/light.conf \
	--platform $work/other.conf 2>&1 | grep -c 'component gain has no build'"
says "planned all the same with --force" 0 "lane 0 (there" \
	aloe plan "$work/light.conf" --platform "$work/other.conf" --force
says "refused: what is missing" 2 "lane 0 (board CPU 0) cannot hold its 5 instances: the instances need 13152.0 us, and the slot has 10000.0 us" \
	aloe plan "$work/heavy.conf" --platform "$work/one.conf"
says "refused: the nearest that fits" 2 "the waveform fits with slots of 13152 us .* or with 2 cores like the first" \
	aloe plan "$work/heavy.conf" --platform "$work/one.conf"
says "the slot that was named fits" 0 "lanes: chosen by mapper one lane" aloe plan "$work/heavy.conf" --platform "$work/one.conf" --slot-us 13152
says "one us less does not" 2 "cannot hold" aloe plan "$work/heavy.conf" --platform "$work/one.conf" --slot-us 13151
says "told, not refused, with --force" 0 "NO MAPPING FITS" aloe plan "$work/heavy.conf" --platform "$work/one.conf" --force
says "on two it fits, 2 slots over the link" 0 "latency: 3 slots" aloe plan "$work/heavy.conf" --platform arm-pair
says "one mapper alone" 0 "lanes: chosen by mapper worst-fit, at 100 %" aloe plan "$work/heavy.conf" --platform x86-four --mapper worst-fit
says "a mapper that is none" 2 "best" aloe plan "$work/heavy.conf" --mapper best
says "a weight that is none" 2 "\-\-q" aloe plan "$work/heavy.conf" --q 2
says "why here" 0 "the lane would need" aloe plan "$work/heavy.conf" --platform arm-pair --why x6000

# ---- nodes
cat >"$work/pair.conf" <<'END'
name = "pair";
nodes: { a: { mmac_per_s = 1000.0; }; b: { mmac_per_s = 1000.0; }; };
links = ( { nodes = ["a", "b"]; mbit_per_s = 1000.0; } );
END
cat >"$work/nodes.conf" <<'END'
name = "nodes";
slot_ns = 10000000;
instances: {
	source: { component = "null_source"; type = "cf32"; length = 100; budget_us = 1; };
	x: { component = "gain"; budget_us = 1; node = "b"; };
	y: { component = "gain"; budget_us = 1; };
	sink: { component = "file_sink"; path = "out"; budget_us = 1; };
};
links = ( "source -> x -> y -> sink" );
END
on_pair() {
	aloe plan "$work/nodes.conf" --platform "$work/pair.conf" "$@"
}
says "node of an instance" 0 'x.node = "b"' on_pair --why x
says "unknown node" 2 'x.node = "c": no node "c", there are a, b' on_pair --set x.node=c
says "node that is no name" 2 'x.node = "1 b" is not the name of a node' on_pair --set "x.node=1 b"
says "pin against node" 2 'x.pin = 0 names a lane of node a, but x.node = "b"; node b has the lanes 1' on_pair --set x.pin=0
says "path" 0 'sink.path is a path on node a' on_pair --node a --why sink
says "path on its own node" 0 'sink.node = "b"' on_pair --node a --set sink.node=b --why sink
says "pin against path" 2 'sink.pin = 1 names a lane of node b, but sink.path is a path on node a' on_pair --node a --set sink.pin=1
says "no lane on the node" 2 'x must be on node b, and none of the lanes' on_pair --lanes 0
says "--node that is not there" 2 'no node "c", there are a, b' on_pair --node c
says "--node of this machine" 2 'only a platform file has nodes' aloe plan "$work/nodes.conf" --node a
says "node on this machine" 0 'the `node` of 1 instance (x) counts only on a platform' aloe plan "$work/nodes.conf" --platform local
# What a message between nodes takes of the cores that send and receive it.
cat >"$work/carry.conf" <<'END'
name = "carry";
slot_ns = 10000000;
instances: {
	source: { component = "null_source"; type = "cf32"; length = 100; budget_us = 1; node = "a"; };
	x: { component = "gain"; budget_us = 8150; node = "a"; };
	y: { component = "gain"; budget_us = 8150; node = "b"; };
	sink: { component = "null_sink"; budget_us = 1; node = "b"; };
};
links = ( "source -> x -> y -> sink" );
END
sed 's/mbit_per_s = 1000.0; } )/mbit_per_s = 1000.0; message_us = 1800.0; byte_ns = 125.0; } )/' "$work/pair.conf" >"$work/costly.conf"
sed '/nodes: {/s/mmac_per_s = 1000.0;/& housekeeping = [1];/g' "$work/costly.conf" >"$work/kept.conf"
carry() { # PLATFORM...
	platform=$1
	shift
	aloe plan "$work/carry.conf" --platform "$work/$platform.conf" "$@"
}
says "where messages cost nothing it fits" 0 "lane 1 (b" carry pair
says "where they do it does not" 2 "overhead 1900.0 us (1900.0 us of it: messages to and from other nodes)" carry costly
says "on the other node neither" 2 "lane 1 (b CPU 1) cannot hold" carry costly
says "in slots of 20 ms it fits" 0 "of the overhead 1900.0 us for messages to and from other nodes" carry costly --slot-us 20000
says "daemons with CPUs of their own take nothing from a lane" 0 "lane 1 (b" carry kept
says "in JSON" 0 '"carry_us":1900.0' json plan "$work/carry.conf" --platform "$work/costly.conf" --slot-us 20000 --json
says "why of nobody" 2 'no such instance, did you mean "x6000"' aloe plan "$work/heavy.conf" --platform arm-pair --why x600
says "JSON" 0 '"schema":1,.*"choice":{"mode":"tiers".*"what_if":{.*"cores":2.*"why":{"instance":"sink"' \
	json plan "$work/heavy.conf" --platform arm-pair --why sink --json
says "what if" 0 "cores needed       2 cores like the core of lane 0 (200 MMAC/s)" aloe plan "$work/heavy.conf" --platform arm-pair
says "the virtual clock has the time" 0 "lane 0 (board" \
	aloe plan "$work/heavy.conf" --platform "$work/one.conf" --clock virtual

field() { # KEY: its number in the JSON without blanks on the standard input
	sed "s/.*\"$1\":\([0-9]*\).*/\1/"
}
for name in bpsk utran384; do # mapped by the manager on two lanes, first by guesses, then by what that run has measured
	sets=
	[ $name = utran384 ] && sets="--set sink.path=$work/speech.wav"
	set -- "waveforms/$name.conf" --clock virtual --lanes 0,1 $sets
	says "$name: the first plan is of guesses" 0 "no earlier measurement; this run used" aloe run "$@" --slots 400
	planned=$(json plan "$@" --json | field latency_slots)
	says "$name: latency exactly as planned" 0 \
		"\"slots\":$planned,.*\"measured_slots_min\":$planned,\"measured_slots_max\":$planned," \
		json run "$@" --slots 400 -q --json
	says "$name: planned beside measured" 0 "planned [0-9.]* us per slot, measured [0-9.]* us (median, " \
		aloe run "$@" --slots 400
done

# What was measured belongs to a build and to a clock.
guessed() { # how many instances the plan has guesses for
	aloe plan "$@" --json 2>&1 | tr -d ' \n' | grep -o -e '"guessed":true' | wc -l
}
set -- waveforms/bpsk.conf --lanes 0,1
unknown="costs: this build has no measurement yet of demod"
says "measured on the virtual clock" 0 "^0$" guessed "$@" --clock virtual
says "which does not speak for the timer" 0 "^[1-9]" guessed "$@" --clock timer
cp -r "$B/lib/aloe" "$work/components"
export ALOE_COMPONENTS="$work/components"
says "the same build in another folder" 0 "^0$" guessed "$@" --clock virtual
echo >>"$work/components/bpsk_demod.so"
says "edited: not measured yet" 0 "^1$" guessed "$@" --clock virtual
says "the plan says so" 0 "$unknown" aloe plan "$@" --clock virtual
says "the run says so" 0 "$unknown" aloe run "$@" --clock virtual --slots 400
says "then it is measured" 0 "^0$" guessed "$@" --clock virtual
says "the other build is not any more" 0 "$unknown" env ALOE_COMPONENTS="$bin/../lib/aloe" "$bin/aloe" plan "$@" --clock virtual
unset ALOE_COMPONENTS

says "up" 0 "the node is up" aloe up
says "heavy on one lane is refused" 2 "lane 0 (CPU 0) cannot hold its 5 instances" load "$work/heavy.conf" --lanes 0
says "light finds room" 0 "light is loaded" load "$work/light.conf" --lanes 0
sed 's/"light"/"second"/' "$work/light.conf" >"$work/second.conf"
says "a plan is made with what the node has left" 2 "admitted before 6002.0 us" \
	aloe plan "$work/second.conf" --lanes 0
says "or elsewhere in it" 0 "the plan counts what the running node has loaded (light)" aloe plan "$work/second.conf"
says "of the machine alone, when asked" 0 "lanes: chosen by mapper" aloe plan "$work/second.conf" --lanes 0 --platform local
says "a second beside it does not, by what the first was promised" 2 "admitted before 6002.0 us" \
	load "$work/second.conf" --lanes 0
says "it is loaded all the same with --force" 0 "second is loaded" load "$work/second.conf" --lanes 0 --force
says "the note is there" 0 "light" aloe list
says "unload makes room" 0 "" aloe unload second
says "and again" 0 "" aloe unload light
says "now it fits" 0 "second is loaded" load "$work/second.conf" --lanes 0
says "down" 0 "" aloe down
# ---- a radio that is the clock runs on the node that names it ----

cat >"$work/radio.conf" <<'END'
name = "radio";
clock = "radio";
slot_samples = 2000;
rate = 1e6;
instances: { rx: { component = "radio_rx"; }; sink: { component = "null_sink"; }; };
links = ( "rx -> sink" );
END
echo 'radio: { type = "x310"; transport = "udp"; address = "192.168.40.2"; };' >"$work/one-radio.conf"
echo 'radio = ( { type = "x310"; transport = "udp"; address = "192.168.40.2"; channel = 0; }, { type = "x310"; transport = "udp"; address = "192.168.30.2"; channel = 0; } );' \
	>"$work/two-radios.conf"
on_lab() { # KEYS_OF_A KEYS_OF_B RADIO_FILE OPTION...
	cat >"$work/lab.conf" <<-END
		name = "lab";
		nodes: { a: { mmac_per_s = 1000.0; $1 }; b: { mmac_per_s = 1000.0; $2 }; };
		links = ( { nodes = ["a", "b"]; mbit_per_s = 1000.0; } );
	END
	file=$3
	shift 3
	"$bin/aloe" plan "$work/radio.conf" --platform "$work/lab.conf" --radio "$work/$file.conf" "$@"
}
says "a radio: on the node that names it" 0 "lane 0 (b CPU 1)" on_lab "" 'radios = "192.168.40.2";' one-radio
says "a radio that no node names" 2 'no node of platform "lab" names the radio 192.168.40.2' on_lab "" "" one-radio
says "a radio that two nodes name" 2 'named by the entries of the nodes "a" and "b"' \
	on_lab 'radios = "192.168.40.2";' 'radios = ["192.168.40.2"];' one-radio
says "two radios on one node" 0 "lane 0 (b CPU 1)" on_lab "" 'radios = ["192.168.40.2", "192.168.30.2"];' two-radios
says "two radios on two nodes" 2 'the radios are on the nodes "a" and "b"' \
	on_lab 'radios = "192.168.40.2";' 'radios = "192.168.30.2";' two-radios
says "a lane of another node" 2 'core 0 is on node "a", but the radio is on node "b"' \
	on_lab "" 'radios = "192.168.40.2";' one-radio --lanes 0
says "a radio that is named twice" 2 'b.radios names "x" twice' on_lab "" 'radios = ["x", "x"];' one-radio

exit $failed
