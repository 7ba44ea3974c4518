/* SPDX-License-Identifier: BSD-3-Clause
 *
 * up and down: a node that stays. A keeper process, this program in the background, holds its leash
 * and starts aloe-frontend again when that dies. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/address.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/notify.h"
#include "core/base/text.h"
#include "tools/aloe/cap.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/node.h"
#include "tools/aloe/platforms.h"
#include "tools/aloe/web.h"

/* What a service manager is told of the node: that it lives only while its frontend answers. */
static void state_notify(const struct notify *notify, const char *state)
{
	const int rc = notify_send(notify, state);

	if (rc < 0)
		fprintf(stderr, "aloe: the service manager could not be told %s: %s\n", state,
		    strerror(-rc));
}

static int sign_of_life(struct node *node, struct notify *notify)
{
	const int rc = notify_due(notify, clock_ns()) ? node_answers(node) : 0;

	if (rc == 1)
		notify_alive(notify, clock_ns());
	return rc < 0 ? rc : 0;
}

/* node_keep keeps a frontend running until it has ended in good order, or the user wants an end. */
static int node_keep(struct node *node, struct notify *notify)
{
	enum { ROUND_MS = 5000 }; /* node_tend is called once in so long at least */
	int rc = 0;

	while (rc == 0) {
		rc = client_wait(node->client, notify_left_ms(notify, clock_ns(), ROUND_MS));
		node_tend(node);
		if (rc == 0)
			rc = sign_of_life(node, notify);
		if (rc == -ECHILD)
			rc = node_again(node, true);
	}
	state_notify(notify, "STOPPING=1");
	node_pull(node);
	return rc == 1 || rc == -EINTR ? CLI_OK : CLI_FAILED;
}

/* The node is there when all its daemons have answered; before that nobody has seen it, and it is
 * not tried for ever. 0, or -errno with the reason in words. */
