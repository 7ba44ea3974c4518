/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/common/daemon.c - what all daemons do alike. */
#include "daemons/common/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/address.h"
#include "core/base/child.h"
#include "core/base/limits.h"
#include "core/base/text.h"

enum {
	MESSAGES_IN_A_ROW = 64,
	SWEEP_TRIES = 100,
	SWEEP_PAUSE_NS = 10000000,
	HELLO_NS = 200000000,
	LARGE_BYTES = 65536
};

/* ---- options ------------------------------------------------------------------------ */

static void usage_print(FILE *out, const char *program, unsigned takes)
{
	fprintf(out, "usage: %s --dir DIR [--leash FD]%s%s%s%s%s%s%s\n", program,
	    takes & DAEMON_STATE ? " [--state STATEDIR]" : "",
	    takes & DAEMON_KEEP ? " [--keep FD] [--told FD]" : "",
	    takes & DAEMON_NODE ? " [--node NAME]" : "",
	    takes & DAEMON_PLATFORM ? " [--platform FILE]" : "",
	    takes & DAEMON_SHARED ? " [--shared]" : "",
	    takes & DAEMON_LANES ? " [--lanes LIST]" : "",
	    takes & DAEMON_METRICS ? " [--metrics IP:PORT] [--web IP:PORT]" : "");
	fprintf(out, "  --dir DIR      runtime directory of the node\n");
	fprintf(out, "  --leash FD     read end of a pipe; the program ends at end of file\n");
	if (takes & DAEMON_STATE)
		fprintf(out, "  --state DIR    folder of runs and profiles\n");
	if (takes & DAEMON_KEEP)
		fprintf(out,
		    "  --keep FD      channel to the node keeper, which holds a copy of the kept "
		    "descriptors\n"
		    "  --told FD      write end of a pipe; the program closes it when clients can "
		    "connect\n");
	if (takes & DAEMON_NODE)
		fprintf(out,
		    "  --node NAME    name of this node in requests and in programs of several "
		    "nodes\n");
	if (takes & DAEMON_PLATFORM)
		fprintf(out,
		    "  --platform FILE  platform file that contains this node (--node) and the "
		    "other nodes\n");
	if (takes & DAEMON_SHARED)
		fprintf(out,
		    "  --shared       lanes have ordinary priority and may share their CPUs\n");
	if (takes & DAEMON_LANES)
		fprintf(out, "  --lanes LIST   CPUs that may carry lanes, \"0-2,5\"\n");
	if (takes & DAEMON_METRICS)
		fprintf(out,
		    "  --metrics IP:PORT  where aloe-statsman serves /metrics; 127.0.0.1 "
		    "only\n"
		    "  --web IP:PORT      where aloe-statsman serves the dashboard; 127.0.0.1 "
		    "only\n");
	fprintf(out, "  --help, --version\n");
}

static int fd_parse(const char *program, const char *option, const char *text, int *ret_fd)
{
	char *end;
	const long fd = strtol(text, &end, 10);

	if (*text == 0 || *end != 0 || fd < 0 || fd > 1 << 20 ||
	    fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0) {
		fprintf(stderr, "%s: --%s %s: the number of an open descriptor is needed\n",
		    program, option, text);
		return -EINVAL;
	}
	*ret_fd = (int)fd;
	return 0;
}

static int node_check(const char *program, const char *name)
{
	if (text_is_node(name))
		return 0;
	fprintf(stderr, "%s: --node %s: " TEXT_NODE_RULE "\n", program, name);
	return -EINVAL;
}

static int served_check(const char *program, const char *option, const char *text)
{
	char whole[ADDRESS_TEXT], why[200];

	if (address_local(text, whole, why, sizeof(why)) == 0)
		return 0;
	fprintf(stderr, "%s: --%s: %s\n", program, option, why);
	return -EINVAL;
}

