/* SPDX-License-Identifier: BSD-3-Clause
 * Which late answers of aloe bench response are proven stalls: records of CPUs that were made up.
 * One subframe: it begins to be watched at 0, its interface is to wake at 500 us, its work is
 * 1400 us, and an answer that nothing delays has 1000 us left: it is late from 2900 us on. */
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

/* An answer at end_us. Before, both CPUs are idle. */
static void late_init(struct stall_case *c, uint64_t subframe, uint64_t end_us)
{
	memset(c, 0, sizeof(*c));
	c->late = (struct stall_late){.subframe = subframe,
	    .late_ns = (end_us - 2900) * US,
	    .slack_ns = 1000 * US,
	    .from_ns = (uint64_t)BASE * US,
	    .wake_ns = (BASE + 500ull) * US,
	    .woke_ns = (BASE + 500ull) * US,
	    .end_ns = (BASE + end_us) * US,
	    .work_ns = 1400 * US,
	    .slowed = 0.5,
	    .cpu_ns = UINT64_MAX};
	put_out(c, 0, 10, INTERFACE);
	put_out(c, 1, 10, LOOP);
}

static bool judge(struct stall_case *c)
{
	struct stall_had had = {0};

	for (int cpu = 0; cpu < 2; cpu++)
		stall_had_add(&had, &c->late, tids, c->records[cpu], c->n[cpu]);
	return stall_judge(&c->late, &had, &c->chain, &c->stall);
}

/* `tid` has this CPU, which is idle before and afterwards. */
static void has(struct stall_case *c, int cpu, uint64_t from_us, uint64_t to_us, int32_t tid)
{
	put_in(c, cpu, from_us, tid);
	put_out(c, cpu, to_us, tid);
}

/* The physical layer has a CPU until physical_us, the higher layer until the end. */
static void chain_put(struct stall_case *c, uint64_t physical_us, uint64_t end_us)
{
	has(c, 0, 500, 510, INTERFACE);
	has(c, 1, 510, physical_us, PHYSICAL);
	has(c, 1, physical_us, end_us, HIGHER);
	put_in(c, 0, end_us, INTERFACE);
}

/* The chain had a CPU for 3410 us of 3410, and its work takes at most 1675 of them. */
static void test_rounds_too_long(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 3910);
	chain_put(&c, 3510, 3910);
	assert_true(judge(&c));
	assert_int_equal(c.stall.subframe, 7);
	assert_int_equal(c.stall.late_ns, 1010 * US);
	assert_int_equal(c.stall.took_ns, 3410 * US);
	assert_int_equal(c.stall.work_ns, 1675 * US);
	assert_int_equal(c.stall.others_ns, 0);
	assert_int_equal(c.stall.stood_ns, 1735 * US);
	assert_int_equal(c.stall.before_ns, 0);
	assert_int_equal(c.stall.chain_ns, 3410 * US);
	assert_int_equal(c.stall.beside_ns, 0);
	assert_int_equal(c.stall.elsewhere_ns, 0);
	assert_int_equal(c.stall.woken_ns, 0);
	assert_int_equal(c.stall.slack_ns, 1000 * US);
}

/* The same time, but a loop has a CPU of the chain for 2000 us of it. On another CPU it explains
 * the half. */
static void test_others(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 3910);
	has(&c, 0, 500, 510, INTERFACE);
	has(&c, 1, 510, 900, PHYSICAL);
	has(&c, 1, 900, 2900, LOOP);
	has(&c, 1, 2900, 3510, PHYSICAL);
	has(&c, 1, 3510, 3900, HIGHER);
	put_in(&c, 0, 3900, INTERFACE);
	assert_false(judge(&c));
	assert_int_equal(c.stall.work_ns, 1410 * US);
	assert_int_equal(c.stall.others_ns, 2000 * US);
	assert_int_equal(c.stall.stood_ns, 0);
	late_init(&c, 7, 3910);
	has(&c, 0, 500, 510, INTERFACE);
	has(&c, 0, 600, 2600, LOOP);
	has(&c, 1, 510, 3910, PHYSICAL);
	assert_false(judge(&c));
	assert_int_equal(c.stall.others_ns, 2000 * US);
	assert_int_equal(c.stall.stood_ns, 0);
	c.records[0][1].tid = c.records[0][2].tid = LOOP;
	assert_false(judge(&c));
	assert_int_equal(c.stall.others_ns, 1005 * US);
	assert_int_equal(c.stall.stood_ns, 730 * US);
	assert_int_equal(c.stall.chain_ns, 3400 * US);
	assert_int_equal(c.stall.beside_ns, 0);
	assert_int_equal(c.stall.elsewhere_ns, 2010 * US);
}

