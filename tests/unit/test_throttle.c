/* SPDX-License-Identifier: BSD-3-Clause
 * Which times off the CPU a quota accounts for: by the kernel's records and its count alone, and in
 * a control group of the kernel. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/evidence/evidence.h"
#include "core/image/state.h"
#include "core/platform/platform.h"

enum { LANE = 100, OTHER = 200, MAX = 4, US = 1000 };

/* ---- records and a count ---- */

struct waits_test {
	struct evidence_record records[64];
	struct evidence_waits waits;
};

static void waits_init(struct waits_test *test, uint64_t throttled_us)
{
	*test = (struct waits_test){.waits = {.tid = LANE, .throttled_ns = throttled_us * US}};
	test->waits.records = test->records;
}

/* The thread does not run from a to b. */
static void wait_put(struct waits_test *test, uint64_t a_us, uint64_t b_us, bool preempted)
{
	struct evidence_record *at = &test->records[test->waits.n_records];

	at[0] = (struct evidence_record){.ns = a_us * US,
	    .kind = EVIDENCE_OUT,
	    .tid = LANE,
	    .other = OTHER,
	    .preempted = preempted};
	at[1] = (struct evidence_record){
	    .ns = a_us * US, .kind = EVIDENCE_IN, .tid = OTHER, .other = LANE};
	at[2] = (struct evidence_record){
	    .ns = b_us * US, .kind = EVIDENCE_IN, .tid = LANE, .other = OTHER};
	test->waits.n_records += 3;
}

static void test_longest_first(void **state)
{
	struct evidence_span spans[MAX];
	struct waits_test test;

	(void)state;
	waits_init(&test, 9000);
	wait_put(&test, 1000, 1300, true);   /* others had their turn */
	wait_put(&test, 2000, 20000, false); /* it slept */
	wait_put(&test, 21000, 30500, true);
	wait_put(&test, 31000, 31400, true);
	assert_int_equal(evidence_throttled(&test.waits, spans, MAX), 1);
	assert_true(spans[0].from_ns == 21000 * US && spans[0].to_ns == 30500 * US);
	assert_int_equal(test.waits.throttled_ns, 0);
	waits_init(&test, 18000);
	for (uint64_t i = 0; i < 10; i++)
		wait_put(&test, 10000 * i + 1000, 10000 * i + (i % 2 ? 1200 : 4500), true);
	assert_int_equal(evidence_throttled(&test.waits, spans, MAX), MAX); /* no room for more */
	assert_int_equal(test.waits.throttled_ns, 4000 * US);
	for (int i = 0; i < MAX; i++)
		assert_int_equal(spans[i].to_ns - spans[i].from_ns, 3500 * US);
}

/* Without a rise nobody was throttled; what is half of a wait or less explains no wait, and what
 * ended before the count was read was counted then. */
static void test_not_throttled(void **state)
{
	struct evidence_span spans[MAX];
	struct waits_test test;

	(void)state;
	waits_init(&test, 0);
	assert_int_equal(evidence_throttled(&test.waits, spans, MAX), 0);
	wait_put(&test, 1000, 9000, true);
	assert_int_equal(evidence_throttled(&test.waits, spans, MAX), 0);
	test.waits.throttled_ns = 3900 * US;
	assert_int_equal(evidence_throttled(&test.waits, spans, MAX), 0);
	assert_int_equal(test.waits.throttled_ns, 3900 * US);
	test.waits.throttled_ns = 8000 * US;
	test.waits.from_ns = 9000 * US;
	assert_int_equal(evidence_throttled(&test.waits, spans, MAX), 0);
	test.waits.from_ns = 8999 * US;
	test.waits.tid = OTHER + 1;
	assert_int_equal(evidence_throttled(&test.waits, spans, MAX), 0);
	test.waits.tid = LANE;
	assert_int_equal(evidence_throttled(&test.waits, spans, MAX), 1);
	/* it does not run yet */
	test.waits.n_records = 2;
	test.waits.throttled_ns = 8000 * US;
	assert_int_equal(evidence_throttled(&test.waits, spans, MAX), 0);
}

/* A slot of 1 ms whose call was interrupted for 3 ms by another thread: who is blamed. */
static void test_blamed(void **state)
{
	(void)state;
	for (int throttled = 0; throttled < 2; throttled++) {
		struct evidence_call call = {.start_ns = 10000 * US,
		    .ns = 3400 * US,
		    .usual_ns = 400 * US,
		    .rare_ns = 500 * US};
		struct evidence_cause causes[EVIDENCE_CAUSES];
		struct evidence_span span = {10200 * US, 13200 * US};
		struct evidence_slot slot = {.kind = IMAGE_MISS_LATE,
		    .edge_ns = 10000 * US,
		    .slot_ns = 1000 * US,
		    .late_ns = 2400 * US,
		    .start_ns = 10000 * US,
		    .end_ns = 13400 * US,
		    .from_ns = 10000 * US,
		    .cpu_ns = 400 * US,
		    .tid = LANE,
		    .calls = &call,
		    .n_calls = 1,
		    .throttled = &span,
		    .n_throttled = (size_t)throttled,
		    .recorded = true};
		struct waits_test test;

		waits_init(&test, 0);
		wait_put(&test, 10200, 13200, true);
		slot.records = test.records;
		slot.n_records = test.waits.n_records;
		assert_int_equal(evidence_join(&slot, causes), 1);
		assert_int_equal(
		    causes[0].kind, throttled ? EVIDENCE_THROTTLED : EVIDENCE_PREEMPTED);
		assert_int_equal(causes[0].share_ns, 2400 * US);
	}
}

/* ---- the kernel's count ---- */

#define CPU_GROUPS "/sys/fs/cgroup/cpu"

static bool group_put(const char *group, const char *name, int value)
{
	char path[128];
	FILE *file;
	bool put;

	snprintf(path, sizeof(path), "%s/%s", group, name);
	file = fopen(path, "w");
	put = file && fprintf(file, "%d", value) > 0;
	return file && fclose(file) == 0 && put;
}

static uint64_t throttled_of(pid_t pid)
{
	uint64_t group, ns;

	assert_int_equal(platform_throttled(pid, &group, &ns), 0);
	return ns;
}

static void test_count(void **state)
{
	uint64_t group, ns;
	char path[64];
	pid_t pid;

	(void)state;
	assert_int_equal(platform_throttled(0x7fffffff, &group, &ns), -ENOENT);
	snprintf(path, sizeof(path), CPU_GROUPS "/test-%d", (int)getpid());
	if (mkdir(path, 0755) != 0) {
		printf("skip: needs root and control groups v1 with cpu\n");
		skip();
	}
	pid = fork();
	if (pid == 0)
		for (;;)
			;
	assert_true(group_put(path, "cgroup.procs", pid));
	ns = throttled_of(pid);
	clock_sleep_until(clock_ns() + 50000000);
	assert_int_equal(throttled_of(pid), ns); /* no quota yet */
	assert_true(group_put(path, "cpu.cfs_period_us", 10000) &&
	    group_put(path, "cpu.cfs_quota_us", 1000));
	for (int i = 0; i < 100 && throttled_of(pid) == ns; i++)
		clock_sleep_until(clock_ns() + 20000000);
	assert_true(throttled_of(pid) > ns);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 100 && rmdir(path) != 0; i++)
		clock_sleep_until(clock_ns() + 10000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_longest_first),
	    cmocka_unit_test(test_not_throttled),
	    cmocka_unit_test(test_blamed),
	    cmocka_unit_test(test_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
