/* SPDX-License-Identifier: BSD-3-Clause
 *
 * up and down: a node that stays. A keeper process, this program in the background, holds the leash of aloe-frontend and
 * starts it again when it dies. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/node.h"

enum { BACKOFF_MS = 250, BACKOFF_MS_MAX = 8000, CALM_MS = 60000 };

struct keeper {
	const char *dir, *state;
	struct client client; /* only its signals and timers */
	struct node node;
};

/* keep_one runs the frontend until it ends, is killed, or the user wants an end. */
enum { KEEP_ENDED, KEEP_DIED, KEEP_SIGNAL };

static int keep_one(struct keeper *keeper)
{
	int rc = node_start(&keeper->node, keeper->dir, keeper->state);

	if (rc < 0) {
		fprintf(stderr, "aloe: aloe-frontend cannot be started: %s\n", strerror(-rc));
		return KEEP_DIED;
	}
	keeper->client.node_fd = keeper->node.pidfd;
	while ((rc = client_wait(&keeper->client, INT_MAX)) == 0)
		;
	keeper->client.node_fd = -1;
	if (rc == -EINTR) {
		node_pull(&keeper->node);
		return KEEP_SIGNAL;
	}
	return node_pull(&keeper->node) == 0 ? KEEP_ENDED : KEEP_DIED;
}

static int64_t now_ms(void)
{
	return (int64_t)(clock_ns() / 1000000);
}

/* keep starts the frontend again whenever it dies, later each time if it never lives long. */
static int keep(struct keeper *keeper)
{
	int backoff_ms = BACKOFF_MS;

	for (;;) {
		const int64_t began = now_ms();
		const int how = keep_one(keeper);
		if (how != KEEP_DIED)
			return CLI_OK;
		child_kill_all(); /* what the dead frontend has left to us */
		bus_sweep(keeper->dir);
		backoff_ms = now_ms() - began > CALM_MS ? BACKOFF_MS : backoff_ms;
		fprintf(stderr, "aloe: aloe-frontend has died; started again in %d ms\n", backoff_ms);
		if (client_wait(&keeper->client, backoff_ms) < 0)
			return CLI_OK;
		backoff_ms = 2 * backoff_ms < BACKOFF_MS_MAX ? 2 * backoff_ms : BACKOFF_MS_MAX;
	}
}

static int keeper_main(const char *dir, const char *state)
{
	struct keeper keeper = {.dir = dir, .state = state, .client = {.signal_fd = -1, .node_fd = -1}};
	int status;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (client_signals(&keeper.client) < 0)
		return CLI_FAILED;
	status = keep(&keeper);
	client_close(&keeper.client);
	return status;
}

/* detach leaves the terminal: double fork, own session, no standard input or output; log lines go to DIR's log file. True
 * in the keeper. */
static bool detach(const char *log)
{
	const pid_t child = fork();
	int fd;

	if (child) {
		int status;
		if (child > 0)
			waitpid(child, &status, 0);
		return false;
	}
	setsid();
	if (fork() != 0)
		_exit(0);
	if (chdir("/") < 0)
		_exit(1);
	fd = open("/dev/null", O_RDWR);
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd >= 0) {
		dup2(fd, STDERR_FILENO);
		close(fd);
	}
	return true;
}

static int up_wait(const char *dir, const char *log)
{
	struct client client = {.signal_fd = -1, .node_fd = -1};
	const char *missing = "";
	int rc;

	path_print(client.dir, sizeof(client.dir), "%s", dir);
	if (client_connect(&client))
		return CLI_FAILED;
	rc = node_ready(&client, &missing);
	client_close(&client);
	if (rc < 0) {
		fprintf(stderr, "aloe: aloe-%s does not answer (%s); see %s\n", missing, strerror(-rc), log);
		return CLI_FAILED;
	}
	printf("the node is up: %s, log %s\n", dir, log);
	return CLI_OK;
}

struct paths {
	char dir[PATH_MAX], state[PATH_MAX], log[PATH_MAX + 16];
};

/* absolute makes a path that stays right when the keeper leaves this directory. */
static int absolute(const char *path, char *ret_path, size_t size)
{
	char cwd[PATH_MAX];

	if (path[0] == '/')
		return path_print(ret_path, size, "%s", path);
	return getcwd(cwd, sizeof(cwd)) ? path_print(ret_path, size, "%s/%s", cwd, path) : -errno;
}

/* paths_find also makes the directories. */
static int paths_find(const struct cli_args *args, struct paths *paths)
{
	const char *dir = cli_get(args, "dir"), *state = cli_get(args, "state");
	int rc = dir ? absolute(dir, paths->dir, sizeof(paths->dir)) : dir_runtime(paths->dir, sizeof(paths->dir));

	if (rc == 0)
		rc = state ? absolute(state, paths->state, sizeof(paths->state))
			   : dir_state(paths->state, sizeof(paths->state));
	if (rc == 0)
		rc = dir_make(paths->state);
	if (rc == 0)
		rc = dir_make(paths->dir);
	if (rc == 0)
		rc = path_print(paths->log, sizeof(paths->log), "%s/node.log", paths->state);
	if (rc < 0)
		fprintf(stderr, "aloe: %s or %s: %s\n", paths->dir, paths->state, strerror(-rc));
	return rc;
}

int aloe_up(const struct cli_args *args)
{
	struct paths paths;

	if (paths_find(args, &paths) < 0)
		return CLI_FAILED;
	if (bus_probe(paths.dir) == 0) {
		printf("a node is up already: %s\n", paths.dir);
		return CLI_OK;
	}
	if (cli_has(args, "foreground"))
		return keeper_main(paths.dir, paths.state);
	fflush(stdout);
	if (detach(paths.log))
		_exit(keeper_main(paths.dir, paths.state));
	return up_wait(paths.dir, paths.log);
}

int aloe_down(const struct cli_args *args)
{
	enum { TRIES = 150, TRY_MS = 100 };
	struct client client;
	struct wire_view view;
	struct wire_msg msg;
	int status = client_open(&client, args);

	if (status)
		return status;
	client_request(&client, WIRE_DOWN, WIRE_FRONTEND, &msg);
	status = client_call(&client, &msg, &view);
	for (int i = 0; status == 0 && i < TRIES && bus_probe(client.dir) == 0; i++)
		poll(NULL, 0, TRY_MS);
	if (status == 0 && bus_probe(client.dir) == 0) {
		fprintf(stderr, "aloe: the node in %s does not end\n", client.dir);
		status = CLI_FAILED;
	}
	if (status == 0)
		printf("the node is down: %s\n", client.dir);
	client_close(&client);
	return status;
}
