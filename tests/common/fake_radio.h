/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/fake_radio.h - a radio of one channel whose packets have a slot each and come one
 * after another, by a clock that only the looks at it move.
 */
#ifndef TESTS_COMMON_FAKE_RADIO_H
#define TESTS_COMMON_FAKE_RADIO_H

#include <stdint.h>

#include "core/platform/radio.h"

enum {
	FAKE_RADIO_SLOT = 64,       /* samples, of a tick each */
	FAKE_RADIO_LOOK_NS = 50,    /* that a look at the clock takes */
	FAKE_RADIO_AHEAD_NS = 1000, /* before its packet, that it may be told to be ready */
};

struct fake_radio {
	struct radio device;        /* first */
	struct radio_driver driver; /* the device's: a test may take a call out of it */
	uint64_t now_ns, begin_ns, slot_ns, slots;
	unsigned readied, early; /* told to be ready; too early for that */
	uint8_t place[4 * FAKE_RADIO_SLOT];
};

/* fake_radio_init: packet n comes n + 1 slots of slot_ns after the beginning; 0: at each look. */
void fake_radio_init(struct fake_radio *fake, uint64_t slot_ns);

#endif
