/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/supervise.c - the other daemons of the node. */
#include "daemons/frontend/supervise.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/clock.h"

static void child_restart(void *self);

uint64_t supervise_backoff_ns(unsigned quick)
{
	uint64_t ms = SUPERVISE_BACKOFF_MS;

	if (quick == 0)
		return 0;
	while (--quick > 0 && ms < SUPERVISE_BACKOFF_MS_MAX)
		ms *= 2;
	return (ms < SUPERVISE_BACKOFF_MS_MAX ? ms : SUPERVISE_BACKOFF_MS_MAX) * 1000000;
}

int supervise_init(struct supervise *supervise, const struct log *log, struct loop *loop, const char *dir)
{
	*supervise = (struct supervise){.log = log, .loop = loop, .dir = dir, .leash = {-1, -1}};
	return leash_new(supervise->leash);
}

void supervise_add(struct supervise *supervise, enum wire_peer peer, struct channel *channel, const char *state)
{
	supervise->children[peer] =
	    (struct supervise_child){.of = supervise, .peer = peer, .channel = channel, .state = state};
}

pid_t supervise_pid(const struct supervise *supervise, enum wire_peer peer)
{
	return supervise->children[peer].pid;
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

static int child_exec(struct supervise_child *child, int keep)
{
	struct supervise *supervise = child->of;
	const int fds[] = {supervise->leash[0], keep};
	char name[32], path[PATH_MAX], leash_text[16], keep_text[16];
	const char *argv[10] = {name, "--dir", supervise->dir};
	size_t n = 3;
	int result;

	snprintf(name, sizeof(name), "aloe-%s", wire_peer_name(child->peer));
	snprintf(leash_text, sizeof(leash_text), "%d", supervise->leash[0]);
	snprintf(keep_text, sizeof(keep_text), "%d", keep);
	if (keep >= 0) {
		argv[n++] = "--keep";
		argv[n++] = keep_text;
	}
	argv[n++] = "--leash";
	argv[n++] = leash_text;
	if (child->state) {
		argv[n++] = "--state";
		argv[n++] = child->state;
	}
	result = child_path(name, path, sizeof(path));
	if (!result)
		result = child_spawn(path, (char *const *)(uintptr_t)argv, fds, keep >= 0 ? 2 : 1, &child->pid, NULL);
	if (result < 0)
		log_error(supervise->log, "cannot start %s: %s", path, strerror(-result));
	return result;
}

static int child_start(struct supervise_child *child)
{
	int keep = -1, result = 0;

	if (child->channel)
		result = channel_open(child->channel, &keep);
	if (result < 0) {
		log_error(child->of->log, "keep: %s", strerror(-result));
		return result;
	}
	result = child_exec(child, keep);
	if (keep >= 0)
		close(keep);
	if (result < 0 && child->channel)
		channel_close(child->channel);
	child->started_ns = clock_ns();
	return result;
}

int supervise_start(struct supervise *supervise, enum wire_peer peer)
{
	return child_start(&supervise->children[peer]);
}

static void restart_later(struct supervise_child *child)
{
	const uint64_t lived_ns = clock_ns() - child->started_ns;

	if (child->of->ending)
		return;
	child->quick = lived_ns < SUPERVISE_STEADY_MS * 1000000ull ? child->quick + 1 : 0;
	loop_timer_start(child->of->loop, &child->restart, supervise_backoff_ns(child->quick), child_restart, child);
}

static void child_restart(void *self)
{
	struct supervise_child *child = self;

	if (child_start(child) < 0)
		restart_later(child);
}

/* ---- ending ------------------------------------------------------------------------------------------------------ */

static void child_ended(struct supervise_child *child, int status)
{
	struct supervise *supervise = child->of;
	const pid_t pid = child->pid;
	char text[80];

	child->pid = 0;
	child_status_text(status, text, sizeof(text));
	if (!supervise->ending)
		log_warning(supervise->log, "aloe-%s (pid %d) %s; restarting", wire_peer_name(child->peer), pid, text);
	else if (status != 0)
		log_warning(supervise->log, "aloe-%s (pid %d) %s", wire_peer_name(child->peer), pid, text);
	if (child->channel)
		channel_close(child->channel);
	supervise->ended(supervise->self, child->peer, pid);
	restart_later(child);
}

static struct supervise_child *child_find(struct supervise *supervise, pid_t pid)
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

	while ((pid = child_reap(-1, &status)) > 0) {
		struct supervise_child *child = child_find(supervise, pid);

		if (child)
			child_ended(child, status);
		else
			log_debug(supervise->log, "an adopted process (pid %d) has ended", pid);
	}
	return pid != -ECHILD;
}

void supervise_end(struct supervise *supervise)
{
	supervise->ending = true;
	for (int peer = 0; peer < WIRE_PEERS; peer++) {
		if (supervise->children[peer].of)
			loop_timer_stop(supervise->loop, &supervise->children[peer].restart);
	}
	if (supervise->leash[1] >= 0)
		leash_end(supervise->leash[1]);
	supervise->leash[1] = -1;
}

void supervise_fini(struct supervise *supervise)
{
	supervise_end(supervise);
	if (supervise->leash[0] >= 0)
		close(supervise->leash[0]);
	supervise->leash[0] = -1;
}
