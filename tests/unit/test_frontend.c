/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_frontend.c - aloe-frontend with real processes: routing, keep store, restarts, and that nothing is left.
 *
 * A folder is made with a copy of the real aloe-frontend and, under the names of what it starts, copies of this program, which
 * then behaves as tests/common/fake.h says. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/child.h"
#include "core/bus/bus.h"
#include "tests/common/fake.h"

enum { CALL_MS = 20000 };

/* ---- a node to test ---------------------------------------------------------------------------------------------- */

struct node {
	char root[64], dir[80], bin[80];
	pid_t pid;
	int leash[2]; /* [1] -1: pulled */
	struct bus *client;
};

static void rest(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static void file_copy(const char *from, const char *to)
{
	char bytes[65536];
	const int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	ssize_t len;

	if (in < 0)
		fail_msg("%s is not built", from);
	assert_true(out >= 0);
	while ((len = read(in, bytes, sizeof(bytes))) > 0)
		assert_int_equal(write(out, bytes, (size_t)len), len);
	assert_int_equal(len, 0);
	close(in);
	close(out);
}

static const char *const fakes[] = {"aloe-exec", "aloe-stats", "aloe-swman", "aloe-host"};

static void programs_make(const struct node *node)
{
	char self[PATH_MAX] = {0}, frontend[PATH_MAX], path[120];

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	assert_int_equal(child_path("../../bin/aloe-frontend", frontend, sizeof(frontend)),
			 0); /* from BUILD/tests/unit */
	snprintf(path, sizeof(path), "%s/aloe-frontend", node->bin);
	file_copy(frontend, path);
	for (size_t i = 0; i < sizeof(fakes) / sizeof(fakes[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", node->bin, fakes[i]);
		file_copy(self, path);
	}
}

static pid_t frontend_spawn(const struct node *node, int leash, int error)
{
	char path[120], leash_text[16];
	char *argv[] = {"aloe-frontend", "--dir", (char *)(uintptr_t)node->dir, "--state", "/nowhere", "--leash",
			leash_text,      NULL};
	pid_t pid;

	snprintf(path, sizeof(path), "%s/aloe-frontend", node->bin);
	snprintf(leash_text, sizeof(leash_text), "%d", leash);
	if (leash < 0)
		argv[5] = NULL;
	pid = fork();
	if (pid == 0) {
		fcntl(leash, F_SETFD, 0);
		if (error >= 0)
			dup2(error, STDERR_FILENO);
		execv(path, argv);
		_exit(127);
	}
	return pid;
}

static void node_start(struct node *node)
{
	node->pid = frontend_spawn(node, node->leash[0], -1);
	while (!(node->client = bus_connect(node->dir, WIRE_CLIENT))) /* made by the frontend */
		rest();
}

static void leash_pull(struct node *node)
{
	if (node->leash[1] >= 0)
		close(node->leash[1]);
	node->leash[1] = -1;
}

static int node_setup(void **state)
{
	struct node *node = calloc(1, sizeof(*node));

	snprintf(node->root, sizeof(node->root), "/tmp/aloe-frontend-XXXXXX");
	assert_non_null(mkdtemp(node->root));
	snprintf(node->dir, sizeof(node->dir), "%s/run", node->root);
	snprintf(node->bin, sizeof(node->bin), "%s/bin", node->root);
	mkdir(node->bin, 0700);
	programs_make(node);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	assert_int_equal(leash_new(node->leash), 0);
	node_start(node);
	*state = node;
	return 0;
}

/* How many processes have the node's directory among their arguments. */
static unsigned processes(const struct node *node)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	unsigned n = 0;

	while ((entry = readdir(proc))) {
		char path[300], arguments[4096];
		ssize_t len;
		int fd;

		snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
		fd = entry->d_name[0] > '9' || atoi(entry->d_name) == getpid() ? -1 : open(path, O_RDONLY | O_CLOEXEC);
		len = fd < 0 ? 0 : read(fd, arguments, sizeof(arguments));
		if (fd >= 0)
			close(fd);
		n += len > 0 && memmem(arguments, (size_t)len, node->dir, strlen(node->dir)) != NULL;
	}
	closedir(proc);
	return n;
}

/* What a frontend that was killed has left to us, once it has ended. */
static void orphans_reap(const struct node *node)
{
	siginfo_t info = {0};

	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid > 0 &&
	       info.si_pid != node->pid) {
		waitpid(info.si_pid, NULL, 0);
		info.si_pid = 0;
	}
}

static void nothing_is_left(const struct node *node)
{
	while (processes(node) > 0 || access(node->dir, F_OK) == 0) {
		orphans_reap(node);
		rest();
	}
}

static void client_close(struct node *node)
{
	bus_close(node->client);
	node->client = NULL;
}

static int node_status(const struct node *node)
{
	int status;

	assert_int_equal(waitpid(node->pid, &status, 0), node->pid);
	return status;
}

static int node_teardown(void **state)
{
	struct node *node = *state;
	char path[120];
	int status;

	client_close(node);
	leash_pull(node);
	close(node->leash[0]);
	if (waitpid(node->pid, &status, 0) == node->pid && status != 0) {
		print_error("aloe-frontend ended with wait status %d\n", status);
		return -1;
	}
	nothing_is_left(node);
	snprintf(path, sizeof(path), "%s/aloe-frontend", node->bin);
	unlink(path);
	for (size_t i = 0; i < sizeof(fakes) / sizeof(fakes[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", node->bin, fakes[i]);
		unlink(path);
	}
	rmdir(node->bin);
	assert_int_equal(rmdir(node->root), 0); /* nothing of ours is in it */
	free(node);
	return 0;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static int ask(struct node *node, enum wire_type type, enum wire_peer whom, const char *name, const char *text,
	       struct wire_view *ret_view)
{
	struct wire_msg msg;

	wire_init(&msg, type, WIRE_CLIENT, whom, bus_seq(node->client));
	wire_put_text(&msg, WIRE_TAG_NAME, name);
	wire_put_text(&msg, WIRE_TAG_TEXT, text);
	return bus_call(node->client, &msg, CALL_MS, ret_view);
}

static void ask_ok(struct node *node, enum wire_type type, enum wire_peer whom, const char *name, const char *text)
{
	struct wire_view view;

	assert_int_equal(ask(node, type, whom, name, text, &view), 0);
	assert_int_equal(view.type, WIRE_OK);
}

static pid_t pid_of(struct node *node, enum wire_peer whom)
{
	struct wire_view view;
	uint64_t pid = 0;

	do { /* one that dies over the question fails it */
		assert_int_equal(ask(node, WIRE_PING, whom, NULL, NULL, &view), 0);
	} while (view.type != WIRE_OK);
	assert_int_equal(view.source, whom);
	assert_int_equal(wire_get_u64(&view, WIRE_TAG_PID, &pid), 0);
	return (pid_t)pid;
}

static void text_is(const struct wire_view *view, const char *expected)
{
	char *text = wire_get_text(view, WIRE_TAG_TEXT, 0);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void fail_is(const struct wire_view *view, uint64_t code, const char *text)
{
	uint64_t found = 99;

	assert_int_equal(view->type, WIRE_FAIL);
	assert_int_equal(wire_get_u64(view, WIRE_TAG_CODE, &found), 0);
	assert_int_equal(found, code);
	text_is(view, text);
}

static void kept_is(struct node *node, enum wire_peer whom, const char *expected)
{
	struct wire_view view;

	assert_int_equal(ask(node, WIRE_LIST, whom, NULL, NULL, &view), 0);
	assert_int_equal(view.type, WIRE_OK);
	text_is(&view, expected);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void test_all_are_there(void **state)
{
	struct node *node = *state;
	pid_t pids[WIRE_PEERS];
	struct wire_view view;

	for (enum wire_peer peer = WIRE_FRONTEND; peer < WIRE_PEERS; peer++) {
		pids[peer] = pid_of(node, peer);
		for (enum wire_peer other = WIRE_FRONTEND; other < peer; other++)
			assert_int_not_equal(pids[peer], pids[other]);
	}
	assert_int_equal(pids[WIRE_FRONTEND], node->pid);
	assert_int_equal(processes(node), 4); /* each has answered: its arguments are there */
	assert_int_equal(ask(node, WIRE_LOAD, WIRE_FRONTEND, NULL, NULL, &view), 0);
	fail_is(&view, 1, "aloe-frontend does not know message 10 (LOAD)");
	assert_int_equal(ask(node, (enum wire_type)777, WIRE_CLIENT, NULL, NULL, &view), 0);
	fail_is(&view, 1, "a request needs a daemon that it is for");
}

/* The answer to a request that a daemon has passed on comes straight back, from who gave it. */
static void test_passed_on(void **state)
{
	struct node *node = *state;
	struct wire_view view;

	assert_int_equal(ask(node, WIRE_START, WIRE_SWMAN, NULL, NULL, &view), 0);
	fail_is(&view, 7, "swman says no");
	assert_int_equal(ask(node, WIRE_START, WIRE_STATS, NULL, NULL, &view), 0);
	assert_int_equal(view.source, WIRE_EXEC);
	fail_is(&view, 7, "exec says no");
}

static void test_events(void **state)
{
	struct node *node = *state;
	struct wire_view view;
	const pid_t before = pid_of(node, WIRE_STATS);

	pid_of(node, WIRE_SWMAN);
	pid_of(node, WIRE_EXEC);
	ask_ok(node, WIRE_STATUS, WIRE_EXEC, NULL, NULL);
	assert_int_equal(ask(node, WIRE_LIST, WIRE_SWMAN, NULL, NULL, &view), 0);
	char *text = wire_get_text(&view, WIRE_TAG_TEXT, 0);
	assert_non_null(strstr(text, "event-RUN"));
	free(text);
	kill(before, SIGKILL);
	while (pid_of(node, WIRE_STATS) == before)
		rest();
	assert_int_equal(ask(node, WIRE_LIST, WIRE_SWMAN, NULL, NULL, &view), 0);
	text = wire_get_text(&view, WIRE_TAG_TEXT, 0);
	assert_non_null(strstr(text, "stats-down"));
	assert_non_null(strstr(text, "stats-up"));
	free(text);
}

/* What exec has put comes back to each that follows it, and, read-only and as it happens, to stats. */
static void test_kept_over_kills(void **state)
{
	static const char all[] = "node=N:N:rw waveform/a=A2:A2:rw lane/0=L:L:rw";
	struct node *node = *state;
	static const char before[] = "waveform/a=A2:A2:ro";
	char name[32], expected[100];

	ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "node", "N");
	ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "waveform/a", "A1");
	ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "lane/0", "L");
	ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "waveform/a", "A2"); /* replaced, in its place */
	kept_is(node, WIRE_STATS, "waveform/a=A2:A2:ro");
	for (int i = 0; i < 6; i++) {
		pid_t pids[WIRE_PEERS];

		for (enum wire_peer peer = WIRE_EXEC; peer < WIRE_PEERS; peer++) {
			pids[peer] = pid_of(node, peer);
			kill(pids[peer], SIGKILL);
		}
		for (enum wire_peer peer = WIRE_EXEC; peer < WIRE_PEERS; peer++) {
			while (pid_of(node, peer) == pids[peer])
				rest();
		}
		kept_is(node, WIRE_EXEC, all);
		kept_is(node, WIRE_STATS, before);
		/* one more of each kind in every round, dropped again at the end of it */
		snprintf(name, sizeof(name), "waveform/%d", i);
		ask_ok(node, WIRE_PREPARE, WIRE_EXEC, name, "X");
		snprintf(expected, sizeof(expected), "%s %s=X:X:ro", before, name);
		kept_is(node, WIRE_STATS, expected);
		ask_ok(node, WIRE_UNLOAD, WIRE_EXEC, name, NULL);
		kept_is(node, WIRE_STATS, before);
	}
}

/* A put is kept although its sender is killed right behind it. */
static void test_put_and_killed(void **state)
{
	struct node *node = *state;
	struct wire_view view;
	char name[32], *text;

	for (int i = 0; i < 5; i++) {
		const pid_t pid = pid_of(node, WIRE_EXEC);

		snprintf(name, sizeof(name), "waveform/%d", i);
		ask_ok(node, WIRE_PREPARE, WIRE_EXEC, name, "X");
		kill(pid, SIGKILL);
		while (pid_of(node, WIRE_EXEC) == pid)
			rest();
		assert_int_equal(ask(node, WIRE_LIST, WIRE_EXEC, NULL, NULL, &view), 0);
		text = wire_get_text(&view, WIRE_TAG_TEXT, 0);
		assert_non_null(strstr(text, name));
		free(text);
	}
}

/* More than a socket takes at once: 600 entries with a descriptor each, dumped to both. */
static void test_many_entries(void **state)
{
	struct node *node = *state;
	struct wire_view view;
	const pid_t pid = pid_of(node, WIRE_EXEC);
	char name[120], *text;

	for (int i = 0; i < 600; i++) {
		snprintf(name, sizeof(name), "host/%0*d", 5, i);
		ask_ok(node, WIRE_PREPARE, WIRE_EXEC, name, "");
	}
	ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "waveform/last", "Z");
	for (int i = 0; i < 598; i++) {
		snprintf(name, sizeof(name), "host/%0*d", 5, i);
		if (i == 300) {
			kill(pid, SIGKILL);
			while (pid_of(node, WIRE_EXEC) == pid)
				rest();
		}
		ask_ok(node, WIRE_UNLOAD, WIRE_EXEC, name, NULL);
	}
	assert_int_equal(ask(node, WIRE_LIST, WIRE_EXEC, NULL, NULL, &view), 0);
	text = wire_get_text(&view, WIRE_TAG_TEXT, 0);
	assert_string_equal(text, "host/00598=::rw host/00599=::rw waveform/last=Z:Z:rw");
	free(text);
	kept_is(node, WIRE_STATS, "waveform/last=Z:Z:ro");
}

static void test_killed_over_a_request(void **state)
{
	struct node *node = *state;
	struct bus *other = bus_connect(node->dir, WIRE_CLIENT);
	const pid_t pid = pid_of(node, WIRE_EXEC);
	struct wire_msg msg;
	struct wire_view view;

	wire_init(&msg, WIRE_STEP, WIRE_CLIENT, WIRE_EXEC, bus_seq(other));
	assert_int_equal(bus_send(other, &msg), 0);
	wire_init(&msg, WIRE_PING, WIRE_CLIENT, WIRE_EXEC, bus_seq(other)); /* the one before it has arrived */
	assert_int_equal(bus_call(other, &msg, CALL_MS, &view), 0);
	kill(pid, SIGKILL);
	while (bus_recv(other, &view, NULL) == -EAGAIN)
		rest();
	assert_int_equal(view.seq, 1);
	fail_is(&view, 1, "aloe-exec ended before it had answered");
	bus_close(other);
}

/* Peers that claim to be what they are not. */
static void test_impostor(void **state)
{
	struct node *node = *state;
	struct bus *false_exec;
	struct wire_msg msg;
	struct wire_view view;
	const pid_t pid = pid_of(node, WIRE_EXEC);

	false_exec = bus_connect(node->dir, WIRE_EXEC);
	assert_int_equal(bus_hello(false_exec), 0);
	while (bus_recv(false_exec, &view, NULL) == -EAGAIN)
		rest();
	fail_is(&view, 1, "aloe-exec is started by the frontend alone");
	assert_int_equal(pid_of(node, WIRE_EXEC), pid);
	/* an ORIGIN of a client's own making is replaced: the answer comes to who asked */
	wire_init(&msg, WIRE_PING, WIRE_CLIENT, WIRE_SWMAN, bus_seq(node->client));
	wire_put_bytes(&msg, WIRE_TAG_ORIGIN, "12345", 5);
	assert_int_equal(bus_call(node->client, &msg, CALL_MS, &view), 0);
	assert_int_equal(view.dest, WIRE_CLIENT);
	/* and who claims to be a daemon, but has not been let in, is not passed on */
	wire_init(&msg, WIRE_PREPARE, WIRE_SWMAN, WIRE_EXEC, bus_seq(node->client));
	assert_int_equal(bus_call(node->client, &msg, CALL_MS, &view), 0);
	fail_is(&view, 1, "a daemon asks nothing before its HELLO");
	/* an answer that nobody asked for goes nowhere */
	wire_init(&msg, WIRE_OK, WIRE_EXEC, WIRE_SWMAN, 1);
	wire_put_bytes(&msg, WIRE_TAG_ORIGIN, "12345", 5);
	assert_int_equal(bus_send(false_exec, &msg), 0);
	assert_true(pid_of(node, WIRE_SWMAN) > 0);
	bus_close(false_exec);
}

static void test_rubbish_on_the_socket(void **state)
{
	struct node *node = *state;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	uint8_t rubbish[500];
	const pid_t pid = pid_of(node, WIRE_EXEC);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/frontend", node->dir);
	for (unsigned i = 0; i < 20; i++) {
		const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

		for (size_t j = 0; j < sizeof(rubbish); j++)
			rubbish[j] = (uint8_t)((i + 1) * (j + 7) * 2654435761u >> 23);
		assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
		assert_true(send(fd, rubbish, sizeof(rubbish), MSG_NOSIGNAL) > 0);
		close(fd);
	}
	assert_int_equal(pid_of(node, WIRE_EXEC), pid);
	assert_int_equal(pid_of(node, WIRE_FRONTEND), node->pid);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void hosts_start(struct node *node)
{
	const pid_t pid = pid_of(node, WIRE_EXEC);

	for (enum wire_peer peer = WIRE_EXEC; peer < WIRE_PEERS; peer++)
		pid_of(node, peer);
	ask_ok(node, WIRE_PAUSE, WIRE_EXEC, NULL, NULL); /* one that loses its parent ... */
	kill(pid, SIGKILL);
	while (pid_of(node, WIRE_EXEC) == pid)
		rest();
	ask_ok(node, WIRE_PAUSE, WIRE_EXEC, NULL, NULL); /* ... and one that will */
	while (processes(node) < 6) /* a process that has just been started shows its arguments a little later */
		rest();
	assert_int_equal(processes(node), 6);
}

static void test_down(void **state)
{
	struct node *node = *state;

	pid_of(node, WIRE_SWMAN);
	ask_ok(node, WIRE_DOWN, WIRE_FRONTEND, NULL, NULL);
	client_close(node);
	assert_int_equal(node_status(node), 0);
	assert_int_equal(processes(node), 0);
	assert_int_equal(access(node->dir, F_OK), -1);
}

/* Hosts that do not end by themselves, the children of an exec that lives and of one that was killed, and a daemon that
 * does nothing any more. */
static void test_down_with_the_unwilling(void **state)
{
	struct node *node = *state;

	hosts_start(node);
	kill(pid_of(node, WIRE_STATS), SIGSTOP);
	ask_ok(node, WIRE_DOWN, WIRE_FRONTEND, NULL, NULL);
	client_close(node);
	assert_int_equal(node_status(node), 0);
	assert_int_equal(processes(node), 0);
	assert_int_equal(access(node->dir, F_OK), -1);
}

static void test_leash(void **state)
{
	struct node *node = *state;

	pid_of(node, WIRE_SWMAN);
	client_close(node);
	leash_pull(node);
	assert_int_equal(node_status(node), 0);
	assert_int_equal(processes(node), 0);
	assert_int_equal(access(node->dir, F_OK), -1);
}

static void test_leash_at_once(void **state)
{
	struct node *node = *state;

	client_close(node);
	leash_pull(node);
	assert_int_equal(node_status(node), 0);
	assert_int_equal(processes(node), 0);
}

static void test_terminated(void **state)
{
	struct node *node = *state;

	pid_of(node, WIRE_SWMAN);
	client_close(node);
	kill(node->pid, SIGTERM);
	assert_int_equal(node_status(node), 0);
	assert_int_equal(processes(node), 0);
	assert_int_equal(access(node->dir, F_OK), -1);
}

static void frontend_kill(struct node *node)
{
	client_close(node);
	kill(node->pid, SIGKILL);
	assert_true(WIFSIGNALED(node_status(node)));
	node->pid = 0;
}

/* Everything goes on: the same daemons, with what they had, found by the next frontend; also after one of them was killed
 * meanwhile, and one more in turn. */
static void test_frontend_killed(void **state)
{
	struct node *node = *state;
	pid_t pids[WIRE_PEERS];
	struct bus *false_exec;
	struct wire_view view;

	ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "node", "N");
	ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "waveform/a", "A");
	for (enum wire_peer peer = WIRE_EXEC; peer < WIRE_PEERS; peer++)
		pids[peer] = pid_of(node, peer);
	for (int i = 0; i < 6; i++) {
		const enum wire_peer victim = (enum wire_peer)(WIRE_EXEC + i);

		frontend_kill(node);
		assert_int_equal(processes(node), 3);
		if (victim < WIRE_PEERS && victim != WIRE_EXEC) /* not exec: with both of them, all is lost */
			kill(pids[victim], SIGKILL);
		node_start(node);
		for (enum wire_peer peer = WIRE_EXEC; peer < WIRE_PEERS; peer++) {
			const pid_t pid = pid_of(node, peer);

			if (peer == victim && peer != WIRE_EXEC)
				assert_int_not_equal(pid, pids[peer]);
			else
				assert_int_equal(pid, pids[peer]);
			pids[peer] = pid;
		}
		kept_is(node, WIRE_EXEC, "node=N:N:rw waveform/a=A:A:rw");
		kept_is(node, WIRE_STATS, "waveform/a=A:A:ro");
		orphans_reap(node);
	}
	kill(pids[WIRE_EXEC],
	     SIGKILL); /* not the frontend's child: it is started again, and what it had put is there */
	while (pid_of(node, WIRE_EXEC) == pids[WIRE_EXEC])
		rest();
	kept_is(node, WIRE_EXEC, "node=N:N:rw waveform/a=A:A:rw");
	kept_is(node, WIRE_STATS, "waveform/a=A:A:ro");
	false_exec = bus_connect(node->dir, WIRE_EXEC);
	assert_int_equal(bus_hello(false_exec), 0);
	while (bus_recv(false_exec, &view, NULL) == -EAGAIN)
		rest();
	fail_is(&view, 1, "aloe-exec is started by the frontend alone");
	bus_close(false_exec);
}

