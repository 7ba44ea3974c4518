/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/door.c - where daemons attach. */
#include "daemons/frontend/door.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "daemons/common/keep.h"

static void guest_forget(struct door_guest *guest)
{
	loop_watch_stop(guest->of->loop, &guest->watch);
	guest->fd = -1;
}

static void guest_refuse(struct door_guest *guest)
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

static bool guest_enter(const struct door_guest *guest, const struct keep_entry *entry)
{
	const enum wire_peer peer =
	    entry->kind == KEEP_HELLO ? peer_named(entry->key) : WIRE_CLIENT;

	return peer != WIRE_CLIENT && guest->of->take(guest->of->self, peer, guest->pid, guest->fd);
}

static void guest_ready(void *self, short revents)
{
	struct door_guest *guest = self;
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
	log_debug(guest->of->log, "process %d is sent away", guest->pid);
	guest_refuse(guest);
}

/* Whoever says nothing makes room for others. */
static void guest_admit(struct door *door, int fd, pid_t pid)
{
	struct door_guest *guest = &door->guests[door->next++ % DOOR_GUESTS_MAX];

	if (guest->fd >= 0)
		guest_refuse(guest);
	guest->fd = fd;
	guest->pid = pid;
	loop_watch_start(door->loop, &guest->watch, fd, POLLIN, guest_ready, guest);
}

static void door_ready(void *self, short revents)
{
	struct door *door = self;
	int fd;

	(void)revents;
	do {
		pid_t pid;

		fd = keep_accept(door->fd, &pid);
		if (fd >= 0)
			guest_admit(door, fd, pid);
		else if (fd != -EAGAIN)
			log_warning(door->log, "somebody could not be let in: %s", strerror(-fd));
	} while (fd >= 0 || fd == -EPERM);
}

int door_open(struct door *door, const struct log *log, struct loop *loop, const char *dir,
    bool (*take)(void *self, enum wire_peer daemon, pid_t pid, int fd), void *self)
{
	*door = (struct door){.log = log, .loop = loop, .take = take, .self = self};
	for (int i = 0; i < DOOR_GUESTS_MAX; i++)
		door->guests[i] = (struct door_guest){.of = door, .fd = -1};
	door->fd = keep_listen(dir);
	if (door->fd < 0)
		return door->fd;
	loop_watch_start(loop, &door->watch, door->fd, POLLIN, door_ready, door);
	return 0;
}

void door_settle(struct door *door)
{
	door_ready(door, POLLIN);
	for (int i = 0; i < DOOR_GUESTS_MAX; i++) {
		if (door->guests[i].fd >= 0)
			guest_ready(&door->guests[i], POLLIN);
	}
}

void door_close(struct door *door)
{
	if (door->fd < 0)
		return;
	for (int i = 0; i < DOOR_GUESTS_MAX; i++) {
		if (door->guests[i].fd >= 0)
			guest_refuse(&door->guests[i]);
	}
	loop_watch_stop(door->loop, &door->watch);
	close(door->fd);
	door->fd = -1;
}
