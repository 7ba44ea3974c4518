/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/steady.h - does the host keep up? Told from a running stream, a short window of the
 * device's time after the other, so that a machine that stood still spoils the windows it stood
 * still in, and what a host does before its stream runs or after it ended is none.
 *
 * 	heard ----+----+----+----+----+----+----+----+----->
 *         played         first answer: | window | window | window | (none where no answer came any
 *                        more)
 *
 * A window is STEADY_TICKS or STEADY_PACKETS packets long, whichever is longer. Where no answer has
 * come for STEADY_PAUSE the stream has ended, and what comes then is another one.
 */
#ifndef TOOLS_X310SIM_STEADY_H
#define TOOLS_X310SIM_STEADY_H

#include "tools/x310sim/device.h"

#define STEADY_TICKS (DEVICE_TICKS_PER_S / 500) /* 2 ms */
#define STEADY_PAUSE DEVICE_TICKS_PER_S
enum { STEADY_PACKETS = 32 };

struct steady_counts { /* windows */
	uint64_t all;
	uint64_t paced; /* that took the device no longer than they should have, but for 3 % */
	/* of these: as many samples came as were heard, but for a packet and 0.2 % */
	uint64_t answered;
	uint64_t in_time; /* of all: as many were played as heard, but for a packet and 0.2 % */
	/* samples, of those that were paced: heard; answered after their time, and not played */
	uint64_t heard, late;
};

struct steady {
	struct steady_counts counts, pending; /* pending: no answer has come since */
	bool open;                            /* a window has begun */
	uint64_t until;                       /* tick at which to look again */
	uint64_t begin, begin_ns, heard, taken, played, answer_tick;
};

/* steady_look: the device has got to `until`, and it is now_ns by this machine's clock. */
void steady_look(struct steady *steady, const struct device *device, uint64_t now_ns);
/* steady_set_time: the device's ticks are others from now on. */
void steady_set_time(struct steady *steady);

#endif
