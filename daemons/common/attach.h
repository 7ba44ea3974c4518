/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/common/attach.h - a daemon's tie to its frontend, which may be killed and come back.
 *
 *              connected, HELLO                END
 *   detached ------------------> attached ------------> ready
 *      ^   every 20 ms               |                    |
 *      |                             |<-------------------|
 *      '----- hang-up: lost ---------'----- LEAVE: left, the daemon ends
 *
 * A frontend that has been killed costs its daemons nothing: they go on with what they hold, try
 * again until there is another one, and tell that one all over again. There is one way: the first
 * frontend is attached to as any later one. What ends them for certain is their leash, which is not
 * the frontend's (core/base/child.h).
 */
#ifndef ALOE_DAEMONS_ATTACH_H
#define ALOE_DAEMONS_ATTACH_H

#include "core/keep/keep.h"
#include "core/base/loop.h"

/* The frontend looks once in a second. */
enum { ATTACH_BEAT_MS = 900 };

struct attach_calls {
	void (*entry)(void *self, struct keep_entry *entry); /* PUT or DROP; finishes it */
	/* all entries are there: the first time, or again */
	void (*ready)(void *self);
	void (*lost)(void *self); /* the frontend was killed */
	void (*left)(void *self); /* end, in good order */
	/* a sign of life has been given, and the process is awake: once in ATTACH_BEAT_MS. May be
	 * NULL */
	void (*beat)(void *self);
};

struct attach {
	struct loop *loop;
	const char *dir, *name;
	const struct attach_calls *calls;
	void *self;
	int fd;    /* the keep channel; -1: detached */
	int alive; /* the counter of signs of life; -1: none yet */
	bool left; /* LEAVE has come */
	struct loop_watch watch;
	struct loop_timer retry, beat;
};

/* attach_start makes the first attempt at once; `name` is what HELLO says ("exec"). The calls come
 * from the loop. */
void attach_start(struct attach *attach, struct loop *loop, const char *dir, const char *name,
    const struct attach_calls *calls, void *self);
void attach_settle(struct attach *attach); /* takes what has come, now */
/* attach_stop lets go. True when the frontend was killed, so that what it had in its directory is
 * left for others to put away; one that lives, with the daemon ended by its leash, is given a
 * second to say LEAVE. */
bool attach_stop(struct attach *attach);

#endif
