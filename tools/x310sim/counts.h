/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/counts.h - all that the simulator counted and measured, for people and as JSON:
 * nothing is counted that is not shown.
 *
 * JSON, one line: {"schema": 3, "clock": ..., "clock_late_us": ..., counts of all devices together,
 * "devices": [address, faults and "steady" (steady.h) of each], "sfp": [the ports of each device],
 * "channels": [4 of each device, in its order: counts, "latency" (simulated, ns), "sounding"]}.
 */
#ifndef TOOLS_X310SIM_COUNTS_H
#define TOOLS_X310SIM_COUNTS_H

#include "tools/x310sim/expect.h"
#include "tools/x310sim/server.h"

struct counts {
	const struct server *server;
	bool compared; /* with what was expected */
	struct sound_found found[ANALOG_CHANNELS];
	bool expected[ANALOG_CHANNELS]; /* found[] is of this channel */
};

/* counts_take looks for the responses expected, if there are any (expect->n): 0 or -ENOMEM. */
int counts_take(struct counts *counts, const struct server *server, struct expect *expect);
void counts_text(const struct counts *counts, FILE *out); /* what is 0 is left out */
void counts_json(const struct counts *counts, FILE *out);

#endif
