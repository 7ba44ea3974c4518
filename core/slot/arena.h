/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/arena.h - memory that is taken piece by piece and given back at once. [control]
 *
 * Pieces lie one behind the other in regions of which each has twice the size of the last; from 2
 * MB on a region is made of huge pages, where the machine has any: fewer entries of the address
 * cache in the slot, and a process that ends is gone sooner.
 */
#ifndef ALOE_SLOT_ARENA_H
#define ALOE_SLOT_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_region;

struct arena {                        /* all zero: empty */
	struct arena_region *regions; /* the one in use first */
	size_t next_bytes;
	bool no_huge; /* a region that could have been of huge pages is not */
	void *scratch;
	size_t scratch_bytes;
	uint64_t scratch_owner;
};

/* arena_take gives zeroed memory, aligned to 64 bytes, that lives until arena_free; NULL when there
 * is none. */
void *arena_take(struct arena *arena, size_t size);
/* arena_scratch gives a piece that is given to others, too: to all that ask for one owner after
 * another, with no other owner between, and for no more than the first of them. */
void *arena_scratch(struct arena *arena, uint64_t owner, size_t size);
void arena_free(struct arena *arena);

#endif
