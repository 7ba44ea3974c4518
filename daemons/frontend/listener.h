/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/listener.h - where daemons attach: DIR/attach, and those who have come
 * but have not yet named themselves.
 *
 * Only a daemon that the frontend started, or found when it started, is let in: `take` says which.
 * Everybody else of this user's is told to leave; other users get nothing.
 */
#ifndef ALOE_FRONTEND_LISTENER_H
#define ALOE_FRONTEND_LISTENER_H

#include <sys/types.h>

#include "core/base/log.h"
#include "core/wire/wire.h"
#include "core/base/loop.h"

enum { LISTENER_GUESTS_MAX = 16 };

struct listener;

struct listener_guest {
	struct listener *of;
	int fd; /* -1: nobody */
	pid_t pid;
	struct loop_watch watch;
};

struct listener {
	const struct log *log;
	struct loop *loop;
	int fd;
	struct loop_watch watch;
	struct listener_guest guests[LISTENER_GUESTS_MAX];
	unsigned next;
	/* A daemon has said who it is: true takes over `fd`. */
	bool (*take)(void *self, enum wire_peer daemon, pid_t pid, int fd);
	void *self;
};

/* listener_open: 0 or -errno. listener_settle lets in who has come by now. */
int listener_open(struct listener *listener, const struct log *log, struct loop *loop,
    const char *dir, bool (*take)(void *self, enum wire_peer daemon, pid_t pid, int fd),
    void *self);
void listener_settle(struct listener *listener);
void listener_close(struct listener *listener);

#endif
