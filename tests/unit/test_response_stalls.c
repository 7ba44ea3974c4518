/* SPDX-License-Identifier: BSD-3-Clause
 * Which late answers of aloe bench response are proven stalls: records of CPUs that were made up,
 * and CPU times. One subframe: it begins to be watched at 0, its interface is woken at 500 us, and
 * an answer that nothing delays has 1000 us left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tools/bench/response_stalls.h"

enum {
	INTERFACE = 10,
	PHYSICAL = 11,
	HIGHER = 12,
	LOOP = 99,
	US = 1000,
	RECORDS = 64,
	BASE = 1000000
};

static const int32_t tids[RESPONSE_STAGES] = {INTERFACE, PHYSICAL, HIGHER};

struct stall_case {
	struct stall_late late;
	struct stall_chain chain;
	struct evidence_record records[2][RECORDS]; /* of two CPUs */
	size_t n[2];
	struct response_stall stall;
};

/* Times are in us since the subframe is watched. */
static void record_put(struct stall_case *c, int cpu, uint64_t us, struct evidence_record record)
{
	assert_true(c->n[cpu] < RECORDS);
	record.ns = (BASE + us) * US;
	c->records[cpu][c->n[cpu]++] = record;
}

static void put_in(struct stall_case *c, int cpu, uint64_t us, int32_t tid)
{
	record_put(c, cpu, us, (struct evidence_record){.kind = EVIDENCE_IN, .tid = tid});
}

static void put_out(struct stall_case *c, int cpu, uint64_t us, int32_t tid)
{
	record_put(c, cpu, us, (struct evidence_record){.kind = EVIDENCE_OUT, .tid = tid});
}

static void put_event(struct stall_case *c, int cpu, uint64_t us, enum perf_source source)
{
	record_put(c, cpu, us,
	    (struct evidence_record){.kind = EVIDENCE_EVENT, .source = (uint8_t)source});
}

/* An answer at end_us that is late_us late, with these CPU times in us. */
static void late_init(struct stall_case *c, uint64_t subframe, uint64_t late_us, uint64_t end_us,
    uint64_t interface, uint64_t physical, uint64_t higher)
{
	memset(c, 0, sizeof(*c));
	c->late = (struct stall_late){.subframe = subframe,
	    .late_ns = late_us * US,
	    .slack_ns = 1000 * US,
	    .from_ns = (uint64_t)BASE * US,
	    .wake_ns = (BASE + 500ull) * US,
	    .begin_ns = (BASE + 505ull) * US,
	    .end_ns = (BASE + end_us) * US,
	    .to_ns = (BASE + end_us + 50) * US,
	    .cpu_ns = {interface * US, physical * US, higher * US}};
}

static bool judge(struct stall_case *c)
{
	struct stall_ran ran[RESPONSE_STAGES] = {{0}};

	for (int cpu = 0; cpu < 2; cpu++)
		stall_ran_add(ran, &c->late, tids, c->records[cpu], c->n[cpu]);
	return stall_judge(&c->late, ran, &c->chain, &c->stall);
}

/* The interface wakes at 500 us and at the end; the physical layer has a CPU until physical_us, the
 * higher layer until the end. */
static void chain_put(struct stall_case *c, uint64_t physical_us, uint64_t end_us)
{
	put_out(c, 0, 10, INTERFACE);
	put_in(c, 1, 510, PHYSICAL);
	put_in(c, 0, 500, INTERFACE);
	put_out(c, 0, 510, INTERFACE);
	put_out(c, 1, physical_us, PHYSICAL);
	put_in(c, 1, physical_us, HIGHER);
	put_out(c, 1, end_us, HIGHER);
	put_in(c, 0, end_us, INTERFACE);
}

/* 1300 us of a usual 1400 us, of which the physical layer got no CPU time. */
static void test_stall(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 1000, 3900, 20, 1000, 400);
	chain_put(&c, 3510, 3910);
	assert_true(judge(&c));
	assert_int_equal(c.stall.subframe, 7);
	assert_int_equal(c.stall.stage, RESPONSE_STAGE_PHYSICAL);
	assert_int_equal(c.stall.late_ns, 1000 * US);
	assert_int_equal(c.stall.ran_ns, 3000 * US);
	assert_int_equal(c.stall.cpu_ns, 1000 * US);
	assert_int_equal(c.stall.stood_ns, 1990 * US);
	assert_int_equal(c.stall.before_ns, 0);
}

/* The same times, but a loop has the CPU for the 2000 us. */
static void test_preempted(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 1000, 3900, 20, 1000, 400);
	put_out(&c, 0, 10, INTERFACE);
	put_in(&c, 0, 500, INTERFACE);
	put_out(&c, 0, 510, INTERFACE);
	put_in(&c, 0, 3910, INTERFACE);
	put_in(&c, 1, 510, PHYSICAL);
	put_out(&c, 1, 900, PHYSICAL);
	put_in(&c, 1, 900, LOOP);
	put_out(&c, 1, 2900, LOOP);
	put_in(&c, 1, 2900, PHYSICAL);
	put_out(&c, 1, 3510, PHYSICAL);
	put_in(&c, 1, 3510, HIGHER);
	put_out(&c, 1, 3900, HIGHER);
	assert_false(judge(&c));
	assert_int_equal(c.stall.stood_ns, 0);
}

