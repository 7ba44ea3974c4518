/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/keep/channel.c - entries to and from one daemon. */
#include "core/keep/channel.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/base/file.h"

enum { RETRY_NS = 2000000 };

static bool channel_concerns(const struct channel *channel, const char *key)
{
	if (channel->kind == CHANNEL_MIRROR)
		return strncmp(key, channel->prefix, strlen(channel->prefix)) == 0 ||
		    (channel->also && strcmp(key, channel->also) == 0);
	return channel->kind == CHANNEL_WRITER || channel->kind == CHANNEL_KEEPER;
}

/* ---- to the daemon ------------------------------------------------------------------------ */

static int send_read_only(int fd, const struct keep_entry *kept)
{
	int fds[KEEP_FDS_MAX], result = 0;
	size_t n = 0;

	for (; n < kept->n_fds && result == 0; n++) {
		fds[n] = file_read_only(kept->fds[n]);
		if (fds[n] < 0) {
			result = fds[n];
			break;
		}
	}
	if (result == 0)
		result = keep_put(fd, kept->key, kept->blob, kept->len, fds, n);
	while (n > 0)
		close(fds[--n]);
	return result;
}

static int item_send(const struct channel *channel, const struct channel_item *item)
{
	const struct keep_entry *kept;

	if (!item->entry)
		return item->kind == KEEP_END ? keep_end(channel->fd)
		                              : keep_drop(channel->fd, item->key);
	kept = &item->entry->kept;
	if (channel->kind == CHANNEL_MIRROR && !channel->writable)
		return send_read_only(channel->fd, kept);
	return keep_put(channel->fd, kept->key, kept->blob, kept->len, kept->fds, kept->n_fds);
}

static void item_free(struct channel_item *item)
{
	if (item->entry)
		store_release(item->entry);
	free(item);
}

static void item_pop(struct channel *channel)
{
	struct channel_item *item = channel->first;

	channel->first = item->next;
	if (!channel->first)
		channel->last = &channel->first;
	item_free(item);
}

static void channel_flush(void *self)
{
	struct channel *channel = self;

	while (channel->first && channel->fd >= 0) {
		const struct channel_item *item = channel->first;
		const int result = item_send(channel, item);

		if (result == -EAGAIN) {
			loop_timer_start(
			    channel->loop, &channel->retry, RETRY_NS, channel_flush, channel);
			return;
		}
		if (result < 0 && result != -EPIPE)
			log_error(channel->log, "keep: \"%s\" could not be passed on: %s",
			    item->entry ? item->entry->kept.key : item->key, strerror(-result));
		item_pop(channel);
	}
}

/* What is still to be sent of an entry that has changed once more. */
static void items_forget(struct channel *channel, const char *key)
{
	struct channel_item **at = &channel->first;

	while (*at) {
		struct channel_item *item = *at;

		if (strcmp(item->key, key) != 0) {
			at = &item->next;
			continue;
		}
		*at = item->next;
		item_free(item);
	}
	channel->last = at;
}

static int item_push(
    struct channel *channel, enum keep_kind kind, struct store_entry *entry, const char *key)
{
	struct channel_item *item = calloc(1, sizeof(*item));

	assert(channel->fd >= 0);
	if (!item)
		return -ENOMEM;
	item->kind = kind;
	item->entry = entry ? store_hold(entry) : NULL;
	snprintf(item->key, sizeof(item->key), "%s", key);
	*channel->last = item;
	channel->last = &item->next;
	return 0;
}

static void mirror_push(
    struct channel *mirror, enum keep_kind kind, struct store_entry *entry, const char *key)
{
	if (!mirror || mirror->fd < 0 || !mirror->synced || !channel_concerns(mirror, key))
		return;
	items_forget(mirror, key);
	if (item_push(mirror, kind, entry, key) < 0)
		log_error(mirror->log, "keep: \"%s\" could not be passed on: out of memory", key);
	channel_flush(mirror);
}

static void mirrors_push(
    const struct channel *channel, enum keep_kind kind, struct store_entry *entry, const char *key)
{
	for (int i = 0; i < CHANNEL_MIRRORS_MAX; i++)
		mirror_push(channel->mirrors[i], kind, entry, key);
}