/* The interface wakes 2000 us late, and a loop has another CPU all the time. Where the chain may
 * not run there, the loop slows it only while it runs. */
static void test_apart(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 3910);
	put_in(&c, 0, 20, LOOP);
	has(&c, 1, 2500, 2510, INTERFACE);
	has(&c, 1, 2510, 3910, PHYSICAL);
	put_out(&c, 0, 4000, LOOP);
	assert_false(judge(&c));
	assert_int_equal(c.stall.elsewhere_ns, 3410 * US);
	assert_int_equal(c.stall.others_ns, 3410 / 2 * US);
	assert_int_equal(c.stall.stood_ns, 295 * US);
	c.late.apart = true;
	assert_true(judge(&c));
	assert_int_equal(c.stall.others_ns, 1410 / 2 * US);
	assert_int_equal(c.stall.stood_ns, 2000 * US); /* nobody had the CPU that it has to have */
	c.n[1] = 0;                                    /* nobody knows who had this CPU */
	assert_false(judge(&c));
	assert_int_equal(c.stall.others_ns, 3410 * US);
}

/* A loop had the other CPU all the time. Where it cannot have slowed the chain so much the machine
 * stood. */
static void test_slowed(void **state)
{
	struct stall_case c;

	(void)state;
	for (int slows = 0; slows < 2; slows++) {
		late_init(&c, 7, 3910);
		c.late.slowed = slows ? 0.25 : 0.2;
		put_in(&c, 0, 20, LOOP);
		has(&c, 1, 500, 3910, PHYSICAL);
		put_out(&c, 0, 4000, LOOP);
		assert_int_equal(judge(&c), !slows);
		assert_int_equal(c.stall.others_ns, (slows ? 852500 : 682000));
	}
}

/* A loop had the other CPU all the time, and may have slowed the chain by half. The kernel's clocks
 * of CPU time, which leave out what the hypervisor took, say that it did not. */
static void test_cpu_time(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 3910);
	put_in(&c, 0, 20, LOOP);
	has(&c, 1, 500, 3910, PHYSICAL);
	put_out(&c, 0, 4000, LOOP);
	assert_false(judge(&c));
	assert_int_equal(c.stall.stood_ns, 30 * US);
	c.late.cpu_ns = 3300 * US;
	assert_false(judge(&c));
	assert_int_equal(c.stall.stood_ns, 110 * US);
	c.late.cpu_ns = 1500 * US;
	assert_true(judge(&c));
	assert_int_equal(c.stall.stood_ns, 1910 * US);
	assert_int_equal(c.stall.cpu_ns, 1500 * US);
}

/* A loop took most of the delay, and the machine stood a little: it had been in time without the
 * stall, but the stall is not half of what delayed it. */
static void test_mostly_others(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 3100);
	has(&c, 1, 510, 800, PHYSICAL);
	has(&c, 1, 800, 1500, LOOP);
	has(&c, 1, 1500, 3100, PHYSICAL);
	assert_false(judge(&c));
	assert_int_equal(c.stall.stood_ns, 225 * US);
	assert_true(c.stall.stood_ns >= c.late.late_ns);
	assert_int_equal(response_proof_ns(&c.stall), 600 * US);
}

/* The stall is too short to have made it late. */
static void test_too_short(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 3910);
	c.late.work_ns = 2200 * US;
	chain_put(&c, 3510, 3910);
	assert_false(judge(&c));
	assert_int_equal(c.stall.stood_ns, (3410 - 2575) * US);
	assert_int_equal(response_proof_ns(&c.stall), 1010 * US);
}

