/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/keep/store.h - the keep store: entries by key, of a writer who may die and be followed by
 * another.
 *
 * A node has two of them: one in its frontend, whose writer is exec, and a copy in the process that
 * keeps the frontend (tools/aloe/node.h). So any two processes of a node but that one may be killed
 * at once, and nothing is lost.
 */
#ifndef ALOE_KEEP_STORE_H
#define ALOE_KEEP_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/keep/keep.h"

enum { STORE_ENTRIES_MAX = 4096 };

/* An entry lives as long as the store or a channel that has yet to send it holds it. */
struct store_entry {
	struct store_entry *next;
	unsigned holders;
	bool fresh; /* put by the writer that is attached now */
	struct keep_entry kept;
};

struct store {
	struct store_entry *first; /* in the order in which the keys first came */
	size_t count;
	bool awaits;  /* a copy of what was kept before is still to come */
	bool settled; /* the writer has put everything once */
};

/* store_put takes over what `kept` holds (also on failure), in place of an entry of the same key:
 * 0, -ENOSPC, -ENOMEM. */
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
