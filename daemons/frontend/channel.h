/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/channel.h - the frontend's end of one daemon's keep channel.
 *
 * A daemon that attaches is first sent all entries that concern it, then END. The writer (exec) puts and drops; a mirror
 * (stats) is sent every later change too, and waits for its END until the writer has put everything once: to a mirror that
 * has seen an earlier frontend, an entry that is not there is one that was dropped. Nothing here waits for a daemon: what
 * does not fit into its socket is sent later.
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

enum channel_kind {
	CHANNEL_WRITER, /* all entries, as they are; it puts and drops */
	CHANNEL_MIRROR, /* those of one prefix, their descriptors read-only */
	CHANNEL_PLAIN,  /* none */
};

struct channel {
	const struct log *log;
	struct loop *loop;
	struct store *store;
	enum channel_kind kind;
	const char *prefix;     /* of a mirror */
	struct channel *mirror; /* told of every change that comes in here, or NULL */
	int fd;                 /* -1: closed */
	bool told;              /* all entries and END have been queued */
	struct loop_watch watch;
	struct loop_timer retry;
	struct channel_item *first, **last; /* still to be sent */
};

void channel_init(struct channel *channel, enum channel_kind kind, const struct log *log,
    struct loop *loop, struct store *store);
void channel_take(struct channel *channel,
    int fd); /* the daemon has attached; in place of an earlier connection */
void channel_settle(struct channel *channel); /* takes what has come, now */
void channel_leave(struct channel *channel);  /* tells the daemon to end */
/* channel_close first takes what a daemon that has died has put. */
void channel_close(struct channel *channel);

#endif
