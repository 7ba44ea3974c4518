/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/arena.h - memory that is taken piece by piece and given back at once. [control]
 *
 * Pieces lie one behind the other in regions that double in size; from 2 MB on a region is made of huge pages, where the
 * machine has any: fewer entries of the address cache in the slot, and a process that ends is gone sooner.
 */
#ifndef ALOE_SLOT_ARENA_H
#define ALOE_SLOT_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_region;

struct arena {                        /* all zero: empty */
	struct arena_region *regions; /* the one in use first */
	size_t next_bytes;
	bool no_huge; /* a region that could have been of huge pages is not */
};

/* arena_take gives zeroed memory, aligned to 64 bytes, that lives until arena_free; NULL when there is none. */
void *arena_take(struct arena *arena, size_t size);
void arena_free(struct arena *arena);

#endif
