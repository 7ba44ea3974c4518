/* SPDX-License-Identifier: BSD-3-Clause
 * calibrate - the unit of account: a loop that no compiler makes faster, in blocks. */
#include "core/measure/calibrate.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "core/kernels/mac.h"

enum {
	WARM_UP_NS = 20000000,
	WARM_UP_MACS = 100000,
	/* 10^10 iterations: only a clock that stands still gets there */
	WARM_UP_PASSES_MAX = 100000,
	NOW_PASSES = 5,
	NOW_MACS = 5000,
};

struct mac_bench {
	struct mac_data data;
	volatile float sum; /* someone must want the result */
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t bench_run(struct mac_bench *bench, uint32_t macs, clockid_t clock)
{
	const uint64_t start = now_ns(clock);

	bench->sum = mac_run(&bench->data, macs);
	return now_ns(clock) - start;
}

/* Lets the clock of the core rise and the data settle in L1; returns how many iterations take
 * CALIBRATE_BLOCK_NS. */
static uint32_t bench_warm_up(struct mac_bench *bench)
{
	uint64_t ns = 0, fastest = UINT64_MAX;
	uint32_t passes = 0;

	while (ns < WARM_UP_NS && passes++ < WARM_UP_PASSES_MAX) {
		const uint64_t pass = bench_run(bench, WARM_UP_MACS, CLOCK_THREAD_CPUTIME_ID);

		ns += pass;
		if (pass && pass < fastest)
			fastest = pass;
	}
	return ns < WARM_UP_NS
	    ? 0
	    : (uint32_t)((uint64_t)WARM_UP_MACS * CALIBRATE_BLOCK_NS / fastest) + 1;
}

static int rate_compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

int calibrate_mmac(struct calibration *ret)
{
	struct mac_bench bench;
	double rates[CALIBRATE_BLOCKS];
	uint32_t macs;

	mac_init(&bench.data);
	macs = bench_warm_up(&bench);
	if (!macs)
		return -EIO;
	for (int i = 0; i < CALIBRATE_BLOCKS; i++) {
		const uint64_t ns = bench_run(&bench, macs, CLOCK_THREAD_CPUTIME_ID);

		if (!ns)
			return -EIO;
		rates[i] = (double)macs * 1e3 / (double)ns;
	}
	qsort(rates, CALIBRATE_BLOCKS, sizeof(rates[0]), rate_compare);
	*ret = (struct calibration){
	    .mmac_per_s = rates[CALIBRATE_BLOCKS / 2],
	    .mmac_per_s_best = rates[CALIBRATE_BLOCKS - 1],
	    .spread = (rates[CALIBRATE_BLOCKS * 9 / 10] - rates[CALIBRATE_BLOCKS / 10]) /
	        rates[CALIBRATE_BLOCKS / 2],
	    .blocks = CALIBRATE_BLOCKS,
	    .block_macs = macs,
	};
	return 0;
}

/* To read the clock of this thread takes too long for that. */
double calibrate_mac_now_ns(void)
{
	uint64_t least = UINT64_MAX;
	struct mac_bench bench;

	mac_init(&bench.data);
	for (int i = 0; i < NOW_PASSES; i++) {
		const uint64_t ns = bench_run(&bench, NOW_MACS, CLOCK_MONOTONIC);

		least = ns < least ? ns : least;
	}
	return (double)least / NOW_MACS;
}