static bool may_sync(const struct channel *channel)
{
	if (channel->kind == CHANNEL_MIRROR)
		return channel->store->settled;
	return channel->kind != CHANNEL_WRITER || !channel->store->awaits;
}

static void channel_sync(struct channel *channel)
{
	int result = 0;

	if (!channel || channel->fd < 0 || channel->synced || !may_sync(channel))
		return;
	for (struct store_entry *entry = channel->store->first; entry && result == 0;
	     entry = entry->next) {
		if (channel_concerns(channel, entry->kept.key))
			result = item_push(channel, KEEP_PUT, entry, entry->kept.key);
	}
	result = result ? result : item_push(channel, KEEP_END, NULL, "");
	if (result < 0)
		log_error(channel->log, "keep: some entries could not be passed on: %s",
		    strerror(-result));
	channel->synced = true;
	channel_flush(channel);
}

/* ---- from the daemon ------------------------------------------------------------------------ */

static void entry_put(struct channel *channel, struct keep_entry *kept)
{
	struct store_entry *entry;
	char key[KEEP_KEY_MAX + 1];
	int result;

	memcpy(key, kept->key, sizeof(key));
	result = store_put(channel->store, kept, &entry);
	if (result < 0)
		log_error(channel->log, "keep: \"%s\" is not kept: %s", key, strerror(-result));
	else
		mirrors_push(channel, KEEP_PUT, entry, key);
}

static void entry_drop(struct channel *channel, const char *name)
{
	char key[KEEP_KEY_MAX + 1]; /* `name` may be the entry's */

	snprintf(key, sizeof(key), "%s", name);
	if (store_drop(channel->store, key))
		mirrors_push(channel, KEEP_DROP, NULL, key);
}

/* The writer has put everything that there is. What it has not put again is no more: it was dropped
 * while there was no store that could be told, or could not be taken up. */
static void writer_ends(struct channel *channel)
{
	const struct store_entry *stale;

	while ((stale = store_stale(channel->store)))
		entry_drop(channel, stale->kept.key);
	channel->store->settled = true;
	for (int i = 0; i < CHANNEL_MIRRORS_MAX; i++)
		channel_sync(channel->mirrors[i]);
}

static void writer_take(struct channel *channel, struct keep_entry *kept)
{
	if (kept->kind == KEEP_PUT) {
		entry_put(channel, kept);
		return;
	}
	if (kept->kind == KEEP_DROP)
		entry_drop(channel, kept->key);
	else if (kept->kind == KEEP_END)
		writer_ends(channel);
	keep_entry_fini(kept);
}

static void keeper_ends(const struct channel *channel)
{
	channel->store->awaits = false;
	for (int i = 0; i < CHANNEL_MIRRORS_MAX; i++)
		channel_sync(channel->mirrors[i]);
}

/* The writer may have been faster, and knows better. */
static void keeper_take(struct channel *channel, struct keep_entry *kept)
{
	struct store *store = channel->store;
	struct store_entry *entry;

	if (kept->kind == KEEP_PUT && store->awaits && !store_has(store, kept->key)) {
		if (store_put(store, kept, &entry) < 0)
			log_error(channel->log, "keep: an entry is lost: out of memory");
		else
			entry->fresh = false;
		return;
	}
	if (kept->kind == KEEP_END)
		keeper_ends(channel);
	keep_entry_fini(kept);
}

static void entry_take(struct channel *channel, struct keep_entry *kept)
{
	if (channel->kind == CHANNEL_WRITER && kept->kind <= KEEP_END) {
		writer_take(channel, kept);
	} else if (channel->kind == CHANNEL_KEEPER && kept->kind <= KEEP_END) {
		keeper_take(channel, kept);
	} else {
		log_warning(channel->log,
		    "keep: a daemon sent \"%s\", but this daemon may not "
		    "send that entry; the entry is ignored",
		    kept->key);
		keep_entry_fini(kept);
	}
}