/* A question over which the frontend is killed fails at once; those to the next one are answered. */
static void test_killed_over_a_question(void **state)
{
	struct node *node = *state;
	struct wire_msg msg;
	struct wire_view view;
	int result;

	for (int i = 0; i < 5; i++) {
		wire_init(&msg, WIRE_STEP, WIRE_CLIENT, WIRE_EXEC, bus_seq(node->client));
		assert_int_equal(bus_send(node->client, &msg), 0);
		pid_of(node, WIRE_EXEC); /* it has arrived */
		kill(node->pid, SIGKILL);
		assert_true(WIFSIGNALED(node_status(node)));
		while ((result = bus_recv(node->client, &view, NULL)) == -EAGAIN)
			rest();
		assert_int_equal(result, -ECONNRESET);
		node->pid = frontend_spawn(node, node->leash[0], -1);
		pid_of(node, WIRE_EXEC);
	}
}

/* Both at once, and the leash pulled while there is no frontend: all ends, and is cleared up. */
static void test_killed_and_let_go(void **state)
{
	struct node *node = *state;

	hosts_start(node);
	frontend_kill(node);
	leash_pull(node);
	while (processes(node) > 2) { /* the fakes of hosts know of no leash */
		orphans_reap(node);
		rest();
	}
	while (access(node->dir, F_OK) == 0)
		rest();
	child_kill_all();
}

