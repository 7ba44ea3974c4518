/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/keep/channel.h - the end of a keep channel that has the store. The other end is the writer,
 * a mirror, or the node keeper.
 *
 * A process that attaches first gets all entries that concern it, then END. The writer puts and
 * drops entries. After its END it has put every entry again, and all other entries are dropped. A
 * mirror also gets every later change; it gets END only after the END of the writer, because a
 * mirror that has seen an earlier store takes a missing entry as dropped. The node keeper has a
 * copy of the store. It first sends the entries of the last store, which was lost, and END; from
 * then on it gets every change. The writer gets nothing before that END.
 *
 * No function waits for the other end. Entries that do not fit into its socket are sent later, and
 * only the last of several changes of an entry is sent.
 */
#ifndef ALOE_KEEP_CHANNEL_H
#define ALOE_KEEP_CHANNEL_H

#include "core/base/log.h"
#include "core/base/loop.h"
#include "core/keep/store.h"

enum { CHANNEL_MIRRORS_MAX = 3 };

struct channel_item {
	struct channel_item *next;
	enum keep_kind kind;
	struct store_entry *entry;  /* PUT */
	char key[KEEP_KEY_MAX + 1]; /* DROP */
};

enum channel_kind {
	CHANNEL_WRITER, /* gets all entries; puts and drops entries */
	CHANNEL_MIRROR, /* gets the entries of one prefix, with read-only descriptors */
	CHANNEL_KEEPER, /* the node keeper, which has a copy of all entries */
	CHANNEL_PLAIN,  /* gets no entries */
};

struct channel {
	const struct log *log;
	struct loop *loop;
	struct store *store;
	enum channel_kind kind;
	const char *prefix; /* of a mirror */
	const char *also;   /* a second prefix of a mirror, or NULL */
	bool writable;      /* a mirror that writes images that exec has made: aloe-bridge */
	/* channels that get every change that arrives here; NULL: none */
	struct channel *mirrors[CHANNEL_MIRRORS_MAX];
	int fd;      /* -1: closed */
	int alive;   /* the counter that the other end adds to; -1: no ping yet */
	bool deaf;   /* the daemon could not be asked, for want of a descriptor */
	bool synced; /* all entries and END have been queued */
	struct loop_watch watch;
	struct loop_timer retry;
	struct channel_item *first, **last; /* still to be sent */
};

void channel_init(struct channel *channel, enum channel_kind kind, const struct log *log,
    struct loop *loop, struct store *store);
/* channel_take is called when a process has attached by `fd`, which does not wait. The connection
 * replaces an earlier one. */
void channel_take(struct channel *channel, int fd);
void channel_settle(struct channel *channel); /* takes all messages that have arrived, now */
void channel_leave(struct channel *channel);  /* orders the daemon to end */
/* channel_ping asks the daemon for signs of life from now on, by a counter; the daemon gives more
 * than one in a second. Once for each connection, and once more with each `again`: a daemon that is
 * silent may not have got the counter. channel_heard tells whether a sign has come since it was
 * called last, and true where this process could not ask. Nobody here wakes up for a sign, or
 * waits. Whoever leaves no room in its socket is silent. */
void channel_ping(struct channel *channel, bool again);
bool channel_heard(const struct channel *channel);
/* channel_forget drops all entries of the store, and sends this to the mirrors. */
void channel_forget(struct channel *channel);
/* channel_close first takes all entries that a dead daemon has put. */
void channel_close(struct channel *channel);

#endif
