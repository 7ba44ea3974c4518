/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a device makes of packets that are missing within a burst: those that there are go on with
 * what they have; the one that a paper wishes for plays zeros in their place. Packet k has samples
 * of value k + 1. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "tools/x310sim/device.h"

enum {
	DEVICE = 2,
	REPORTS = 0x100,
	SPP = 10,
	DIVIDE = 2,
	LENGTH = SPP * DIVIDE,
	FIRST = 1000,
	PLAYED = 100
};

struct world {
	struct device device;
	int played[PLAYED * SPP]; /* -1: nothing yet */
	uint64_t twice, elsewhere;
};

static void sent(void *self, uint64_t address, const uint8_t *bytes, size_t size)
{
	(void)self, (void)address, (void)bytes, (void)size;
}

static void transmit(void *self, unsigned channel, uint64_t tick, const uint8_t *iq, uint32_t n)
{
	struct world *w = self;

	assert_int_equal(channel, 0);
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t at = (tick - FIRST) / DIVIDE + i;

		if (at >= sizeof(w->played) / sizeof(w->played[0])) {
			w->elsewhere++;
			continue;
		}
		w->twice += w->played[at] >= 0;
		w->played[at] = get_le16(iq + 4 * i);
	}
}

static void world_init(struct world *w, bool zeros)
{
	const struct device_options options = {
	    .capacity = DEVICE_CAPACITY, .divide = DIVIDE, .zeros = zeros};
	const struct device_io io = {.send = sent, .transmit = transmit, .self = w};

	memset(w->played, 0xff, sizeof(w->played));
	w->twice = w->elsewhere = 0;
	device_init(&w->device, &options, &io);
	sim_table_set(&w->device.addresses[0], REPORTS, 77);
	sim_table_set(&w->device.routes, DEVICE, DEVICE_FIRST_PORT);
	w->device.endpoints[0].input.own = DEVICE;
	w->device.endpoints[0].input.report_to = REPORTS;
}

/* Packet k arrives at `tick`. */
static void arrive(struct world *w, uint64_t tick, uint16_t k, bool timed, bool end)
{
	const struct chdr_packet packet = {.header = {.type = timed ? CHDR_DATA_TS : CHDR_DATA,
	                                       .dst = DEVICE,
	                                       .seq = k,
	                                       .eob = end},
	    .timestamp = FIRST + (uint64_t)k * LENGTH};
	uint8_t bytes[CHDR_HEADER + CHDR_TIMESTAMP + 4 * SPP];
	const size_t at = chdr_write(bytes, &packet, 4 * SPP);

	for (int i = 0; i < 2 * SPP; i++)
		put_le16(bytes + at + 2 * i, k + 1);
	device_run(&w->device, tick);
	device_take(&w->device, 77, bytes, at + 4 * SPP);
}

/* Place `place` has been played as this value. */
static void is(const struct world *w, unsigned place, int value)
{
	for (unsigned i = 0; i < SPP; i++)
		if (w->played[place * SPP + i] != value)
			fail_msg("sample %u of place %u is %d, not %d", i, place,
			    w->played[place * SPP + i], value);
}

static const struct sim_tx *tx(const struct world *w)
{
	return &w->device.endpoints[0].radio.tx;
}

/* Packets 0 .. 5 without 2, all there in time. */
static void send_with_gap(struct world *w, bool timed)
{
	for (uint16_t k = 0; k < 6; k++)
		if (k != 2)
			arrive(w, k == 0 && !timed ? FIRST : FIRST / 2, k, timed, k == 5);
	device_run(&w->device, FIRST + 10 * LENGTH);
}

static void a_gap_closes(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, false);
	send_with_gap(&w, true);
	for (unsigned place = 0; place < 5; place++)
		is(&w, place, (int)(place < 2 ? place : place + 1) + 1);
	is(&w, 5, -1);
	assert_int_equal(tx(&w)->zeros + tx(&w)->late, 0);
	assert_int_equal(tx(&w)->bursts, 1);
	device_fini(&w.device);
}

static void a_gap_is_zeros(void **state)
{
	struct world w;

	for (int timed = 0; timed < 2; timed++) {
		(void)state;
		world_init(&w, true);
		send_with_gap(&w, timed);
		for (unsigned place = 0; place < 6; place++)
			is(&w, place, place == 2 ? 0 : (int)place + 1);
		assert_int_equal(tx(&w)->zeros, SPP);
		assert_int_equal(tx(&w)->underruns + tx(&w)->late + w.twice, 0);
		assert_int_equal(tx(&w)->bursts, 1);
		device_fini(&w.device);
	}
}

/* Nothing comes for a while: no underrun. What comes too late for its place leaves zeros there; the
 * next one is in place. */
static void a_pause_is_zeros(void **state)
{
	struct world w;

	for (int timed = 0; timed < 2; timed++) {
		(void)state;
		world_init(&w, true);
		arrive(&w, FIRST - timed, 0, timed, false);
		arrive(&w, FIRST + 5 * LENGTH / 2, 1, timed, false);
		arrive(&w, FIRST + 5 * LENGTH / 2, 2, timed, false);
		arrive(&w, FIRST + 5 * LENGTH / 2, 3, timed, false);
		arrive(&w, FIRST + 5 * LENGTH / 2, 4, timed, true);
		device_run(&w.device, FIRST + 10 * LENGTH);
		is(&w, 0, 1);
		is(&w, 1, 0);
		is(&w, 2, 0);
		is(&w, 3, 4);
		is(&w, 4, 5);
		is(&w, 5, -1);
		assert_int_equal(tx(&w)->late, 2);
		assert_int_equal(tx(&w)->underruns + w.twice, 0);
		assert_int_equal(tx(&w)->bursts, 1);
		device_fini(&w.device);
	}
}

static void an_end_that_is_late(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, true);
	arrive(&w, FIRST - 1, 0, true, false);
	arrive(&w, FIRST + 10 * LENGTH, 1, true, true);
	is(&w, 1, 0);
	assert_int_equal(tx(&w)->phase, SIM_TX_IDLE);
	assert_int_equal(tx(&w)->bursts, 1);
	assert_int_equal(tx(&w)->late, 1);
	device_fini(&w.device);
}

/* A time that nobody means costs a second of zeros, not for ever. */
static void a_wrong_time(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, true);
	arrive(&w, FIRST - 1, 0, true, false);
	arrive(&w, FIRST, 60000, true, true);
	assert_int_equal(device_next(&w.device), FIRST + LENGTH);
	device_run(&w.device, FIRST + 2 * LENGTH);
	assert_int_equal(device_next(&w.device), FIRST + 60000ull * LENGTH);
	device_run(&w.device, FIRST + 60002ull * LENGTH);
	assert_int_equal(tx(&w)->zeros, 59999ull * SPP);
	assert_int_equal(tx(&w)->bursts, 1);
	device_fini(&w.device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_gap_closes),
	    cmocka_unit_test(a_gap_is_zeros),
	    cmocka_unit_test(a_pause_is_zeros),
	    cmocka_unit_test(an_end_that_is_late),
	    cmocka_unit_test(a_wrong_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
