/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/gaps.h - when the machine stood still, as a thread above every other sees it.
 *
 * On each CPU a thread of a priority above the lanes sleeps for 250 us at a time, again and again;
 * where it wakes more than 150 us late, nothing of ours can have held it up: the kernel or a
 * hypervisor had the core. It takes less than one per cent of the core.
 */
#ifndef TOOLS_BENCH_GAPS_H
#define TOOLS_BENCH_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gaps;

/* gaps_start watches n CPUs. NULL without memory or threads. */
struct gaps *gaps_start(const int *cpus, size_t n);
/* gaps_start_idle watches one that has nothing else to do: a thread of ordinary priority reads its
 * clock all the time, and where two readings are more than 20 us apart, the core did something else
 * or stood still. */
struct gaps *gaps_start_idle(int cpu);
void gaps_stop(struct gaps *gaps); /* NULL is nothing to stop; what was seen stays readable */
void gaps_free(struct gaps *gaps);

/* gaps_able says whether every thread got its priority; without it what they see may be our own
 * lanes' work. */
bool gaps_able(const struct gaps *gaps);
/* gaps_between says whether one was seen that overlaps a time of clock_ns. */
bool gaps_between(const struct gaps *gaps, uint64_t from_ns, uint64_t to_ns);
size_t gaps_count(const struct gaps *gaps);
uint64_t gaps_longest_ns(const struct gaps *gaps);
/* gaps_share gives the part of the time watched that was gaps, the mean of the CPUs; when they are
 * stopped. */
double gaps_share(const struct gaps *gaps);

#endif
