/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/brake.h - a slower machine: a thread on each CPU, above all others, that takes a part
 * of every BRAKE_PERIOD_NS. What is left is what a CPU of so much less capacity would give, to
 * lanes, daemons and the kernel's work for them alike.
 */
#ifndef TOOLS_BENCH_BRAKE_H
#define TOOLS_BENCH_BRAKE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BRAKE_PERIOD_NS = 500000, BRAKE_CPUS_MAX = 16 };

struct brake {
	double share; /* that is left, 0 .. 1 */
	_Atomic bool ends;
	pthread_t threads[BRAKE_CPUS_MAX];
	int cpus[BRAKE_CPUS_MAX];
	size_t n;
};

/* brake_start: 0, or -errno: no real-time priority. brake_stop takes one that was never
 * started. */
int brake_start(struct brake *brake, const int *cpus, size_t n, double share);
void brake_stop(struct brake *brake);
/* brake_share measures what is left of a CPU, for a thread of real-time priority below the
 * brake. */
double brake_share(int cpu);

#endif
