# SPDX-License-Identifier: BSD-3-Clause
#
# tests/others/sigmf.sh - for check.sh to source: recordings of sigmf_sink before sigmf_validate of pip's sigmf (in a folder of its
# own in $B), an archive made by that package read by sigmf_source, and one wrong byte seen by both.
sigmf_get() {
	python3 -m venv "$B/others-sigmf" && "$B/others-sigmf/bin/pip" -q install 'sigmf>=1.2,<2'
}
sigmf_record() { # TYPE DATATYPE
	printf 'name = "record";\nslot_ns = 1000000;\ninstances: {\n\tin: { component = "file_source"; path = "%s"; type = "%s"; length = 1000; };
	out: { component = "sigmf_sink"; path = "%s"; rate_hz = 1e6; frequency_hz = 1e8; datatype = "%s"; };\n};
links = ( "in -> out" );\n' "$PWD/waveforms/channel-emulator.bin" "$1" "$work/rec-$1-$2" "$2" >"$work/record.conf"
	"$B/bin/aloe" run "$work/record.conf" --clock virtual -q && "$B/others-sigmf/bin/sigmf_validate" "$work/rec-$1-$2.sigmf-meta"
}
sigmf_wrong() {
	cp "$work/rec-f32-auto.sigmf-meta" "$work/wrong.sigmf-meta"
	sed '1s/^./x/' "$work/rec-f32-auto.sigmf-data" >"$work/wrong.sigmf-data"
	! "$B/others-sigmf/bin/sigmf_validate" "$work/wrong.sigmf-meta"
}
sigmf_archive() { # made by the package
	"$B/others-sigmf/bin/python" -c 'import sys, sigmf
sigmf.sigmffile.fromfile(sys.argv[1]).archive(sys.argv[2])' "$work/rec-cf32-auto.sigmf-meta" "$work/made.sigmf"
	printf 'name = "read";\nslot_ns = 1000000;\ninstances: {\n\tin: { component = "sigmf_source"; path = "%s"; length = 1000; };
	out: { component = "file_sink"; path = "%s"; };\n};\nlinks = ( "in -> out" );\n' "$work/made.sigmf" "$work/read.iq" >"$work/read.conf"
	"$B/bin/aloe" run "$work/read.conf" --clock virtual -q && cmp "$work/read.iq" "$work/rec-cf32-auto.sigmf-data"
}
part_sigmf() {
	ok "pip's sigmf is there" sigmf_get
	for pair in cf32:auto ci16:auto ci16:ci8 f32:auto i16:auto byte:auto; do
		ok "sigmf_validate takes ${pair%:*}, datatype ${pair#*:}" sigmf_record ${pair%:*} ${pair#*:}
	done
	ok "sigmf_validate takes the description of a WAV" "$B/others-sigmf/bin/sigmf_validate" waveforms/speech.sigmf-meta
	ok "sigmf_validate sees one wrong byte" sigmf_wrong
	ok "an archive made by the package is read" sigmf_archive
}
