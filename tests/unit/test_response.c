/* SPDX-License-Identifier: BSD-3-Clause
 * tools/bench/response: one cell of the experiment. Only what does not depend on how busy the
 * machine is. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/child.h"
#include "core/base/file.h"
#include "tools/bench/response.h"

enum { SUBFRAMES = 30 };

static int run(const struct response_cell *cell, double work_us, struct response_result *ret)
{
	struct response_core core;

	response_core_measure(&core);
	assert_true(core.rounds > 0);
	assert_true(core.slowed >= 0 && core.slowed <= RESPONSE_SLOWED_MOST);
	return response_run(cell, &core, work_us, SUBFRAMES, -1, ret);
}

/* More work than there is time, even if the core was slow when its rounds were measured: each
 * answer is late, and none is lost. */
static void test_too_much_work(void **state)
{
	const struct response_cell cell = {.loops = 0};
	struct response_result *result = calloc(1, sizeof(*result));

	(void)state;
	assert_non_null(result);
	assert_int_equal(run(&cell, 20000, result), 0);
	assert_int_equal(result->subframes, SUBFRAMES);
	assert_int_equal(result->failed, SUBFRAMES);
	if (hist_count(&result->ns) > 0)
		assert_true(hist_min(&result->ns) > 1000000);
	free(result);
}

/* A timer whose steps are longer than the time for an answer misses at least those subframes that
 * begin too long before its next step: with 20 ms three of four. */
static void test_coarse_timer(void **state)
{
	const struct response_cell cell = {.hz = 50};
	struct response_result *result = calloc(1, sizeof(*result));

	(void)state;
	assert_non_null(result);
	assert_int_equal(run(&cell, 10, result), 0);
	assert_int_equal(result->subframes, SUBFRAMES);
	assert_true(result->failed >= SUBFRAMES * 3 / 4 - 2);
	free(result);
}

/* Kills the nth child of this process, in the order of their beginning, when it is 100 ms old. */
static pid_t killer_start(unsigned nth)
{
	char path[64];
	const pid_t parent = getpid(), killer = fork();

	if (killer != 0)
		return killer;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
	for (;;) {
		FILE *file = fopen(path, "re");
		unsigned n = 0;
		int pid;

		while (file && fscanf(file, "%d", &pid) == 1 && (pid == getpid() || n++ != nth))
			;
		if (file)
			fclose(file);
		usleep(100000);
		if (n > nth)
			_exit(kill(pid, SIGKILL) != 0);
	}
}

/* Whichever process of the chain is killed, or a loop: it is told, and nobody waits for ever. */
static void test_killed(void **state)
{
	const struct response_cell cell = {.loops = 1};
	struct response_result *result = calloc(1, sizeof(*result));
	struct response_core core;

	(void)state;
	assert_non_null(result);
	response_core_measure(&core);
	for (unsigned nth = 0; nth < 4; nth++) {
		const pid_t killer = killer_start(nth);
		int status;

		assert_true(killer > 0);
		assert_int_equal(response_run(&cell, &core, 10, 2000, -1, result), -ECHILD);
		assert_true(result->subframes < 2000);
		assert_int_equal(waitpid(killer, &status, 0), killer);
		assert_int_equal(status, 0);
	}
	free(result);
}

/* ---- a quota ---- */

/* `aloe cap` is looked for beside the program that runs. */
static bool aloe_beside(char link_path[PATH_MAX])
{
	char self[PATH_MAX], target[PATH_MAX];
	int status = -1;
	pid_t pid;

	if (child_path("aloe", link_path, PATH_MAX) < 0 ||
	    path_print(self, sizeof(self), "%s", link_path) < 0)
		return false;
	*strrchr(self, '/') = 0;
	if (path_print(target, sizeof(target), "%s/../../bin/aloe", self) < 0 ||
	    symlink(target, link_path) < 0)
		return false;
	pid = fork();
	if (pid == 0) {
		if (freopen("/dev/null", "w", stdout))
			execl(link_path, "aloe", "--version", (char *)NULL);
		_exit(1);
	}
	return waitpid(pid, &status, 0) == pid && status == 0; /* not so under an emulator */
}

static bool groups_here(void)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/fs/cgroup/cpu/aloe-scope.test.%d", (int)getpid());
	return mkdir(path, 0755) == 0 && rmdir(path) == 0;
}

/* With loops, and a quota where control groups are ours: it ends, counts, and leaves nobody and
 * nothing behind. */
static void test_with_loops(void **state)
{
	const struct response_cell cell = {.quota = 20, .loops = 2, .period_us = 5000};
	struct response_result *result = calloc(1, sizeof(*result));
	char path[PATH_MAX], left[128];
	bool possible;
	int rc;

	(void)state;
	assert_non_null(result);
	possible = aloe_beside(path) && groups_here();
	rc = run(&cell, 10, result);
	unlink(path);
	if (possible)
		assert_int_equal(rc, 0);
	assert_true(rc == 0 || rc == -ENOTSUP);
	assert_int_equal(result->subframes, rc == 0 ? SUBFRAMES : 0);
	snprintf(left, sizeof(left), "/run/aloe.cap/aloe-scope.response.%d.lock", (int)getpid());
	assert_int_equal(access(left, F_OK), -1);
	snprintf(left, sizeof(left), "/sys/fs/cgroup/cpu/aloe-scope.response.%d", (int)getpid());
	assert_int_equal(access(left, F_OK), -1);
	free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_too_much_work),
	    cmocka_unit_test(test_coarse_timer),
	    cmocka_unit_test(test_killed),
	    cmocka_unit_test(test_with_loops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
