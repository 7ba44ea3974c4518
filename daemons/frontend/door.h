/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/door.h - where daemons attach: DIR/attach, and those who have come but not yet said who they are.
 *
 * Only a daemon that the frontend started, or found when it started, is let in: `take` says which. Everybody else of this
 * user's is told to leave; other users get nothing.
 */
#ifndef ALOE_FRONTEND_DOOR_H
#define ALOE_FRONTEND_DOOR_H

#include <sys/types.h>

#include "core/base/log.h"
#include "core/wire/wire.h"
#include "daemons/common/loop.h"

enum { DOOR_GUESTS_MAX = 16 };

struct door;

struct door_guest {
	struct door *of;
	int fd; /* -1: nobody */
	pid_t pid;
	struct loop_watch watch;
};

struct door {
	const struct log *log;
	struct loop *loop;
	int fd;
	struct loop_watch watch;
	struct door_guest guests[DOOR_GUESTS_MAX];
	unsigned next;
	/* A daemon has said who it is: true takes over `fd`. */
	bool (*take)(void *self, enum wire_peer daemon, pid_t pid, int fd);
	void *self;
};

/* door_open: 0 or -errno. door_settle lets in who has come by now. */
int door_open(struct door *door, const struct log *log, struct loop *loop, const char *dir,
    bool (*take)(void *self, enum wire_peer daemon, pid_t pid, int fd), void *self);
void door_settle(struct door *door);
void door_close(struct door *door);

#endif
