/* SPDX-License-Identifier: BSD-3-Clause
 *
 * up and down: a node that stays. A keeper process, this program in the background, holds its leash
 * and starts aloe-frontend again when that dies. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/text.h"
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

/* The node is there when all its daemons have answered; before that nobody has seen it, and it is
 * not tried for ever. 0, or -errno with the reason in words. */
static int begin(struct node *node, struct client *client, const char *state, const char *name,
    char *ret_why, size_t size)
{
	const char *missing = "frontend";
	int rc = client_signals(client);

	if (rc == 0)
		rc = node_start(node, client, client->dir, state, name, false);
	if (rc == 0)
		rc = client_connect(client) ? -EIO : node_first(node, &missing);
	bus_close(client->bus);
	client->bus = NULL;
	if (rc == -ECHILD)
		snprintf(ret_why, size, "aloe-frontend ended before the node was up");
	else if (rc < 0)
		snprintf(ret_why, size, "aloe-%s does not answer (%s)", missing, strerror(-rc));
	return rc;
}

static const char up_word[] = "up";

/* Whoever waits at the other end reads that the node is up, or the reason. False: nobody waits any
 * more. */
static bool end_report(int tell, const char *why)
{
	struct pollfd polled = {.fd = tell};
	/* who has read it may close its end at once */
	const bool heard = poll(&polled, 1, 0) == 0 && write(tell, why, strlen(why)) >= 0;

	close(tell);
	return heard;
}

/* tell: -1 where nobody waits for the node to be up. */
static int keeper_main(const char *dir, const char *state, const char *name, int tell)
{
	struct client client = CLIENT_NONE; /* once it is up, only its signals and timers */
	struct node node = {.dir = NULL};
	char why[128] = "";
	bool heard;
	int rc;

	path_print(client.dir, sizeof(client.dir), "%s", dir);
	signal(SIGPIPE, SIG_IGN);
	rc = begin(&node, &client, state, name, why, sizeof(why));
	if (rc < 0)
		fprintf(stderr, "aloe: %s\n", why);
	if (rc < 0 && node.dir) /* before anybody reads that nothing is left */
		node_pull(&node);
	heard = tell < 0 || end_report(tell, rc == 0 ? up_word : why);
	if (rc == 0 && heard) {
		rc = keep(&node);
	} else if (rc == 0) {
		rc = -EPIPE;
		node_pull(&node);
	}
	client_close(&client);
	return rc < 0 ? CLI_FAILED : rc;
}

/* detach leaves the terminal: double fork, own session, no standard input or output; log lines go
 * to DIR's log file. True in the keeper, which has nothing else of the caller's open but `tell`, as
 * TELL. */
enum { TELL = STDERR_FILENO + 1 };

static bool detach(const char *log, int tell)
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
	if (tell != TELL && dup3(tell, TELL, O_CLOEXEC) < 0)
		_exit(1);
	/* the caller's: a lock or a pipe would be held for as long as the node is up */
	closefrom(TELL + 1);
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

/* What the node has said since: its log from there on. */
static void log_show(const char *log, long from)
{
	FILE *file = fopen(log, "re");
	char line[1024];

	if (file && fseek(file, from, SEEK_SET) == 0)
		while (fgets(line, sizeof(line), file))
			fputs(line, stderr);
	if (file)
		fclose(file);
}

static long log_length(const char *log)
{
	struct stat found;

	return stat(log, &found) == 0 ? (long)found.st_size : 0;
}

/* The end of file without a word: the keeper has died. */
static int up_wait(int told, const char *dir, const char *log, long from)
{
	char why[128];
	ssize_t len;

	do
		len = read(told, why, sizeof(why));
	while (len < 0 && errno == EINTR);
	if (len == (ssize_t)strlen(up_word) && !memcmp(why, up_word, (size_t)len)) {
		printf("the node is up: %s, log %s\n", dir, log);
		return CLI_OK;
	}
	log_show(log, from);
	fprintf(stderr,
	    "aloe: the node could not be started and nothing of the node is left; the log is %s\n",
	    log);
	return CLI_FAILED;
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

static int up_apart(const struct paths *paths, const char *name)
{
	const long from = log_length(paths->log);
	int told[2], status;

	if (pipe2(told, O_CLOEXEC) < 0) {
		fprintf(stderr, "aloe: %s\n", strerror(errno));
		return CLI_FAILED;
	}
	fflush(stdout);
	if (detach(paths->log, told[1]))
		_exit(keeper_main(paths->dir, paths->state, name, TELL));
	close(told[1]);
	status = up_wait(told[0], paths->dir, paths->log, from);
	close(told[0]);
	return status;
}

int aloe_up(const struct cli_args *args)
{
	const char *name = cli_get(args, "node");
	struct client client;
	struct paths paths;
	int rc;

	if (name && !text_is_node(name))
		return cli_fail(args, "--node %s: " TEXT_NODE_RULE, name);
	if (paths_find(args, &paths) < 0)
		return CLI_FAILED;
	rc = client_find(&client, args);
	if (rc == 0) {
		printf("a node is up already: %s\n", paths.dir);
		return CLI_OK;
	}
	if (rc != -ENOENT) {
		fprintf(stderr, "aloe: %s: cannot be used: %s\n", paths.dir, bus_dir_text(-rc));
		return CLI_FAILED;
	}
	return cli_has(args, "foreground") ? keeper_main(paths.dir, paths.state, name, -1)
	                                   : up_apart(&paths, name);
}

/* Whether a node is there, or one whose frontend was killed and is being followed by another. */
static bool is_up(const struct client *client)
{
	const int rc = bus_probe(client->dir);

	return rc == 0 || rc == -EHOSTDOWN;
}

/* down_ask asks for the end, and once more where a frontend was killed over it and another one has
 * come: 0, the exit status of a refusal, or -errno. */
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
		if (i % AGAIN == 0 && rc == 0 && view.type == WIRE_FAIL)
			return client_judge(rc, &view);
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
	} else if (status == 0 && is_up(&client)) {
		fprintf(stderr, "aloe: the node in %s does not end\n", client.dir);
		status = CLI_FAILED;
	}
	if (status == 0)
		printf("the node is down: %s\n", client.dir);
	client_close(&client);
	return status;
}
