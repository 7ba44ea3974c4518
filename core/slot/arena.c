/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/platform/platform.h"

enum { LINE = 64, REGION_FIRST = 4096, HUGE_PAGE = 2 << 20 };

#if defined(__SANITIZE_ADDRESS__)
enum { ALONE = 1 }; /* so that the sanitizer sees who writes past a piece of its own */
#else
enum { ALONE = 0 };
#endif

struct arena_region {
	struct arena_region *next;
	size_t used, size; /* this head included */
	uint8_t pad[LINE - 3 * sizeof(size_t)];
};
_Static_assert(sizeof(struct arena_region) == LINE, "pieces are aligned");

static size_t round_up(size_t size, size_t to)
{
	assert(to != 0);
	assert((to & (to - 1)) == 0);
	return (size + to - 1) / to * to;
}

static void region_link(struct arena *arena, struct arena_region *region, bool behind)
{
	struct arena_region **at =
	    behind && arena->regions != NULL ? &arena->regions->next : &arena->regions;

	region->next = *at;
	*at = region;
}

/* Touched here, so that no page is missing later. A piece too large for the usual region has one of
 * its own, behind the one in use, which stays that. */
static struct arena_region *region_new(struct arena *arena, size_t least)
{
	const size_t usual = arena->next_bytes > 0 ? arena->next_bytes : REGION_FIRST;
	size_t size = ALONE || least > usual ? least : usual;
	const size_t align = size >= HUGE_PAGE ? HUGE_PAGE : LINE;
	struct arena_region *region;

	assert(least > sizeof(*region));
	size = round_up(size, align);
	assert(size >= least);
	region = aligned_alloc(align, size);
	if (region == NULL)
		return NULL;
	if (align == HUGE_PAGE && platform_huge_pages(region, size) != 0)
		arena->no_huge = true;
	memset(region, 0, size);
	region->size = size;
	region->used = sizeof(*region);
	region_link(arena, region, least > usual);
	arena->next_bytes = usual * 2 < HUGE_PAGE ? usual * 2 : HUGE_PAGE;
	return region;
}

void *arena_take(struct arena *arena, size_t size)
{
	const size_t bytes = round_up(size > 0 ? size : 1, LINE);
	struct arena_region *region = arena->regions;

	assert(region == NULL || region->used <= region->size);
	if (bytes < size || bytes > SIZE_MAX / 4)
		return NULL;
	if (ALONE || region == NULL || region->size - region->used < bytes)
		region = region_new(arena, bytes + sizeof(*region));
	if (region == NULL)
		return NULL;
	region->used += bytes;
	assert(region->used <= region->size);
	return (uint8_t *)region + region->used - bytes;
}

void *arena_scratch(struct arena *arena, uint64_t owner, size_t size)
{
	assert(size > 0);
	assert(arena->scratch == NULL || arena->scratch_bytes > 0);
	if (arena->scratch == NULL || arena->scratch_owner != owner ||
	    arena->scratch_bytes < size) {
		arena->scratch = arena_take(arena, size);
		arena->scratch_bytes = size;
		arena->scratch_owner = owner;
	}
	return arena->scratch;
}

void arena_free(struct arena *arena)
{
	while (arena->regions != NULL) {
		struct arena_region *region = arena->regions;

		arena->regions = region->next;
		free(region);
	}
	*arena = (struct arena){0};
}
