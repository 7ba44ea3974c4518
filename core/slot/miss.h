/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/miss.h - the record of a slot that was not as it should be, for exec, which finds the
 * cause (core/evidence). A good slot comes here never.
 */
#ifndef ALOE_SLOT_MISS_H
#define ALOE_SLOT_MISS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/image/state.h"

struct segment;

/* What a lane's thread knows of itself while it waits for the edge: the clock and its CPU time, its
 * page faults and switches. A slot that was late has a second reading; the difference shows how
 * long the thread did not run. */
struct witness {
	uint64_t at_ns, cpu_ns; /* at_ns 0: none yet */
	uint32_t faults, switches;
};

/* witness_read reads three times (0.6 to 1 us): before the edge, or after a slot that was late. */
void witness_read(struct witness *witness);
/* witness_wait is called by a thread that has until `edge_ns`. It reads if there is time for it, or
 * if the thread was woken much later than that; of a thread that never sleeps once in 1024 slots.
 * witness_poll is called by a thread that never sleeps and knows no edge. */
void witness_wait(
    struct witness *witness, uint64_t now_ns, uint64_t edge_ns, uint64_t slot_ns, bool slept);
void witness_poll(struct witness *witness, uint64_t slot);

/* Each writes one record. late: the step ended after the slot's end. skipped: `n` slots, to the one
 * before `slot`, whose edge is edge_ns. slipped: no step ran. absent: instance `number` lacked a
 * message. radio: the samples of the slot came late_ns late; no record if the slot has one. */
void miss_late(struct segment *segment, uint64_t slot, uint64_t step, uint64_t edge_ns,
    uint64_t start_ns, uint64_t end_ns);
void miss_skipped(
    struct segment *segment, uint64_t slot, uint64_t n, uint64_t edge_ns, uint64_t now_ns);
void miss_slipped(struct segment *segment, uint64_t slot, uint64_t step, uint64_t edge_ns);
void miss_radio(struct segment *segment, uint64_t slot, uint64_t edge_ns, uint64_t late_ns);
void miss_absent(struct segment *segment, uint64_t slot, uint64_t step, uint64_t edge_ns);

#endif
