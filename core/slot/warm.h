/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/warm.h - what a lane does with the time that it would spin away before a slot's edge.
 *
 * After a sleep the core's caches hold what others wanted there. Code and data of a slot come back
 * line after line, each found missing by the one before: of a slot with ten small components two
 * thirds are that (tests/bench/bench_paced). So the lane, awake before the edge (core/slot/lane.h),
 * reads what its segments will touch, and runs a slot of a segment that belongs to no waveform:
 * three instances, for the engine's code and what the core predicts of it.
 */
#ifndef ALOE_SLOT_WARM_H
#define ALOE_SLOT_WARM_H

#include "core/slot/segment.h"

struct rehearsal;

/* segment_warm reads what the next step of a segment will touch, one instance after another until
 * until_ns. Changes nothing. [slot] */
void segment_warm(const struct segment *segment, uint64_t until_ns);

struct rehearsal *rehearsal_new(void); /* NULL: no memory. [control] */
void rehearsal_free(struct rehearsal *rehearsal);
/* rehearsal_run runs one slot of it, about a microsecond when all of it is cold: how many have run.
 * [slot] */
uint64_t rehearsal_run(struct rehearsal *rehearsal);

#endif
