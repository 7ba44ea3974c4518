/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/response.h - one cell of `aloe bench response`: how often a chain of three processes
 * answers too late while four busy loops want both CPUs.
 *
 *   0 ms     subframe n is there; the transfer takes 0.5 ms
 *   0.5 ms   the interface wants to wake, by its timer
 *            interface -> physical layer -> higher layer -> interface
 *   3.45 ms  the answer is due, with the transfer of 0.5 ms back
 *
 * A subframe of TD-SCDMA takes 5 ms (6 400 chips at 1.28 Mchip/s). The transfers of 0.5 ms each way
 * are those of USB 2.0 and take no CPU here. A timer of 1/HZ is emulated: the time at which the
 * interface wants to wake is rounded up to the next multiple of 1/HZ.
 */
#ifndef TOOLS_BENCH_RESPONSE_H
#define TOOLS_BENCH_RESPONSE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/hist.h"

#define RESPONSE_SUBFRAME_NS 5000000ull
#define RESPONSE_DUE_NS 3450000ull
#define RESPONSE_TRANSFER_NS 500000ull

enum response_priority { RESPONSE_ORDINARY, RESPONSE_INTERFACE, RESPONSE_CHAIN };

struct response_cell {
	double quota;                  /* percent of all CPUs that the loops get; 0: no quota */
	unsigned loops, period_us, hz; /* hz 0: high resolution */
	enum response_priority fifo;
	bool shield; /* the loops are kept off the last CPU, where the chain is */
};

struct response_result {
	uint64_t subframes, failed;
	struct hist ns; /* from the subframe to the answer, with both transfers */
};

/* response_rounds gives how many rounds of the loop that stands for work take 1 ms of this core. */
uint64_t response_rounds(void);

/* response_run runs so many subframes with work_us of work in each. 0; -EPERM: no FIFO; -ENOTSUP:
 * no quota here; -ECHILD: one of its processes was killed; or -errno. */
int response_run(const struct response_cell *cell, uint64_t rounds_per_ms, double work_us,
    uint64_t subframes, struct response_result *ret);

#endif
