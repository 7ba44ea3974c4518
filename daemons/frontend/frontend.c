/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/frontend.c - the node's agent. */
#include "daemons/frontend/frontend.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/cpulist.h"
#include "core/base/limits.h"
#include "core/image/node.h"
#include "core/measure/capacity.h"
#include "core/platform/platform.h"
#include "daemons/common/builds.h"

enum { DOWN_GRACE_MS = 5000 }; /* longer than a daemon's own */

/* ---- going down ------------------------------------------------------------------------ */

static void down_overdue(void *self)
{
	struct frontend *frontend = self;

	log_warning(&frontend->log, "a process of the node did not end within %d s and is killed",
	    DOWN_GRACE_MS / 1000);
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
	loop_timer_start(&frontend->loop, &frontend->down_limit, DOWN_GRACE_MS * 1000000ull,
	    down_overdue, frontend);
	raise(SIGCHLD); /* there may be no child at all: look */
}

/* Whoever would clear up after us has let go, or was killed, and we may be next: before anybody is
 * told to leave. */
static void leash_ready(void *self, short revents)
{
	struct frontend *frontend = self;

	if (!(revents & (POLLHUP | POLLERR | POLLNVAL)))
		return;
	bus_leave(frontend->bus);
	down_start(frontend);
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

/* ---- what the rooms ask of each other ---- */

static pid_t daemon_pid(void *self, enum wire_peer daemon)
{
	return supervise_pid(&((const struct frontend *)self)->supervise, daemon);
}

/* HELLO over the bus may overtake the listener's, which is needed first. */
static bool daemon_is_attached(void *self, enum wire_peer daemon)
{
	struct frontend *frontend = self;
	struct channel *const channels[WIRE_PEERS] = {[WIRE_EXEC] = &frontend->exec,
	    [WIRE_STATS] = &frontend->stats,
	    [WIRE_SWMAN] = &frontend->swman,
	    [WIRE_BRIDGE] = &frontend->bridge,
	    [WIRE_STATSMAN] = &frontend->statsman};

	listener_settle(&frontend->listener);
	return channels[daemon] && channels[daemon]->fd >= 0;
}

static void daemon_heard(void *self, enum wire_peer daemon)
{
	supervise_heard(&((struct frontend *)self)->supervise, daemon);
}

static bool daemon_greeted(void *self, enum wire_peer daemon)
{
	return ((const struct frontend *)self)->route.daemons[daemon].len > 0;
}

/* One that has not said HELLO yet takes up what is kept: the more, the longer. */
static unsigned daemon_patience(void *self, enum wire_peer daemon)
{
	const struct frontend *frontend = self;

	if (!daemon_greeted(self, daemon))
		return SUPERVISE_SILENT + (unsigned)(frontend->store.count / SUPERVISE_KEPT_A_S);
	return route_busy(&frontend->route, daemon) ? SUPERVISE_SILENT_BUSY : SUPERVISE_SILENT;
}

static const char *node_note(void *self)
{
	return supervise_overload(&((struct frontend *)self)->supervise);
}

static bool daemon_attached(void *self, enum wire_peer daemon, pid_t pid, int fd)
{
	return supervise_attach(&((struct frontend *)self)->supervise, daemon, pid, fd);
}

static void daemon_ended(void *self, enum wire_peer daemon, pid_t pid)
{
	struct frontend *frontend = self;

	route_lost(&frontend->route, daemon);
	route_announce(&frontend->route, daemon, pid, "down");
	if (!frontend->route.ending)
		return;
	if (daemon == WIRE_EXEC)
		/* hosts that it could not end do so when their sockets close */
		channel_forget(&frontend->exec);
	raise(SIGCHLD); /* it may have been the last: look */
}

/* So that stats knows of a waveform before its loader does. */
static void daemon_answers(void *self, enum wire_peer daemon)
{
	if (daemon == WIRE_EXEC)
		channel_settle(&((struct frontend *)self)->exec);
}

/* ---- starting ------------------------------------------------------------------------ */

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
	loop_watch_start(&frontend->loop, &frontend->signal_watch, frontend->signal_fd, POLLIN,
	    signal_ready, frontend);
	return 0;
}

