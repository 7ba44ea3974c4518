/* SPDX-License-Identifier: BSD-3-Clause
 * core/base/silence: a process that does not answer is hung where it could have answered, and
 * starved where it waited for a CPU. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/silence.h"

#define SECOND 1000000000ull
#define MS 1000000ull

enum { PATIENCE = 5, BUSY = 90, LONG = 400 };

struct daemon {
	struct silence silence;
	struct silence_sample used;
	uint64_t own_waited;
	unsigned patience, hangs;
	bool unknown;
};

/* One second, of which it ran and waited so long. */
static enum silence_kind second(struct daemon *daemon, uint64_t ran, uint64_t waited)
{
	daemon->used.ran_ns += ran;
	daemon->used.waited_ns += waited;
	return silence_look(&daemon->silence, SECOND, daemon->unknown ? NULL : &daemon->used,
	    daemon->own_waited, daemon->patience, PATIENCE, daemon->hangs);
}

static struct daemon answering(unsigned patience)
{
	struct daemon daemon = {.patience = patience};

	for (int i = 0; i < 10; i++) {
		silence_heard(&daemon.silence);
		assert_int_equal(second(&daemon, MS, MS), SILENCE_NONE);
	}
	return daemon;
}

/* After how many seconds like this it is found to hang; 0: not at all. */
static int hangs_after(struct daemon *daemon, uint64_t ran, uint64_t waited)
{
	for (int i = 1; i <= LONG; i++)
		if (second(daemon, ran, waited) == SILENCE_HANGS)
			return i;
	return 0;
}

static void test_hung(void **state)
{
	struct daemon daemon = answering(PATIENCE);

	(void)state;
	assert_int_equal(hangs_after(&daemon, 0, 0), PATIENCE); /* asleep for good */
	daemon = answering(PATIENCE);
	assert_int_equal(hangs_after(&daemon, SECOND, 0), PATIENCE); /* in a loop for good */
	daemon = answering(PATIENCE);
	daemon.used.runs = true;
	assert_int_equal(hangs_after(&daemon, SECOND, 0), PATIENCE);
	daemon = answering(PATIENCE);
	daemon.unknown = true; /* nothing is known of its CPU time: as it always was */
	assert_int_equal(hangs_after(&daemon, 0, 0), PATIENCE);
}

static void test_starved(void **state)
{
	struct daemon daemon = answering(PATIENCE);

	(void)state;
	assert_int_equal(hangs_after(&daemon, 0, SECOND), 0);
	daemon = answering(PATIENCE);
	for (int i = 1; i < LONG; i++)
		assert_int_equal(second(&daemon, MS, SECOND - MS),
		    i < SILENCE_STARVED_S ? SILENCE_WAITS : SILENCE_STARVED);
	daemon = answering(PATIENCE);
	daemon.used.runs = true; /* ready all the time: the kernel adds the wait when it is over */
	assert_int_equal(hangs_after(&daemon, 0, 0), 0);
	daemon = answering(PATIENCE);
	daemon.own_waited = SECOND; /* the one that asks does not get on */
	assert_int_equal(hangs_after(&daemon, 0, 0), 0);
	silence_heard(&daemon.silence);
	assert_int_equal(second(&daemon, 0, 0), SILENCE_NONE);
}

/* With a tenth of a CPU it may have ten times as long, and hangs then. */
static void test_share(void **state)
{
	struct daemon daemon = answering(PATIENCE);

	(void)state;
	assert_int_equal(hangs_after(&daemon, SECOND / 10, SECOND * 9 / 10), 10 * PATIENCE);
	daemon = answering(PATIENCE);
	for (int i = 0; i < 100; i++)
		/* starved for long, then left alone: it has its time from then on */
		second(&daemon, 0, SECOND);
	assert_int_equal(hangs_after(&daemon, 0, 0), PATIENCE);
}

static void test_busy(void **state)
{
	struct daemon daemon = answering(BUSY);

	(void)state;
	assert_int_equal(hangs_after(&daemon, SECOND, 0), BUSY);
	daemon = answering(BUSY);
	assert_int_equal(hangs_after(&daemon, 0, 0), BUSY); /* waits for somebody else */
	daemon = answering(BUSY);
	daemon.used.stopped = true; /* does nothing of what it was asked */
	assert_int_equal(hangs_after(&daemon, 0, 0), PATIENCE);
}

static void test_backs_off(void **state)
{
	static const int after[] = {5, 10, 20, 40, 80, 80, 80};

	(void)state;
	for (unsigned n = 0; n < sizeof(after) / sizeof(after[0]); n++) {
		struct daemon daemon = answering(PATIENCE);

		daemon.hangs = n;
		assert_int_equal(hangs_after(&daemon, 0, 0), after[n]);
	}
}

/* Real processes: what the kernel says of one that computes, sleeps, is stopped, is not there. */
static void test_samples(void **state)
{
	const struct timespec pause = {.tv_nsec = 100 * MS};
	struct silence_sample before, after;
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0)
		for (;;)
			;
	status = silence_sample(child, &before);
	if (status != 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		print_message("this kernel keeps no figures of waiting (schedstat)\n");
		skip();
	}
	nanosleep(&pause, NULL);
	assert_int_equal(silence_sample(child, &after), 0);
	assert_true(after.ran_ns + after.waited_ns > before.ran_ns + before.waited_ns);
	assert_true(after.runs && !after.stopped);
	kill(child, SIGSTOP);
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_int_equal(silence_sample(child, &before), 0);
	assert_true(before.stopped && !before.runs);
	nanosleep(&pause, NULL);
	assert_int_equal(silence_sample(child, &after), 0);
	assert_true(after.ran_ns == before.ran_ns && after.waited_ns == before.waited_ns);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_true(silence_sample(child, &after) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_hung),
	    cmocka_unit_test(test_starved),
	    cmocka_unit_test(test_share),
	    cmocka_unit_test(test_busy),
	    cmocka_unit_test(test_backs_off),
	    cmocka_unit_test(test_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