static int option_take(const char *program, int option, unsigned takes, struct daemon_args *args)
{
	switch (option) {
	case 'd':
		args->dir = optarg;
		return 0;
	case 's':
		args->state = optarg;
		return takes & DAEMON_STATE ? 0 : -EINVAL;
	case 'n':
		args->node = optarg;
		return takes & DAEMON_NODE ? node_check(program, optarg) : -EINVAL;
	case 'p':
		args->platform = optarg;
		return takes & DAEMON_PLATFORM ? 0 : -EINVAL;
	case 'S':
		args->shared = true;
		return takes & DAEMON_SHARED ? 0 : -EINVAL;
	case 'L':
		args->lanes = optarg;
		return takes & DAEMON_LANES ? 0 : -EINVAL;
	case 'm':
		args->metrics = optarg;
		return takes & DAEMON_METRICS ? served_check(program, "metrics", optarg) : -EINVAL;
	case 'w':
		args->web = optarg;
		return takes & DAEMON_METRICS ? served_check(program, "web", optarg) : -EINVAL;
	case 'l':
		return fd_parse(program, "leash", optarg, &args->leash);
	case 'k':
		return takes & DAEMON_KEEP ? fd_parse(program, "keep", optarg, &args->keep)
		                           : -EINVAL;
	case 't':
		return takes & DAEMON_KEEP ? fd_parse(program, "told", optarg, &args->told)
		                           : -EINVAL;
	case 'h':
		usage_print(stdout, program, takes);
		return 1;
	case 'v':
		printf("%s %s\n", program, ALOE_VERSION);
		return 1;
	default:
		return -EINVAL;
	}
}

int daemon_args_parse(
    const char *program, int argc, char **argv, unsigned takes, struct daemon_args *ret)
{
	static const struct option options[] = {
	    {"dir", required_argument, NULL, 'd'},
	    {"state", required_argument, NULL, 's'},
	    {"leash", required_argument, NULL, 'l'},
	    {"keep", required_argument, NULL, 'k'},
	    {"told", required_argument, NULL, 't'},
	    {"node", required_argument, NULL, 'n'},
	    {"platform", required_argument, NULL, 'p'},
	    {"lanes", required_argument, NULL, 'L'},
	    {"shared", no_argument, NULL, 'S'},
	    {"metrics", required_argument, NULL, 'm'},
	    {"web", required_argument, NULL, 'w'},
	    {"help", no_argument, NULL, 'h'},
	    {"version", no_argument, NULL, 'v'},
	    {NULL, 0, NULL, 0},
	};
	struct daemon_args args = {.leash = -1, .keep = -1, .told = -1};
	int option, result = 0;

	optind = 1;
	while (result == 0 && (option = getopt_long(argc, argv, "", options, NULL)) != -1)
		result = option_take(program, option, takes, &args);
	if (result > 0)
		return result;
	if (result < 0 || optind != argc || !args.dir) {
		usage_print(stderr, program, takes);
		return -EINVAL;
	}
	*ret = args;
	return 0;
}

/* ---- messages ------------------------------------------------------------------------ */

static void reply_send(struct daemon *daemon, struct wire_msg *msg)
{
	const int result = bus_send(daemon->bus, msg);

	if (result < 0)
		log_warning(&daemon->log, "an answer could not be sent: %s", strerror(-result));
}

void daemon_ok(struct daemon *daemon, const struct wire_view *request)
{
	struct wire_msg msg;

	bus_reply(daemon->bus, request, WIRE_OK, &msg);
	reply_send(daemon, &msg);
}

void daemon_fail(
    struct daemon *daemon, const struct wire_view *request, int code, const char *format, ...)
{
	struct wire_msg msg;
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	bus_reply(daemon->bus, request, WIRE_FAIL, &msg);
	wire_put_u64(&msg, WIRE_TAG_CODE, (uint64_t)code);
	wire_put_text(&msg, WIRE_TAG_TEXT, len < 0 ? "out of memory" : text);
	if (len >= 0)
		free(text);
	reply_send(daemon, &msg);
}

