/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/supervise.c - the other daemons of the node. */
#include "daemons/frontend/supervise.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/clock.h"

#define SECOND_NS 1000000000ull
enum { DEATH_MS = 1000 };

static void child_restart(void *self);
static void child_gone(void *self, short revents);

uint64_t supervise_backoff_ns(unsigned quick)
{
	uint64_t ms = SUPERVISE_BACKOFF_MS;

	if (quick == 0)
		return 0;
	while (--quick > 0 && ms < SUPERVISE_BACKOFF_MS_MAX)
		ms *= 2;
	return (ms < SUPERVISE_BACKOFF_MS_MAX ? ms : SUPERVISE_BACKOFF_MS_MAX) * 1000000;
}

/* ---- signs of life ----------------------------------------------------------------------------------------------- */

static void child_kill(struct supervise_child *child)
{
	pidfd_send_signal(child->pidfd, SIGKILL, NULL, 0);
}

static void child_ask(struct supervise_child *child)
{
	struct supervise *supervise = child->of;
	const bool busy = supervise->owner.busy(supervise->owner.self, child->peer);

	if (child->silent++ < (busy ? SUPERVISE_SILENT_BUSY : SUPERVISE_SILENT)) {
		supervise->owner.ping(supervise->owner.self, child->peer);
		return;
	}
	log_warning(supervise->log, "aloe-%s (pid %d) has not answered for %u s: killed",
	    wire_peer_name(child->peer), child->pid, child->silent - 1);
	child_kill(child);
}

static void second(void *self)
{
	struct supervise *supervise = self;

	for (int peer = 0; peer < WIRE_PEERS; peer++) {
		if (supervise->children[peer].of && supervise->children[peer].pid > 0)
			child_ask(&supervise->children[peer]);
	}
	loop_timer_start(supervise->loop, &supervise->second, SECOND_NS, second, supervise);
}

void supervise_heard(struct supervise *supervise, enum wire_peer peer)
{
	supervise->children[peer].silent = 0;
}

