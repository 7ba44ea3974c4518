/* SPDX-License-Identifier: BSD-3-Clause
 *
 * up and down: a node that stays. A keeper process, this program in the background, holds its leash and starts aloe-frontend
 * again when that dies. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/file.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/node.h"

/* keep keeps a frontend running until it has ended in good order, or the user wants an end. */
static int keep(struct node *node)
{
	enum { TEND_MS = 1000 };
	int rc = 0;

	while (rc == 0) {
		rc = client_wait(node->client, TEND_MS);
		node_tend(node);
		if (rc == -ECHILD)
			rc = node_again(node, true);
	}
	node_pull(node);
	return rc == 1 || rc == -EINTR ? CLI_OK : CLI_FAILED;
}

static int keeper_main(const char *dir, const char *state)
{
	struct client client = CLIENT_NONE; /* only its signals and timers */
	struct node node = {.pid = 0};
	int rc = client_signals(&client);

	if (rc == 0)
		rc = node_start(&node, &client, dir, state, false);
	if (rc < 0) {
		fprintf(stderr, "aloe: aloe-frontend cannot be started: %s\n", strerror(-rc));
		return CLI_FAILED;
	}
	rc = keep(&node);
	client_close(&client);
	return rc;
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
	struct client client = CLIENT_NONE;
	const char *missing = "";
	int rc;

	path_print(client.dir, sizeof(client.dir), "%s", dir);
	if (client_connect(&client))
		return CLI_FAILED;
	rc = node_ready(&client, &missing);
	client_close(&client);
	if (rc < 0) {
		fprintf(stderr, "aloe: aloe-%s does not answer (%s); see %s\n", missing,
		    strerror(-rc), log);
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
	int rc = dir ? absolute(dir, paths->dir, sizeof(paths->dir))
	             : dir_runtime(paths->dir, sizeof(paths->dir));

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

/* Whether a node is there, or one whose frontend was killed and is being followed by another. */
static bool is_up(const struct client *client)
{
	const int rc = bus_probe(client->dir);

	return rc == 0 || rc == -EHOSTDOWN;
}

/* down_ask asks for the end, and once more where a frontend was killed over it and another one has come. */
static int down_ask(struct client *client)
{
	enum { TRIES = 150, TRY_MS = 100, AGAIN = 10 };
	int rc = 0;

	for (int i = 0; i < TRIES && is_up(client) && (rc == 0 || rc == -ECONNRESET); i++) {
		struct wire_view view;
		struct wire_msg msg;

		client_request(client, WIRE_DOWN, WIRE_FRONTEND, &msg);
		if (i % AGAIN == 0)
			rc = client_ask(client, &msg, CLIENT_CALL_MS, &view);
		wire_fini(&msg);
		poll(NULL, 0, TRY_MS);
	}
	return rc == -ECONNRESET ? 0 : rc;
}

int aloe_down(const struct cli_args *args)
{
	struct client client;
	int status = client_open(&client, args);

	if (status)
		return status;
	status = down_ask(&client);
	if (status < 0) {
		status = client_judge(status, NULL);
	} else if (is_up(&client)) {
		fprintf(stderr, "aloe: the node in %s does not end\n", client.dir);
		status = CLI_FAILED;
	}
	if (status == 0)
		printf("the node is down: %s\n", client.dir);
	client_close(&client);
	return status;
}
