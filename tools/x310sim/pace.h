/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/pace.h - the reference that all devices share: how far time has got, in ticks of
 * 200 MHz.
 *
 *         real      this machine's clock. While samples are heard or played it goes at most
 *                   PACE_STEP at a time, and a quarter faster than it should while it is behind, so
 *                   that after a time in which this machine stood still what has come meanwhile is
 *                   taken in its turn: a device does not stand still, and its host is not to be
 *                   blamed for ours. More than PACE_BEHIND behind, which no ring on the way can
 *                   hold, it goes as fast as it can
 *         virtual   while samples are heard or played: as fast as the host answers, from event to
 *                   event. Time stands
 * 	          - while the window of Rx is shut: nothing is overrun,
 * 	          - at the end of what is there to be played: nothing is underrun,
 *                   - while the host, if it sends as well, has not answered all but the last `lead`
 *                     samples.
 *                   It goes on without the host when that has said nothing for PACE_PATIENCE_NS of
 *                   this machine's clock (counted), at most at a PACE_SLOWLY of the machine's pace,
 *                   so that a host that begins to answer is not behind. When nothing streams it is
 *                   this machine's clock again.
 *
 * So what a host does on a busy machine is the same as on an idle one, with a virtual clock, if
 * what it sends for samples that it has heard is to be played later than `lead` samples and a
 * packet after those.
 */
#ifndef TOOLS_X310SIM_PACE_H
#define TOOLS_X310SIM_PACE_H

#include "tools/x310sim/unit.h"

#define PACE_PATIENCE_NS 1000000000ull
enum { PACE_STEP = 4000 /* ticks: 20 us */, PACE_BEHIND = 10000000 /* 50 ms */, PACE_SLOWLY = 4 };

struct pace_options {
	bool is_virtual;
	uint64_t lead; /* samples */
};

struct pace {
	struct pace_options options;
	/* this machine's clock: at ref 0 if real (a whole second of it, so that all x310sim of a
	 * machine have one pulse per second), when it was looked at last if virtual */
	uint64_t last_ns;
	uint64_t since_ns; /* time stands since then; 0: it goes on */
	uint64_t ref;      /* virtual, or behind */
	bool streams, is_behind;
	uint64_t looked;     /* ticks by this machine's clock, last time */
	uint64_t behind_max; /* ticks: how late the clock was looked at */
	uint64_t excused;    /* how often time went on without the host */
};

void pace_init(struct pace *pace, const struct pace_options *options, uint64_t now_ns);
uint64_t pace_now(struct pace *pace); /* ref */
/* pace_turn lets time go on as it should. True: it has come to an event, so the devices are to be
 * looked at without rest. */
bool pace_turn(struct pace *pace, struct unit *units, unsigned n, uint64_t now_ns);

#endif
