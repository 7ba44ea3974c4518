/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/keep/store.h - the keep store: the entries of a writer, by key. The writer may die, and
 * another writer may follow.
 *
 * A node has two stores: one in the frontend, whose writer is exec, and a copy in the node keeper
 * (tools/aloe/node.h). So any two processes of a node except the node keeper may be killed at once,
 * and nothing is lost.
 */
#ifndef ALOE_KEEP_STORE_H
#define ALOE_KEEP_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/keep/keep.h"

enum { STORE_ENTRIES_MAX = 4096 };

/* An entry lives as long as the store holds it, or a channel that has not sent it yet. */
struct store_entry {
	struct store_entry *next;
	unsigned holders;
	bool fresh; /* put by the present writer */
	struct keep_entry kept;
};

struct store {
	struct store_entry *first; /* in the order in which the keys arrived first */
	size_t count;
	bool awaits;  /* the copy of the last store has not arrived yet */
	bool settled; /* the writer has put every entry once */
};

/* store_put takes over the content of `kept`, also on failure, and replaces an entry of the same
 * key. Returns 0, -ENOSPC, or -ENOMEM. */
int store_put(struct store *store, struct keep_entry *kept, struct store_entry **ret);
bool store_has(const struct store *store, const char *key);
bool store_drop(struct store *store, const char *key); /* false: there was none */
void store_fini(struct store *store);

/* A writer that has just come puts everything that there still is: store_age makes all entries
 * stale until then, and store_stale gives one that is still stale; NULL: none. */
void store_age(struct store *store);
const struct store_entry *store_stale(const struct store *store);

struct store_entry *store_hold(struct store_entry *entry);
void store_release(struct store_entry *entry); /* closes its descriptors with the last holder */

#endif
