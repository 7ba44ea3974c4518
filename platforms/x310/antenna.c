/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/x310/antenna.h"

#include "core/base/clock.h"

#define TIME_NS 500000000ull
#define PROMPT_NS 200000ull
#define NAP_NS 50000ull

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

void x310_attend(struct x310_radio *x310, uint64_t asked_ns)
{
	if (x310_turn(x310) == 0 && clock_ns() > asked_ns + PROMPT_NS)
		clock_sleep_until(clock_ns() + NAP_NS);
}

/* One register of the channel's radio; false: it was not told in time. */
static bool time_read(struct x310_radio *x310, uint32_t c, uint32_t address, uint32_t *ret)
{
	struct control *control = &x310->antenna[c].radio.control;
	const uint64_t asked_ns = clock_ns();

	if (control_read(control, x310->antenna[c].radio.block, address) != 0)
		return false;
	while (!control_idle(control) && clock_ns() < asked_ns + TIME_NS)
		x310_attend(x310, asked_ns);
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
