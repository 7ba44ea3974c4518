# SPDX-License-Identifier: BSD-3-Clause
#
# tests/others/dashboard.sh - for check.sh to source: the page of `aloe up --web` in headless Chromium, by chromium-driver and
# selenium of Debian (dashboard.py). The waveform is late on purpose: four calls in a thousand last longer than the slot.
# Pictures of all panels, light and dark, wide and narrow, are left in $B/dashboard.
dashboard_conf() {
	cat >"$work/late.conf" <<-'END'
		name = "late";
		slot_ns = 10000000;
		late = "skip";
		instances: {
			source:  { component = "random_source"; seed = 1; length = 4096; };
			mod:     { component = "bpsk_mod"; output = "cf32"; };
			noise:   { component = "awgn"; esn0_db = 12.0; seed = 3; };
			work:    { component = "spin"; mean_us = 300.0; jitter = 0.004; long_us = 11000.0; };
			demod:   { component = "bpsk_demod"; };
			compare: { component = "bit_compare"; };
		};
		links = ( "source -> mod -> noise -> work -> demod -> compare.received", "source -> compare.sent" );
	END
}
dashboard_address() {
	address=$("$B/bin/aloe" web --dir "$work/node" | sed -n 's/^open: *//p')
	[ -n "$address" ]
}
part_dashboard() {
	port=$((7400 + $$ % 500))
	dashboard_conf
	rm -rf "$B/dashboard"
	ok "a node with a dashboard" "$B/bin/aloe" up --dir "$work/node" --state "$work/state" --web="$port"
	ok "a waveform that is late on purpose" "$B/bin/aloe" load "$work/late.conf" --dir "$work/node" --clock timer
	ok "it runs" "$B/bin/aloe" start late --dir "$work/node"
	ok "the address, with the token" dashboard_address
	ok "the page in a browser" env PATH="$PWD/$B/bin:$PATH" HOME="$work" timeout 600 /usr/bin/python3 tests/others/dashboard.py \
		"$address" "$work/node" "$B/dashboard"
	[ $failed = 0 ] && cat "$work/log"
	ok "pictures of all panels" sh -c "[ \$(ls '$B/dashboard' | grep -cE '^(lanes|waveform|signals|times)-(light|dark)-(1280|400).png\$') = 16 ]"
	ok "down" "$B/bin/aloe" down --dir "$work/node"
}
