/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/supervise.c - the other daemons of the node. */
#include "daemons/frontend/supervise.h"

#include <assert.h>
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

/* ---- signs of life ------------------------------------------------------------------------ */

static void child_kill(struct supervise_child *child)
{
	pidfd_send_signal(child->pidfd, SIGKILL, NULL, 0);
}

static double seconds_of(uint64_t ns)
{
	return (double)ns / 1e9;
}

static void child_hangs(struct supervise_child *child)
{
	log_warning(child->of->log,
	    "aloe-%s (pid %d) has not answered for %.0f s, of which the daemon waited %.1f s for "
	    "a CPU, and is killed",
	    wire_peer_name(child->peer), child->pid, seconds_of(child->silence.silent_ns),
	    seconds_of(child->silence.waited_ns));
	child->hangs++;
	child->killed = true; /* where there is no CPU to die on, it takes a while */
	child_kill(child);
}

/* Said in the log once until it answers again, and to everybody who asks for something. */
static void child_starves(struct supervise_child *child, uint64_t now)
{
	struct supervise *supervise = child->of;

	snprintf(supervise->overload, sizeof(supervise->overload),
	    "the machine is overloaded: aloe-%s (pid %d) has waited %.1f of the last %.1f s for a "
	    "CPU",
	    wire_peer_name(child->peer), child->pid, seconds_of(child->silence.waited_ns),
	    seconds_of(child->silence.silent_ns));
	supervise->overload_ns = now;
	if (!child->starves)
		log_warning(
		    supervise->log, "%s; the daemon is not killed for that", supervise->overload);
	child->starves = true;
}

static void child_look(
    struct supervise_child *child, uint64_t now, uint64_t passed_ns, uint64_t own_waited_ns)
{
	struct supervise *supervise = child->of;
	const unsigned patience_s = supervise->owner.patience(supervise->owner.self, child->peer);
	struct silence_sample sample;
	/* what it waited for is asked of one that is silent only: reading takes longer than an
	 * answer */
	const bool heard = child->silence.heard,
	           known = !heard && silence_sample(child->pid, &sample) == 0;
	const enum silence_kind kind = silence_look(&child->silence, passed_ns,
	    known ? &sample : NULL, own_waited_ns, patience_s, SUPERVISE_SILENT, child->hangs);

	if (kind == SILENCE_HANGS) {
		child_hangs(child);
		return;
	}
	if (kind == SILENCE_STARVED)
		child_starves(child, now);
	if (kind == SILENCE_NONE)
		child->starves = false;
	if (kind == SILENCE_NONE && now - child->started_ns > SUPERVISE_CALM_S * SECOND_NS)
		child->hangs = 0;
	if (supervise->owner.greeted(supervise->owner.self, child->peer))
		channel_ping(child->channel, !heard);
}

static bool all_heard(const struct supervise *supervise)
{
	for (int peer = 0; peer < WIRE_PEERS; peer++)
		if (supervise->children[peer].of && supervise->children[peer].pid > 0 &&
		    !supervise->children[peer].silence.heard)
			return false;
	return true;
}

/* How long this program has waited for a CPU since it looked last; 0 where nobody was silent. */
static uint64_t own_waited(struct supervise *supervise)
{
	struct silence_sample sample;
	const uint64_t before = supervise->own_waited_ns;

	supervise->own_waited_ns = 0;
	if (all_heard(supervise) || silence_sample(getpid(), &sample) < 0)
		return 0;
	supervise->own_waited_ns = sample.waited_ns;
	return before > 0 && sample.waited_ns > before ? sample.waited_ns - before : 0;
}

/* Which daemons have given a sign of life since the last second. */
static void signs_take(struct supervise *supervise)
{
	for (int peer = 0; peer < WIRE_PEERS; peer++)
		if (supervise->children[peer].of &&
		    channel_heard(supervise->children[peer].channel))
			supervise_heard(supervise, (enum wire_peer)peer);
}

static void second_passed(void *self)
{
	struct supervise *supervise = self;
	const uint64_t now = clock_ns(), passed_ns = now - supervise->looked_ns;
	uint64_t waited_ns;

	signs_take(supervise);
	waited_ns = own_waited(supervise);
	supervise->looked_ns = now;
	for (int peer = 0; peer < WIRE_PEERS; peer++) {
		if (supervise->children[peer].of && supervise->children[peer].pid > 0 &&
		    !supervise->children[peer].killed)
			child_look(&supervise->children[peer], now,
			    passed_ns < SECOND_NS ? passed_ns : SECOND_NS, waited_ns);
	}
	loop_timer_start(supervise->loop, &supervise->second, SECOND_NS, second_passed, supervise);
}

const char *supervise_overload(const struct supervise *supervise)
{
	return supervise->overload_ns > 0 &&
	        clock_ns() - supervise->overload_ns < SUPERVISE_OVERLOAD_S * SECOND_NS
	    ? supervise->overload
	    : NULL;
}

void supervise_heard(struct supervise *supervise, enum wire_peer peer)
{
	silence_heard(&supervise->children[peer].silence);
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

/* ---- starting ------------------------------------------------------------------------ */

void supervise_init(struct supervise *supervise, const struct log *log, struct loop *loop,
    const char *dir, const struct supervise_owner *owner)
{
	*supervise =
	    (struct supervise){.log = log, .loop = loop, .dir = dir, .leash = -1, .owner = *owner};
	supervise->looked_ns = clock_ns();
	loop_timer_start(loop, &supervise->second, SECOND_NS, second_passed, supervise);
}

void supervise_add(struct supervise *supervise, enum wire_peer peer, struct channel *channel)
{
	supervise->children[peer] = (struct supervise_child){
	    .of = supervise, .peer = peer, .pidfd = -1, .channel = channel};
}

void supervise_arg(struct supervise *supervise, enum wire_peer peer, bool given, const char *arg,
    const char *value)
{
	const char **args = supervise->children[peer].args;
	size_t n = 0;

	while (args[n])
		n++;
	assert(n + 2 <= SUPERVISE_ARGS_MAX);
	if (given) {
		args[n] = arg;
		args[n + 1] = value;
	}
}

pid_t supervise_pid(const struct supervise *supervise, enum wire_peer peer)
{
	return supervise->children[peer].pid;
}

static void child_begins(struct supervise_child *child)
{
	child->started_ns = clock_ns();
	child->silence = (struct silence){0};
	child->starves = child->killed = false;
	loop_watch_start(
	    child->of->loop, &child->pid_watch, child->pidfd, POLLIN, child_gone, child);
}

static int child_exec(struct supervise_child *child, const char *name)
{
	struct supervise *supervise = child->of;
	char path[PATH_MAX], leash_text[16];
	const char *argv[5 + SUPERVISE_ARGS_MAX + 1] = {
	    name, "--dir", supervise->dir, "--leash", leash_text};
	int result = child_path(name, path, sizeof(path));

	memcpy(argv + 5, child->args, sizeof(child->args));
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
	log_debug(child->of->log, "%s (pid %d) runs already and is taken over", name, child->pid);
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

/* ---- ending ------------------------------------------------------------------------ */

static void child_over(struct supervise_child *child, const char *how)
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

static void child_gone(void *self, short revents)
{
	struct supervise_child *child = self;
	char how[128];

	(void)revents;
	child_ended(child->pid, child->pidfd, how, sizeof(how));
	child_over(child, how);
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
			child_over(child, how);
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