/* In the middle of DOWN: those who have been told to leave do; the next frontend has a whole node again. */
static void test_killed_over_down(void **state)
{
	struct node *node = *state;

	for (int i = 0; i < 5; i++) {
		struct wire_msg msg;

		for (enum wire_peer peer = WIRE_EXEC; peer < WIRE_PEERS; peer++)
			pid_of(node, peer);
		wire_init(&msg, WIRE_DOWN, WIRE_CLIENT, WIRE_FRONTEND, bus_seq(node->client));
		assert_int_equal(bus_send(node->client, &msg), 0);
		for (int j = 0; j < i; j++)
			rest();
		kill(node->pid, SIGKILL);
		client_close(node);
		node_status(node);
		node->pid = 0;
		orphans_reap(node);
		node_start(node);
	}
	test_down(state);
}

/* It was given no leash: all end with it and clear up after it; then, and even before, another may take its place. */
static void test_unkept_frontend_killed(void **state)
{
	struct node *node = *state;

	test_down(state);
	for (int i = 0; i < 5; i++) {
		node->pid = frontend_spawn(node, -1, -1);
		while (!(node->client = bus_connect(node->dir, WIRE_CLIENT)))
			rest();
		pid_of(node, WIRE_SWMAN);
		frontend_kill(node);
		if (i % 2 == 0)
			nothing_is_left(node);
	}
	nothing_is_left(node);
}

