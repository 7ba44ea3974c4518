/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_frontend.c - aloe-frontend with real processes: routing, keep store, restarts,
 * and that nothing is left. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/child.h"
#include "daemons/frontend/supervise.h"
#include "tests/common/fake.h"
#include "tests/common/fake_node.h"

enum { CALL_MS = 20000 };

/* ---- tests ------------------------------------------------------------------------ */

static void test_all_are_there(void **state)
{
	struct fake_node *node = *state;
	pid_t pids[WIRE_PEERS];
	struct wire_view view;

	for (enum wire_peer peer = WIRE_FRONTEND; peer < WIRE_PEERS; peer = fake_after(peer)) {
		pids[peer] = fake_pid_of(node, peer);
		for (enum wire_peer other = WIRE_FRONTEND; other < peer; other = fake_after(other))
			assert_int_not_equal(pids[peer], pids[other]);
	}
	assert_int_equal(pids[WIRE_FRONTEND], node->pid);
	assert_int_equal(fake_processes(node), 5); /* each has answered: its arguments are there */
	assert_int_equal(fake_ask(node, WIRE_LOAD, WIRE_FRONTEND, NULL, NULL, &view), 0);
	fake_fail_is(&view, 1, "aloe-frontend does not know message 10 (LOAD)");
	assert_int_equal(fake_ask(node, (enum wire_type)777, WIRE_CLIENT, NULL, NULL, &view), 0);
	fake_fail_is(&view, 1, "the request names no daemon");
}

/* The answer to a request that a daemon has passed on comes straight back, from who gave it. */
static void test_passed_on(void **state)
{
	struct fake_node *node = *state;
	struct wire_view view;

	assert_int_equal(fake_ask(node, WIRE_START, WIRE_SWMAN, NULL, NULL, &view), 0);
	fake_fail_is(&view, 7, "swman says no");
	assert_int_equal(fake_ask(node, WIRE_START, WIRE_STATS, NULL, NULL, &view), 0);
	assert_int_equal(view.source, WIRE_EXEC);
	fake_fail_is(&view, 7, "exec says no");
}

static void test_events(void **state)
{
	struct fake_node *node = *state;
	struct wire_view view;
	const pid_t before = fake_pid_of(node, WIRE_STATS);

	fake_pid_of(node, WIRE_SWMAN);
	fake_pid_of(node, WIRE_EXEC);
	fake_ask_ok(node, WIRE_STATUS, WIRE_EXEC, NULL, NULL);
	assert_int_equal(fake_ask(node, WIRE_LIST, WIRE_SWMAN, NULL, NULL, &view), 0);
	char *text = wire_get_text(&view, WIRE_TAG_TEXT, 0);
	assert_non_null(strstr(text, "event-RUN"));
	free(text);
	kill(before, SIGKILL);
	while (fake_pid_of(node, WIRE_STATS) == before)
		fake_rest();
	assert_int_equal(fake_ask(node, WIRE_LIST, WIRE_SWMAN, NULL, NULL, &view), 0);
	text = wire_get_text(&view, WIRE_TAG_TEXT, 0);
	assert_non_null(strstr(text, "stats-down"));
	assert_non_null(strstr(text, "stats-up"));
	free(text);
}

/* What exec has put comes back to each that follows it, and, read-only and as it happens, to
 * stats. */
static void test_kept_over_kills(void **state)
{
	static const char all[] = "node=N:N:rw waveform/a=A2:A2:rw lane/0=L:L:rw";
	struct fake_node *node = *state;
	static const char before[] = "waveform/a=A2:A2:ro";
	char name[32], expected[100];

	fake_ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "node", "N");
	fake_ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "waveform/a", "A1");
	fake_ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "lane/0", "L");
	fake_ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "waveform/a", "A2"); /* replaced, in its place */
	fake_kept_is(node, WIRE_STATS, "waveform/a=A2:A2:ro");
	for (int i = 0; i < 6; i++) {
		pid_t pids[WIRE_PEERS];

		for (enum wire_peer peer = WIRE_EXEC; peer < WIRE_PEERS; peer = fake_after(peer)) {
			pids[peer] = fake_pid_of(node, peer);
			kill(pids[peer], SIGKILL);
		}
		for (enum wire_peer peer = WIRE_EXEC; peer < WIRE_PEERS; peer = fake_after(peer)) {
			while (fake_pid_of(node, peer) == pids[peer])
				fake_rest();
		}
		fake_kept_is(node, WIRE_EXEC, all);
		fake_kept_is(node, WIRE_STATS, before);
		/* one more of each kind in every round, dropped again at the end of it */
		snprintf(name, sizeof(name), "waveform/%d", i);
		fake_ask_ok(node, WIRE_PREPARE, WIRE_EXEC, name, "X");
		snprintf(expected, sizeof(expected), "%s %s=X:X:ro", before, name);
		fake_kept_is(node, WIRE_STATS, expected);
		fake_ask_ok(node, WIRE_UNLOAD, WIRE_EXEC, name, NULL);
		fake_kept_is(node, WIRE_STATS, before);
	}
}

