/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/x310/antenna.h"

#include "core/base/clock.h"

#define TIME_NS 500000000ull

/* Takes and answers what comes, and throws samples away: so many packets. */
unsigned x310_turn(struct x310_radio *x310)
{
	struct x310_packet packets[TRANSPORT_BURST];
	unsigned sum = 0;

	for (uint32_t c = 0; c < x310->radio.channels; c++) {
		struct x310_channel *radio = &x310->antenna[c].radio;
		const unsigned n = x310_receive(radio, clock_ns(), packets, TRANSPORT_BURST);

		x310_release(radio, packets, n);
		sum += n;
	}
	return sum;
}

/* One register of the channel's radio; false: it was not told in time. */
static bool time_read(struct x310_radio *x310, uint32_t c, uint32_t address, uint32_t *ret)
{
	struct control *control = &x310->antenna[c].radio.control;
	const uint64_t until = clock_ns() + TIME_NS;

	if (control_read(control, x310->antenna[c].radio.block, address) != 0)
		return false;
	while (!control_idle(control) && clock_ns() < until)
		x310_turn(x310);
	*ret = control->value;
	return control_idle(control);
}

uint64_t x310_time_of(struct x310_radio *x310, uint32_t c)
{
	uint32_t high = 0, low = 0, again = 0;

	for (int i = 0; i < 3; i++)
		if (time_read(x310, c, RADIO_TIME_HIGH, &high) &&
		    time_read(x310, c, RADIO_TIME_LOW, &low) &&
		    time_read(x310, c, RADIO_TIME_HIGH, &again) && high == again)
			return (uint64_t)high << 32 | low;
	return 0;
}
