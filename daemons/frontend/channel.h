/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/channel.h - the frontend's end of one daemon's keep channel.
 *
 * A new daemon is first sent all entries that concern it, then END. The writer (exec) puts and drops; a mirror (stats) is
 * sent every later change too. Nothing here waits for a daemon: what does not fit into its socket is sent later.
 */
#ifndef ALOE_FRONTEND_CHANNEL_H
#define ALOE_FRONTEND_CHANNEL_H

#include "core/base/log.h"
#include "daemons/common/loop.h"
#include "daemons/frontend/store.h"

struct channel_item {
	struct channel_item *next;
	enum keep_kind kind;
	struct store_entry *entry;  /* PUT */
	char key[KEEP_KEY_MAX + 1]; /* DROP */
};

struct channel {
	const struct log *log;
	struct loop *loop;
	struct store *store;
	const char *
	    prefix; /* only keys that begin so, their descriptors read-only; NULL: all, as they are, and it may write */
	struct channel *mirror; /* told of every change that comes in here, or NULL */
	int fd;                 /* -1: closed */
	struct loop_watch watch;
	struct loop_timer retry;
	struct channel_item *first, **last; /* still to be sent */
};

void channel_init(struct channel *channel, const struct log *log, struct loop *loop, struct store *store,
		  const char *prefix, struct channel *mirror);
/* channel_open makes the pair, queues all entries and END, and gives the daemon's end. 0 or -errno. */
int channel_open(struct channel *channel, int *ret_fd);
void channel_settle(struct channel *channel); /* takes what has come, now */
/* channel_close first takes what a daemon that has died has put. */
void channel_close(struct channel *channel);

#endif
