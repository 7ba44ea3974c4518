/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/store.h - the keep store: what other daemons must not lose when they die.
 *
 * It lives in the frontend's memory and dies with it. The exec that goes on then has everything still, and puts it again to
 * the next frontend. Only where both are killed at once is it lost; the hosts, whose sockets close with the last of the two,
 * end by that.
 */
#ifndef ALOE_FRONTEND_STORE_H
#define ALOE_FRONTEND_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "daemons/common/keep.h"

enum { STORE_ENTRIES_MAX = 4096 };

/* An entry lives as long as the store or a channel that has yet to send it holds it. */
struct store_entry {
	struct store_entry *next;
	unsigned holders;
	struct keep_entry kept;
};

struct store {
	struct store_entry *first; /* in the order in which the keys first came */
	size_t count;
	bool settled; /* exec has put everything once */
};

/* store_put takes over what `kept` holds (also on failure), in place of an entry of the same key: 0, -ENOSPC, -ENOMEM. */
int store_put(struct store *store, struct keep_entry *kept, struct store_entry **ret);
bool store_drop(struct store *store, const char *key); /* false: there was none */
void store_fini(struct store *store);

struct store_entry *store_hold(struct store_entry *entry);
void store_release(struct store_entry *entry); /* closes its descriptors with the last holder */

#endif
