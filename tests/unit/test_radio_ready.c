/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/radio_pace: a radio is told to be ready a little before the edge of a slot, once, and
 * only where something has been sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/slot/radio_pace.h"
#include "tests/common/fake_radio.h"

enum { SLOT_NS = 64000, SLOTS = 5 };

/* How often it was told, after each of some slots, in which a packet is sent or is not. */
static void run(bool sends, bool listens, unsigned *ret_early, unsigned ret[SLOTS])
{
	struct fake_radio fake;
	struct radio_pace pace;
	uint64_t edge, now;
	uint32_t n;

	fake_radio_init(&fake, SLOT_NS);
	if (!listens)
		fake.driver.ready = NULL;
	assert_int_equal(radio_pace_init(&pace, &fake.device, 1e6, FAKE_RADIO_SLOT), 0);
	for (uint64_t slot = 0; slot < SLOTS; slot++) {
		assert_int_equal(radio_pace_wait(&pace, slot, &edge, &now), slot);
		if (sends && pace.radio.place(&pace.radio, 0, &n) != NULL)
			pace.radio.send(&pace.radio, 0, FAKE_RADIO_SLOT);
		radio_pace_end(&pace, now);
		ret[slot] = fake.readied;
	}
	*ret_early = fake.early;
	radio_pace_fini(&pace);
}

static void test_ready(void **state)
{
	unsigned told[SLOTS], early;

	(void)state;
	run(true, true, &early, told);
	for (unsigned slot = 0; slot < SLOTS; slot++)
		assert_int_equal(told[slot], slot); /* nothing was sent before the first */
	assert_int_equal(early, 0);
	run(false, true, &early, told);
	assert_int_equal(told[SLOTS - 1], 0);
	run(true, false, &early, told); /* a driver that has nothing to do */
	assert_int_equal(told[SLOTS - 1], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_ready)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