/* A daemon that lives and does nothing is killed and started again; so is one that a new frontend finds so. */
static void test_stopped(void **state)
{
	struct node *node = *state;
	pid_t pid = pid_of(node, WIRE_STATS);
	const pid_t exec = pid_of(node, WIRE_EXEC);

	kill(pid, SIGSTOP);
	while (kill(pid, 0) == 0)
		rest();
	assert_int_not_equal(pid_of(node, WIRE_STATS), pid);
	pid = pid_of(node, WIRE_SWMAN);
	kill(pid, SIGSTOP);
	frontend_kill(node);
	node_start(node);
	while (waitpid(pid, NULL, 0) != pid)
		;
	assert_int_not_equal(pid_of(node, WIRE_SWMAN), pid);
	assert_int_equal(pid_of(node, WIRE_EXEC), exec);
}

static void error_output(const struct node *node, int *ret_status, char *ret_text, size_t size)
{
	int pipes[2];
	ssize_t len, all = 0;
	pid_t pid;

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	pid = frontend_spawn(node, -1, pipes[1]);
	close(pipes[1]);
	while ((len = read(pipes[0], ret_text + all, size - 1 - (size_t)all)) > 0)
		all += len;
	ret_text[all] = 0;
	close(pipes[0]);
	assert_int_equal(waitpid(pid, ret_status, 0), pid);
}

