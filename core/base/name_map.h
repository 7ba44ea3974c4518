/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/name_map.h - numbers by name: a hash table with open addressing. The texts belong to
 * the caller, need no end, and stay where they are.
 *
 *	name_map_put(&map, "source", 6, 0)            0
 *	name_map_put(&map, "source", 6, 7)            -EEXIST, and 0 keeps its number
 *	name_map_find(&map, "source", 6)              0
 *	name_map_find(&map, "sink", 4)                -1
 */
#ifndef ALOE_BASE_NAME_MAP_H
#define ALOE_BASE_NAME_MAP_H

#include <stddef.h>
#include <stdint.h>

struct name_map_slot {
	const char *text; /* NULL: free */
	size_t len;
	uint32_t number;
};

struct name_map { /* zeroed: empty */
	struct name_map_slot *slots;
	size_t size, n; /* size: a power of two, more than n */
	uint64_t start; /* of the hash; random, so that the order of the slots means nothing */
};

/* name_map_put adds a name: 0, -EEXIST if the name is there already, or -ENOMEM. */
int name_map_put(struct name_map *map, const char *text, size_t len, uint32_t number);
/* name_map_find returns the number of a name, or -1. */
int64_t name_map_find(const struct name_map *map, const char *text, size_t len);
/* name_map_clear forgets all names, and keeps what memory few of them need. */
void name_map_clear(struct name_map *map);
void name_map_fini(struct name_map *map);

#endif
