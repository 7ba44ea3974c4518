/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/keep/store.c - entries by key. */
#include "core/keep/store.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct store_entry *store_hold(struct store_entry *entry)
{
	entry->holders++;
	return entry;
}

void store_release(struct store_entry *entry)
{
	assert(entry != NULL);
	if (--entry->holders > 0)
		return;
	keep_entry_fini(&entry->kept);
	free(entry);
}

static struct store_entry **entry_find(struct store *store, const char *key)
{
	struct store_entry **at = &store->first;

	while (*at && strcmp((*at)->kept.key, key) != 0)
		at = &(*at)->next;
	return at;
}

int store_put(struct store *store, struct keep_entry *kept, struct store_entry **ret)
{
	struct store_entry **at = entry_find(store, kept->key), *old = *at;
	struct store_entry *entry =
	    old || store->count < STORE_ENTRIES_MAX ? malloc(sizeof(*entry)) : NULL;

	assert(kept->key[0] != 0);
	if (!entry) {
		const bool full = !old && store->count >= STORE_ENTRIES_MAX;

		keep_entry_fini(kept);
		return full ? -ENOSPC : -ENOMEM;
	}
	*entry = (struct store_entry){
	    .next = old ? old->next : NULL, .holders = 1, .fresh = true, .kept = *kept};
	*kept = (struct keep_entry){.kind = KEEP_END};
	*at = entry;
	if (old)
		store_release(old);
	else
		store->count++;
	*ret = entry;
	return 0;
}

bool store_has(const struct store *store, const char *key)
{
	const struct store_entry *entry = store->first;

	assert(key != NULL);
	while (entry && strcmp(entry->kept.key, key) != 0)
		entry = entry->next;
	return entry != NULL;
}

void store_age(struct store *store)
{
	for (struct store_entry *entry = store->first; entry; entry = entry->next)
		entry->fresh = false;
}

const struct store_entry *store_stale(const struct store *store)
{
	const struct store_entry *entry = store->first;

	while (entry && entry->fresh)
		entry = entry->next;
	return entry;
}

bool store_drop(struct store *store, const char *key)
{
	struct store_entry **at = entry_find(store, key), *entry = *at;

	assert(key != NULL);
	if (!entry)
		return false;
	*at = entry->next;
	store->count--;
	store_release(entry);
	return true;
}

void store_fini(struct store *store)
{
	while (store->first) {
		struct store_entry *entry = store->first;

		store->first = entry->next;
		store_release(entry);
	}
	store->count = 0;
}