/* The chain is to run, and all CPUs are idle: its wake-up does not come. */
static void test_woken_late(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 3910);
	has(&c, 0, 500, 510, INTERFACE);
	has(&c, 1, 2510, 3510, PHYSICAL);
	has(&c, 1, 3510, 3900, HIGHER);
	put_in(&c, 0, 3910, INTERFACE);
	assert_true(judge(&c));
	assert_int_equal(c.stall.work_ns, 1400 * US);
	assert_int_equal(c.stall.stood_ns, 2010 * US);
}

/* The interface's timer comes when the answer is due already, so nothing is worked for. With a loop
 * on its CPU until then nothing is proven. */
static void test_timer(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 3200);
	c.late.late_ns = 1700 * US; /* as if the work were done */
	c.late.woke_ns = (BASE + 3199ull) * US;
	put_event(&c, 0, 3190, PERF_TIMER);
	put_event(&c, 0, 3195, PERF_TIMER_END);
	put_in(&c, 0, 3196, INTERFACE);
	assert_true(judge(&c));
	assert_int_equal(c.stall.woken_ns, 2699 * US);
	assert_int_equal(c.stall.interrupts_ns, 5 * US);
	assert_int_equal(c.stall.work_ns, 4 * US);
	assert_int_equal(c.stall.others_ns, 5 * US);
	assert_int_equal(c.stall.stood_ns, 2691 * US);
	late_init(&c, 7, 3200);
	c.late.late_ns = 1700 * US;
	put_in(&c, 0, 20, LOOP);
	put_out(&c, 0, 3195, LOOP);
	put_in(&c, 0, 3196, INTERFACE);
	assert_false(judge(&c));
	assert_int_equal(c.stall.stood_ns, 1 * US);
}

/* The chain wants to run on, and a quota keeps it off an idle CPU for 2000 us. Had it fallen
 * asleep, nobody would have used them. */
static void test_kept_off(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 3910);
	has(&c, 1, 510, 900, PHYSICAL);
	c.records[1][c.n[1] - 1].preempted = true;
	put_in(&c, 1, 901, 0);
	has(&c, 1, 2900, 3910, PHYSICAL);
	assert_false(judge(&c));
	assert_int_equal(c.stall.others_ns, 2000 * US);
	assert_int_equal(c.stall.stood_ns, 10 * US);
	c.records[1][c.n[1] - 4].preempted = false;
	assert_true(judge(&c));
	assert_int_equal(c.stall.others_ns, 0);
}

/* What interrupts took is not the machine's, on an idle CPU either. */
static void test_interrupts(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 3910);
	put_in(&c, 1, 510, PHYSICAL);
	put_event(&c, 1, 600, PERF_SOFTIRQ);
	put_event(&c, 1, 700, PERF_TIMER); /* in the other */
	put_event(&c, 1, 800, PERF_TIMER_END);
	put_event(&c, 1, 2550, PERF_SOFTIRQ_END);
	record_put(&c, 1, 2700,
	    (struct evidence_record){.kind = EVIDENCE_EVENT, .source = PERF_NMI, .value = 50 * US});
	put_out(&c, 1, 3910, PHYSICAL);
	put_event(&c, 0, 600, PERF_IRQ);
	put_event(&c, 0, 700, PERF_IRQ_END);
	assert_false(judge(&c));
	assert_int_equal(c.stall.work_ns, 1400 * US);
	assert_int_equal(c.stall.others_ns, (1950 + 50 + 100 / 2) * US);
	assert_int_equal(c.stall.beside_ns, 2000 * US);
	assert_int_equal(c.stall.interrupts_ns, 2000 * US);
	assert_int_equal(c.stall.elsewhere_ns, 100 * US);
	assert_int_equal(c.stall.stood_ns, 0);
}

/* What happens before the interface is to wake, or after the answer, is not counted. */
static void test_outside(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 3910);
	has(&c, 0, 20, 480, LOOP);
	has(&c, 1, 20, 400, HIGHER);
	chain_put(&c, 3510, 3910);
	put_out(&c, 0, 3920, INTERFACE);
	put_in(&c, 0, 3920, LOOP);
	put_out(&c, 0, 9000, LOOP);
	assert_true(judge(&c));
	assert_int_equal(c.stall.others_ns, 0);
	assert_int_equal(c.stall.stood_ns, 1735 * US);
}