/* A put is kept although its sender is killed right behind it. */
static void test_put_and_killed(void **state)
{
	struct fake_node *node = *state;
	struct wire_view view;
	char name[32], *text;

	for (int i = 0; i < 5; i++) {
		const pid_t pid = fake_pid_of(node, WIRE_EXEC);

		snprintf(name, sizeof(name), "waveform/%d", i);
		fake_ask_ok(node, WIRE_PREPARE, WIRE_EXEC, name, "X");
		kill(pid, SIGKILL);
		while (fake_pid_of(node, WIRE_EXEC) == pid)
			fake_rest();
		assert_int_equal(fake_ask(node, WIRE_LIST, WIRE_EXEC, NULL, NULL, &view), 0);
		text = wire_get_text(&view, WIRE_TAG_TEXT, 0);
		assert_non_null(strstr(text, name));
		free(text);
	}
}

/* More than a socket takes at once: 600 entries with a descriptor each, dumped to both. */
static void test_many_entries(void **state)
{
	struct fake_node *node = *state;
	struct wire_view view;
	const pid_t pid = fake_pid_of(node, WIRE_EXEC);
	char name[120], *text;

	for (int i = 0; i < 600; i++) {
		snprintf(name, sizeof(name), "host/%0*d", 5, i);
		fake_ask_ok(node, WIRE_PREPARE, WIRE_EXEC, name, "");
	}
	fake_ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "waveform/last", "Z");
	for (int i = 0; i < 598; i++) {
		snprintf(name, sizeof(name), "host/%0*d", 5, i);
		if (i == 300) {
			kill(pid, SIGKILL);
			while (fake_pid_of(node, WIRE_EXEC) == pid)
				fake_rest();
		}
		fake_ask_ok(node, WIRE_UNLOAD, WIRE_EXEC, name, NULL);
	}
	assert_int_equal(fake_ask(node, WIRE_LIST, WIRE_EXEC, NULL, NULL, &view), 0);
	text = wire_get_text(&view, WIRE_TAG_TEXT, 0);
	assert_string_equal(text, "host/00598=::rw host/00599=::rw waveform/last=Z:Z:rw");
	free(text);
	fake_kept_is(node, WIRE_STATS, "waveform/last=Z:Z:ro");
}

static void test_killed_over_a_request(void **state)
{
	struct fake_node *node = *state;
	struct bus *other = bus_connect(node->dir, WIRE_CLIENT);
	const pid_t pid = fake_pid_of(node, WIRE_EXEC);
	struct wire_msg msg;
	struct wire_view view;

	wire_init(&msg, WIRE_STEP, WIRE_CLIENT, WIRE_EXEC, bus_seq(other));
	assert_int_equal(bus_send(other, &msg), 0);
	/* the one before it has arrived */
	wire_init(&msg, WIRE_PING, WIRE_CLIENT, WIRE_EXEC, bus_seq(other));
	assert_int_equal(bus_call(other, &msg, CALL_MS, &view), 0);
	kill(pid, SIGKILL);
	while (bus_recv(other, &view, NULL) == -EAGAIN)
		fake_rest();
	assert_int_equal(view.seq, 1);
	fake_fail_is(&view, 1, "aloe-exec ended before it had answered");
	bus_close(other);
}

