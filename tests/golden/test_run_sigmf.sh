#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The receiver of utran384-rf.conf, from a SigMF recording of its own antenna signal, from an archive of that recording, and what
# is refused before the first slot. On the virtual clock.
set -u
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/common/ok.sh
aloe=$PWD/$B/bin/aloe
here=$PWD/waveforms

run() { # WAVEFORM WAV
	"$aloe" run "$1" --clock virtual --slots 60 -q --set sink.path="$2"
}
refused() { # WORDS WAVEFORM
	"$aloe" run "$2" --clock virtual --slots 60 --set sink.path="$work/none.wav" >"$work/out" 2>&1
	status=$?
	[ $status = 2 ] && grep -qF -e "$1" "$work/out" && [ ! -e "$work/none.wav" ]
}
source_is() { # PATH: the receiver's antenna is a recording
	sed "s,{here},$here,; s,^links = ($,&\n	\"antenna -> sync\"\,,; s,\"noise -> sync -> ,\"sync -> ,
		s,^	sync: ,	antenna: { component = \"sigmf_source\"; path = \"$1\"; length = 76800; };\n	nobody: { component = \"null_sink\"; };\n&,
		s,carrier -> noise\",carrier -> noise -> nobody\"," waveforms/utran384-rf.conf
}

sed "s,{here},$here,; s,^links = ($,&\n	\"noise -> antenna\"\,,
	s,^	sync: ,	antenna: { component = \"sigmf_sink\"; path = \"$work/antenna\"; rate_hz = 7.68e6; frequency_hz = 2.1e9; };\n&," \
	waveforms/utran384-rf.conf >"$work/send.conf"
source_is "$work/antenna.sigmf-meta" >"$work/receive.conf"
source_is "$work/antenna.sigmf" >"$work/archive.conf"
source_is "$work/short" >"$work/short.conf"
source_is "$work/other" >"$work/other.conf"

ok "a run whose antenna signal is recorded" run "$work/send.conf" "$work/sent.wav"
ok "the recording has all samples" test "$(stat -c %s "$work/antenna.sigmf-data")" = $((60 * 76800 * 8))
ok "nothing else is left" sh -c "ls '$work' | grep antenna | tr '\n' ' ' | grep -qx 'antenna.sigmf-data antenna.sigmf-meta '"
ok "a run from the recording" run "$work/receive.conf" "$work/received.wav"
ok "it gives the same WAV" cmp "$work/sent.wav" "$work/received.wav"
ok "an archive of the recording" sh -c "mkdir '$work/a' && ln '$work'/antenna.sigmf-* '$work/a/' && tar -C '$work' -cf '$work/antenna.sigmf' a"
ok "a run from the archive" run "$work/archive.conf" "$work/received2.wav"
ok "it gives the same WAV" cmp "$work/sent.wav" "$work/received2.wav"

head -c 1000004 "$work/antenna.sigmf-data" >"$work/short.sigmf-data"
cp "$work/antenna.sigmf-meta" "$work/short.sigmf-meta"
ok "data that end inside a sample are refused" refused "the data file is cut off" "$work/short.conf"
head -c 1000000 "$work/antenna.sigmf-data" >"$work/short.sigmf-data"
ok "data that end early are refused" refused "the file is cut off" "$work/short.conf"
cp "$work/antenna.sigmf-data" "$work/other.sigmf-data"
printf x | dd of="$work/other.sigmf-data" bs=1 seek=12345 conv=notrunc 2>/dev/null
cp "$work/antenna.sigmf-meta" "$work/other.sigmf-meta"
ok "one byte that is another is refused" refused "the data are not what was recorded" "$work/other.conf"
for bad in 's/cf32_le/cf32_be/ has the high byte first' 's/cf32_le/ci16_le/ and the recording states' \
	's/num_channels": 1/num_channels": 2/ recordings of one channel' 's/cf32_le/cf32/ states no byte order'; do
	sed "${bad%%/ *}/" "$work/antenna.sigmf-meta" >"$work/other.sigmf-meta"
	ok "${bad#*/ }" refused "${bad#*/ }" "$work/other.conf"
done
exit $failed