static int node_begin(struct node *node, struct client *client, const char *state,
    const struct node_of *of, char *ret_why, size_t size)
{
	const char *missing = "frontend";
	int rc = client_signals(client);

	if (rc == 0)
		rc = node_start(node, client, client->dir, state, of, false);
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
static int keeper_main(const char *dir, const char *state, const struct node_of *of, int tell)
{
	struct client client = CLIENT_NONE; /* once it is up, only its signals and timers */
	struct notify notify = {.fd = -1};
	struct node node = {.dir = NULL};
	char why[128] = "";
	bool heard;
	int rc;

	path_print(client.dir, sizeof(client.dir), "%s", dir);
	signal(SIGPIPE, SIG_IGN);
	/* in the background nobody watches this process */
	rc = tell < 0 ? notify_open(&notify) : 0;
	if (rc < 0)
		fprintf(stderr,
		    "aloe: NOTIFY_SOCKET: %s; the service manager is not told that the node is "
		    "up\n",
		    strerror(-rc));
	rc = node_begin(&node, &client, state, of, why, sizeof(why));
	if (rc < 0)
		fprintf(stderr, "aloe: %s\n", why);
	if (rc < 0 && node.dir) /* before anybody reads that nothing is left */
		node_pull(&node);
	heard = tell < 0 || end_report(tell, rc == 0 ? up_word : why);
	if (rc == 0 && heard) {
		state_notify(&notify, "READY=1");
		rc = node_keep(&node, &notify);
	} else if (rc == 0) {
		rc = -EPIPE;
		node_pull(&node);
	}
	notify_close(&notify);
	client_close(&client);
	cap_end();
	return rc < 0 ? CLI_FAILED : rc;
}

/* detach leaves the terminal: double fork, own session, no standard input or output; log lines go
 * to DIR's log file. True in the keeper, which has nothing else of the caller's open but `tell`, as
 * TELL. */
enum { TELL = STDERR_FILENO + 1 };

static bool keeper_detach(const char *log, int tell)
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

/* path_absolute makes a path that stays right when the keeper leaves this directory. */
static int path_absolute(const char *path, char *ret_path, size_t size)
{
	char cwd[PATH_MAX];

	if (path[0] == '/')
		return path_print(ret_path, size, "%s", path);
	return getcwd(cwd, sizeof(cwd)) ? path_print(ret_path, size, "%s/%s", cwd, path) : -errno;
}

/* paths_find also makes the directories. `beside`: a node of that name beside the one of --dir and
 * --state, NULL: that one itself. */
static int paths_find(const struct cli_args *args, const char *beside, struct paths *paths)
{
	const char *dir = cli_get(args, "dir"), *state = cli_get(args, "state");
	char own_dir[PATH_MAX], own_state[PATH_MAX];
	int rc = dir ? path_absolute(dir, own_dir, sizeof(own_dir))
	             : dir_runtime(own_dir, sizeof(own_dir));

	if (rc == 0)
		rc = state ? path_absolute(state, own_state, sizeof(own_state))
		           : dir_state(own_state, sizeof(own_state));
	if (rc == 0)
		rc = path_print(paths->dir, sizeof(paths->dir), "%s%s%s", own_dir,
		    beside ? "-" : "", beside ? beside : "");
	if (rc == 0)
		rc = path_print(paths->state, sizeof(paths->state), "%s%s%s", own_state,
		    beside ? "/nodes/" : "", beside ? beside : "");
	if (rc == 0)
		rc = path_print(paths->log, sizeof(paths->log), "%s/node.log", paths->state);
	if (rc < 0)
		fprintf(stderr, "aloe: %s or %s: %s\n", own_dir, own_state, strerror(-rc));
	return rc;
}

static int paths_make(const struct paths *paths)
{
	int rc = dir_make(paths->state);

	rc = rc ? rc : dir_make(paths->dir);
	if (rc < 0)
		fprintf(stderr, "aloe: %s or %s: %s\n", paths->dir, paths->state, strerror(-rc));
	return rc;
}

static int up_apart(const struct paths *paths, const struct node_of *of)
{
	const long from = log_length(paths->log);
	const pid_t here = getpid();
	int told[2], status;

	if (pipe2(told, O_CLOEXEC) < 0) {
		fprintf(stderr, "aloe: %s\n", strerror(errno));
		return CLI_FAILED;
	}
	fflush(stdout);
	if (keeper_detach(paths->log, told[1])) {
		cap_pass(here);
		_exit(keeper_main(paths->dir, paths->state, of, TELL));
	}
	close(told[1]);
	status = up_wait(told[0], paths->dir, paths->log, from);
	close(told[0]);
	return status;
}

/* As its frontend and its bridge would find out, which would be started again and again for it. */
static int ports_check(const struct node_of *of)
{
	struct address address;
	int rc = 0;

	if (!of->address || address_parse(of->address, &address) < 0)
		return CLI_OK;
	for (uint16_t n = 0; n < PLATFORM_PORTS && rc == 0; n++) {
		rc = address_try(&address, SOCK_STREAM, (uint16_t)(address.port + n));
		if (rc == -EADDRINUSE)
			fprintf(stderr,
			    "aloe: node \"%s\": another program has port %d of its address %s (a "
			    "node takes %d ports in a row); end that program, or give the node "
			    "another address in the platform file\n",
			    of->name, address.port + n, of->address, PLATFORM_PORTS);
	}
	if (rc == -EADDRNOTAVAIL)
		fprintf(stderr,
		    "aloe: node \"%s\": its address %s is not an address of this machine; start "
		    "the node on its own machine, or mend the platform file\n",
		    of->name, of->address);
	return rc == -EADDRINUSE || rc == -EADDRNOTAVAIL ? CLI_FAILED : CLI_OK;
}

static int up_one(const struct cli_args *args, const char *beside, const struct node_of *of)
{
	struct paths paths;
	int rc;

	if (paths_find(args, beside, &paths) < 0 || paths_make(&paths) < 0)
		return CLI_FAILED;
	rc = client_probe(paths.dir);
	if (rc == 0) {
		printf("a node is up already: %s\n", paths.dir);
		return CLI_OK;
	}
	if (rc != -ENOENT) {
		fprintf(stderr, "aloe: %s: cannot be used: %s\n", paths.dir, bus_dir_text(-rc));
		return CLI_FAILED;
	}
	if (cap_check(args))
		return CLI_USAGE;
	if (web_port_check("metrics", of->metrics) || web_port_check("web", of->web) ||
	    ports_check(of))
		return CLI_FAILED;
	cap_leave();
	/* the keeper, which this process becomes, puts it back */
	cap_begin(args, (struct cap_user){.pid = getpid()}, 0);
	return cli_has(args, "foreground") ? keeper_main(paths.dir, paths.state, of, -1)
	                                   : up_apart(&paths, of);
}

/* ---- nodes of a platform ------------------------------------------------------------------- */

struct several { /* nodes of a platform */
	const struct cli_args *args;
	char path[PATH_MAX];
	char web[ADDRESS_TEXT]; /* "": no dashboard */
	struct platform_model *model;
	struct diag diag;
};

static int several_open(const struct cli_args *args, struct several *several)
{
	char found[PATH_MAX];
	int rc;

	*several = (struct several){.args = args};
	diag_init(&several->diag);
	rc = web_option(args, several->web) ? -EINVAL : 0;
	rc = rc ? rc : platform_find(args, cli_get(args, "platform"), found);
	rc = rc ? rc : path_absolute(found, several->path, sizeof(several->path));
	rc = rc ? rc : platform_take(several->path, &several->diag, &several->model);
	if (rc == 0 && !several->model->nodes[0].address)
		rc = diag_error(&several->diag, several->path, 0,
		    "the nodes of %s have no addresses, so they can be planned for, but not run",
		    several->model->name);
	diag_print(&several->diag, stderr);
	return rc < 0 ? CLI_USAGE : CLI_OK;
}

static void several_close(struct several *several)
{
	platform_free(several->model);
	diag_fini(&several->diag);
}

static bool is_local(const struct platform_node *node)
{
	struct address address;

	return address_parse(node->address, &address) == 0 &&
	    address_try(&address, SOCK_DGRAM, 0) == 0;
}

static int no_node(const struct several *several, const char *name)
{
	fprintf(stderr, "aloe: no node \"%s\", there are ", name);
	for (size_t n = 0; n < several->model->n_nodes; n++)
		fprintf(stderr, "%s%s", n > 0 ? ", " : "", several->model->nodes[n].name);
	fprintf(stderr, "\n");
	return CLI_USAGE;
}

/* Before anything is started: what its frontend would refuse. */
static int key_check(const struct several *several, const char *beside, const char *name)
{
	char folder[KEYS_PATH];
	struct paths paths;
	struct keys_own own;
	struct diag diag;
	int rc;

	if (several->model->insecure)
		return CLI_OK;
	if (paths_find(several->args, beside, &paths) < 0 ||
	    keys_folder(NULL, paths.state, folder) < 0)
		return CLI_FAILED;
	diag_init(&diag);
	rc = keys_own_load(folder, &diag, &own);
	if (rc == -ENOENT)
		diag_error(&diag, NULL, 0,
		    "node \"%s\" has no key; `aloe keys new %s --keys %s` makes one, and `aloe "
		    "keys allow` lets another node in; `secure = false` in the platform file "
		    "opens the addresses to everybody",
		    name, name, folder);
	keys_own_wipe(&own);
	diag_print(&diag, stderr);
	diag_fini(&diag);
	return rc < 0 ? CLI_USAGE : CLI_OK;
}

static int up_named(const struct several *several, const struct platform_node *node, bool beside)
{
	const struct node_of of = {.name = node->name,
	    .platform = several->path,
	    .address = node->address,
	    .metrics = node->manager ? cli_get(several->args, "metrics") : NULL,
	    .web = node->manager && several->web[0] ? several->web : NULL,
	    .manages = node->manager};
	const char *where = beside && !node->manager ? node->name : NULL;
	int status = CLI_OK;

	if (!beside && !node->manager && (cli_has(several->args, "metrics") || several->web[0]))
		return cli_fail(several->args,
		    "--%s is for the manager, which has the counts of all nodes; node \"%s\" "
		    "is not the manager",
		    several->web[0] ? "web" : "metrics", node->name);
	status = key_check(several, where, node->name);

	return status ? status : up_one(several->args, where, &of);
}

/* Of this machine, the manager first: the others ask for it. */
static int up_local(const struct several *several)
{
	int status = CLI_OK, n = 0;

	if (cli_has(several->args, "foreground"))
		return cli_fail(
		    several->args, "--foreground is for one node; name it with --node NAME");
	for (int turn = 0; turn < 2; turn++)
		for (size_t i = 0; i < several->model->n_nodes && status == CLI_OK; i++) {
			const struct platform_node *node = &several->model->nodes[i];

			if (node->manager != (turn == 0) || !is_local(node))
				continue;
			status = up_named(several, node, true);
			n++;
		}
	if (n > 0)
		return status;
	fprintf(
	    stderr, "aloe: no node of %s has an address of this machine\n", several->model->name);
	return CLI_FAILED;
}

static int up_platform(const struct cli_args *args, const char *name)
{
	struct several several;
	int status = several_open(args, &several);
	size_t i = 0;

	if (status == 0 && !name) {
		status = up_local(&several);
	} else if (status == 0) {
		while (
		    i < several.model->n_nodes && strcmp(several.model->nodes[i].name, name) != 0)
			i++;
		status = i < several.model->n_nodes
		    ? up_named(&several, &several.model->nodes[i], false)
		    : no_node(&several, name);
	}
	several_close(&several);
	return status;
}

int aloe_up(const struct cli_args *args)
{
	const char *name = cli_get(args, "node"), *metrics = cli_get(args, "metrics");
	char whole[ADDRESS_TEXT], web[ADDRESS_TEXT], why[200];
	struct node_of of = {.name = name, .metrics = metrics};

	if (name && !text_is_node(name))
		return cli_fail(args, "--node %s: " TEXT_NODE_RULE, name);
	if (metrics && address_local(metrics, whole, why, sizeof(why)) < 0)
		return cli_fail(args, "--metrics: %s", why);
	if (web_option(args, web))
		return CLI_USAGE;
	of.web = web[0] ? web : NULL;
	return cli_has(args, "platform") ? up_platform(args, name) : up_one(args, NULL, &of);
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
	return rc == -ECONNRESET || rc == -ESHUTDOWN ? 0 : rc;
}

static int down_one(struct client *client, int opened)
{
	int status = opened;

	if (status)
		return status;
	status = down_ask(client);
	if (status < 0) {
		status = client_judge(status, NULL);
	} else if (status == 0 && is_up(client)) {
		fprintf(stderr, "aloe: the node in %s does not end\n", client->dir);
		status = CLI_FAILED;
	}
	if (status == 0)
		printf("the node is down: %s\n", client->dir);
	client_close(client);
	return status;
}

static int down_node(const struct cli_args *args, const struct platform_node *node)
{
	struct client client;
	struct paths paths;

	if (paths_find(args, node->manager ? NULL : node->name, &paths) < 0)
		return CLI_FAILED;
	if (client_probe(paths.dir) == 0 && down_one(&client, client_in(&client, paths.dir)))
		return CLI_FAILED;
	return 0;
}

/* The manager last. */
static int down_local(const struct cli_args *args)
{
	struct several several;
	int status = several_open(args, &several);
	const size_t n = status ? 0 : several.model->n_nodes;

	for (int manager = 0; manager <= 1; manager++)
		for (size_t i = 0; i < n; i++) {
			const struct platform_node *node = &several.model->nodes[i];

			if (node->manager == (manager == 1) && is_local(node) &&
			    down_node(args, node) != 0)
				status = CLI_FAILED;
		}
	several_close(&several);
	return status;
}

int aloe_down(const struct cli_args *args)
{
	struct client client;

	return cli_has(args, "platform") ? down_local(args)
	                                 : down_one(&client, client_open(&client, args));
}