bool supervise_attach(struct supervise *supervise, enum wire_peer peer, pid_t pid, int fd)
{
	struct supervise_child *child = &supervise->children[peer];

	if (!child->of || child->pid != pid || supervise->ending)
		return false;
	supervise_heard(supervise, peer);
	channel_take(child->channel, fd);
	return true;
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

void supervise_init(struct supervise *supervise, const struct log *log, struct loop *loop,
    const char *dir, const struct supervise_owner *owner)
{
	*supervise =
	    (struct supervise){.log = log, .loop = loop, .dir = dir, .leash = -1, .owner = *owner};
	loop_timer_start(loop, &supervise->second, SECOND_NS, second, supervise);
}

void supervise_add(
    struct supervise *supervise, enum wire_peer peer, struct channel *channel, const char *state)
{
	supervise->children[peer] = (struct supervise_child){
	    .of = supervise, .peer = peer, .pidfd = -1, .channel = channel, .state = state};
}

pid_t supervise_pid(const struct supervise *supervise, enum wire_peer peer)
{
	return supervise->children[peer].pid;
}

static void child_begins(struct supervise_child *child)
{
	child->started_ns = clock_ns();
	child->silent = 0;
	loop_watch_start(
	    child->of->loop, &child->pid_watch, child->pidfd, POLLIN, child_gone, child);
}

static int child_exec(struct supervise_child *child, const char *name)
{
	struct supervise *supervise = child->of;
	char path[PATH_MAX], leash_text[16];
	const char *argv[] = {name, "--dir", supervise->dir, "--leash", leash_text,
	    child->state ? "--state" : NULL, child->state, NULL};
	int result = child_path(name, path, sizeof(path));

	snprintf(leash_text, sizeof(leash_text), "%d", supervise->leash);
	if (!result)
		result = child_spawn(path, (char *const *)(uintptr_t)argv, &supervise->leash, 1, -1,
		    &child->pid, &child->pidfd);
	if (result < 0)
		log_error(supervise->log, "cannot start %s: %s", path, strerror(-result));
	return result;
}

static int child_start(struct supervise_child *child)
{
	char name[32];
	int result;

	snprintf(name, sizeof(name), "aloe-%s", wire_peer_name(child->peer));
	result = child_exec(child, name);
	if (result == 0)
		child_begins(child);
	return result;
}

/* A frontend that was killed has left it to our parent. */
static bool child_adopt(struct supervise_child *child)
{
	char name[32];
	const char *const argv[] = {name, "--dir", child->of->dir};

	snprintf(name, sizeof(name), "aloe-%s", wire_peer_name(child->peer));
	child->pid = child_find(getppid(), argv, 3, &child->pidfd);
	if (child->pid <= 0) {
		child->pid = 0;
		return false;
	}
	log_debug(child->of->log, "%s (pid %d) is there", name, child->pid);
	child_begins(child);
	return true;
}

int supervise_start(struct supervise *supervise, enum wire_peer peer, bool adopt)
{
	struct supervise_child *child = &supervise->children[peer];

	return adopt && child_adopt(child) ? 0 : child_start(child);
}

static void restart_later(struct supervise_child *child)
{
	const uint64_t lived_ns = clock_ns() - child->started_ns;

	if (child->of->ending)
		return;
	child->quick = lived_ns < SUPERVISE_STEADY_MS * 1000000ull ? child->quick + 1 : 0;
	loop_timer_start(child->of->loop, &child->restart, supervise_backoff_ns(child->quick),
	    child_restart, child);
}

static void child_restart(void *self)
{
	struct supervise_child *child = self;

	if (child_start(child) < 0)
		restart_later(child);
}

/* ---- ending ------------------------------------------------------------------------------------------------------ */

static void child_ended(struct supervise_child *child, const char *how)
{
	struct supervise *supervise = child->of;
	const pid_t pid = child->pid;

	child->pid = 0;
	loop_watch_stop(supervise->loop, &child->pid_watch);
	close(child->pidfd);
	child->pidfd = -1;
	if (!supervise->ending)
		log_warning(supervise->log, "aloe-%s (pid %d) %s; restarting",
		    wire_peer_name(child->peer), pid, how);
	channel_close(child->channel);
	supervise->owner.ended(supervise->owner.self, child->peer, pid);
	restart_later(child);
}

/* One that was adopted is somebody else's child: how it ended is not for us to know. */
static void child_gone(void *self, short revents)
{
	struct supervise_child *child = self;
	char how[80] = "has ended";
	int status;

	(void)revents;
	if (child_reap(child->pid, &status) > 0)
		child_status_text(status, how, sizeof(how));
	child_ended(child, how);
}

static struct supervise_child *child_of(struct supervise *supervise, pid_t pid)
{
	for (int peer = 0; peer < WIRE_PEERS; peer++) {
		if (supervise->children[peer].of && supervise->children[peer].pid == pid)
			return &supervise->children[peer];
	}
	return NULL;
}

bool supervise_reap(struct supervise *supervise)
{
	int status;
	pid_t pid;
	bool left;

	while ((pid = child_reap(-1, &status)) > 0) {
		struct supervise_child *child = child_of(supervise, pid);
		char how[80];

		child_status_text(status, how, sizeof(how));
		if (child)
			child_ended(child, how);
		else
			log_debug(supervise->log, "a process whose parent has ended (pid %d) %s",
			    pid, how);
	}
	left = pid != -ECHILD;
	for (int peer = 0; peer < WIRE_PEERS; peer++)
		left = left || supervise->children[peer].pid > 0;
	return left;
}

void supervise_end(struct supervise *supervise)
{
	supervise->ending = true;
	loop_timer_stop(supervise->loop, &supervise->second);
	for (int peer = 0; peer < WIRE_PEERS; peer++) {
		struct supervise_child *child = &supervise->children[peer];

		if (!child->of)
			continue;
		loop_timer_stop(supervise->loop, &child->restart);
		channel_leave(child->channel);
	}
}

void supervise_fini(struct supervise *supervise)
{
	for (int peer = 0; peer < WIRE_PEERS; peer++) {
		struct supervise_child *child = &supervise->children[peer];
		struct pollfd poll_fd = {.fd = child->pidfd, .events = POLLIN};

		if (child->pid == 0)
			continue;
		child_kill(child);
		poll(&poll_fd, 1, DEATH_MS);
		loop_watch_stop(supervise->loop, &child->pid_watch);
		close(child->pidfd);
		child->pid = 0;
	}
}
