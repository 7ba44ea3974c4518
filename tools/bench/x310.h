/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/x310.h - one stretch of streaming between x310sim and a host, for `aloe bench x310`:
 * which host, how fast, and what came of it. The simulator has the last of our CPUs, the host the
 * first.
 */
#ifndef TOOLS_BENCH_X310_H
#define TOOLS_BENCH_X310_H

#include "tools/bench/run.h"

/* X310_UPOLS: the loop, which calls the component upols by itself */
enum x310_host { X310_LOOP, X310_UPOLS, X310_UHD, X310_ALOE };

struct x310_work {
	const char *key;
	uint32_t samples; /* in a packet */
	bool emulates;    /* a channel of 512 taps on the way, else passes through */
};

struct x310_stretch {
	enum x310_host host;
	bool dpdk;   /* by memif, else kernel UDP on loopback */
	bool floats; /* ALOE's pass-through has cf32, else ci16 as the others have */
	const struct x310_work *work;
	double rate_hz, advance_us, seconds;
};

struct x310_figures {
	/* windows of the running stream, of 2 ms or 32 packets, as the device saw them
	 * (tools/x310sim/steady.h), and those in which it kept its pace, in which all was answered
	 * as well, in which it was answered in time */
	double windows, paced, answered, in_time;
	double packets, lost; /* heard by the host; that did not come to it */
	/* answers that the host did not send; that came after their time; their share, in
	 * percent, where the device kept its pace */
	double not_sent, late, late_paced;
	double age_p50_us, age_p99_us; /* from antenna to antenna, simulated; NAN */
	double delays;                 /* packets whose delay in the host was told; us: */
	double p50_us, p99_us, p999_us, p9999_us, max_us;
	double whole_us;    /* p50 of a loop, with the poll that found the packet; NAN */
	double sim_late_us; /* the simulator stood still for so long at most */
	double retries;     /* how often it was begun again because a program failed */
	json_t *cells;      /* of delays: [low ns, count] or [low ns, high ns, count]; NULL */
};

/* x310_missing says why a host cannot be had here; NULL: it can. The text is written to ret. */
const char *x310_missing(enum x310_host host, bool dpdk, bool emulates, char *ret, size_t size);

/* x310_stretch_run: the exit status. Figures are the caller's, x310_figures_fini. */
int x310_stretch_run(struct bench *bench, const struct x310_stretch *stretch, const char *what,
    struct x310_figures *ret);
void x310_figures_fini(struct x310_figures *figures);

#endif
