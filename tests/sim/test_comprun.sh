#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# comprun: components on files and pipes; what it refuses, and in which words.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
bin=$(cd "$B/bin" && pwd)
ALOE_COMPONENTS=$(cd "$B/lib/aloe" && pwd):$(cd "$B/tests/components" && pwd)
export ALOE_COMPONENTS
speech=$PWD/waveforms/speech.wav
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/common/ok.sh
cd "$work" || exit 2

comprun() {
	"$bin/comprun" "$@"
}
refused() { # STATUS WORDS ARGUMENT...
	want=$1
	words=$2
	shift 2
	comprun "$@" >out 2>err </dev/null
	[ $? = "$want" ] && grep -qF -e "$words" err && return
	cat err
	return 1
}

comprun random_source -p length=1000 --slots 10 >bits
ok "a source: 10 slots of 1000 bits" test "$(wc -c <bits)" = 10000
ok "bits are bits" test -z "$(tr -d '\000\001' <bits)"
comprun random_source -p length=1000 --slots 10 >bits.2
ok "the same seed, the same bits" cmp bits bits.2
comprun random_source -p length=1000 -p seed=2 --slots 10 >bits.2
ok "another seed, others" sh -c '! cmp -s bits bits.2'
comprun copy --type in=byte --items 333 <bits >copied
ok "copy gives what it got, last part message too" cmp bits copied
comprun bpsk_mod <bits | comprun bpsk_demod -t in=cf32 >received
ok "through a modem in a pipe" cmp bits received
comprun bpsk_mod -p output=i16 --out out=samples.i16 <bits
ok "an output to a file, typed by a parameter" test "$(wc -c <samples.i16)" = 20000
ok "two inputs from files, variables at the end" sh -c \
	"'$bin/comprun' bit_compare -i sent=bits -i received=bits.2 --items 1000 --vars 2>&1 | grep -q '^blocks 10\$'"
comprun wav_source -p path="$speech" >samples
head -c 586698 samples >cut
tail -c +45 "$speech" >pcm
ok "a WAV file's samples, padded to whole blocks" cmp cut pcm
ok "nobody reads any more: it ends" sh -c "'$bin/comprun' random_source | head -c 5000 | wc -c | grep -q 5000"

ok "unknown component" refused 2 'did you mean `gain`?' gian
ok "unknown parameter" refused 2 'unknown parameter "gian" of gain, did you mean "gain"?' gain -p gian=1
ok "out of range" refused 2 "gain.gain = 1001 is outside [0, 1000]" gain -p gain=1001
ok "not a number" refused 2 'gain.gain = "x"; a number is needed' gain -p gain=x
ok "no value" refused 2 "NAME=VALUE is needed" gain -p gain
ok "required parameter" refused 2 'parameter `path` is required' file_sink
ok "an enum's other word" refused 2 'bpsk_mod.output = "f32" is unknown' bpsk_mod -p output=f32
ok "no such port" refused 2 "--in foo=x: PORT=FILE is needed, with an input of gain" gain --in foo=x
ok "no such file" refused 2 "nothing.here: No such file or directory" gain --in in=nothing.here
ok "a type is needed" refused 2 'port `in` needs --type in=TYPE with one of: i16' bpsk_demod
ok "a second input is needed" refused 2 'input `' bit_compare
ok "the component's own check" refused 2 "nothing.wav" wav_source -p path=nothing.wav
ok "work fails without a word: which call, which index, what to do" refused 1 \
	"faulty: work at index 3 returned -1 and gave no reason: let work set slot->why before it returns" \
	faulty -t in=bit -t out=bit -p how=minus_one -p at=3 --items 100 -i in=bits
printf abc >part
ok "half an item" refused 1 "ends inside an item: 3 of 8 bytes" gain --in in=part
ok "no component at all" refused 2 "is not a shared object" ./part
exit $failed
