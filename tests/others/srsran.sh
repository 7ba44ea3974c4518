# SPDX-License-Identifier: BSD-3-Clause
#
# tests/others/srsran.sh - part `srsran` of check.sh, by name only: pdsch_enodeb and pdsch_ue of srsRAN 4G, built with its ZeroMQ
# radio in the folder $SRSRAN, through the downlink of waveforms/srsran-channel.conf. pdsch_ue sends nothing, so there is no uplink.

# An echo, 8 dB weaker and 44 us later, far beyond the cyclic prefix.
echo_taps() {
	awk 'BEGIN { printf "[1.0, 0.0"; for (i = 1; i < 511; i++) printf ", 0.0, 0.0"; printf ", 0.4, 0.0]" }'
}
srsran_downlink() { # RESPONSE: what pdsch_ue says last
	sed -e '/ue_tx:/d' -e '/uplink:/d' -e '/enb_rx:/d' -e 's/, "ue_tx -> uplink -> enb_rx"//' -e "s/response = \[[^]]*\]/response = $1/" \
		waveforms/srsran-channel.conf >"$work/downlink.conf"
	(cd "$SRSRAN/lib/examples" && exec timeout -s KILL 60 ./pdsch_enodeb -I zmq -f 2400000000 -p 50 -m 10 \
		-a "id=enb,base_srate=11.52e6,tx_port=tcp://127.0.0.1:2000") </dev/null >"$work/enb" 2>&1 &
	enb=$!
	timeout -k 3 60 "$B/bin/aloe" run "$work/downlink.conf" --clock virtual --slots 100000 --json -q </dev/null >"$work/report" 2>"$work/err" &
	channel=$!
	sleep 1
	(cd "$SRSRAN/lib/examples" && exec timeout -s KILL 50 ./pdsch_ue -I zmq -f 2400000000 -r 1234 -n "${SUBFRAMES:-1500}" \
		-a "id=ue,base_srate=11.52e6,rx_port=tcp://127.0.0.1:2001") </dev/null >"$work/ue" 2>&1
	kill $channel
	kill -KILL $enb
	wait $channel $enb
	tr '\r' '\n' <"$work/ue" | sed 's/\x1b\[[0-9]*[A-Z]//g' | grep -e SNR -e Rb -e Miss -e BLER -e EVM | tail -n 5 | tee "$work/out"
}
srsran_ideal() {
	srsran_downlink '[1.0, 0.0]'
	cat "$work/out" >"$work/ideal"
	grep -q "PDSCH-BLER:  0.00%" "$work/out"
}
srsran_echo() {
	srsran_downlink "$(echo_taps)"
	cat "$work/out" >"$work/echo"
	grep "PDSCH-BLER: *[0-9]" "$work/out" | grep -qv "PDSCH-BLER:  0.00%"
}
part_srsran() {
	if [ ! -x "${SRSRAN:-}/lib/examples/pdsch_ue" ]; then
		echo "not tried: srsran, which needs srsRAN 4G built with ZeroMQ (SRSRAN=FOLDER of the build)"
		return
	fi
	ok "pdsch_ue decodes every block of pdsch_enodeb through an ideal channel" srsran_ideal
	cat "$work/ideal"
	ok "and loses some with an echo beyond the cyclic prefix" srsran_echo
	cat "$work/echo"
}
