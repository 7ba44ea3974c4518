/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/latency.h - from antenna to antenna in sample time: what the receivers hear says
 * when it was heard, so that whoever plays it again tells how old it is. Pure.
 *
 * 	tick 27 | channel 3     I = tick[14:0] - 2^14, Q = (channel | tick[26:15]) - 2^14
 *
 * Every sample bears the tick at which it goes into the ADC, modulo 2^27 (0.67 s), and its channel,
 * 0 .. 7. It survives a host that plays samples as they are (by way of floats as well), not one
 * that scales or filters them: for that there is sound.h. Levels are within -2^14 .. 2^14 - 1.
 *
 * A packet that is played is as old as its first sample; it bears marks when its last one is as
 * much later as it should be. "Simulated": there are no converters, filters and cables, and the
 * wire to the host is this machine's.
 */
#ifndef TOOLS_X310SIM_LATENCY_H
#define TOOLS_X310SIM_LATENCY_H

#include <stdbool.h>

#include "core/base/hist.h"

enum { LATENCY_CHANNELS = 8 };

struct latency {
	struct hist ns;
	uint64_t unmarked; /* packets that bear no marks: of something else, or scaled */
	uint64_t crossed;  /* packets that another channel has heard: not in the histogram */
	uint64_t steps;    /* packets of another age than the one before */
	uint64_t last;     /* age of the last one, ticks */
	bool any;
	double tick_ns; /* 0: of 200 MHz */
};

/* latency_mark writes n samples (complex int16) of which the first is heard at `tick`, the others
 * `divide` ticks apart. */
void latency_mark(unsigned channel, uint64_t tick, uint32_t divide, uint8_t *ret_iq, uint32_t n);

/* latency_take looks at a packet of n samples of which the first is played at `tick`. */
void latency_take(struct latency *latency, unsigned channel, uint64_t tick, uint32_t divide,
    const uint8_t *iq, uint32_t n);

#endif
