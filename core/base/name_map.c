/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/base/name_map.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/base/hash.h"

enum { SIZE_FIRST = 64 };

/* The slot of the name, or the free one where it would be. Half of the slots are free. */
static struct name_map_slot *slot_of(const struct name_map *map, const char *text, size_t len)
{
	assert(map->n < map->size);
	for (size_t i = hash_bytes(map->start, text, len);; i++) {
		struct name_map_slot *slot = &map->slots[i & (map->size - 1)];

		if (!slot->text || (slot->len == len && memcmp(slot->text, text, len) == 0))
			return slot;
	}
}

/* A number of the map's own: who writes a file cannot choose names that all fall on one slot. While
 * the machine boots there may be none; a map is right without it. */
static uint64_t start_new(void)
{
	uint64_t start;

	return getrandom(&start, sizeof(start), GRND_NONBLOCK) == sizeof(start) ? start
	                                                                        : HASH_START;
}

static int map_grow(struct name_map *map)
{
	struct name_map grown = {.size = map->size ? map->size * 2 : SIZE_FIRST,
	    .n = map->n,
	    .start = map->size ? map->start : start_new()};

	grown.slots = calloc(grown.size, sizeof(*grown.slots));
	if (!grown.slots)
		return -ENOMEM;
	for (size_t i = 0; i < map->size; i++)
		if (map->slots[i].text)
			*slot_of(&grown, map->slots[i].text, map->slots[i].len) = map->slots[i];
	free(map->slots);
	*map = grown;
	return 0;
}

int name_map_put(struct name_map *map, const char *text, size_t len, uint32_t number)
{
	if (map->n * 2 >= map->size && map_grow(map) < 0)
		return -ENOMEM;
	struct name_map_slot *slot = slot_of(map, text, len);
	if (slot->text)
		return -EEXIST;
	*slot = (struct name_map_slot){text, len, number};
	map->n++;
	return 0;
}

int64_t name_map_find(const struct name_map *map, const char *text, size_t len)
{
	const struct name_map_slot *slot = map->n ? slot_of(map, text, len) : NULL;

	return slot && slot->text ? (int64_t)slot->number : -1;
}

void name_map_clear(struct name_map *map)
{
	if (map->size > SIZE_FIRST)
		name_map_fini(map);
	else if (map->n)
		memset(map->slots, 0, map->size * sizeof(*map->slots));
	map->n = 0;
}

void name_map_fini(struct name_map *map)
{
	free(map->slots);
	*map = (struct name_map){0};
}