int daemon_forward(struct daemon *daemon, const struct wire_view *request, enum wire_peer to)
{
	struct wire_msg msg;

	wire_init_copy(&msg, request, (enum wire_tag)0);
	wire_put_peers(&msg, bus_self(daemon->bus), to);
	return bus_send(daemon->bus, &msg);
}

static void ping_answer(struct daemon *daemon, const struct wire_view *request)
{
	struct wire_msg msg;

	bus_reply(daemon->bus, request, WIRE_OK, &msg);
	wire_put_u64(&msg, WIRE_TAG_PID, (uint64_t)getpid());
	wire_put_text(&msg, WIRE_TAG_TEXT, ALOE_VERSION);
	reply_send(daemon, &msg);
}

static void hello_send(void *self)
{
	struct daemon *daemon = self;

	/* into a connection that is just being given up, perhaps: once more then */
	bus_hello(daemon->bus);
	loop_timer_start(&daemon->loop, &daemon->hello, HELLO_NS, hello_send, daemon);
}

/* seq 0: HELLO */
static void hello_answered(struct daemon *daemon, const struct wire_view *view)
{
	char *text;

	loop_timer_stop(&daemon->loop, &daemon->hello);
	daemon->greeted = view->type == WIRE_OK;
	if (daemon->greeted)
		return;
	text = wire_get_text(view, WIRE_TAG_TEXT, 0);
	log_error(&daemon->log, "the frontend refused this daemon: %s",
	    text ? text : "the frontend gave no reason");
	free(text);
	loop_stop(&daemon->loop, 1);
}

static void message_take(struct daemon *daemon, const struct wire_view *view)
{
	if (view->seq == 0 && (view->type == WIRE_OK || view->type == WIRE_FAIL))
		hello_answered(daemon, view);
	else if (!daemon->greeted)
		log_debug(&daemon->log, "a message of a frontend that is gone was dropped");
	else if (view->type == WIRE_PING)
		ping_answer(daemon, view);
	else
		daemon->role->handle(daemon->self, view);
}

static void bus_ready(void *self, short revents)
{
	struct daemon *daemon = self;
	struct wire_view view;
	int result = 0;

	(void)revents;
	for (int i = 0; i < MESSAGES_IN_A_ROW && !daemon->loop.stopped; i++) {
		result = bus_recv(daemon->bus, &view, NULL);
		if (result == -EBADMSG || result == -ECONNRESET) /* `lost` tells of the latter */
			continue;
		if (result < 0)
			break;
		message_take(daemon, &view);
	}
	if (result < 0 && result != -EAGAIN && result != -EBADMSG && result != -ECONNRESET)
		log_warning(&daemon->log, "cannot receive from the bus: %s", strerror(-result));
}

/* ---- the frontend ------------------------------------------------------------------------ */

void daemon_put(struct daemon *daemon, const char *key, const void *blob, size_t len,
    const int *fds, size_t n_fds)
{
	const int result =
	    daemon->attach.fd < 0 ? 0 : keep_put(daemon->attach.fd, key, blob, len, fds, n_fds);

	if (result < 0 && result != -EPIPE)
		log_error(
		    &daemon->log, "the frontend cannot keep \"%s\": %s", key, strerror(-result));
}

void daemon_drop(struct daemon *daemon, const char *key)
{
	if (daemon->attach.fd >= 0)
		keep_drop(daemon->attach.fd, key);
}

static void entry_take(void *self, struct keep_entry *entry)
{
	struct daemon *daemon = self;

	if (daemon->role->entry)
		daemon->role->entry(daemon->self, entry);
	else
		keep_entry_fini(entry);
}

static void attach_ready(void *self)
{
	struct daemon *daemon = self;
	const int result = daemon->role->ready ? daemon->role->ready(daemon->self) : 0;

	if (result == 0) {
		hello_send(daemon);
		return;
	}
	log_error(&daemon->log, "cannot take over the state that the frontend keeps: %s",
	    strerror(-result));
	loop_stop(&daemon->loop, 1);
}

