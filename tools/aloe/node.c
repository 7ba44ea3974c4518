/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/node.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/limits.h"

enum { READY_MS = 20000, DOWN_MS = 15000, PING_MS = 500, TEND_MS = 500 };
enum { STEADY_MS = 1000, BACKOFF_MS = 50, BACKOFF_MS_MAX = 8000, QUICK_MAX = 8 };

int node_dir(char *ret_dir, size_t size)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct stat st;
	int rc;

	if (!runtime || runtime[0] != '/' || stat(runtime, &st) < 0 || access(runtime, W_OK) < 0)
		runtime = "/tmp";
	rc = path_print(ret_dir, size, "%s/aloe-run-XXXXXX", runtime);
	if (rc == 0 && !mkdtemp(ret_dir))
		rc = -errno;
	return rc;
}

/* ---- the frontend ------------------------------------------------------------------------ */

static int frontend_spawn(struct node *node, int keep, int told)
{
	char path[PATH_MAX], leash_text[16], keep_text[16], told_text[16];
	const char *argv[20] = {"aloe-frontend", "--dir", node->dir, "--leash", leash_text,
	    "--keep", keep_text, "--told", told_text};
	size_t n = 9;
	int rc = child_path("aloe-frontend", path, sizeof(path));

	snprintf(leash_text, sizeof(leash_text), "%d", node->leash[0]);
	snprintf(keep_text, sizeof(keep_text), "%d", keep);
	snprintf(told_text, sizeof(told_text), "%d", told);
	if (node->state) {
		argv[n++] = "--state";
		argv[n++] = node->state;
	}
	if (node->name) {
		argv[n++] = "--node";
		argv[n++] = node->name;
	}
	if (node->platform) {
		argv[n++] = "--platform";
		argv[n++] = node->platform;
	}
	if (node->metrics) {
		argv[n++] = "--metrics";
		argv[n++] = node->metrics;
	}
	if (node->web) {
		argv[n++] = "--web";
		argv[n++] = node->web;
	}
	return rc < 0
	    ? rc
	    : child_spawn(path, (char *const *)(uintptr_t)argv, (int[]){node->leash[0], keep, told},
	          3, node->words[1], &node->pid, &node->pidfd);
}

/* Who connects earlier finds nobody, and tries again only after a while. Waits until the frontend
 * says that it listens, has ended, or the user wants something else. */
static void frontend_await(const struct node *node, int told)
{
	struct pollfd fds[] = {
	    {.fd = told, .events = POLLIN}, {.fd = node->client->signal_fd, .events = POLLIN}};

	poll(fds, sizeof(fds) / sizeof(fds[0]), READY_MS);
}

/* What the one before it had sent is taken first. */
static int frontend_start(struct node *node)
{
	int pair[2], told[2], rc = pipe2(told, O_CLOEXEC) < 0 ? -errno : 0;

	if (rc < 0)
		return rc;
	rc = keep_pair(pair);
	if (rc == 0) {
		rc = frontend_spawn(node, pair[1], told[1]);
		close(pair[1]);
		channel_take(&node->keep, pair[0]);
	}
	close(told[1]);
	if (rc == 0) {
		node->began_ns = clock_ns();
		node->client->node_fd = node->pidfd;
		frontend_await(node, told[0]);
	}
	close(told[0]);
	return rc;
}

int node_start(struct node *node, struct client *client, const char *dir, const char *state,
    const struct node_of *of, bool words)
{
	char why[256];
	int rc;

	*node = (struct node){.client = client,
	    .dir = dir,
	    .state = state,
	    .name = of ? of->name : NULL,
	    .platform = of ? of->platform : NULL,
	    .metrics = of ? of->metrics : NULL,
	    .web = of ? of->web : NULL,
	    .managed = !of || !of->platform || of->manages,
	    .leash = {-1, -1},
	    .words = {-1, -1}};
	limits_begin(); /* what the frontend keeps, this process keeps, too */
	if (limits_node(0, why, sizeof(why)) < 0) {
		fprintf(stderr, "aloe: %s\n", why);
		return -EMFILE;
	}
	log_init(&node->log, "aloe");
	channel_init(&node->keep, CHANNEL_WRITER, &node->log, &client->loop, &node->store);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	rc = leash_new(node->leash);
	if (rc == 0 && words &&
	    (pipe2(node->words, O_CLOEXEC) < 0 || fcntl(node->words[0], F_SETFL, O_NONBLOCK) < 0))
		rc = -errno;
	return rc < 0 ? rc : frontend_start(node);
}

/* frontend_reap waits for the end of the frontend, at most so long, then kills it: its exit status,
 * -1 when it was killed. */
