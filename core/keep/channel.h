/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/keep/channel.h - the end of a keep channel that has the store: a writer's, a mirror's, or
 * that of the store's own keeper.
 *
 * Whoever attaches is first sent all entries that concern it, then END. The writer puts and drops;
 * when it says END it has put everything that there is, and what it has not put again is dropped. A
 * mirror is sent every later change too, and waits for its END until the writer's: to a mirror that
 * has seen an earlier store, an entry that is not there is one that was dropped. A keeper has a
 * copy of the store: it begins with the entries of the store before this one, which was lost, and
 * END; from then on it is told every change. The writer is told nothing before that END.
 *
 * Nothing here waits for the other end: what does not fit into its socket is sent later, and of
 * several changes of one entry only the last.
 */
#ifndef ALOE_KEEP_CHANNEL_H
#define ALOE_KEEP_CHANNEL_H

#include "core/base/log.h"
#include "core/base/loop.h"
#include "core/keep/store.h"

enum { CHANNEL_MIRRORS_MAX = 2 };

struct channel_item {
	struct channel_item *next;
	enum keep_kind kind;
	struct store_entry *entry;  /* PUT */
	char key[KEEP_KEY_MAX + 1]; /* DROP */
};

enum channel_kind {
	CHANNEL_WRITER, /* all entries, as they are; it puts and drops */
	CHANNEL_MIRROR, /* those of one prefix, their descriptors read-only */
	CHANNEL_KEEPER, /* has a copy of all */
	CHANNEL_PLAIN,  /* none */
};

struct channel {
	const struct log *log;
	struct loop *loop;
	struct store *store;
	enum channel_kind kind;
	const char *prefix; /* of a mirror */
	/* told of every change that comes in here; NULL: fewer */
	struct channel *mirrors[CHANNEL_MIRRORS_MAX];
	int fd;      /* -1: closed */
	bool synced; /* all entries and END have been queued */
	struct loop_watch watch;
	struct loop_timer retry;
	struct channel_item *first, **last; /* still to be sent */
};

void channel_init(struct channel *channel, enum channel_kind kind, const struct log *log,
    struct loop *loop, struct store *store);
/* channel_take: somebody has attached by `fd`, which does not wait; in place of an earlier
 * connection. */
void channel_take(struct channel *channel, int fd);
void channel_settle(struct channel *channel); /* takes what has come, now */
void channel_leave(struct channel *channel);  /* tells the daemon to end */
/* drops all entries of its store, and tells its mirrors */
void channel_forget(struct channel *channel);
/* channel_close first takes what a daemon that has died has put. */
void channel_close(struct channel *channel);

#endif
