/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/arena.h - memory that is taken piece by piece and given back at once. [control]
 */
#ifndef ALOE_SLOT_ARENA_H
#define ALOE_SLOT_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* arena_take gives zeroed memory, aligned to 64 bytes, that lives until arena_free(chunks); NULL when there is none. An
 * empty list is NULL. */
void *arena_take(struct arena_chunk **chunks, size_t size);
void arena_free(struct arena_chunk **chunks);

#endif