static int leash_start(struct frontend *frontend, int leash)
{
	int result = leash < 0 ? leash_new(frontend->leash) : 0;

	if (leash >= 0) {
		frontend->leash[0] = leash;
		loop_watch_start(
		    &frontend->loop, &frontend->leash_watch, leash, 0, leash_ready, frontend);
		result = leash_guard_start(leash, 2 * DOWN_GRACE_MS);
	}
	frontend->supervise.leash = frontend->leash[0];
	return result;
}

static int parts_init(struct frontend *frontend, const struct daemon_args *args)
{
	int result = signals_open(frontend);

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (!result)
		result = leash_start(frontend, args->leash);
	if (!result)
		result = listener_open(&frontend->listener, &frontend->log, &frontend->loop,
		    args->dir, daemon_attached, frontend);
	if (result < 0)
		log_error(&frontend->log, "cannot start: %s", strerror(-result));
	return result;
}

/* told: of who waits until the bus can be connected to. */
static int bus_start(struct frontend *frontend, const char *dir, int told)
{
	const struct route_owner owner = {.pid = daemon_pid,
	    .attached = daemon_is_attached,
	    .heard = daemon_heard,
	    .answers = daemon_answers,
	    .note = node_note,
	    .down = down_start,
	    .self = frontend};

	frontend->bus = bus_bind(dir);
	if (!frontend->bus && errno == EADDRINUSE)
		log_error(&frontend->log,
		    "another aloe-frontend runs in %s; `aloe down` ends that node", dir);
	else if (!frontend->bus)
		log_error(&frontend->log, "cannot use the runtime directory %s: %s", dir,
		    bus_dir_text(errno));
	if (!frontend->bus)
		return -EINVAL;
	if (told >= 0)
		close(told);
	route_init(&frontend->route, frontend->name, &frontend->log, &frontend->loop, frontend->bus,
	    &frontend->nodes, &owner);
	return 0;
}

/* ---- other nodes ---- */

static void node_message(
    void *self, const struct wire_view *view, const struct bus_peer *from, uint32_t node)
{
	route_node(&((struct frontend *)self)->route, view, from, node);
}

static void node_changed(void *self, uint32_t node, bool there)
{
	route_node_changed(&((struct frontend *)self)->route, node, there);
}

static void node_word(void *self, uint64_t asked_ns)
{
	route_word(&((struct frontend *)self)->route, asked_ns);
}

static int nodes_start(struct frontend *frontend, const struct daemon_args *args)
{
	const struct nodes_owner owner = {node_message, node_changed, node_word, frontend};

	return nodes_init(&frontend->nodes, &frontend->machines, &frontend->log, &frontend->loop,
	    args->dir, args->state, &owner);
}

static void args_add(struct frontend *frontend, enum wire_peer peer, const struct daemon_args *args)
{
	const bool given = args->platform != NULL;

	supervise_arg(&frontend->supervise, peer, given, "--node", frontend->name);
	supervise_arg(&frontend->supervise, peer, given, "--platform", args->platform);
}

/* swman and statsman are on the manager only. */
static void managers_add(struct frontend *frontend, const struct daemon_args *args)
{
	struct supervise *supervise = &frontend->supervise;

	supervise_add(supervise, WIRE_SWMAN, &frontend->swman);
	supervise_arg(supervise, WIRE_SWMAN, args->state != NULL, "--state", args->state);
	args_add(frontend, WIRE_SWMAN, args);
	supervise_add(supervise, WIRE_STATSMAN, &frontend->statsman);
	supervise_arg(supervise, WIRE_STATSMAN, true, "--node", frontend->name);
	supervise_arg(
	    supervise, WIRE_STATSMAN, args->platform != NULL, "--platform", args->platform);
	supervise_arg(supervise, WIRE_STATSMAN, args->metrics != NULL, "--metrics", args->metrics);
	supervise_arg(supervise, WIRE_STATSMAN, args->web != NULL, "--web", args->web);
}