static void test_second_frontend(void **state)
{
	struct node *node = *state;
	char text[500], expected[300];
	int status;
	const pid_t pid = pid_of(node, WIRE_EXEC);

	error_output(node, &status, text, sizeof(text));
	assert_int_equal(WEXITSTATUS(status), 2);
	snprintf(expected, sizeof(expected), "aloe-frontend: another aloe-frontend runs in %s; `aloe down` ends it\n",
		 node->dir);
	assert_string_equal(text, expected);
	assert_int_equal(pid_of(node, WIRE_EXEC), pid); /* the first goes on */
}

static void test_program_missing(void **state)
{
	struct node *node = *state;
	char path[120], text[500];
	int status;

	test_down(state);
	snprintf(path, sizeof(path), "%s/aloe-swman", node->bin);
	unlink(path);
	error_output(node, &status, text, sizeof(text));
	assert_int_equal(WEXITSTATUS(status), 1);
	assert_non_null(strstr(text, "aloe-swman: No such file or directory"));
	assert_int_equal(processes(node), 0);
	assert_int_equal(access(node->dir, F_OK), -1);
}

#define ON_NODE(function) cmocka_unit_test_setup_teardown(function, node_setup, node_teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    ON_NODE(test_all_are_there),
	    ON_NODE(test_passed_on),
	    ON_NODE(test_events),
	    ON_NODE(test_kept_over_kills),
	    ON_NODE(test_put_and_killed),
	    ON_NODE(test_many_entries),
	    ON_NODE(test_killed_over_a_request),
	    ON_NODE(test_impostor),
	    ON_NODE(test_rubbish_on_the_socket),
	    ON_NODE(test_down),
	    ON_NODE(test_down_with_the_unwilling),
	    ON_NODE(test_leash),
	    ON_NODE(test_leash_at_once),
	    ON_NODE(test_terminated),
	    ON_NODE(test_frontend_killed),
	    ON_NODE(test_killed_over_a_question),
	    ON_NODE(test_killed_and_let_go),
	    ON_NODE(test_killed_over_down),
	    ON_NODE(test_unkept_frontend_killed),
	    ON_NODE(test_stopped),
	    ON_NODE(test_second_frontend),
	    ON_NODE(test_program_missing),
	};

	if (fake_named(argv[0]))
		return fake_main(argc, argv);
	signal(SIGPIPE, SIG_IGN);
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests_name("frontend", tests, NULL, NULL);
}
