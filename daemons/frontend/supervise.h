/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/supervise.h - start the other daemons of the node, start them again when they die or hang, end them.
 *
 *   off --start--> running --dies--> waiting (back-off) --> running ...       supervise_end: told to leave, none restarted
 *       --find---> (adopted)
 *
 * A frontend that follows one that was killed finds that one's daemons alive: they are children of whoever keeps the frontend
 * now (its parent, a subreaper), and are adopted instead of started. A daemon that has lived SUPERVISE_STEADY_MS is started
 * again at once; one that has not, after 50 ms, 100 ms, 200 ms, ... at most 2 s, for as long as it takes.
 *
 * Once a second each is asked for a sign of life; one that has given none SUPERVISE_SILENT times in a row is killed, and
 * started again as any that dies. Times when this program itself stood still do not count. The owner may have patience with
 * one that has been asked for something that takes long: then it is SUPERVISE_SILENT_BUSY times.
 */
#ifndef ALOE_FRONTEND_SUPERVISE_H
#define ALOE_FRONTEND_SUPERVISE_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/log.h"
#include "core/wire/wire.h"
#include "daemons/common/loop.h"
#include "daemons/frontend/channel.h"

enum {
	SUPERVISE_STEADY_MS = 1000,
	SUPERVISE_BACKOFF_MS = 50,
	SUPERVISE_BACKOFF_MS_MAX = 2000,
	SUPERVISE_SILENT = 5,
	SUPERVISE_SILENT_BUSY = 90,
};

struct supervise;

struct supervise_child {
	struct supervise *of;
	enum wire_peer peer;
	pid_t pid; /* 0: not running */
	int pidfd;
	struct loop_watch pid_watch;
	uint64_t started_ns;
	unsigned quick;  /* deaths in a row without having lived long enough */
	unsigned silent; /* seconds without a sign of life */
	struct loop_timer restart;
	struct channel *channel;
	const char *state; /* --state; NULL: not given */
};

struct supervise_owner {
	void (*ended)(
	    void *self, enum wire_peer daemon, pid_t pid); /* after its channel has been emptied */
	void (*ping)(void *self, enum wire_peer daemon);   /* its answer calls supervise_heard */
	bool (*busy)(void *self, enum wire_peer daemon);
	void *self;
};

struct supervise {
	const struct log *log;
	struct loop *loop;
	const char *dir;
	int leash; /* inherited by the children; set before the first is started */
	bool ending;
	struct supervise_owner owner;
	struct loop_timer second;
	struct supervise_child
	    children[WIRE_PEERS]; /* by peer; those with of == NULL are not supervised */
};

void supervise_init(struct supervise *supervise, const struct log *log, struct loop *loop,
    const char *dir, const struct supervise_owner *owner);
/* supervise_fini kills those adopted that have not ended. */
void supervise_fini(struct supervise *supervise);
/* supervise_add names a daemon; supervise_start starts it for the first time, or, where `adopt`, takes up the one that is
 * there: 0, or -errno when there is no such program. */
void supervise_add(
    struct supervise *supervise, enum wire_peer peer, struct channel *channel, const char *state);
int supervise_start(struct supervise *supervise, enum wire_peer peer, bool adopt);
pid_t supervise_pid(const struct supervise *supervise, enum wire_peer peer);
/* supervise_attach gives a daemon's connection to its channel; false: it is none of ours, and `fd` stays the caller's. */
bool supervise_attach(struct supervise *supervise, enum wire_peer peer, pid_t pid, int fd);
void supervise_heard(struct supervise *supervise, enum wire_peer peer); /* a sign of life */

/* supervise_reap takes all children that have ended, those of dead daemons too. Returns false when there is none left at
 * all, adopted ones included. */
bool supervise_reap(struct supervise *supervise);
void supervise_end(
    struct supervise *supervise); /* all are told to leave; nothing is started from now on */

/* How long to wait before a daemon that has died `quick` times in a row, too early, is started again. */
uint64_t supervise_backoff_ns(unsigned quick);

#endif