/* The next subframe waits for a late answer: it is the same stall, but only if the subframes follow
 * each other, and only for as long as it waits. */
static void test_follows(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 8, 2400);
	c.late.late_ns = 400 * US;
	c.late.wake_ns = c.late.from_ns - 1500 * US;
	has(&c, 0, 20, 2400, LOOP);
	c.chain = (struct stall_chain){.next = 8, .ns = 5000 * US};
	assert_true(judge(&c));
	assert_int_equal(c.stall.took_ns, 2400 * US);
	assert_int_equal(c.stall.woken_ns, 500 * US);
	assert_int_equal(c.stall.before_ns, 1500 * US);
	assert_int_equal(c.chain.next, 9);
	assert_int_equal(c.chain.ns, (1500 + 5) * US);
	c.chain = (struct stall_chain){.next = 7, .ns = 5000 * US};
	assert_false(judge(&c));
	assert_int_equal(c.stall.before_ns, 0);
}

/* A CPU of which there is no record at all may have been anybody's, and proves nothing; the first
 * switch tells who had it before. */
static void test_not_known(void **state)
{
	struct stall_case c;

	(void)state;
	late_init(&c, 7, 3910);
	c.n[0] = 0;
	c.n[1] = 0;
	chain_put(&c, 3510, 3910);
	c.n[0] = 0;
	assert_false(judge(&c));
	assert_int_equal(c.stall.others_ns, 3410 / 2 * US);
	assert_int_equal(c.stall.stood_ns, 30 * US);
	put_out(&c, 0, 5000, LOOP);
	assert_false(judge(&c));
	assert_int_equal(c.stall.others_ns, 3410 / 2 * US);
	c.n[0] = 0;
	put_in(&c, 0, 5000, LOOP); /* the CPU was idle before */
	assert_true(judge(&c));
	assert_int_equal(c.stall.others_ns, 0);
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

/* More late answers than a list has room for are counted. */
static void list_check(bool proven)
{
	struct response_result part = {.subframes = 1000}, sum = {0};
	const struct response_list *list = proven ? &sum.stalls : &sum.unproven;

	for (uint64_t i = 0; i < RESPONSE_STALLS - 1; i++)
		response_judged_add(&part, &(struct response_stall){.subframe = i}, proven);
	assert_int_equal(part.stalls.n, proven ? RESPONSE_STALLS - 1 : 0);
	assert_int_equal(part.unproven.n, proven ? 0 : RESPONSE_STALLS - 1);
	for (int i = 0; i < 2; i++)
		response_add(&sum, &part);
	assert_int_equal(sum.judged, 2 * (RESPONSE_STALLS - 1));
	assert_int_equal(list->n, RESPONSE_STALLS);
	assert_int_equal(list->late[RESPONSE_STALLS - 2].subframe, RESPONSE_STALLS - 2);
	assert_int_equal(list->late[RESPONSE_STALLS - 1].subframe, 1000);
	response_judged_add(&sum, &(struct response_stall){.subframe = 1}, proven);
	assert_int_equal(sum.judged, 2 * RESPONSE_STALLS - 1);
	assert_int_equal(sum.proven, proven ? sum.judged : 0);
	assert_int_equal(list->n, RESPONSE_STALLS);
}

static void test_list(void **state)
{
	(void)state;
	list_check(true);
	list_check(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rounds_too_long),
	    cmocka_unit_test(test_others),
	    cmocka_unit_test(test_apart),
	    cmocka_unit_test(test_slowed),
	    cmocka_unit_test(test_cpu_time),
	    cmocka_unit_test(test_mostly_others),
	    cmocka_unit_test(test_too_short),
	    cmocka_unit_test(test_woken_late),
	    cmocka_unit_test(test_timer),
	    cmocka_unit_test(test_kept_off),
	    cmocka_unit_test(test_interrupts),
	    cmocka_unit_test(test_outside),
	    cmocka_unit_test(test_follows),
	    cmocka_unit_test(test_not_known),
	    cmocka_unit_test(test_queue),
	    cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
