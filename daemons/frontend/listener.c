/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/listener.c - where daemons attach. */
#include "daemons/frontend/listener.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/keep/keep.h"

static void guest_forget(struct listener_guest *guest)
{
	loop_watch_stop(guest->of->loop, &guest->watch);
	guest->fd = -1;
}

static void guest_refuse(struct listener_guest *guest)
{
	keep_leave(guest->fd);
	close(guest->fd);
	guest_forget(guest);
}

static enum wire_peer peer_named(const char *name)
{
	int peer = WIRE_FRONTEND + 1;

	while (peer < WIRE_PEERS && strcmp(wire_peer_name((enum wire_peer)peer), name) != 0)
		peer++;
	return peer < WIRE_PEERS ? (enum wire_peer)peer : WIRE_CLIENT;
}

static bool guest_enter(const struct listener_guest *guest, const struct keep_entry *entry)
{
	const enum wire_peer peer =
	    entry->kind == KEEP_HELLO ? peer_named(entry->key) : WIRE_CLIENT;

	return peer != WIRE_CLIENT && guest->of->take(guest->of->self, peer, guest->pid, guest->fd);
}

static void guest_ready(void *self, short revents)
{
	struct listener_guest *guest = self;
	struct keep_entry entry;
	const int result = keep_recv(guest->fd, &entry);
	bool entered;

	(void)revents;
	if (result == -EAGAIN)
		return;
	loop_watch_stop(guest->of->loop, &guest->watch);
	entered = result == 0 && guest_enter(guest, &entry);
	if (result == 0)
		keep_entry_fini(&entry);
	if (entered) {
		guest_forget(guest);
		return;
	}
	log_debug(
	    guest->of->log, "process %d is not a daemon of this node and is refused", guest->pid);
	guest_refuse(guest);
}

/* Whoever says nothing makes room for others. */
static void guest_admit(struct listener *listener, int fd, pid_t pid)
{
	struct listener_guest *guest = &listener->guests[listener->next++ % LISTENER_GUESTS_MAX];

	if (guest->fd >= 0)
		guest_refuse(guest);
	guest->fd = fd;
	guest->pid = pid;
	loop_watch_start(listener->loop, &guest->watch, fd, POLLIN, guest_ready, guest);
}

static void listener_ready(void *self, short revents)
{
	struct listener *listener = self;
	int fd;

	(void)revents;
	do {
		pid_t pid;

		fd = keep_accept(listener->fd, &pid);
		if (fd >= 0)
			guest_admit(listener, fd, pid);
		else if (fd != -EAGAIN)
			log_warning(
			    listener->log, "a connection could not be accepted: %s", strerror(-fd));
	} while (fd >= 0 || fd == -EPERM);
}

int listener_open(struct listener *listener, const struct log *log, struct loop *loop,
    const char *dir, bool (*take)(void *self, enum wire_peer daemon, pid_t pid, int fd), void *self)
{
	*listener = (struct listener){.log = log, .loop = loop, .take = take, .self = self};
	for (int i = 0; i < LISTENER_GUESTS_MAX; i++)
		listener->guests[i] = (struct listener_guest){.of = listener, .fd = -1};
	listener->fd = keep_listen(dir);
	if (listener->fd < 0)
		return listener->fd;
	loop_watch_start(loop, &listener->watch, listener->fd, POLLIN, listener_ready, listener);
	return 0;
}

void listener_settle(struct listener *listener)
{
	listener_ready(listener, POLLIN);
	for (int i = 0; i < LISTENER_GUESTS_MAX; i++) {
		if (listener->guests[i].fd >= 0)
			guest_ready(&listener->guests[i], POLLIN);
	}
}

void listener_close(struct listener *listener)
{
	if (listener->fd < 0)
		return;
	for (int i = 0; i < LISTENER_GUESTS_MAX; i++) {
		if (listener->guests[i].fd >= 0)
			guest_refuse(&listener->guests[i]);
	}
	loop_watch_stop(listener->loop, &listener->watch);
	close(listener->fd);
	listener->fd = -1;
}
