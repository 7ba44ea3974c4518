/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/lapse.h - lapses of an instance (core/base/lapse.h): written down while a waveform is
 * recorded, and repeated while a recording is replayed. An instance without either has none of
 * this.
 *
 *   lane's thread   lapse_add ---> ring ---> I/O thread writes INSTANCE.lapses      recorded
 *   control thread  INSTANCE.lapses ---> rows ---> lane's thread repeats them       replayed
 *
 * A lapse is written before the index that follows, so all lapses before `next` are in the ring or
 * have left it. If the ring is full, `lost` is the index from which on nothing is known.
 */
#ifndef ALOE_SLOT_LAPSE_H
#define ALOE_SLOT_LAPSE_H

#include <aloe/component.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/base/lapse.h"

struct instance;
struct segment;

enum { LAPSES_RING = 2048 };

struct lapses {
	struct lapse *ring; /* of LAPSES_RING; NULL: none are recorded */
	_Atomic uint64_t head, tail;
	_Atomic uint64_t next;    /* all lapses before this index are written */
	_Atomic uint64_t lost;    /* index + 1; 0: none */
	const struct lapse *rows; /* in the order of their indices */
	size_t n_rows, at;
	bool conceals; /* the outputs of this call are to be ABSENT */
	int (*work)(void *self, struct aloe_slot *slot); /* of the component */
};

/* lapses_begin gives an opened instance lapses, which live as long as the instance. [control] */
void lapses_begin(struct instance *it, struct lapses *lapses);

/* lapse_add writes one down, if they are recorded. lapses_skipped: all instances of the segment
 * are left out in the steps from `from` to the one before `to`. [slot] */
void lapse_add(
    struct lapses *lapses, enum lapse_kind kind, uint64_t index, uint64_t count, uint32_t port);
void lapses_skipped(struct segment *segment, uint64_t from, uint64_t to);

/* lapse_before is called before work, and returns whether the instance is not to be called at index
 * k; lapse_after is called after work. [slot] */
bool lapse_before(struct instance *it, uint64_t k);
void lapse_after(struct instance *it);

/* lapses_take takes the oldest that is in the ring; false: there is none. [io] */
bool lapses_take(struct lapses *lapses, struct lapse *ret);

#endif
