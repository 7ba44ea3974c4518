/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/common/attach.c - a daemon's tie to its frontend. */
#include "daemons/common/attach.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { RETRY_NS = 20000000, LEAVE_MS = 1000 };

static void frontend_try(void *self);

static void alive_close(struct attach *attach)
{
	loop_timer_stop(attach->loop, &attach->beat);
	if (attach->alive >= 0)
		close(attach->alive);
	attach->alive = -1;
}

static void frontend_detach(struct attach *attach)
{
	loop_watch_stop(attach->loop, &attach->watch);
	close(attach->fd);
	attach->fd = -1;
	alive_close(attach);
}

/* The frontend looks at the counters of all daemons at once: a sign of life wakes nobody. */
static void beat_send(void *self)
{
	struct attach *attach = self;

	loop_timer_start(
	    attach->loop, &attach->beat, ATTACH_BEAT_MS * 1000000ull, beat_send, attach);
	eventfd_write(attach->alive, 1);
	if (attach->calls->beat)
		attach->calls->beat(attach->self);
}

static void ping_answer(struct attach *attach, struct keep_entry *entry)
{
	if (entry->n_fds != 1)
		return;
	alive_close(attach);
	attach->alive = entry->fds[0];
	entry->fds[0] = -1;
	beat_send(attach);
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
		ping_answer(attach, entry);
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
	frontend_detach(attach);
	if (attach->left)
		return;
	attach->calls->lost(attach->self);
	loop_timer_start(attach->loop, &attach->retry, RETRY_NS, frontend_try, attach);
}

static void channel_ready(void *self, short revents)
{
	(void)revents;
	attach_settle(self);
}

static void frontend_try(void *self)
{
	struct attach *attach = self;

	const int fd = keep_connect(attach->dir);

	if (fd >= 0 && keep_hello(fd, attach->name) == 0) {
		attach->fd = fd;
		loop_watch_start(attach->loop, &attach->watch, fd, POLLIN, channel_ready, attach);
		return;
	}
	if (fd >= 0)
		close(fd);
	loop_timer_start(attach->loop, &attach->retry, RETRY_NS, frontend_try, attach);
}

void attach_start(struct attach *attach, struct loop *loop, const char *dir, const char *name,
    const struct attach_calls *calls, void *self)
{
	*attach = (struct attach){.loop = loop,
	    .dir = dir,
	    .name = name,
	    .calls = calls,
	    .self = self,
	    .fd = -1,
	    .alive = -1};
	frontend_try(attach);
}

/* Ended by its leash: what becomes of the frontend? It may just be sending LEAVE, or have been
 * killed as well. */
static bool frontend_killed(struct attach *attach)
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
	const bool gone = !attach->left && (attach->fd < 0 || frontend_killed(attach));

	loop_timer_stop(attach->loop, &attach->retry);
	if (attach->fd >= 0)
		frontend_detach(attach);
	return gone;
}