/* A loop took most of the delay, and the machine stood a little: it had been in time without the
 * stall, but the stall is not half of what delayed it. */
static void test_mostly_preempted(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 200, 3100, 20, 1000, 400);
	put_in(&c, 1, 510, PHYSICAL);
	put_out(&c, 1, 800, PHYSICAL);
	put_in(&c, 1, 800, LOOP);
	put_out(&c, 1, 1700, LOOP);
	put_in(&c, 1, 1700, PHYSICAL);
	put_out(&c, 1, 2710, PHYSICAL);
	put_in(&c, 1, 2710, HIGHER);
	put_out(&c, 1, 3100, HIGHER);
	assert_false(judge(&c));
	assert_int_equal(c.stall.stood_ns, 290 * US);
	assert_true(c.stall.stood_ns >= c.late.late_ns);
}

/* The stall is too short to have made it late. */
static void test_too_short(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 1000, 3900, 20, 2100, 400);
	chain_put(&c, 3510, 3910);
	assert_false(judge(&c));
	assert_int_equal(c.stall.stood_ns, 890 * US);
}

/* What an interrupt took is not the machine's, and each has 10 us around it. */
static void test_interrupts(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 1000, 3900, 20, 1000, 400);
	put_in(&c, 1, 510, PHYSICAL);
	put_event(&c, 1, 600, PERF_SOFTIRQ);
	put_event(&c, 1, 700, PERF_TIMER); /* in the other */
	put_event(&c, 1, 800, PERF_TIMER_END);
	put_event(&c, 1, 2550, PERF_SOFTIRQ_END);
	put_out(&c, 1, 3510, PHYSICAL);
	assert_false(judge(&c));
	assert_int_equal(c.stall.stood_ns, (50 - 30) * US);
	assert_int_equal(c.stall.ran_ns, 1050 * US);
}

/* A process that goes from CPU to CPU has both times; one that is on a CPU when the CPU times are
 * read may have an old one, and proves nothing. */
static void test_moves(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 1000, 3900, 20, 1000, 400);
	put_in(&c, 0, 510, PHYSICAL);
	put_out(&c, 0, 1510, PHYSICAL);
	put_in(&c, 1, 1510, PHYSICAL);
	put_out(&c, 1, 3510, PHYSICAL);
	assert_true(judge(&c));
	assert_int_equal(c.stall.ran_ns, 3000 * US);
	c.n[1]--;
	assert_false(judge(&c));
	assert_int_equal(c.stall.stood_ns, 0);
}

/* A stall before the interface is to wake delays nothing by itself. */
static void test_before_wake(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 200, 1000, 10, 200, 100);
	put_out(&c, 0, 480, INTERFACE);
	put_in(&c, 0, 500, INTERFACE);
	put_out(&c, 0, 510, INTERFACE);
	assert_false(judge(&c));
	assert_int_equal(c.stall.stood_ns, 0);
}

/* The next subframe waits for a late answer: it is the same stall, but only if the subframes follow
 * each other, and only for as long as it waits. */
static void test_follows(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 8, 400, 2500, 20, 1000, 400);
	c.late.wake_ns = c.late.from_ns - 1500 * US;
	c.chain = (struct stall_chain){.next = 8, .ns = 5000 * US};
	assert_true(judge(&c));
	assert_int_equal(c.stall.before_ns, 1500 * US);
	assert_int_equal(c.chain.next, 9);
	assert_int_equal(c.chain.ns, 1500 * US);
	c.chain = (struct stall_chain){.next = 7, .ns = 5000 * US};
	assert_false(judge(&c));
	assert_int_equal(c.stall.before_ns, 0);
}

/* The interface sleeps, the timer of its CPU comes 2000 us late, and nothing came before it. */
static void timer_put(struct stall_case *c)
{
	late_init(c, 7, 1000, 3900, 20, 1000, 400);
	c->late.begin_ns = (BASE + 2510) * US;
	put_in(c, 0, 5, INTERFACE);
	put_out(c, 0, 10, INTERFACE);
	put_in(c, 0, 10, LOOP);
	put_event(c, 0, 2500, PERF_TIMER);
	put_event(c, 0, 2505, PERF_TIMER_END);
	put_out(c, 0, 2506, LOOP);
	put_in(c, 0, 2507, INTERFACE);
	put_out(c, 0, 2515, INTERFACE);
	put_in(c, 0, 3910, INTERFACE);
}

