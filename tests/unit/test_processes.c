/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which threads process_prefer prefers: those of ordinary priority (tools/bench/processes.h). */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/platform/platform.h"
#include "tools/bench/processes.h"

static pid_t sleeper_start(void)
{
	const pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

static void sleeper_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_prefer(void **state)
{
	const pid_t ordinary = sleeper_start(), realtime = sleeper_start();
	const int before = getpriority(PRIO_PROCESS, (id_t)ordinary);
	const bool may = setpriority(PRIO_PROCESS, (id_t)ordinary, -20) == 0;
	const int given = platform_realtime(realtime, 1);
	int nice_now, priorities[2];

	(void)state;
	setpriority(PRIO_PROCESS, (id_t)ordinary, before);
	process_prefer(ordinary);
	process_prefer(realtime);
	nice_now = getpriority(PRIO_PROCESS, (id_t)ordinary);
	priorities[0] = platform_priority(ordinary);
	priorities[1] = platform_priority(realtime);
	sleeper_end(ordinary);
	sleeper_end(realtime);
	assert_int_equal(nice_now, may ? -20 : before);
	assert_int_equal(priorities[0], 0);
	assert_int_equal(priorities[1], given == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_prefer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