static void attach_beat(void *self)
{
	struct daemon *daemon = self;

	if (daemon->role->beat)
		daemon->role->beat(daemon->self);
}

static void attach_lost(void *self)
{
	struct daemon *daemon = self;

	loop_timer_stop(&daemon->loop, &daemon->hello);
	daemon->greeted = false;
	if (daemon->role->lost)
		daemon->role->lost(daemon->self);
}

static void attach_left(void *self)
{
	loop_stop(&((struct daemon *)self)->loop, 0);
}

static void leash_ready(void *self, short revents)
{
	if (revents & (POLLHUP | POLLERR | POLLNVAL))
		loop_stop(&((struct daemon *)self)->loop, 0);
}

bool daemon_is_ending(const struct daemon *daemon)
{
	struct pollfd leash = {.fd = daemon->args.leash};

	return poll(&leash, 1, 0) == 1;
}

/* ---- life ------------------------------------------------------------------------ */

static int leash_start(struct daemon *daemon)
{
	if (daemon->args.leash < 0)
		return 0;
	loop_watch_start(
	    &daemon->loop, &daemon->leash_watch, daemon->args.leash, 0, leash_ready, daemon);
	return leash_guard_start(daemon->args.leash, DAEMON_GRACE_MS);
}

int daemon_init(struct daemon *daemon, const struct daemon_role *role,
    const struct daemon_args *args, void *self)
{
	static const struct attach_calls calls = {
	    entry_take, attach_ready, attach_lost, attach_left, attach_beat};
	int result;

	*daemon = (struct daemon){.args = *args, .role = role, .self = self, .attach.fd = -1};
	limits_begin();
	log_init(&daemon->log, role->program);
	loop_init(&daemon->loop);
	signal(SIGPIPE, SIG_IGN);
	/* what a plan or a report took is given back when it is done with */
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
	mallopt(M_TRIM_THRESHOLD, LARGE_BYTES);
	/* else every large piece that a report's tree gives back gathers all small ones again */
	mallopt(M_MXFAST, 0);
	result = leash_start(daemon);
	if (result < 0) {
		log_error(&daemon->log, "cannot watch the leash: %s", strerror(-result));
		return result;
	}
	daemon->bus = bus_connect(args->dir, role->peer);
	if (!daemon->bus) {
		result = -errno;
		log_error(&daemon->log, "cannot use the runtime directory %s: %s", args->dir,
		    bus_dir_text(-result));
		return result;
	}
	loop_watch_start(
	    &daemon->loop, &daemon->bus_watch, bus_fd(daemon->bus), POLLIN, bus_ready, daemon);
	attach_start(
	    &daemon->attach, &daemon->loop, args->dir, wire_peer_name(role->peer), &calls, daemon);
	return 0;
}

int daemon_run(struct daemon *daemon)
{
	const int result = loop_run(&daemon->loop);

	if (result < 0)
		log_error(&daemon->log, "the main loop has failed: %s", strerror(-result));
	return result < 0 ? 1 : result;
}

/* The frontend's lock outlives its leash by a moment when the kernel takes it apart. */
static void remains_sweep(const char *dir)
{
	const struct timespec pause = {.tv_nsec = SWEEP_PAUSE_NS};

	for (int i = 0; i < SWEEP_TRIES && bus_sweep(dir) == -EADDRINUSE; i++)
		nanosleep(&pause, NULL);
}

void daemon_fini(struct daemon *daemon)
{
	const bool killed = daemon->bus && attach_stop(&daemon->attach);

	loop_timer_stop(&daemon->loop, &daemon->hello);
	loop_watch_stop(&daemon->loop, &daemon->bus_watch);
	loop_watch_stop(&daemon->loop, &daemon->leash_watch);
	bus_close(daemon->bus);
	daemon->bus = NULL;
	if (killed)
		remains_sweep(daemon->args.dir);
	loop_fini(&daemon->loop);
}
