/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/arena.h - memory that is taken piece by piece and freed all at once. [control]
 *
 * Pieces lie one after another in regions. Each region has twice the size of the region before, and
 * from 2 MB on it is made of huge pages if the machine has them. With huge pages a slot needs fewer
 * entries of the address cache, and a process that ends is gone sooner.
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
	bool no_huge; /* a large region has ordinary pages, because there were no huge pages */
	void *scratch;
	size_t scratch_bytes;
	uint64_t scratch_owner;
};

/* arena_take returns zeroed memory, aligned to 64 bytes, that lives until arena_free; NULL if there
 * is no memory. */
void *arena_take(struct arena *arena, size_t size);
/* arena_scratch returns a piece that several callers share: calls in a row with the same owner get
 * the same piece if they ask for no more than the first call. Any other call gets a new piece. */
void *arena_scratch(struct arena *arena, uint64_t owner, size_t size);
void arena_free(struct arena *arena);

#endif
