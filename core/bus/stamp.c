/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/bus/stamp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "core/base/bytes.h"

int stamp_init(struct stamp *stamp)
{
	*stamp = (struct stamp){.life = 0};
	return getrandom(&stamp->life, sizeof(stamp->life), 0) == sizeof(stamp->life) ? 0 : -errno;
}

void stamp_next(struct stamp *stamp, uint8_t ret[STAMP_BYTES])
{
	put_le64(put_le64(ret, stamp->life), ++stamp->number);
}

static struct stamp_node *node_of(struct stamp *stamp, const char *key)
{
	struct stamp_node *oldest = &stamp->nodes[0];

	for (size_t i = 0; i < KEYS_NODES_MAX; i++) {
		struct stamp_node *node = &stamp->nodes[i];

		if (node->used && strcmp(node->key, key) == 0)
			return node;
		if (node->used < oldest->used)
			oldest = node;
	}
	*oldest = (struct stamp_node){.used = 0};
	snprintf(oldest->key, sizeof(oldest->key), "%s", key);
	return oldest;
}

static struct stamp_life *life_of(struct stamp_node *node, uint64_t number)
{
	struct stamp_life *oldest = &node->lives[0];

	for (size_t i = 0; i < STAMP_LIVES; i++) {
		struct stamp_life *life = &node->lives[i];

		if (life->used && life->life == number)
			return life;
		if (life->used < oldest->used)
			oldest = life;
	}
	*oldest = (struct stamp_life){.life = number};
	return oldest;
}

bool stamp_take(struct stamp *stamp, const char *key, const uint8_t bytes[STAMP_BYTES])
{
	struct stamp_node *node = node_of(stamp, key);
	struct stamp_life *life = life_of(node, get_le64(bytes));
	const uint64_t number = get_le64(bytes + 8);

	node->used = life->used = ++stamp->uses;
	if (number <= life->last)
		return false;
	life->last = number;
	return true;
}
