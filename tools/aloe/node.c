/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/node.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/file.h"

enum { READY_MS = 20000, DOWN_MS = 15000, PING_MS = 500 };

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

int node_start(struct node *node, const char *dir, const char *state)
{
	char path[PATH_MAX], leash_text[16];
	char *argv[] = {"aloe-frontend",          "--dir",       (char *)dir, "--leash", leash_text,
			state ? "--state" : NULL, (char *)state, NULL};
	int leash[2], rc = leash_new(leash);

	if (rc < 0)
		return rc;
	snprintf(leash_text, sizeof(leash_text), "%d", leash[0]);
	rc = child_path("aloe-frontend", path, sizeof(path));
	if (rc == 0)
		rc = child_spawn(path, argv, &leash[0], 1, &node->pid, &node->pidfd);
	close(leash[0]);
	if (rc < 0)
		close(leash[1]);
	else
		node->leash = leash[1];
	return rc;
}

static int ping(struct client *client, enum wire_peer peer)
{
	struct wire_view view;
	struct wire_msg msg;
	int rc;

	client_request(client, WIRE_PING, peer, &msg);
	rc = client_ask(client, &msg, PING_MS, &view);
	return rc == 0 && view.type != WIRE_OK ? -EAGAIN : rc;
}

int node_ready(struct client *client, const char **ret_missing)
{
	static const enum wire_peer peers[] = {WIRE_FRONTEND, WIRE_EXEC, WIRE_STATS, WIRE_SWMAN};
	int waited_ms = 0;

	for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]);) {
		int rc = ping(client, peers[i]);
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

/* reap waits for the end of the frontend, at most so long, then kills it. */
static int reap(struct node *node, int timeout_ms)
{
	struct pollfd fd = {.fd = node->pidfd, .events = POLLIN};
	int status = 0;

	if (poll(&fd, 1, timeout_ms) == 0) {
		fprintf(stderr, "aloe: aloe-frontend does not end: killed\n");
		kill(node->pid, SIGKILL);
	}
	while (waitpid(node->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(node->pidfd);
	node->pidfd = -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int node_down(struct node *node, struct client *client)
{
	struct wire_view view;
	struct wire_msg msg;
	int status;

	client->node_fd = -1; /* its end is what we want now */
	client_request(client, WIRE_DOWN, WIRE_FRONTEND, &msg);
	client_ask(client, &msg, PING_MS, &view);
	status = reap(node, DOWN_MS);
	close(node->leash);
	return status;
}

int node_pull(struct node *node)
{
	close(node->leash);
	return reap(node, DOWN_MS);
}
