/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/common/attach.c - a daemon's tie to its frontend. */
#include "daemons/common/attach.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

enum { RETRY_NS = 20000000, LEAVE_MS = 1000 };

static void try(void *self);

static void detach(struct attach *attach)
{
	loop_watch_stop(attach->loop, &attach->watch);
	close(attach->fd);
	attach->fd = -1;
}

static void message_take(struct attach *attach, struct keep_entry *entry)
{
	switch (entry->kind) {
	case KEEP_PUT:
	case KEEP_DROP:
		attach->calls->entry(attach->self, entry);
		return;
	case KEEP_END:
		attach->calls->ready(attach->self);
		break;
	case KEEP_LEAVE:
		attach->left = true;
		attach->calls->left(attach->self);
		break;
	case KEEP_PING:
		keep_ping(attach->fd);
		break;
	default:
		break;
	}
	keep_entry_fini(entry);
}

void attach_settle(struct attach *attach)
{
	int result = attach->fd < 0 ? -EAGAIN : 0;

	while (attach->fd >= 0 && (result == 0 || result == -EBADMSG)) {
		struct keep_entry entry;

		result = keep_recv(attach->fd, &entry);
		if (result == 0)
			message_take(attach, &entry);
	}
	if (result != -EPIPE)
		return;
	detach(attach);
	if (attach->left)
		return;
	attach->calls->lost(attach->self);
	loop_timer_start(attach->loop, &attach->retry, RETRY_NS, try, attach);
}

static void ready(void *self, short revents)
{
	(void)revents;
	attach_settle(self);
}

static void try(void *self)
{
	struct attach *attach = self;

	const int fd = keep_connect(attach->dir);

	if (fd >= 0 && keep_hello(fd, attach->name) == 0) {
		attach->fd = fd;
		loop_watch_start(attach->loop, &attach->watch, fd, POLLIN, ready, attach);
		return;
	}
	if (fd >= 0)
		close(fd);
	loop_timer_start(attach->loop, &attach->retry, RETRY_NS, try, attach);
}

void attach_start(struct attach *attach, struct loop *loop, const char *dir, const char *name,
    const struct attach_calls *calls, void *self)
{
	*attach = (struct attach){
	    .loop = loop, .dir = dir, .name = name, .calls = calls, .self = self, .fd = -1};
	try(attach);
}

/* Ended by its leash: what becomes of the frontend? It may just be sending LEAVE, or have been
 * killed as well. */
static bool killed(struct attach *attach)
{
	struct pollfd poll_fd = {.fd = attach->fd, .events = POLLIN};

	while (poll(&poll_fd, 1, LEAVE_MS) > 0) {
		struct keep_entry entry;
		const int result = keep_recv(attach->fd, &entry);
		const bool leave = result == 0 && entry.kind == KEEP_LEAVE;

		if (result == 0)
			keep_entry_fini(&entry);
		if (leave || (result < 0 && result != -EBADMSG && result != -EAGAIN))
			return !leave;
	}
	return false;
}

bool attach_stop(struct attach *attach)
{
	const bool gone = !attach->left && (attach->fd < 0 || killed(attach));

	loop_timer_stop(attach->loop, &attach->retry);
	if (attach->fd >= 0)
		detach(attach);
	return gone;
}
