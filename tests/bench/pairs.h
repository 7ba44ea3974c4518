/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/bench/pairs.h - one thing beside another: both are measured in turn, in the same run, so
 * that what the machine does meanwhile strikes both. Nothing here passes or fails: a reach is
 * printed as met or missed.
 *
 *      dispatch, 10 components     0.047 us [0.046 .. 0.049]  pointer + 2 clocks 0.046 us [...]
 *                                                             x1.02 [1.00 .. 1.05]
 * 	                            15 pairs; reach 0.080 us, measured 0.047 us: met
 *
 * In brackets: the quarter and three quarters of the repetitions. The ratio is the median of the
 * pairs' ratios.
 */
#ifndef TESTS_BENCH_PAIRS_H
#define TESTS_BENCH_PAIRS_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"

enum { PAIRS = 15 };

/* What is measured: ns for one of the thing's units. */
typedef double pairs_measure(void *context);

struct pairs_sorted {
	double at[PAIRS];
};

static inline int pairs_compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline struct pairs_sorted pairs_sort(const double *values)
{
	struct pairs_sorted sorted;

	memcpy(sorted.at, values, sizeof(sorted.at));
	qsort(sorted.at, PAIRS, sizeof(double), pairs_compare);
	return sorted;
}

static inline double pairs_median(const struct pairs_sorted *sorted)
{
	return sorted->at[PAIRS / 2];
}

static inline void pairs_print(
    const char *name, const struct pairs_sorted *sorted, double scale, const char *unit)
{
	printf("%s%.3f%s [%.3f .. %.3f]  ", name, pairs_median(sorted) * scale, unit,
	    sorted->at[PAIRS / 4] * scale, sorted->at[PAIRS - 1 - PAIRS / 4] * scale);
}

/* pairs_both measures both, in turn, after one of each that does not count, and prints a line;
 * reach_us 0: nothing to reach. Returns the median of what is measured, in us, and the peer's. */
static inline double pairs_both(const char *name, pairs_measure *thing, void *context,
    const char *peer_name, pairs_measure *peer, void *peer_context, double reach_us,
    double *ret_peer_us)
{
	double things[PAIRS], peers[PAIRS], ratios[PAIRS];
	struct pairs_sorted sorted;
	double us;

	thing(context);
	peer(peer_context);
	for (int i = 0; i < PAIRS; i++) {
		things[i] = thing(context);
		peers[i] = peer(peer_context);
		ratios[i] = things[i] / peers[i];
	}
	sorted = pairs_sort(things);
	us = pairs_median(&sorted) / 1000;
	printf("%-30s", name);
	pairs_print("", &sorted, 1e-3, " us");
	sorted = pairs_sort(peers);
	*ret_peer_us = pairs_median(&sorted) / 1000;
	printf("%s ", peer_name);
	pairs_print("", &sorted, 1e-3, " us");
	sorted = pairs_sort(ratios);
	printf("x%.3g [%.3g .. %.3g]", pairs_median(&sorted), sorted.at[PAIRS / 4],
	    sorted.at[PAIRS - 1 - PAIRS / 4]);
	printf("\n%30s%d pairs", "", PAIRS);
	if (reach_us > 0)
		printf("; reach %.3f us, measured %.3f us: %s", reach_us, us,
		    us <= reach_us ? "met" : "missed");
	printf("\n");
	fflush(stdout);
	return us;
}

static inline double pairs_run(const char *name, pairs_measure *thing, void *context,
    const char *peer_name, pairs_measure *peer, void *peer_context, double reach_us)
{
	double peer_us;

	return pairs_both(name, thing, context, peer_name, peer, peer_context, reach_us, &peer_us);
}

/* pairs_quiet keeps the program on the CPU it is on, in memory, before others if it may. */
static inline void pairs_quiet(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
	platform_realtime(0, 10);
	mlockall(MCL_CURRENT | MCL_FUTURE);
}

#endif
