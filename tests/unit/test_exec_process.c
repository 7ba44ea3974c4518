/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_exec_process.c - what exec does with a host that does not read, with one that has
 * no socket, and with one that ends together with the node. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/child.h"
#include "daemons/exec/exec.h"

struct rig {
	struct exec *exec;
	struct exec_wave wave;
	struct exec_host host;
	int end; /* the host's, of its socket */
	pid_t pid;
};

static int rig_setup(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	struct kept_process kept;
	int pair[2];

	rig->exec = calloc(1, sizeof(*rig->exec));
	loop_init(&rig->exec->daemon.loop);
	rig->exec->daemon.attach.fd = -1;
	rig->exec->daemon.args.leash = -1;
	rig->exec->host_answer = host_answer;
	rig->exec->host_died = host_died;
	rig->wave = (struct exec_wave){.exec = rig->exec, .name = "wave"};
	rig->host = (struct exec_host){.wave = &rig->wave};
	memset(&kept, 0xff, sizeof(kept)); /* no seat */
	rig->pid = kept.pid = fork();
	if (kept.pid == 0) {
		for (;;)
			pause();
	}
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	rig->end = pair[1];
	assert_int_equal(
	    process_restore(&rig->host, &kept, pidfd_open(kept.pid, 0), pair[0], false), 0);
	*state = rig;
	return 0;
}

static int rig_teardown(void **state)
{
	struct rig *rig = *state;

	kill(rig->pid, SIGKILL);
	waitpid(rig->pid, NULL, 0);
	if (rig->host.process != NULL)
		process_free(rig->host.process);
	if (rig->end >= 0)
		close(rig->end);
	loop_fini(&rig->exec->daemon.loop);
	free(rig->exec);
	free(rig);
	return 0;
}

static void is_killed(const struct rig *rig, const char *why)
{
	siginfo_t info = {0};

	assert_true(rig->host.process->dying);
	assert_string_equal(rig->host.process->why, why);
	assert_int_equal(waitid(P_PID, (id_t)rig->pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(info.si_status, SIGKILL);
}

/* exec has other things to do than to wait until there is room. */
static void a_host_that_does_not_read(void **state)
{
	const struct hostlink_msg msg = {.type = HOSTLINK_FORGET};
	struct rig *rig = *state;
	unsigned taken = 0;
	int status;

	while ((status = process_send(rig->host.process, &msg, NULL, 0)) == 0)
		taken++;
	assert_int_equal(status, -EAGAIN);
	assert_true(taken > 1);
	is_killed(rig, "was killed, because the host does not read the messages of aloe-exec");
}

/* Time for one that has just ended: the kernel closes its socket first. */
static void a_host_without_a_socket(void **state)
{
	struct rig *rig = *state;

	close(rig->end);
	rig->end = -1;
	assert_int_equal(loop_step(&rig->exec->daemon.loop, -1), 0);
	assert_false(rig->host.process->dying);
	while (!rig->host.process->dying)
		assert_int_equal(loop_step(&rig->exec->daemon.loop, -1), 0);
	is_killed(rig, "was killed, because the host had closed its socket to aloe-exec");
}

static void died(struct exec_host *host, const char *how)
{
	assert_string_equal(how, "was killed by signal 9 (SIGKILL)");
	host->finished = true;
	host->process = NULL;
}

static void host_kill(struct rig *rig)
{
	struct pollfd ended = {.fd = rig->host.process->pidfd, .events = POLLIN};

	rig->exec->host_died = died;
	rig->exec->waves = &rig->wave;
	rig->wave.hosts = &rig->host;
	rig->wave.n_hosts = 1;
	kill(rig->pid, SIGKILL);
	assert_int_equal(poll(&ended, 1, -1), 1);
	loop_watch_stop(&rig->exec->daemon.loop, &rig->host.process->sock_watch);
}

static void a_host_that_dies(void **state)
{
	struct rig *rig = *state;
	int leash[2];

	assert_int_equal(leash_new(leash), 0);
	rig->exec->daemon.args.leash = leash[0];
	host_kill(rig);
	assert_int_equal(loop_step(&rig->exec->daemon.loop, -1), 0);
	assert_true(rig->host.finished);
	close(leash[0]);
	close(leash[1]);
}

/* Its end is no fault of the waveform, which the manager would stop on all nodes for it. */
static void a_host_that_ends_with_the_node(void **state)
{
	struct rig *rig = *state;
	int leash[2];

	assert_int_equal(leash_new(leash), 0);
	rig->exec->daemon.args.leash = leash[0];
	host_kill(rig);
	close(leash[1]);
	assert_int_equal(loop_step(&rig->exec->daemon.loop, -1), 0);
	assert_false(rig->host.finished);
	assert_int_equal(loop_step(&rig->exec->daemon.loop, 0), 0); /* nor does it ask for more */
	close(leash[0]);
}

#define ON_RIG(function) cmocka_unit_test_setup_teardown(function, rig_setup, rig_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    ON_RIG(a_host_that_does_not_read),
	    ON_RIG(a_host_without_a_socket),
	    ON_RIG(a_host_that_dies),
	    ON_RIG(a_host_that_ends_with_the_node),
	};

	cmocka_set_test_filter(getenv("ONLY"));
	return cmocka_run_group_tests_name("exec_process", tests, NULL, NULL);
}
