/* SPDX-License-Identifier: BSD-3-Clause
 * platforms/posix/lock: a CPU has one holder on the whole machine, in whichever container, and one
 * who is refused is told who that is. The CPUs here are numbers that no machine of today has: real
 * lanes do not meet them. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/platform/platform.h"

enum { CPU = 1001, LAST = CPU_SETSIZE - 1, CONTENDERS = 12, ROUNDS = 40, NO_NAMESPACE = 99 };

static void test_one_holder(void **state)
{
	struct platform_holder holder = {0};
	int first, second, last;

	(void)state;
	assert_true(platform_cpu_free(CPU));
	first = platform_lock_cpu(CPU, &holder);
	assert_true(first >= 0);
	assert_false(platform_cpu_free(CPU));
	assert_true(platform_cpu_free(CPU - 1) && platform_cpu_free(CPU + 1));
	assert_int_equal(platform_lock_cpu(CPU, &holder), -EADDRINUSE);
	assert_int_equal(holder.pid, getpid());
	assert_int_equal(holder.uid, geteuid());
	assert_false(holder.elsewhere);
	last = platform_lock_cpu(LAST, &holder);
	assert_true(last >= 0);
	close(first);
	second = platform_lock_cpu(CPU, &holder);
	assert_true(second >= 0);
	close(second);
	close(last);
	assert_int_equal(platform_lock_cpu(-1, &holder), -EINVAL);
	assert_int_equal(platform_lock_cpu(CPU_SETSIZE, &holder), -EINVAL);
}

static void test_a_dead_holder_has_none(void **state)
{
	struct platform_holder holder;
	pid_t child = fork();
	int fd;

	(void)state;
	if (child == 0)
		_exit(platform_lock_cpu(CPU, &holder) >= 0 && raise(SIGKILL) == 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	fd = platform_lock_cpu(CPU, &holder);
	assert_true(fd >= 0);
	close(fd);
}

/* Copies keep it while its process is dead; whoever has one goes on as the holder, and lets go for
 * all of them. */
static void test_kept_beyond_a_death(void **state)
{
	struct platform_holder holder;
	const int fd = platform_lock_cpu(CPU, &holder);
	int status, copy, next;
	pid_t child;

	(void)state;
	assert_true(fd >= 0);
	copy = dup(fd);
	close(fd);
	assert_int_equal(platform_lock_cpu(CPU, &holder), -EADDRINUSE);
	child = fork();
	if (child == 0)
		_exit(platform_lock_cpu_on(copy, CPU) != 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(platform_lock_cpu(CPU, &holder), -EADDRINUSE);
	assert_int_equal(holder.pid, child);
	assert_int_equal(platform_lock_cpu_on(copy, CPU), 0);
	assert_int_equal(platform_lock_cpu(CPU, &holder), -EADDRINUSE);
	assert_int_equal(holder.pid, getpid());
	assert_true(platform_cpu_free(CPU - 1) && platform_cpu_free(CPU + 1));
	platform_unlock_cpu(dup(copy), CPU);
	next = platform_lock_cpu(CPU, &holder);
	assert_true(next >= 0);
	close(next);
	close(copy);
}

/* Status: 0 as it should be; 1 the CPU was to be had; 2 the holder is another. */
static int refused_there(pid_t holder_pid, bool elsewhere)
{
	struct platform_holder holder;

	if (platform_cpu_free(CPU) || platform_lock_cpu(CPU, &holder) != -EADDRINUSE)
		return 1;
	return holder.pid == holder_pid && holder.elsewhere == elsewhere ? 0 : 2;
}

static int status_of(pid_t child)
{
	int status = -1;

	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* In namespaces as containers have them. */
static int refused_in(int flags, pid_t holder_pid, bool elsewhere)
{
	const pid_t child = fork();

	if (child == 0) {
		pid_t inner;

		if (unshare(flags) != 0)
			_exit(NO_NAMESPACE);
		inner = fork(); /* the first in its pid namespace */
		if (inner == 0)
			_exit(refused_there(holder_pid, elsewhere));
		_exit(status_of(inner));
	}
	return status_of(child);
}

static void test_across_namespaces(void **state)
{
	static const struct {
		int flags;
		const char *name;
		bool elsewhere;
	} kinds[] = {
	    {CLONE_NEWNET, "network", false},
	    {CLONE_NEWUSER | CLONE_NEWNET, "user and network", false},
	    {CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWPID,
	        "a container's", true},
	    {CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS |
	            CLONE_NEWPID,
	        "a rootless container's", true},
	};
	struct platform_holder holder;
	int fd, made = 0;

	(void)state;
	if (platform_lock_scope() != NULL) {
		print_message(
		    "the locks of this machine end at its %s namespace\n", platform_lock_scope());
		skip();
	}
	fd = platform_lock_cpu(CPU, &holder);
	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const int status = refused_in(kinds[i].flags, getpid(), kinds[i].elsewhere);

		if (status == NO_NAMESPACE)
			print_message(
			    "not tried, this user may not make it: %s namespace\n", kinds[i].name);
		else if (status != 0)
			fail_msg("%s namespace: %d", kinds[i].name, status);
		made += status == 0;
	}
	close(fd);
	if (made == 0)
		skip();
}

/* Of those that want it at once exactly one has it. */
static void test_contest(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		pid_t pids[CONTENDERS];
		int go[2], stay[2], had = 0;
		char c;

		assert_true(pipe(go) == 0 && pipe(stay) == 0);
		for (int i = 0; i < CONTENDERS; i++) {
			struct platform_holder holder;

			pids[i] = fork();
			if (pids[i] == 0) {
				close(go[1]);
				close(stay[1]);
				if (read(go[0], &c, 1) != 0)
					_exit(3);
				had = platform_lock_cpu(CPU, &holder);
				if (had < 0)
					_exit(had == -EADDRINUSE ? 1 : 2);
				_exit(read(stay[0], &c, 1) == 0 ? 0 : 3);
			}
		}
		close(go[1]);
		/* all but one end while that one has it */
		for (int i = 0; i + 1 < CONTENDERS; i++) {
			int status;

			assert_true(waitpid(-1, &status, 0) > 0);
			assert_true(WIFEXITED(status));
			assert_int_equal(WEXITSTATUS(status), 1);
		}
		close(stay[1]);
		assert_true(wait(&had) > 0);
		assert_int_equal(had, 0);
		close(go[0]);
		close(stay[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_one_holder),
	    cmocka_unit_test(test_a_dead_holder_has_none),
	    cmocka_unit_test(test_kept_beyond_a_death),
	    cmocka_unit_test(test_across_namespaces),
	    cmocka_unit_test(test_contest),
	};

	cmocka_set_test_filter(getenv("ONLY"));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
