/* SPDX-License-Identifier: BSD-3-Clause
 * core/measure/capacity: measured once, whoever asks at the same time; in the background; and
 * what a load would wait for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/platform/platform.h"
#include "core/measure/local.h"
#include "core/measure/capacity.h"

struct asker {
	const char *state;
	int rc;
	bool waited;
	struct class_rates rates;
};

static int dir_new(void **state)
{
	char *dir = strdup("/tmp/test_capacity.XXXXXX");

	*state = mkdtemp(dir);
	return *state ? 0 : -1;
}

static int dir_remove(void **state)
{
	char command[200];

	snprintf(command, sizeof(command), "rm -rf '%s'", (char *)*state);
	free(*state);
	return system(command);
}

static void *ask(void *self)
{
	struct asker *asker = self;

	asker->rc = capacity_keep(asker->state, &asker->waited);
	local_rates(asker->state, &asker->rates);
	return NULL;
}

/* All get the same figures, so one has measured and the others have waited for it. */
static void test_together(void **state)
{
	struct asker askers[3], later = {.state = *state};
	pthread_t threads[3];

	for (int i = 0; i < 3; i++) {
		askers[i] = (struct asker){.state = *state};
		assert_int_equal(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(askers[i].rc, 0);
		assert_true(class_rates_known(&askers[i].rates));
		assert_memory_equal(
		    askers[i].rates.ns, askers[0].rates.ns, sizeof(askers[0].rates.ns));
	}
	assert_true(askers[0].waited || askers[1].waited || askers[2].waited);
	ask(&later);
	assert_int_equal(later.rc, 0);
	assert_false(later.waited);
	assert_memory_equal(later.rates.ns, askers[0].rates.ns, sizeof(askers[0].rates.ns));
}

/* Who has the lock measures: others stand at it. */
static void test_waits(void **state)
{
	struct asker asker = {.state = *state, .rc = 1};
	struct class_rates before;
	char path[200];
	pthread_t thread;
	int fd;

	snprintf(path, sizeof(path), "%s/capacity", (char *)*state);
	assert_int_equal(dir_make(path), 0);
	strcat(path, "/lock");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0 && flock(fd, LOCK_EX) == 0);
	assert_int_equal(pthread_create(&thread, NULL, ask, &asker), 0);
	usleep(600000); /* it would have ended long ago */
	local_rates(*state, &before);
	assert_false(class_rates_known(&before));
	close(fd);
	pthread_join(thread, NULL);
	assert_int_equal(asker.rc, 0);
	assert_true(asker.waited && class_rates_known(&asker.rates));
}

static void test_soon(void **state)
{
	struct class_rates rates;

	assert_int_equal(capacity_keep_soon(*state), 0);
	do {
		usleep(10000);
		local_rates(*state, &rates);
	} while (!class_rates_known(&rates) || !local_lane_known(*state));
	assert_int_equal(capacity_keep_soon(*state), 0);
}

/* On one CPU, by a process of real-time priority where that may be had: the lane that is measured
 * never sleeps, and the one who has to end it runs on the same CPU. */
static void test_one_cpu(void **state)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		alarm(60); /* against a hang */
		platform_pin(0);
		platform_realtime(0, 10);
		_exit(capacity_keep(*state, NULL) == 0 && local_lane_known(*state) ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void test_nowhere(void **state)
{
	(void)state;
	assert_true(capacity_keep("/proc/self/nothing", NULL) < 0);
}

/* What stands in the way of the rates: a folder of that name. */
static void way_bar(const char *state, bool bar)
{
	struct class_rates kind;
	char path[200];

	local_kind(&kind);
	snprintf(path, sizeof(path), "%s/capacity/%016llx.json", state,
	    (unsigned long long)class_rates_fingerprint(&kind));
	if (bar)
		assert_int_equal(dir_make(path), 0);
	else
		assert_int_equal(rmdir(path), 0);
}

static void lock_age(const char *state, int seconds)
{
	const struct timespec when[2] = {
	    {.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
	char path[200];

	snprintf(path, sizeof(path), "%s/capacity/lock", state);
	assert_int_equal(utimensat(AT_FDCWD, path, when, 0), 0);
}

/* A failure is remembered, so that not every load tries again, but not for ever. */
static void test_failed(void **state)
{
	int rc;

	way_bar(*state, true);
	rc = capacity_keep(*state, NULL);
	assert_true(rc < 0);
	way_bar(*state, false);
	assert_int_equal(capacity_keep(*state, NULL), rc);
	assert_false(local_lane_known(*state));
	lock_age(*state, CAPACITY_AGAIN_S + 1);
	assert_int_equal(capacity_keep(*state, NULL), 0);
	assert_true(local_lane_known(*state));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_together, dir_new, dir_remove),
	    cmocka_unit_test_setup_teardown(test_waits, dir_new, dir_remove),
	    cmocka_unit_test_setup_teardown(test_soon, dir_new, dir_remove),
	    cmocka_unit_test_setup_teardown(test_one_cpu, dir_new, dir_remove),
	    cmocka_unit_test_setup_teardown(test_failed, dir_new, dir_remove),
	    cmocka_unit_test(test_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
