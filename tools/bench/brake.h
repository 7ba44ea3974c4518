/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/brake.h - a slower machine: a thread on each CPU, above all others, that takes a part
 * of every BRAKE_PERIOD_NS. What is left is what a CPU of so much less capacity would give, to
 * lanes, daemons and the kernel's work for them alike.
 *
 * The thread reads the clock all the time that it has the CPU, and nobody is above it: where two
 * readings are more than BRAKE_STALL_NS apart, or it wakes so much too late, the kernel or a
 * hypervisor had the CPU. This is a stall.
 */
#ifndef TOOLS_BENCH_BRAKE_H
#define TOOLS_BENCH_BRAKE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BRAKE_PERIOD_NS = 250000,
	BRAKE_STALL_NS = 250000,
	BRAKE_CPUS_MAX = 4,
	BRAKE_STALLS_MAX = 1024, /* of a CPU, that are kept */
};

struct brake_stall {
	uint64_t from_ns, to_ns;
};

struct brake_one { /* of one CPU; its thread writes */
	pthread_t thread;
	double share;
	_Atomic bool *ends;
	size_t n; /* stalls */
	struct brake_stall stalls[BRAKE_STALLS_MAX];
};

struct brake {
	_Atomic bool ends;
	uint64_t from_ns; /* when it began */
	size_t n;
	struct brake_one one[BRAKE_CPUS_MAX];
};

/* brake_start leaves a share, 0 .. 1, of each of n CPUs: 0, or -errno: no real-time priority. The
 * brake stays where it is until brake_stop, which takes one that was never started; what was seen
 * stays readable. */
int brake_start(struct brake *brake, const int *cpus, const double *shares, size_t n);
void brake_stop(struct brake *brake);
/* brake_rate measures what a thread of real-time priority below the brake gets of a CPU, MMAC/s. */
double brake_rate(int cpu);
/* brake_realtime_share reads the part of a CPU that the kernel leaves to real-time threads, of
 * which the brake is one (kernel.sched_rt_runtime_us of sched_rt_period_us); 1: it takes nothing.
 * What it takes, the brake sees as stalls. */
double brake_realtime_share(void);
/* brake_touched counts the slots, each once, that meet a stall of a CPU or the time until `longer`
 * of that CPU times the length of the stall, 1 or more, after it began. The first slot begins where
 * the brake did. brake_stalled_ns adds up the stalls of all CPUs. Both when the brake has
 * stopped. */
size_t brake_touched(
    const struct brake *brake, const double *longer, uint64_t slot_ns, size_t slots);
uint64_t brake_stalled_ns(const struct brake *brake);

#endif