/* The child of the frontend that is exec now, be it that it has not said so yet; not `old`. */
static pid_t exec_other(const struct fake_node *node, pid_t old)
{
	const char *const argv[] = {"aloe-exec", "--dir", node->dir};
	pid_t pid = -1;
	int pidfd;

	while (pid <= 0 || pid == old) {
		fake_rest();
		pid = child_find(node->pid, argv, 3, &pidfd);
		if (pid > 0)
			close(pidfd);
	}
	return pid;
}

/* Both are silent for longer than SUPERVISE_SILENT: swman over a LOAD, exec over the many entries
 * that it takes up. Neither is killed for that. */
static void test_busy_is_not_hung(void **state)
{
	struct fake_node *node = *state;
	const pid_t swman = fake_pid_of(node, WIRE_SWMAN), old = fake_pid_of(node, WIRE_EXEC);
	struct bus *other = bus_connect(node->dir, WIRE_CLIENT);
	struct wire_view view;
	struct wire_msg msg;
	char name[32];
	pid_t exec;

	assert_true(FAKE_LONG_MS > SUPERVISE_SILENT * 1000);
	for (int i = 0; i < 10 * SUPERVISE_KEPT_A_S; i++) {
		snprintf(name, sizeof(name), "host/%d", i);
		fake_ask_ok(node, WIRE_PREPARE, WIRE_EXEC, name, "");
	}
	fake_ask_ok(node, WIRE_PREPARE, WIRE_EXEC, FAKE_LONG_KEY, "");
	kill(old, SIGKILL);
	exec = exec_other(node, old);
	wire_init(&msg, WIRE_LOAD, WIRE_CLIENT, WIRE_SWMAN, bus_seq(other));
	assert_int_equal(bus_call(other, &msg, CALL_MS, &view), 0);
	assert_int_equal(view.type, WIRE_OK); /* and not that it has ended */
	assert_int_equal(fake_pid_of(node, WIRE_SWMAN), swman);
	assert_int_equal(fake_pid_of(node, WIRE_EXEC), exec);
	bus_close(other);
}

/* Peers that claim to be what they are not. */
static void test_impostor(void **state)
{
	struct fake_node *node = *state;
	struct bus *false_exec;
	struct wire_msg msg;
	struct wire_view view;
	const pid_t pid = fake_pid_of(node, WIRE_EXEC);

	false_exec = bus_connect(node->dir, WIRE_EXEC);
	assert_int_equal(bus_hello(false_exec), 0);
	while (bus_recv(false_exec, &view, NULL) == -EAGAIN)
		fake_rest();
	fake_fail_is(&view, 1, "aloe-exec is started only by the frontend");
	assert_int_equal(fake_pid_of(node, WIRE_EXEC), pid);
	/* an ORIGIN of a client's own making is replaced: the answer comes to who asked */
	wire_init(&msg, WIRE_PING, WIRE_CLIENT, WIRE_SWMAN, bus_seq(node->client));
	wire_put_bytes(&msg, WIRE_TAG_ORIGIN, "12345", 5);
	assert_int_equal(bus_call(node->client, &msg, CALL_MS, &view), 0);
	assert_int_equal(view.dest, WIRE_CLIENT);
	/* and who claims to be a daemon, but has not been let in, is not passed on */
	wire_init(&msg, WIRE_PREPARE, WIRE_SWMAN, WIRE_EXEC, bus_seq(node->client));
	assert_int_equal(bus_call(node->client, &msg, CALL_MS, &view), 0);
	fake_fail_is(&view, 1, "a daemon must send HELLO before a request");
	/* an answer that nobody asked for goes nowhere */
	wire_init(&msg, WIRE_OK, WIRE_EXEC, WIRE_SWMAN, 1);
	wire_put_bytes(&msg, WIRE_TAG_ORIGIN, "12345", 5);
	assert_int_equal(bus_send(false_exec, &msg), 0);
	assert_true(fake_pid_of(node, WIRE_SWMAN) > 0);
	bus_close(false_exec);
}

static void test_rubbish_on_the_socket(void **state)
{
	struct fake_node *node = *state;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	uint8_t rubbish[500];
	const pid_t pid = fake_pid_of(node, WIRE_EXEC);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/frontend", node->dir);
	for (unsigned i = 0; i < 20; i++) {
		const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

		for (size_t j = 0; j < sizeof(rubbish); j++)
			rubbish[j] = (uint8_t)((i + 1) * (j + 7) * 2654435761u >> 23);
		assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
		assert_true(send(fd, rubbish, sizeof(rubbish), MSG_NOSIGNAL) > 0);
		close(fd);
	}
	assert_int_equal(fake_pid_of(node, WIRE_EXEC), pid);
	assert_int_equal(fake_pid_of(node, WIRE_FRONTEND), node->pid);
}

