/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/warm.h - how a lane uses the time before a slot's edge, in which it would only spin.
 *
 * After a sleep the core's caches hold the data of other programs. Code and data of a slot come
 * back one line of cache after another, which takes two thirds of a slot with ten small components
 * (tests/bench/bench_paced). So the lane, which is awake before the edge (core/slot/lane.h), reads
 * the memory that its segments will touch: the engine's own, the messages, and what components name
 * (aloe_component.warm: tables, histories, code). Then it rehearses: it runs a slot of a segment
 * with three instances that belongs to no waveform, so that the engine's code is in the caches and
 * the core predicts its branches.
 */
#ifndef ALOE_SLOT_WARM_H
#define ALOE_SLOT_WARM_H

#include "core/slot/segment.h"

struct rehearsal;

/* segment_warm reads the engine's own memory that the next step of a segment will touch, one
 * instance after another, until until_ns. It changes nothing. [slot] */
void segment_warm(const struct segment *segment, uint64_t until_ns);
/* segment_warm_bulk reads what the components will work on in that step, at most *room bytes, which
 * it takes from *room: what they name, the messages that they write, and those of other segments
 * that they read. It changes nothing. [slot] */
void segment_warm_bulk(const struct segment *segment, size_t *room, uint64_t until_ns);

struct rehearsal *rehearsal_new(void); /* NULL: no memory. [control] */
void rehearsal_free(struct rehearsal *rehearsal);
/* rehearsal_run runs one slot of the rehearsal, which takes about a microsecond on a cold core. It
 * returns how many slots have run. [slot] */
uint64_t rehearsal_run(struct rehearsal *rehearsal);

#endif