/* A bridge is needed where there are other nodes. */
static void daemons_add(struct frontend *frontend, const struct daemon_args *args)
{
	struct supervise *supervise = &frontend->supervise;
	const struct machines *machines = &frontend->machines;
	const bool several = machines->model != NULL;

	supervise_add(supervise, WIRE_EXEC, &frontend->exec);
	supervise_arg(supervise, WIRE_EXEC, several, "--node", frontend->name);
	supervise_arg(supervise, WIRE_EXEC,
	    several && machines->model->nodes[machines->self].shared, "--shared", NULL);
	supervise_arg(supervise, WIRE_EXEC, frontend->lanes[0] != 0, "--lanes", frontend->lanes);
	supervise_add(supervise, WIRE_STATS, &frontend->stats);
	supervise_arg(supervise, WIRE_STATS, several, "--node", frontend->name);
	if (machines_managed(machines))
		managers_add(frontend, args);
	if (several) {
		supervise_add(supervise, WIRE_BRIDGE, &frontend->bridge);
		supervise_arg(supervise, WIRE_BRIDGE, args->state != NULL, "--state", args->state);
		args_add(frontend, WIRE_BRIDGE, args);
	}
}

/* Where nobody above us holds the leash, those of an earlier frontend end with it: none is to be
 * found. */
static int daemons_start(struct frontend *frontend, const struct daemon_args *args)
{
	struct supervise *supervise = &frontend->supervise;
	const bool adopt = args->leash >= 0;
	int result = 0;

	frontend->stats.prefix = "waveform/";
	frontend->exec.mirrors[0] = &frontend->stats;
	frontend->exec.mirrors[1] = &frontend->keeper;
	frontend->exec.mirrors[2] = &frontend->bridge;
	frontend->bridge.prefix = "waveform/";
	frontend->bridge.also = "node";
	frontend->bridge.writable = true;
	frontend->keeper.mirrors[0] = &frontend->exec;
	if (args->keep >= 0)
		channel_take(&frontend->keeper, args->keep);
	daemons_add(frontend, args);
	for (int peer = WIRE_EXEC; peer < WIRE_PEERS && result == 0; peer++)
		if (supervise->children[peer].of)
			result = supervise_start(supervise, (enum wire_peer)peer, adopt);
	return result;
}

/* What carries lanes, and on which CPUs all else of the node is, by its entry. Threads of lanes
 * have their CPUs by name; what this process starts is where this process is. */
static int cpus_take(struct frontend *frontend)
{
	const struct machines *machines = &frontend->machines;
	const struct platform_node *node =
	    machines->model ? &machines->model->nodes[machines->self] : NULL;
	cpu_set_t lanes;
	int result = 0;

	if (!node)
		return 0;
	CPU_ZERO(&lanes);
	for (size_t i = 0; i < node->lanes.n; i++)
		CPU_SET((size_t)node->lanes.items[i], &lanes);
	if (cpulist_print(&lanes, frontend->lanes, sizeof(frontend->lanes)) < 0) {
		log_error(&frontend->log, "lanes of node \"%s\": the list of CPUs is too long",
		    node->name);
		return -ENAMETOOLONG;
	}
	for (size_t i = 0; i < node->housekeeping.n; i++) {
		if (platform_has_cpu(node->housekeeping.items[i]))
			continue;
		log_error(&frontend->log,
		    "housekeeping of node \"%s\" names CPU %d, which does not exist, or which "
		    "this node may not use; remove it from the platform file",
		    node->name, node->housekeeping.items[i]);
		return -EINVAL;
	}
	if (node->housekeeping.n > 0)
		result = platform_keep_on(node->housekeeping.items, node->housekeeping.n);
	if (result < 0)
		log_error(&frontend->log, "node \"%s\" cannot keep to its housekeeping CPUs: %s",
		    node->name, strerror(-result));
	return result;
}

