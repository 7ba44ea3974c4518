/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/channel.c - entries to and from one daemon. */
#include "daemons/frontend/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RETRY_NS = 2000000 };

static bool concerns(const struct channel *channel, const char *key)
{
	if (channel->kind == CHANNEL_MIRROR)
		return strncmp(key, channel->prefix, strlen(channel->prefix)) == 0;
	return channel->kind == CHANNEL_WRITER;
}

/* ---- to the daemon ----------------------------------------------------------------------------------------------- */

static int send_read_only(int fd, const struct keep_entry *kept)
{
	int fds[KEEP_FDS_MAX], result = 0;
	size_t n = 0;

	for (; n < kept->n_fds && result == 0; n++) {
		char path[40];

		snprintf(path, sizeof(path), "/proc/self/fd/%d", kept->fds[n]);
		fds[n] = open(path, O_RDONLY | O_CLOEXEC);
		if (fds[n] < 0) {
			result = -errno;
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
	if (channel->kind == CHANNEL_MIRROR)
		return send_read_only(channel->fd, kept);
	return keep_put(channel->fd, kept->key, kept->blob, kept->len, kept->fds, kept->n_fds);
}

static void item_pop(struct channel *channel)
{
	struct channel_item *item = channel->first;

	channel->first = item->next;
	if (!channel->first)
		channel->last = &channel->first;
	if (item->entry)
		store_release(item->entry);
	free(item);
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

static int item_push(
    struct channel *channel, enum keep_kind kind, struct store_entry *entry, const char *key)
{
	struct channel_item *item = calloc(1, sizeof(*item));

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
	if (!mirror || mirror->fd < 0 || !mirror->told || !concerns(mirror, key))
		return;
	if (item_push(mirror, kind, entry, key) < 0)
		log_error(mirror->log, "keep: \"%s\" could not be passed on: out of memory", key);
	channel_flush(mirror);
}

static void channel_tell(struct channel *channel)
{
	int result = 0;

	if (channel->fd < 0 || channel->told ||
	    (channel->kind == CHANNEL_MIRROR && !channel->store->settled))
		return;
	for (struct store_entry *entry = channel->store->first; entry && result == 0;
	     entry = entry->next) {
		if (concerns(channel, entry->kept.key))
			result = item_push(channel, KEEP_PUT, entry, entry->kept.key);
	}
	result = result ? result : item_push(channel, KEEP_END, NULL, "");
	if (result < 0)
		log_error(channel->log, "keep: not all can be passed on: %s", strerror(-result));
	channel->told = true;
	channel_flush(channel);
}

/* ---- from the daemon --------------------------------------------------------------------------------------------- */

static void entry_take(struct channel *channel, struct keep_entry *kept)
{
	struct store_entry *entry;
	char key[KEEP_KEY_MAX + 1];
	int result;

	memcpy(key, kept->key, sizeof(key));
	if (channel->kind == CHANNEL_WRITER && kept->kind == KEEP_END) {
		channel->store->settled = true;
		if (channel->mirror)
			channel_tell(channel->mirror);
	} else if (channel->kind != CHANNEL_WRITER || kept->kind > KEEP_END) {
		log_warning(
		    channel->log, "keep: a daemon sent \"%s\", which is not its to send", key);
		keep_entry_fini(kept);
	} else if (kept->kind == KEEP_DROP) {
		keep_entry_fini(kept);
		if (store_drop(channel->store, key))
			mirror_push(channel->mirror, KEEP_DROP, NULL, key);
	} else {
		result = store_put(channel->store, kept, &entry);
		if (result < 0)
			log_error(
			    channel->log, "keep: \"%s\" is not kept: %s", key, strerror(-result));
		else
			mirror_push(channel->mirror, KEEP_PUT, entry, key);
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
			log_warning(
			    channel->log, "keep: a daemon sent a message that makes no sense");
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
	loop_watch_stop(
	    channel->loop, &channel->watch); /* the daemon's end is near: channel_close follows */
}

void channel_settle(struct channel *channel)
{
	if (channel->watch.on)
		channel_ready(channel, POLLIN);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

void channel_init(struct channel *channel, enum channel_kind kind, const struct log *log,
    struct loop *loop, struct store *store)
{
	*channel =
	    (struct channel){.kind = kind, .log = log, .loop = loop, .store = store, .fd = -1};
	channel->last = &channel->first;
}

void channel_take(struct channel *channel, int fd)
{
	channel_close(channel);
	channel->fd = fd;
	loop_watch_start(channel->loop, &channel->watch, fd, POLLIN, channel_ready, channel);
	channel_tell(channel);
}

void channel_leave(struct channel *channel)
{
	if (channel->fd >= 0 && keep_leave(channel->fd) < 0)
		channel_close(
		    channel); /* no room for it: the daemon attaches again, and is told at the door */
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
	channel->told = false;
	while (channel->first)
		item_pop(channel);
}
