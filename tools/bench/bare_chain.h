/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/bare_chain.h - the limit of a hand-over between processes: a chain of processes on
 * one core, each of which is woken by a futex, copies a message, reads the clock twice and wakes
 * the next one. Nothing else is done; so no chain of components in processes of their own that are
 * woken one by one takes less.
 */
#ifndef TOOLS_BENCH_BARE_CHAIN_H
#define TOOLS_BENCH_BARE_CHAIN_H

#include <stddef.h>
#include <stdint.h>

enum { BARE_CHAIN_MAX = 32 };

struct bare_chain {
	int cpu;
	unsigned processes; /* 2 .. BARE_CHAIN_MAX */
	size_t bytes;       /* that each copies */
	uint64_t slot_ns;   /* the first begins at the edges of slots of this length */
	unsigned slots;     /* that are measured */
};

struct bare_chain_times { /* us, from the beginning of the first to the end of the last */
	double p50, p99, max;
	double missed; /* slots whose chain ended after the next edge */
};

/* bare_chain_run: 0, or -errno; -ETIMEDOUT: a process waited for another for 10 s in vain. The
 * processes have the priority of lanes, where they may. */
int bare_chain_run(const struct bare_chain *chain, struct bare_chain_times *ret);

#endif
