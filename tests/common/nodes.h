/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/nodes.h - two nodes with keys, in folders of their own: `a` listens and lets `b` in,
 * `c` has a key and is not let in.
 */
#ifndef TESTS_COMMON_NODES_H
#define TESTS_COMMON_NODES_H

#include "core/bus/bus.h"

struct nodes {
	char dir[64], folder[3][80]; /* of a, b, c */
	struct keys_own own[3];
	struct diag diag;
};

enum { NODE_A, NODE_B, NODE_C };

void nodes_open(struct nodes *nodes);
void nodes_close(struct nodes *nodes);

/* nodes_pair_write writes a platform file of nodes `a`, the manager, and `b`, linked, on loopback
 * without keys, at ports that depend on the process. */
void nodes_pair_write(const char *file);

/* nodes_listen is `a` at a free port of 127.0.0.1, which `ret_address` (32 bytes) names. */
struct bus *nodes_listen(
    struct nodes *nodes, const enum wire_type *types, size_t n_types, char ret_address[32]);
/* nodes_join connects as that node. */
struct bus *nodes_join(struct nodes *nodes, int who, const char *address);

/* nodes_pump lets both ends work until `done` says so or 10 s have passed: 0 or -ETIMEDOUT; what
 * comes is dropped. `other` may be NULL. */
int nodes_pump(struct bus *listener, struct bus *other, bool (*done)(void *context), void *context);
/* nodes_recv is bus_recv of one end that waits, while both work. */
int nodes_recv(struct bus *bus, struct bus *other, struct wire_view *ret, struct bus_peer *from);

#endif
