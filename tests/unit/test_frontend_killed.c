/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_frontend_killed.c - aloe-frontend is killed, and what it was the frontend of goes
 * on. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/child.h"
#include "core/keep/channel.h"
#include "tests/common/fake.h"
#include "tests/common/fake_node.h"

/* Everything goes on: the same daemons, with what they had, found by the next frontend; also after
 * one of them was killed meanwhile, and one more in turn. */
static void test_frontend_killed(void **state)
{
	struct fake_node *node = *state;
	pid_t pids[WIRE_PEERS];
	struct bus *false_exec;
	struct wire_view view;

	fake_ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "node", "N");
	fake_ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "waveform/a", "A");
	for (enum wire_peer peer = WIRE_EXEC; peer < WIRE_PEERS; peer = fake_after(peer))
		pids[peer] = fake_pid_of(node, peer);
	for (int i = 0; i < 6; i++) {
		const enum wire_peer victim = (enum wire_peer)(WIRE_EXEC + i);

		fake_frontend_kill(node);
		assert_int_equal(fake_processes(node), 4);
		if ((victim <= WIRE_SWMAN || victim == WIRE_STATSMAN) &&
		    victim != WIRE_EXEC) /* not exec: without a keeper of a copy all is lost then */
			kill(pids[victim], SIGKILL);
		fake_node_start(node);
		for (enum wire_peer peer = WIRE_EXEC; peer < WIRE_PEERS; peer = fake_after(peer)) {
			const pid_t pid = fake_pid_of(node, peer);

			if (peer == victim && peer != WIRE_EXEC)
				assert_int_not_equal(pid, pids[peer]);
			else
				assert_int_equal(pid, pids[peer]);
			pids[peer] = pid;
		}
		fake_kept_is(node, WIRE_EXEC, "node=N:N:rw waveform/a=A:A:rw");
		fake_kept_is(node, WIRE_STATS, "waveform/a=A:A:ro");
		fake_orphans_reap(node);
	}
	kill(pids[WIRE_EXEC],
	    /* not the frontend's child: it is started again, and what it had put is there */
	    SIGKILL);
	while (fake_pid_of(node, WIRE_EXEC) == pids[WIRE_EXEC])
		fake_rest();
	fake_kept_is(node, WIRE_EXEC, "node=N:N:rw waveform/a=A:A:rw");
	fake_kept_is(node, WIRE_STATS, "waveform/a=A:A:ro");
	false_exec = bus_connect(node->dir, WIRE_EXEC);
	assert_int_equal(bus_hello(false_exec), 0);
	while (bus_recv(false_exec, &view, NULL) == -EAGAIN)
		fake_rest();
	fake_fail_is(&view, 1, "aloe-exec is started only by the frontend");
	bus_close(false_exec);
}

/* ---- with a keeper of a copy ---- */

struct keeper {
	struct log log;
	struct loop loop;
	struct store store;
	struct channel keep;
};

static void keeper_init(struct keeper *keeper)
{
	*keeper = (struct keeper){.store = {0}};
	log_init(&keeper->log, "test");
	loop_init(&keeper->loop);
	channel_init(&keeper->keep, CHANNEL_WRITER, &keeper->log, &keeper->loop, &keeper->store);
}

static void keeper_fini(struct keeper *keeper)
{
	channel_close(&keeper->keep);
	store_fini(&keeper->store);
	loop_fini(&keeper->loop);
}

static void kept_start(struct fake_node *node, struct keeper *keeper)
{
	int pair[2];

	assert_int_equal(keep_pair(pair), 0);
	node->keep = pair[1];
	channel_take(&keeper->keep, pair[0]);
	fake_node_start(node);
	node->keep = 0;
	close(pair[1]);
}

/* Both at once, or exec a moment before or after; the third time with one of the others. */
static void test_killed_with_exec(void **state)
{
	struct fake_node *node = *state;
	struct keeper keeper;

	fake_node_down(node);
	keeper_init(&keeper);
	kept_start(node, &keeper);
	fake_ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "node", "N");
	fake_ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "waveform/a", "A");
	fake_ask_ok(node, WIRE_PREPARE, WIRE_EXEC, "waveform/b", "B");
	fake_ask_ok(node, WIRE_UNLOAD, WIRE_EXEC, "waveform/b", NULL);
	for (int i = 0; i < 6; i++) {
		const pid_t exec = fake_pid_of(node, WIRE_EXEC),
		            stats = fake_pid_of(node, WIRE_STATS);

		if (i % 3 != 0)
			kill(exec, SIGKILL);
		if (i % 3 == 2)
			kill(stats, SIGKILL);
		fake_frontend_kill(node);
		kill(exec, SIGKILL);
		kept_start(node, &keeper);
		assert_int_not_equal(fake_pid_of(node, WIRE_EXEC), exec);
		fake_kept_is(node, WIRE_EXEC, "node=N:N:rw waveform/a=A:A:rw");
		fake_kept_is(node, WIRE_STATS, "waveform/a=A:A:ro");
		fake_orphans_reap(node);
	}
	fake_node_down(node);
	channel_settle(&keeper.keep);
	assert_int_equal(keeper.store.count, 0);
	keeper_fini(&keeper);
}

