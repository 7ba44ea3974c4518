/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/switches.h - what the kernel's records (core/platform/perf.h) cost a lane that sleeps
 * and wakes 1000 times a second, all that a CPU does for it included.
 *
 * A thread wakes each millisecond by the timer and sleeps again at once. Another one of less
 * priority on the same CPU reads the clock without end: the gap that it sees around a wake-up is
 * what the timer's interrupt and two context switches took. Without the records and with all of
 * them, in turn; the records are opened as aloe-exec does.
 */
#ifndef TOOLS_BENCH_SWITCHES_H
#define TOOLS_BENCH_SWITCHES_H

#include <stddef.h>
#include <stdint.h>

enum { SWITCHES_ROUNDS_MAX = 64, SWITCHES_OF_A_WAKE = 2 };

struct switches {
	uint64_t wakes; /* seen with the records */
	size_t rounds;
	/* medians over the wake-ups of a round: the gap around one, without records and with */
	double off_us[SWITCHES_ROUNDS_MAX], on_us[SWITCHES_ROUNDS_MAX];
	unsigned sources; /* of records that are here, of PERF_SOURCES */
};

/* switches_measure takes 0.6 s for each round. 0; -errno: no records, or the threads could not be
 * started. */
int switches_measure(int cpu, size_t rounds, struct switches *ret);

#endif
