/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/frontend.c - the node's agent. */
#include "daemons/frontend/frontend.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/base/child.h"

enum { DOWN_GRACE_MS = 5000 }; /* longer than a daemon's own */

/* ---- going down -------------------------------------------------------------------------------------------------- */

static void down_overdue(void *self)
{
	struct frontend *frontend = self;

	log_warning(&frontend->log, "something did not end within %d s and is killed", DOWN_GRACE_MS / 1000);
	loop_stop(&frontend->loop, 0);
}

static void down_start(void *self)
{
	struct frontend *frontend = self;

	if (frontend->route.ending)
		return;
	frontend->route.ending = true;
	loop_watch_stop(&frontend->loop, &frontend->leash_watch);
	supervise_end(&frontend->supervise);
	loop_timer_start(&frontend->loop, &frontend->down_limit, DOWN_GRACE_MS * 1000000ull, down_overdue, frontend);
	raise(SIGCHLD); /* there may be no child at all: look */
}

static void leash_ready(void *self, short revents)
{
	if (revents & (POLLHUP | POLLERR | POLLNVAL))
		down_start(self);
}

static void signal_ready(void *self, short revents)
{
	struct frontend *frontend = self;
	struct signalfd_siginfo info;

	(void)revents;
	if (read(frontend->signal_fd, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo != SIGCHLD)
		down_start(frontend);
	else if (!supervise_reap(&frontend->supervise) && frontend->route.ending)
		loop_stop(&frontend->loop, 0);
}

/* ---- what the rooms ask of each other ---------------------------------------------------------------------------- */

static pid_t daemon_pid(void *self, enum wire_peer daemon)
{
	return supervise_pid(&((struct frontend *)self)->supervise, daemon);
}

static void daemon_ended(void *self, enum wire_peer daemon, pid_t pid)
{
	struct frontend *frontend = self;

	route_lost(&frontend->route, daemon);
	route_tell(&frontend->route, daemon, pid, "down");
}

/* So that stats knows of a waveform before its loader does. */
static void daemon_answers(void *self, enum wire_peer daemon)
{
	if (daemon == WIRE_EXEC)
		channel_settle(&((struct frontend *)self)->exec);
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

static int signals_open(struct frontend *frontend)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	frontend->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (frontend->signal_fd < 0)
		return -errno;
	loop_watch_start(&frontend->loop, &frontend->signal_watch, frontend->signal_fd, POLLIN, signal_ready, frontend);
	return 0;
}

static int leash_start(struct frontend *frontend, int leash)
{
	if (leash < 0)
		return 0;
	loop_watch_start(&frontend->loop, &frontend->leash_watch, leash, 0, leash_ready, frontend);
	return leash_guard_start(leash, 2 * DOWN_GRACE_MS);
}

static int parts_init(struct frontend *frontend, const struct daemon_args *args)
{
	int result = signals_open(frontend);

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (!result)
		result = supervise_init(&frontend->supervise, &frontend->log, &frontend->loop, args->dir);
	if (!result)
		result = leash_start(frontend, args->leash);
	if (result < 0)
		log_error(&frontend->log, "cannot start: %s", strerror(-result));
	return result;
}

static int bus_start(struct frontend *frontend, const char *dir)
{
	const struct route_owner owner = {
	    .pid = daemon_pid, .answers = daemon_answers, .down = down_start, .self = frontend};

	frontend->bus = bus_bind(dir);
	if (!frontend->bus && errno == EADDRINUSE)
		log_error(&frontend->log, "another aloe-frontend runs in %s; `aloe down` ends it", dir);
	else if (!frontend->bus)
		log_error(&frontend->log, "cannot use the runtime directory %s: %s", dir, strerror(errno));
	if (!frontend->bus)
		return -EINVAL;
	route_init(&frontend->route, &frontend->log, &frontend->loop, frontend->bus, &owner);
	return 0;
}

static int daemons_start(struct frontend *frontend, const struct daemon_args *args)
{
	struct supervise *supervise = &frontend->supervise;
	int result;

	supervise->ended = daemon_ended;
	supervise->self = frontend;
	channel_init(&frontend->stats, &frontend->log, &frontend->loop, &frontend->store, "waveform/", NULL);
	channel_init(&frontend->exec, &frontend->log, &frontend->loop, &frontend->store, NULL, &frontend->stats);
	supervise_add(supervise, WIRE_EXEC, &frontend->exec, NULL);
	supervise_add(supervise, WIRE_STATS, &frontend->stats, NULL);
	supervise_add(supervise, WIRE_SWMAN, NULL, args->state);
	result = supervise_start(supervise, WIRE_EXEC);
	result = result ? result : supervise_start(supervise, WIRE_STATS);
	return result ? result : supervise_start(supervise, WIRE_SWMAN);
}

int frontend_init(struct frontend *frontend, const struct daemon_args *args)
{
	int result;

	*frontend = (struct frontend){.signal_fd = -1, .exec.fd = -1, .stats.fd = -1};
	frontend->supervise.leash[0] = frontend->supervise.leash[1] = -1;
	log_init(&frontend->log, "aloe-frontend");
	loop_init(&frontend->loop);
	result = bus_start(frontend, args->dir);
	result = result ? result : parts_init(frontend, args);
	return result ? result : daemons_start(frontend, args);
}

int frontend_run(struct frontend *frontend)
{
	const int result = loop_run(&frontend->loop);

	if (result < 0)
		log_error(&frontend->log, "main loop: %s", strerror(-result));
	return result < 0 ? 1 : result;
}

void frontend_fini(struct frontend *frontend)
{
	supervise_fini(&frontend->supervise);
	child_kill_all();
	channel_close(&frontend->exec);
	channel_close(&frontend->stats);
	store_fini(&frontend->store);
	if (frontend->bus)
		route_fini(&frontend->route);
	bus_close(frontend->bus);
	if (frontend->signal_fd >= 0)
		close(frontend->signal_fd);
	loop_fini(&frontend->loop);
}