/* A question over which the frontend is killed fails at once; those to the next one are
 * answered. */
static void test_killed_over_a_question(void **state)
{
	struct fake_node *node = *state;
	struct wire_msg msg;
	struct wire_view view;
	int result;

	for (int i = 0; i < 5; i++) {
		wire_init(&msg, WIRE_STEP, WIRE_CLIENT, WIRE_EXEC, bus_seq(node->client));
		assert_int_equal(bus_send(node->client, &msg), 0);
		fake_pid_of(node, WIRE_EXEC); /* it has arrived */
		kill(node->pid, SIGKILL);
		assert_true(WIFSIGNALED(fake_node_status(node)));
		while ((result = bus_recv(node->client, &view, NULL)) == -EAGAIN)
			fake_rest();
		assert_int_equal(result, -ECONNRESET);
		node->pid = fake_frontend_spawn(node, node->leash[0], -1);
		fake_pid_of(node, WIRE_EXEC);
	}
}

/* Both at once, and the leash pulled while there is no frontend: all ends, and is cleared up. */
static void test_killed_and_let_go(void **state)
{
	struct fake_node *node = *state;

	fake_hosts_start(node);
	fake_frontend_kill(node);
	fake_leash_pull(node);
	while (fake_processes(node) > 2) { /* the fakes of hosts know of no leash */
		fake_orphans_reap(node);
		fake_rest();
	}
	while (access(node->dir, F_OK) == 0)
		fake_rest();
	child_kill_all();
}

/* In the middle of DOWN: those who have been told to leave do; the next frontend has a whole node
 * again. */
static void test_killed_over_down(void **state)
{
	struct fake_node *node = *state;

	for (int i = 0; i < 5; i++) {
		struct wire_msg msg;

		for (enum wire_peer peer = WIRE_EXEC; peer < WIRE_PEERS; peer = fake_after(peer))
			fake_pid_of(node, peer);
		wire_init(&msg, WIRE_DOWN, WIRE_CLIENT, WIRE_FRONTEND, bus_seq(node->client));
		assert_int_equal(bus_send(node->client, &msg), 0);
		for (int j = 0; j < i; j++)
			fake_rest();
		kill(node->pid, SIGKILL);
		fake_client_close(node);
		fake_node_status(node);
		node->pid = 0;
		fake_orphans_reap(node);
		fake_node_start(node);
	}
	fake_node_down(node);
}

/* It was given no leash: all end with it and clear up after it; then, and even before, another may
 * take its place. */
static void test_unkept_frontend_killed(void **state)
{
	struct fake_node *node = *state;

	fake_node_down(node);
	for (int i = 0; i < 5; i++) {
		node->pid = fake_frontend_spawn(node, -1, -1);
		while (!(node->client = bus_connect(node->dir, WIRE_CLIENT)))
			fake_rest();
		fake_pid_of(node, WIRE_SWMAN);
		fake_frontend_kill(node);
		if (i % 2 == 0)
			fake_nothing_is_left(node);
	}
	fake_nothing_is_left(node);
}

/* A daemon that lives and does nothing is killed and started again; so is one that a new frontend
 * finds so. */
static void test_stopped(void **state)
{
	struct fake_node *node = *state;
	pid_t pid = fake_pid_of(node, WIRE_STATS);
	const pid_t exec = fake_pid_of(node, WIRE_EXEC);

	kill(pid, SIGSTOP);
	while (kill(pid, 0) == 0)
		fake_rest();
	assert_int_not_equal(fake_pid_of(node, WIRE_STATS), pid);
	pid = fake_pid_of(node, WIRE_SWMAN);
	kill(pid, SIGSTOP);
	fake_frontend_kill(node);
	fake_node_start(node);
	while (waitpid(pid, NULL, 0) != pid)
		;
	assert_int_not_equal(fake_pid_of(node, WIRE_SWMAN), pid);
	assert_int_equal(fake_pid_of(node, WIRE_EXEC), exec);
}
#define ON_NODE(function)                                                                          \
	cmocka_unit_test_setup_teardown(function, fake_node_setup, fake_node_teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    ON_NODE(test_frontend_killed),
	    ON_NODE(test_killed_over_a_question),
	    ON_NODE(test_killed_and_let_go),
	    ON_NODE(test_killed_over_down),
	    ON_NODE(test_unkept_frontend_killed),
	    ON_NODE(test_stopped),
	    ON_NODE(test_killed_with_exec),
	};

	if (fake_named(argv[0]))
		return fake_main(argc, argv);
	signal(SIGPIPE, SIG_IGN);
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests_name("frontend_killed", tests, NULL, NULL);
}