/* ---- the end ------------------------------------------------------------------------ */

static void test_down(void **state)
{
	fake_node_down(*state);
}

/* Hosts that do not end by themselves, the children of an exec that lives and of one that was
 * killed, and a daemon that does nothing any more. */
static void test_down_with_the_unwilling(void **state)
{
	struct fake_node *node = *state;

	fake_hosts_start(node);
	kill(fake_pid_of(node, WIRE_STATS), SIGSTOP);
	fake_ask_ok(node, WIRE_DOWN, WIRE_FRONTEND, NULL, NULL);
	fake_client_close(node);
	assert_int_equal(fake_node_status(node), 0);
	assert_int_equal(fake_processes(node), 0);
	assert_int_equal(access(node->dir, F_OK), -1);
}

static void test_leash(void **state)
{
	struct fake_node *node = *state;

	fake_pid_of(node, WIRE_SWMAN);
	fake_client_close(node);
	fake_leash_pull(node);
	assert_int_equal(fake_node_status(node), 0);
	assert_int_equal(fake_processes(node), 0);
	assert_int_equal(access(node->dir, F_OK), -1);
}

static void test_leash_at_once(void **state)
{
	struct fake_node *node = *state;

	fake_client_close(node);
	fake_leash_pull(node);
	assert_int_equal(fake_node_status(node), 0);
	assert_int_equal(fake_processes(node), 0);
}

static void test_terminated(void **state)
{
	struct fake_node *node = *state;

	fake_pid_of(node, WIRE_SWMAN);
	fake_client_close(node);
	kill(node->pid, SIGTERM);
	assert_int_equal(fake_node_status(node), 0);
	assert_int_equal(fake_processes(node), 0);
	assert_int_equal(access(node->dir, F_OK), -1);
}
static void error_output(const struct fake_node *node, int *ret_status, char *ret_text, size_t size)
{
	int pipes[2];
	ssize_t len, all = 0;
	pid_t pid;

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	pid = fake_frontend_spawn(node, -1, pipes[1]);
	close(pipes[1]);
	while ((len = read(pipes[0], ret_text + all, size - 1 - (size_t)all)) > 0)
		all += len;
	ret_text[all] = 0;
	close(pipes[0]);
	assert_int_equal(waitpid(pid, ret_status, 0), pid);
}

static void test_second_frontend(void **state)
{
	struct fake_node *node = *state;
	char text[500], expected[300];
	int status;
	const pid_t pid = fake_pid_of(node, WIRE_EXEC);

	error_output(node, &status, text, sizeof(text));
	assert_int_equal(WEXITSTATUS(status), 2);
	snprintf(expected, sizeof(expected),
	    "aloe-frontend: another aloe-frontend runs in %s; `aloe down` ends that node\n",
	    node->dir);
	assert_string_equal(text, expected);
	assert_int_equal(fake_pid_of(node, WIRE_EXEC), pid); /* the first goes on */
}

static void test_program_missing(void **state)
{
	struct fake_node *node = *state;
	char path[120], text[500];
	int status;

	test_down(state);
	snprintf(path, sizeof(path), "%s/aloe-swman", node->bin);
	unlink(path);
	error_output(node, &status, text, sizeof(text));
	assert_int_equal(WEXITSTATUS(status), 1);
	assert_non_null(strstr(text, "aloe-swman: No such file or directory"));
	assert_int_equal(fake_processes(node), 0);
	assert_int_equal(access(node->dir, F_OK), -1);
}
#define ON_NODE(function)                                                                          \
	cmocka_unit_test_setup_teardown(function, fake_node_setup, fake_node_teardown)

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
	    ON_NODE(test_busy_is_not_hung),
	    ON_NODE(test_impostor),
	    ON_NODE(test_rubbish_on_the_socket),
	    ON_NODE(test_down),
	    ON_NODE(test_down_with_the_unwilling),
	    ON_NODE(test_leash),
	    ON_NODE(test_leash_at_once),
	    ON_NODE(test_terminated),
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
