/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/stamp.h - a message over TCP is taken once. The bus's own.
 *
 * CURVE lets nobody repeat what another has sent, but a node that is let in could send its own
 * again after it has connected anew. So every message has a stamp beside it, {life u64, number
 * u64}: a random number of the sender's socket, and its messages counted from 1. Of each node the
 * last STAMP_LIVES lives are known, the one unused longest goes first.
 */
#ifndef ALOE_BUS_STAMP_H
#define ALOE_BUS_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bus/keys.h"

enum { STAMP_BYTES = 16, STAMP_LIVES = 16 };

struct stamp_life {
	uint64_t life, last, used; /* used 0: free */
};

struct stamp_node {
	char key[KEYS_TEXT];
	uint64_t used;
	struct stamp_life lives[STAMP_LIVES];
};

struct stamp {
	uint64_t life, number; /* our own */
	uint64_t uses;
	struct stamp_node nodes[KEYS_NODES_MAX];
};

int stamp_init(struct stamp *stamp); /* 0 or -errno: no random number */
void stamp_next(struct stamp *stamp, uint8_t ret[STAMP_BYTES]);
/* stamp_take: whether a message of the node with this key is new. */
bool stamp_take(struct stamp *stamp, const char *key, const uint8_t bytes[STAMP_BYTES]);

#endif
