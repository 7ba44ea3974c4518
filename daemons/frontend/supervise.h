/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/supervise.h - start the other daemons of the node, start them again when they die, end them.
 *
 *   off --start--> running --dies--> waiting (back-off) --> running ...        supervise_end: leash pulled, none restarted
 *
 * A daemon that has lived SUPERVISE_STEADY_MS is started again at once; one that has not, after 50 ms, 100 ms, 200 ms, ... at
 * most 2 s, for as long as it takes. Each is given a leash of which the frontend alone holds the other end.
 */
#ifndef ALOE_FRONTEND_SUPERVISE_H
#define ALOE_FRONTEND_SUPERVISE_H

#include <sys/types.h>

#include "core/base/log.h"
#include "core/wire/wire.h"
#include "daemons/common/loop.h"
#include "daemons/frontend/channel.h"

enum { SUPERVISE_STEADY_MS = 1000, SUPERVISE_BACKOFF_MS = 50, SUPERVISE_BACKOFF_MS_MAX = 2000 };

struct supervise;

struct supervise_child {
	struct supervise *of;
	enum wire_peer peer;
	pid_t pid; /* 0: not running */
	uint64_t started_ns;
	unsigned quick; /* deaths in a row without having lived long enough */
	struct loop_timer restart;
	struct channel *channel; /* --keep; NULL: it has none */
	const char *state;       /* --state; NULL: not given */
};

struct supervise {
	const struct log *log;
	struct loop *loop;
	const char *dir;
	int leash[2]; /* [0] inherited by the children, [1] ours alone */
	bool ending;
	void (*ended)(void *self, enum wire_peer daemon, pid_t pid); /* after its channel has been emptied */
	void *self;
	struct supervise_child children[WIRE_PEERS]; /* by peer; those with of == NULL are not supervised */
};

/* supervise_init makes the leash: 0 or -errno. supervise_add names a daemon, supervise_start starts it for the first time: 0,
 * or -errno when there is no such program. */
int supervise_init(struct supervise *supervise, const struct log *log, struct loop *loop, const char *dir);
void supervise_fini(struct supervise *supervise);
void supervise_add(struct supervise *supervise, enum wire_peer peer, struct channel *channel, const char *state);
int supervise_start(struct supervise *supervise, enum wire_peer peer);
pid_t supervise_pid(const struct supervise *supervise, enum wire_peer peer);

/* supervise_reap takes all children that have ended, adopted ones too. Returns false when there is none left at all. */
bool supervise_reap(struct supervise *supervise);
void supervise_end(struct supervise *supervise); /* pulls the leash; nothing is started from now on */

/* How long to wait before a daemon that has died `quick` times in a row, too early, is started again. */
uint64_t supervise_backoff_ns(unsigned quick);

#endif