/* Everything that has come; -EPIPE when there will be no more. */
static int channel_drain(struct channel *channel)
{
	for (;;) {
		struct keep_entry kept;
		const int result = keep_recv(channel->fd, &kept);

		if (result == 0)
			entry_take(channel, &kept);
		else if (result == -EBADMSG)
			log_warning(channel->log,
			    "keep: a daemon sent a malformed message; the message is "
			    "ignored");
		else if (result == -EMFILE)
			log_error(channel->log,
			    "keep: an entry is lost: this process may open no more files (ulimit "
			    "-n)");
		else
			return result;
	}
}

static void channel_ready(void *self, short revents)
{
	struct channel *channel = self;
	const int result = channel_drain(channel);

	(void)revents;
	if (result == -EAGAIN)
		return;
	if (result != -EPIPE)
		log_error(channel->log, "keep: %s", strerror(-result));
	if (channel->kind == CHANNEL_KEEPER)
		keeper_ends(channel);
	/* the other's end is near: channel_close follows */
	loop_watch_stop(channel->loop, &channel->watch);
}

void channel_settle(struct channel *channel)
{
	if (channel->watch.on)
		channel_ready(channel, POLLIN);
}

/* ---- life ------------------------------------------------------------------------ */

void channel_init(struct channel *channel, enum channel_kind kind, const struct log *log,
    struct loop *loop, struct store *store)
{
	assert(log != NULL);
	*channel = (struct channel){.kind = kind, .log = log, .loop = loop, .store = store};
	channel->fd = channel->alive = -1;
	channel->last = &channel->first;
}

void channel_take(struct channel *channel, int fd)
{
	assert(fd >= 0);
	channel_close(channel);
	channel->fd = fd;
	loop_watch_start(channel->loop, &channel->watch, fd, POLLIN, channel_ready, channel);
	if (channel->kind == CHANNEL_WRITER)
		store_age(channel->store);
	if (channel->kind == CHANNEL_KEEPER)
		channel->synced = channel->store->awaits = true; /* it knows more than we do */
	channel_sync(channel);
}

void channel_forget(struct channel *channel)
{
	while (channel->store->first)
		entry_drop(channel, channel->store->first->kept.key);
}

void channel_leave(struct channel *channel)
{
	if (channel->fd >= 0 && keep_leave(channel->fd) < 0)
		/* no room for it: the daemon attaches again, and is told while it attaches */
		channel_close(channel);
}

static void alive_close(struct channel *channel)
{
	if (channel->alive >= 0)
		close(channel->alive);
	channel->alive = -1;
	channel->deaf = false;
}

/* What cannot be had here is no silence of the daemon. */
static void deaf_set(struct channel *channel, int why)
{
	if (!channel->deaf)
		log_warning(channel->log,
		    "keep: a daemon cannot be asked for signs of life: %s; its silence does not "
		    "count until it can be asked",
		    strerror(why));
	channel->deaf = true;
}

void channel_ping(struct channel *channel, bool again)
{
	int result = 0;

	if (channel->fd < 0 || (channel->alive >= 0 && !again && !channel->deaf))
		return;
	if (channel->alive < 0)
		channel->alive = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	result = channel->alive < 0 ? -errno : keep_ping(channel->fd, channel->alive);
	if (result < 0 && result != -EAGAIN && result != -EPIPE)
		deaf_set(channel, -result);
	else
		channel->deaf = false;
}

/* The other end may have cleared O_NONBLOCK, which belongs to the counter. */
bool channel_heard(const struct channel *channel)
{
	struct pollfd counter = {.fd = channel->alive, .events = POLLIN};
	eventfd_t signs;

	if (channel->deaf)
		return true;
	return channel->alive >= 0 && poll(&counter, 1, 0) == 1 &&
	    eventfd_read(channel->alive, &signs) == 0;
}

void channel_close(struct channel *channel)
{
	if (channel->fd < 0)
		return;
	channel_drain(channel);
	loop_watch_stop(channel->loop, &channel->watch);
	loop_timer_stop(channel->loop, &channel->retry);
	close(channel->fd);
	channel->fd = -1;
	alive_close(channel);
	channel->synced = false;
	while (channel->first)
		item_pop(channel);
}
