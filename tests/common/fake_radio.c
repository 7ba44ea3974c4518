/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/fake_radio.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct fake_radio *fake_of(struct radio *device)
{
	return (struct fake_radio *)device;
}

static uint64_t packet_ns(const struct fake_radio *fake)
{
	return fake->begin_ns + (fake->slots + 1) * fake->slot_ns;
}

static uint64_t fake_clock(struct radio *device)
{
	return fake_of(device)->now_ns += FAKE_RADIO_LOOK_NS;
}

static void fake_nothing(struct radio *device)
{
	(void)device;
}

static unsigned fake_receive(
    struct radio *device, uint32_t channel, uint64_t now_ns, struct radio_packet *ret, unsigned n)
{
	struct fake_radio *fake = fake_of(device);

	(void)channel;
	(void)now_ns;
	assert_true(n > 0);
	if (fake->now_ns < packet_ns(fake))
		return 0;
	ret[0] = (struct radio_packet){.iq = fake->place,
	    .ticks = FAKE_RADIO_SLOT * fake->slots++,
	    .samples = FAKE_RADIO_SLOT};
	return 1;
}

static void fake_release(
    struct radio *device, uint32_t channel, const struct radio_packet *packets, unsigned n)
{
	(void)device, (void)channel, (void)packets, (void)n;
}

static void fake_ready(struct radio *device, uint32_t channel)
{
	struct fake_radio *fake = fake_of(device);

	assert_int_equal(channel, 0);
	fake->readied++;
	fake->early += fake->now_ns + FAKE_RADIO_AHEAD_NS < packet_ns(fake);
}

static uint8_t *fake_place(struct radio *device, uint32_t channel)
{
	(void)channel;
	return fake_of(device)->place;
}

static void fake_send(struct radio *device, uint32_t channel, uint32_t samples, uint64_t ticks)
{
	(void)device, (void)channel, (void)samples, (void)ticks;
}

static void fake_count(struct radio *device, uint32_t channel, struct radio_counts *ret)
{
	(void)device, (void)channel;
	*ret = (struct radio_counts){0};
}

void fake_radio_init(struct fake_radio *fake, uint64_t slot_ns)
{
	*fake = (struct fake_radio){.device = {.driver = &fake->driver,
	                                .channels = 1,
	                                .ticks_per_sample = 1,
	                                .rx_packet = FAKE_RADIO_SLOT,
	                                .tx_packet = FAKE_RADIO_SLOT,
	                                .tx_advance = 2 * FAKE_RADIO_SLOT,
	                                .patience_ns = 1000000,
	                                .end_ticks = UINT64_MAX},
	    .driver = {.clock = fake_clock,
	        .start = fake_nothing,
	        .receive = fake_receive,
	        .release = fake_release,
	        .ready = fake_ready,
	        .place = fake_place,
	        .send = fake_send,
	        .flush = fake_nothing,
	        .count = fake_count},
	    .now_ns = 1000000000,
	    .begin_ns = 1000000000,
	    .slot_ns = slot_ns};
}
