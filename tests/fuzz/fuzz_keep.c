/* SPDX-License-Identifier: BSD-3-Clause
 * core/keep: a message of any bytes on a keep channel is refused, or gives an entry within the
 * limits, which is the same when it is sent again; no descriptor is left open. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/keep/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void put_again(int pair[2], struct keep_entry *entry)
{
	struct store store = {0};
	struct store_entry *stored;
	struct keep_entry again;

	insist(keep_put(pair[0], entry->key, entry->blob, entry->len, NULL, 0) == 0);
	insist(keep_recv(pair[1], &again) == 0 && again.kind == KEEP_PUT);
	insist(strcmp(again.key, entry->key) == 0 && again.len == entry->len);
	insist(again.len == 0 || memcmp(again.blob, entry->blob, again.len) == 0);
	insist(store_put(&store, &again, &stored) == 0 && store_has(&store, entry->key));
	insist(store_drop(&store, entry->key) && !store_has(&store, entry->key));
	store_fini(&store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int pair[2];
	struct keep_entry entry;
	int result;

	insist(pair[0] != 0 || keep_pair(pair) == 0);
	if (size == 0 || send(pair[0], data, size, MSG_NOSIGNAL) != (ssize_t)size)
		return 0;
	result = keep_recv(pair[1], &entry);
	insist(result == 0 || result == -EBADMSG);
	if (result == 0) {
		insist(strlen(entry.key) <= KEEP_KEY_MAX && entry.len <= KEEP_BLOB_MAX);
		insist(entry.n_fds == 0 && (entry.len == 0 || entry.blob != NULL));
		if (entry.kind == KEEP_PUT)
			put_again(pair, &entry);
		keep_entry_fini(&entry);
	}
	insist(keep_recv(pair[1], &entry) == -EAGAIN);
	return 0;
}
