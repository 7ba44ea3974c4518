/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/guard.h - who may connect to a TCP socket: CURVE, and a ZAP handler with the list of the
 * nodes that are let in. The bus's own.
 *
 * A socket of libzmq 4.3.4 lets strangers in when its handler is missing or dead, unless it has a
 * domain *and* the option that enforces it (tests/unit/test_curve.c holds each case). guard_server
 * sets both and reads them back. The handler is no thread, which could die alone: its socket is
 * served by whoever receives from the bus (guard_serve), and where nobody does, nobody gets in.
 */
#ifndef ALOE_BUS_GUARD_H
#define ALOE_BUS_GUARD_H

#include <stdint.h>
#include <sys/stat.h>

#include "core/bus/bus.h"
#include "core/bus/keys.h"

struct guard {
	void *zap; /* NULL: not open */
	char folder[KEYS_PATH], path[KEYS_PATH + 16];
	struct stat seen; /* the list when it was read */
	uint64_t looked_ns;
	struct keys_list list;
	struct bus_counts *counts;
	char last[160];    /* who was refused last, for the log */
	char trouble[512]; /* what is wrong with the list; "" if nothing */
};

/* guard_open binds the handler in `ctx`, before any server of it: 0, or -errno. The list of
 * `folder` is read whenever it has changed; nobody is let in while there is something wrong with
 * it. */
int guard_open(struct guard *guard, void *ctx, const char *folder, struct bus_counts *counts);
void guard_close(struct guard *guard);
void guard_serve(struct guard *guard); /* answers what has been asked, without waiting */
/* guard_find gives the node with this key, NULL if it is (no longer) let in. It looks at the file
 * once a second at most; guard_serve looks at each connection. */
const struct keys_node *guard_find(struct guard *guard, const char *key);

/* The options of a socket, before it is bound or connected: 0 or -errno. */
int guard_server(void *socket, const struct keys_own *own);
int guard_client(void *socket, const struct keys_own *own, const char *server_key);

/* The name of the property of a message that is its sender's key. */
#define GUARD_KEY "X-Key"

#endif
