/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct arena_chunk {
	struct arena_chunk *next;
	uint8_t pad[56];
};

void *arena_take(struct arena_chunk **chunks, size_t size)
{
	const size_t bytes = (sizeof(struct arena_chunk) + size + 63) & ~(size_t)63;
	struct arena_chunk *chunk = bytes > size ? aligned_alloc(64, bytes) : NULL;

	if (chunk == NULL)
		return NULL;
	memset(chunk, 0, bytes);
	chunk->next = *chunks;
	*chunks = chunk;
	return chunk + 1;
}

void arena_free(struct arena_chunk **chunks)
{
	while (*chunks != NULL) {
		struct arena_chunk *chunk = *chunks;

		*chunks = chunk->next;
		free(chunk);
	}
}