static void test_timer(void **state)
{
	struct stall_case c;

	(void)state;
	timer_put(&c);
	assert_true(judge(&c));
	assert_int_equal(c.stall.timer_ns, 2000 * US);
	assert_int_equal(c.stall.stood_ns, 0);
	assert_int_equal(c.chain.ns, 2000 * US);
	c.records[0][3].ns = (BASE + 1400) * US; /* less than a millisecond */
	assert_false(judge(&c));
	assert_int_equal(c.stall.timer_ns, 0);
}

/* The timer came in time, and the loop kept the CPU until the next tick: on the CPU of the timer,
 * or on another one, for which the interface was waiting. */
static void test_timer_in_time(void **state)
{
	struct stall_case c, other;

	(void)state;
	timer_put(&c);
	for (size_t i = c.n[0]++; i > 3; i--)
		c.records[0][i] = c.records[0][i - 1];
	c.records[0][3].kind = EVIDENCE_EVENT;
	c.records[0][3].source = PERF_TIMER;
	c.records[0][3].ns = (BASE + 503) * US;
	assert_false(judge(&c));
	assert_int_equal(c.stall.timer_ns, 0);
	timer_put(&other);
	other.n[1] = other.n[0] - 2;
	memcpy(other.records[1], other.records[0] + 2, other.n[1] * sizeof(other.records[0][0]));
	other.n[0] = 2; /* fell asleep on this CPU, and wakes on the other */
	assert_false(judge(&other));
	assert_int_equal(other.stall.timer_ns, 0);
}

/* The CPU did something before the timer came, so it did not stand. */
static void test_timer_not_first(void **state)
{
	struct stall_case c;

	(void)state;
	timer_put(&c);
	c.records[0][3].source = PERF_RESCHEDULE;
	c.records[0][4].source = PERF_RESCHEDULE_END;
	assert_false(judge(&c));
	assert_int_equal(c.stall.timer_ns, 0);
	c.records[0][3] = (struct evidence_record){
	    .kind = EVIDENCE_OUT, .source = PERF_TIMER, .tid = LOOP, .ns = c.records[0][3].ns};
	assert_false(judge(&c));
	assert_int_equal(c.stall.timer_ns, 0);
}

/* A loop that takes the CPU before the interface sleeps has it, not the timer. */
static void test_timer_preempted(void **state)
{
	struct stall_case c;

	(void)state;
	timer_put(&c);
	c.records[0][1].preempted = true;
	assert_false(judge(&c));
	assert_int_equal(c.stall.timer_ns, 0);
	timer_put(&c);
	c.late.begin_ns = (BASE + 600) * US; /* it was awake before */
	assert_false(judge(&c));
	assert_int_equal(c.stall.timer_ns, 0);
}

/* Nothing is proven by no records. */
static void test_no_records(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 1000, 3900, 0, 0, 0);
	assert_false(judge(&c));
	assert_int_equal(c.stall.stood_ns, 0);
}

/* What the interface cannot put is lost, not written over what nobody has taken. */
static void test_queue(void **state)
{
	static struct stall_queue queue;
	struct stall_late late = {0};

	(void)state;
	for (late.subframe = 0; late.subframe < STALL_LATES + 3; late.subframe++)
		stall_put(&queue, &late);
	assert_int_equal(queue.put, STALL_LATES);
	assert_int_equal(queue.late[0].subframe, 0);
	queue.taken = 1;
	stall_put(&queue, &late);
	assert_int_equal(queue.put, STALL_LATES + 1);
	assert_int_equal(queue.late[0].subframe, STALL_LATES + 3);
}

/* More proven stalls than the list has room for are counted. */
static void test_list(void **state)
{
	static struct response_result part, sum;

	(void)state;
	part.subframes = 1000;
	for (uint64_t i = 0; i < RESPONSE_STALLS - 1; i++)
		response_stall_add(&part, &(struct response_stall){.subframe = i});
	assert_int_equal(part.n_stalls, RESPONSE_STALLS - 1);
	for (int i = 0; i < 2; i++)
		response_add(&sum, &part);
	assert_int_equal(sum.proven, 2 * (RESPONSE_STALLS - 1));
	assert_int_equal(sum.n_stalls, RESPONSE_STALLS);
	assert_int_equal(sum.stalls[RESPONSE_STALLS - 1].subframe, 1000);
	response_stall_add(&sum, &(struct response_stall){.subframe = 1});
	assert_int_equal(sum.proven, 2 * RESPONSE_STALLS - 1);
	assert_int_equal(sum.n_stalls, RESPONSE_STALLS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stall),
	    cmocka_unit_test(test_preempted),
	    cmocka_unit_test(test_mostly_preempted),
	    cmocka_unit_test(test_too_short),
	    cmocka_unit_test(test_interrupts),
	    cmocka_unit_test(test_moves),
	    cmocka_unit_test(test_before_wake),
	    cmocka_unit_test(test_follows),
	    cmocka_unit_test(test_timer),
	    cmocka_unit_test(test_timer_in_time),
	    cmocka_unit_test(test_timer_not_first),
	    cmocka_unit_test(test_timer_preempted),
	    cmocka_unit_test(test_no_records),
	    cmocka_unit_test(test_queue),
	    cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