/* Hosts look there, too. The manager sends none to itself. */
static int builds_take(struct frontend *frontend, const struct daemon_args *args)
{
	int result;

	frontend->route.builds = frontend->builds;
	if (!frontend->machines.model || machines_managed(&frontend->machines))
		return unsetenv(BUILDS_ENVIRONMENT) < 0 ? -errno : 0;
	result = builds_folder(args->state, frontend->builds, sizeof(frontend->builds));
	if (result == 0 && setenv(BUILDS_ENVIRONMENT, frontend->builds, 1) < 0)
		result = -errno;
	if (result < 0)
		log_error(
		    &frontend->log, "the folder for builds cannot be had: %s", strerror(-result));
	return result;
}

static void name_find(const char *given, char ret[NODE_NAME])
{
	char host[HOST_NAME_MAX + 1] = "";

	if (given) {
		snprintf(ret, NODE_NAME, "%s", given);
		return;
	}
	gethostname(host, sizeof(host) - 1);
	text_node_name(host, ret);
}

int frontend_init(struct frontend *frontend, const struct daemon_args *args)
{
	const struct supervise_owner owner = {.ended = daemon_ended,
	    .greeted = daemon_greeted,
	    .patience = daemon_patience,
	    .self = frontend};
	char why[256];
	int result;

	*frontend = (struct frontend){.signal_fd = -1, .leash = {-1, -1}, .listener.fd = -1};
	name_find(args->node, frontend->name);
	log_init(&frontend->log, "aloe-frontend");
	loop_init(&frontend->loop);
	channel_init(
	    &frontend->exec, CHANNEL_WRITER, &frontend->log, &frontend->loop, &frontend->store);
	channel_init(
	    &frontend->stats, CHANNEL_MIRROR, &frontend->log, &frontend->loop, &frontend->store);
	channel_init(
	    &frontend->swman, CHANNEL_PLAIN, &frontend->log, &frontend->loop, &frontend->store);
	channel_init(
	    &frontend->bridge, CHANNEL_MIRROR, &frontend->log, &frontend->loop, &frontend->store);
	channel_init(
	    &frontend->statsman, CHANNEL_PLAIN, &frontend->log, &frontend->loop, &frontend->store);
	channel_init(
	    &frontend->keeper, CHANNEL_KEEPER, &frontend->log, &frontend->loop, &frontend->store);
	supervise_init(&frontend->supervise, &frontend->log, &frontend->loop, args->dir, &owner);
	limits_begin();
	if (limits_node(sizeof(struct node_image), why, sizeof(why)) < 0) {
		log_error(&frontend->log, "%s", why);
		return -EINVAL;
	}
	result = machines_open(&frontend->machines, args, &frontend->log);
	result = result ? result : bus_start(frontend, args->dir, args->told);
	result = result ? result : nodes_start(frontend, args);
	result = result ? result : parts_init(frontend, args);
	result = result ? result : cpus_take(frontend);
	result = result ? result : builds_take(frontend, args);
	result = result ? result : daemons_start(frontend, args);
	if (!result)
		/* a load that comes first waits for it, or measures itself */
		capacity_keep_soon(args->state);
	return result;
}

int frontend_run(struct frontend *frontend)
{
	const int result = loop_run(&frontend->loop);

	if (result < 0)
		log_error(&frontend->log, "the main loop has failed: %s", strerror(-result));
	return result < 0 ? 1 : result;
}

void frontend_fini(struct frontend *frontend)
{
	supervise_end(&frontend->supervise);
	supervise_fini(&frontend->supervise);
	listener_close(&frontend->listener);
	if (frontend->leash[1] >= 0)
		close(frontend->leash[1]);
	child_kill_all();
	channel_close(&frontend->exec);
	channel_close(&frontend->stats);
	channel_close(&frontend->swman);
	channel_close(&frontend->bridge);
	channel_close(&frontend->statsman);
	channel_close(&frontend->keeper);
	store_fini(&frontend->store);
	nodes_fini(&frontend->nodes);
	machines_close(&frontend->machines);
	if (frontend->bus)
		route_fini(&frontend->route);
	bus_close(frontend->bus);
	if (frontend->signal_fd >= 0)
		close(frontend->signal_fd);
	loop_fini(&frontend->loop);
}