static int frontend_reap(struct node *node, int timeout_ms)
{
	struct pollfd fd = {.fd = node->pidfd, .events = POLLIN};
	int status = 0;

	if (node->pid == 0)
		return -1;
	if (poll(&fd, 1, timeout_ms) == 0) {
		fprintf(stderr, "aloe: aloe-frontend did not end in time and was killed\n");
		kill(node->pid, SIGKILL);
	}
	while (waitpid(node->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(node->pidfd);
	node->client->node_fd = -1;
	node->pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int backoff_ms(unsigned quick)
{
	int ms = quick > 0 ? BACKOFF_MS : 0;

	while (quick-- > 1 && ms < BACKOFF_MS_MAX)
		ms *= 2;
	return ms < BACKOFF_MS_MAX ? ms : BACKOFF_MS_MAX;
}

int node_again(struct node *node, bool ever)
{
	int status = frontend_reap(node, DOWN_MS), waited, rc;

	do {
		const bool steady = clock_ns() - node->began_ns > STEADY_MS * 1000000ull;

		if (status == 0)
			return 1;
		node->quick = steady ? 0 : node->quick + 1;
		if (!ever && (status > 0 || node->quick > QUICK_MAX))
			return -EIO;
		dprintf(node->words[1] >= 0 ? node->words[1] : STDERR_FILENO,
		    "aloe: aloe-frontend died and is being started again; the waveforms go on\n");
		waited = client_wait(node->client, backoff_ms(node->quick));
		rc = frontend_start(node);
		status = rc;
	} while (rc < 0 && ever && waited == 0);
	/* who wants an end wants it of a node that can be asked for it */
	return rc < 0 ? rc : waited;
}

/* Not at every call: exec can ask how a child has ended for as long as it is not reaped. */
void node_tend(struct node *node)
{
	siginfo_t info = {0};

	if (clock_ns() < node->tended_ns + TEND_MS * 1000000ull)
		return;
	node->tended_ns = clock_ns();
	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0 &&
	    info.si_pid != node->pid) {
		waitpid(info.si_pid, NULL, 0);
		info.si_pid = 0;
	}
}

int node_follow(struct node *node, int rc)
{
	struct client *client = node->client;

	node_tend(node);
	if (rc != -ECHILD)
		return rc;
	bus_abandon(client->bus);
	client->bus = NULL;
	if (client_connect(client))
		return -EIO;
	rc = node_again(node, false);
	return rc == 0 ? -ECONNRESET : rc == 1 || rc == -EIO ? -ECHILD : rc;
}

int node_first(struct node *node, const char **ret_missing)
{
	int rc;

	do {
		rc = node_follow(node, node_ready(node, ret_missing));
	} while (rc == -ECONNRESET);
	return rc;
}

/* ---- beginning and end ---- */

static int peer_ping(struct client *client, enum wire_peer peer)
{
	struct wire_view view;
	struct wire_msg msg;
	int rc;

	client_request(client, WIRE_PING, peer, &msg);
	rc = client_ask(client, &msg, PING_MS, &view);
	return rc == 0 && view.type != WIRE_OK ? -EAGAIN : rc;
}

int node_ready(const struct node *node, const char **ret_missing)
{
	static const enum wire_peer peers[] = {
	    WIRE_FRONTEND, WIRE_EXEC, WIRE_STATS, WIRE_SWMAN, WIRE_STATSMAN, WIRE_BRIDGE};
	struct client *client = node->client;
	int waited_ms = 0;

	for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]);) {
		const bool managers = peers[i] == WIRE_SWMAN || peers[i] == WIRE_STATSMAN;
		const bool has = managers     ? node->managed
		    : peers[i] == WIRE_BRIDGE ? node->platform != NULL
		                              : true;
		int rc = has ? peer_ping(client, peers[i]) : 0;

		*ret_missing = wire_peer_name(peers[i]);
		if (rc == 0) {
			i++;
			continue;
		}
		if (rc != -EAGAIN && rc != -ETIMEDOUT)
			return rc;
		waited_ms += rc == -ETIMEDOUT ? PING_MS : 20;
		if (waited_ms > READY_MS)
			return -ETIMEDOUT;
		if (rc == -EAGAIN && (rc = client_wait(client, 20)) < 0)
			return rc;
	}
	return 0;
}

int node_answers(struct node *node)
{
	struct client *client = node->client;
	int rc = client_connect(client) ? -EIO : peer_ping(client, WIRE_FRONTEND);

	if (rc == 0)
		bus_close(client->bus);
	else
		bus_abandon(client->bus);
	client->bus = NULL;
	return rc == 0 ? 1 : rc == -EINTR || rc == -ECHILD ? rc : 0;
}

/* Nothing is to go on: also hosts that know of their end from their sockets alone. */
static void kept_forget(struct node *node)
{
	channel_close(&node->keep);
	store_fini(&node->store);
}

/* What a frontend that was killed in the middle of it all could not end or put away. */
static void remains_remove(struct node *node)
{
	if (node->leash[1] >= 0)
		close(node->leash[1]);
	close(node->leash[0]);
	child_kill_all();
	bus_sweep(node->dir);
	if (node->words[1] >= 0)
		close(node->words[1]);
}

void node_down(struct node *node)
{
	struct wire_view view;
	struct wire_msg msg;

	node->client->node_fd = -1; /* its end is what we want now */
	kept_forget(node);
	client_request(node->client, WIRE_DOWN, WIRE_FRONTEND, &msg);
	client_ask(node->client, &msg, PING_MS, &view);
	frontend_reap(node, DOWN_MS);
	remains_remove(node);
}

void node_pull(struct node *node)
{
	kept_forget(node);
	close(node->leash[1]);
	node->leash[1] = -1;
	frontend_reap(node, DOWN_MS);
	remains_remove(node);
}
