/* SPDX-License-Identifier: BSD-3-Clause
 * core/slot/virtual.c: steps that are not timed run the same calls as those that are. Calls and
 * steps are counted exactly, at each pause and at the end; changes, faults and ends take effect at
 * their index; where a budget was given, or calls are long, be it in one step of several, all are
 * timed; of a period those are timed that come, and not one phase for ever. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/slot/steps.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"

enum { LAST = 20000, INSTANCES = 3 };

static struct probe *probe_of(struct rig *rig, int node)
{
	return rig->instances[node].state;
}

static uint64_t untimed(const struct rig *rig, uint32_t node)
{
	return atomic_load(&image_instance_state(&rig->view, node)->untimed);
}

static uint64_t timed(const struct rig *rig, uint32_t node)
{
	return hist_load(&image_time(&rig->view, node)->count);
}

static uint64_t calls(const struct rig *rig, uint32_t node)
{
	return timed(rig, node) + untimed(rig, node);
}

/* source -> pass -> sink; the last two in segment `second`, so many steps later. */
static struct rig *chain_new(enum image_clock clock, uint32_t second, uint32_t lag)
{
	struct rig *rig = rig_new(clock, IMAGE_SLIP);

	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_pass, second, lag);
	rig_add(rig, &probe_sink, second, lag);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig_link(rig, 1, 0, 2, 0, 0);
	rig->nodes[0].depth = 8;
	rig->nodes[2].source = 0;
	rig->slots = LAST + 1;
	return rig;
}

struct runner {
	struct segment *segment;
	_Atomic uint32_t quit;
	pthread_t id;
};

static void *runner_main(void *self)
{
	struct runner *runner = self;

	segment_run_virtual(runner->segment, &runner->quit);
	return NULL;
}

static void run(struct rig *rig)
{
	struct runner runners[2] = {0};

	for (uint32_t s = 0; s < rig->n_segments; s++) {
		runners[s].segment = &rig->segments[s];
		assert_int_equal(pthread_create(&runners[s].id, NULL, runner_main, &runners[s]), 0);
	}
	for (uint32_t s = 0; s < rig->n_segments; s++)
		pthread_join(runners[s].id, NULL);
}

/* Some steps went untimed, unless calls are long on this machine or under this tool. */
static void some_untimed(const struct rig *rig, uint32_t node)
{
	const struct image_segment_state *state = rig_state(rig, rig->nodes[node].segment);

	if (untimed(rig, node) == 0)
		assert_true(
		    atomic_load(&state->busy_ns) > 250 * INSTANCES * atomic_load(&state->slots));
}

static void cells_agree(const struct rig *rig, uint32_t node)
{
	struct hist times = {0};

	image_time_merge(&rig->view, node, &times);
	assert_int_equal(hist_count(&times), timed(rig, node));
	assert_int_equal(hist_above(&times, 0), timed(rig, node));
}

static void last_calls_are_right(struct rig *rig, uint64_t last)
{
	const struct probe *sink = probe_of(rig, 2);

	assert_int_equal(sink->calls, last + 1);
	for (uint64_t k = last - PROBE_LOG + 1; k <= last; k++) {
		assert_int_equal(sink->log[k % PROBE_LOG].index, k);
		assert_int_equal(sink->log[k % PROBE_LOG].value, probe_value(k) + 1);
	}
}

/* ---- counts ------------------------------------------------------------------------ */

static void test_counts(void **state)
{
	struct rig *rig = chain_new(IMAGE_VIRTUAL, 0, 0);
	const struct image_segment_state *seg;
	const uint64_t began = clock_ns();
	uint64_t all_timed = 0;

	(void)state;
	rig_open(rig);
	seg = rig_state(rig, 0);
	run(rig);
	last_calls_are_right(rig, LAST);
	for (uint32_t i = 0; i < INSTANCES; i++) {
		cells_agree(rig, i);
		assert_int_equal(calls(rig, i), LAST + 1);
		assert_in_range(timed(rig, i), 256, LAST + 1);
		some_untimed(rig, i);
		all_timed += timed(rig, i);
	}
	assert_int_equal(atomic_load(&seg->events), all_timed);
	assert_int_equal(atomic_load(&seg->slots), LAST + 1);
	assert_int_equal(hist_count(&image_latency(&rig->view, 2)->ns), timed(rig, 2));
	assert_int_equal(hist_count(&image_lane_state(&rig->view, 0)->load), timed(rig, 0));
	if (untimed(rig, 0) > 0)
		assert_in_range(atomic_load(&seg->until_ns), began, clock_ns());
	else
		assert_int_equal(atomic_load(&seg->until_ns), 0);
	assert_in_range(atomic_load(&seg->busy_ns), image_lane_state(&rig->view, 0)->load.sum,
	    clock_ns() - began);
	rig_close(rig);
}

static uint64_t calls_least(const struct rig *rig)
{
	uint64_t least = calls(rig, 0);

	for (uint32_t i = 1; i < INSTANCES; i++)
		least = calls(rig, i) < least ? calls(rig, i) : least;
	return least;
}

/* A waveform that stands has counted all of its calls. */
static void test_pause(void **state)
{
	struct rig *rig = chain_new(IMAGE_VIRTUAL, 0, 0);
	struct runner runner = {.segment = &rig->segments[0]};

	(void)state;
	rig_open(rig);
	atomic_store(&rig->control.limit, 0);
	assert_int_equal(pthread_create(&runner.id, NULL, runner_main, &runner), 0);
	for (uint64_t limit = 253; limit < LAST; limit += 1501) {
		const uint64_t until_ns = clock_ns() + 60000000000u;

		atomic_store(&rig->control.limit, limit);
		futex_wake(futex_low(&rig->control.limit), INT_MAX);
		while (calls_least(rig) < limit && clock_ns() < until_ns)
			clock_sleep_until(clock_ns() + 20000);
		for (uint32_t i = 0; i < INSTANCES; i++)
			assert_int_equal(calls(rig, i), limit);
	}
	atomic_store(&runner.quit, 1);
	atomic_store(&rig->control.limit, IMAGE_FOREVER);
	futex_wake(futex_low(&rig->control.limit), INT_MAX);
	pthread_join(runner.id, NULL);
	for (uint32_t i = 0; i < INSTANCES; i++)
		assert_int_equal(calls(rig, i), probe_of(rig, (int)i)->calls);
	rig_close(rig);
}

/* Segments that wait for one another, whose steps for an index differ: latencies are measured. */
static void test_segments(void **state)
{
	struct rig *rig = chain_new(IMAGE_VIRTUAL, 1, 3);
	const struct image_latency *latency;

	(void)state;
	rig->segment_lane[1] = rig->segment_lane[0] + 1;
	rig_gates(rig);
	rig_open(rig);
	latency = image_latency(&rig->view, 2);
	run(rig);
	last_calls_are_right(rig, LAST);
	for (uint32_t i = 0; i < INSTANCES; i++) {
		assert_int_equal(calls(rig, i), LAST + 1);
		assert_int_equal(atomic_load(&image_instance_state(&rig->view, i)->absent), 0);
	}
	some_untimed(rig, 0);
	some_untimed(rig, 2);
	/* the clocks of two threads may differ by more than the latency */
	assert_in_range(hist_count(&latency->ns), timed(rig, 2) / 2, timed(rig, 2));
	assert_int_equal(atomic_load(&latency->slots_min), 4);
	assert_int_equal(atomic_load(&latency->slots_max), 4);
	rig_close(rig);
}

/* ---- what takes effect at an index ------------------------------------------------------- */

static void test_change(void **state)
{
	enum { AT = 19003 };
	struct rig *rig = chain_new(IMAGE_VIRTUAL, 0, 0);

	(void)state;
	rig->slots = AT + 100;
	rig_open(rig);
	rig->control.change[0] = (struct node_change){AT, 1, 2, 0, 7};
	atomic_store(&rig->control.changes, 1);
	run(rig);
	some_untimed(rig, 2);
	for (uint64_t k = AT - 100; k < AT + 100; k++)
		assert_true(probe_of(rig, 2)->log[k % PROBE_LOG].gain == (k < AT ? 1 : 7));
	rig_close(rig);
}

static void test_fault(void **state)
{
	enum { AT = 5003 };
	struct rig *rig = chain_new(IMAGE_VIRTUAL, 0, 0);

	(void)state;
	rig_open(rig);
	probe_of(rig, 1)->fail_at = AT + 1;
	run(rig);
	assert_int_equal(atomic_load(&rig->segments[0].run->fault), 2);
	assert_int_equal(rig->segments[0].run->index, AT);
	assert_int_equal(rig->segments[0].run->code, -ERANGE);
	for (uint32_t i = 0; i < INSTANCES; i++)
		assert_int_equal(calls(rig, i), AT + 1);
	rig_close(rig);
}

static void test_end(void **state)
{
	enum { AT = 7001 };
	struct rig *rig = chain_new(IMAGE_VIRTUAL, 0, 0);

	(void)state;
	rig->slots = IMAGE_FOREVER;
	rig_open(rig);
	probe_of(rig, 0)->end_at = AT + 1;
	run(rig);
	some_untimed(rig, 0);
	last_calls_are_right(rig, AT);
	for (uint32_t i = 0; i < INSTANCES; i++)
		assert_int_equal(calls(rig, i), AT + 1);
	rig_close(rig);
}

/* `arg` is the rig. From the next step on outputs beyond a budget are ABSENT. */
static void conceal_call(struct probe *probe, struct aloe_slot *slot)
{
	enum { AT = 9011 }; /* 530 * 17 + 1 */
	struct rig *rig = probe->arg;

	if (slot->index != AT)
		return;
	atomic_store(&rig->control.conceal, 1);
	probe->arg = (void *)(uintptr_t)timed(rig, 2);
}

static void test_conceal(void **state)
{
	enum { AFTER = 12 };
	struct rig *rig = chain_new(IMAGE_VIRTUAL, 0, 0);

	(void)state;
	rig->slots = 9012 + AFTER;
	rig_open(rig);
	probe_of(rig, 2)->hook = conceal_call;
	probe_of(rig, 2)->arg = rig;
	run(rig);
	some_untimed(rig, 2);
	assert_in_range(
	    timed(rig, 2) - (uintptr_t)probe_of(rig, 2)->arg, AFTER, AFTER + 1 /* the call */);
	rig_close(rig);
}

/* ---- which are timed ------------------------------------------------------------------------ */

/* One call of 8, in the middle of the chain: as often as others, by the calls there are. */
static void test_phase(void **state)
{
	struct rig *rig = chain_new(IMAGE_VIRTUAL, 0, 0);

	(void)state;
	rig->nodes[1].period = 8;
	rig->nodes[1].phase = 3;
	rig_open(rig);
	run(rig);
	some_untimed(rig, 0);
	assert_int_equal(calls(rig, 1), LAST / 8);
	assert_in_range(8 * timed(rig, 1), timed(rig, 0) * 3 / 4, timed(rig, 0) * 4 / 3);
	rig_close(rig);
}

/* It takes more than all that goes untimed on average, and steps in which it is not called are
 * short. */
static void longer_call(struct probe *probe, struct aloe_slot *slot)
{
	const uint64_t until_ns = clock_ns() + 100000;

	(void)probe;
	(void)slot;
	while (clock_ns() < until_ns)
		;
}

static void test_long_phase(void **state)
{
	struct rig *rig = chain_new(IMAGE_VIRTUAL, 0, 0);

	(void)state;
	rig->slots = 4001;
	rig->nodes[1].period = 8;
	rig->nodes[1].phase = 3;
	rig_open(rig);
	probe_of(rig, 1)->hook = longer_call;
	run(rig);
	assert_int_equal(calls(rig, 1), 500);
	for (uint32_t i = 0; i < INSTANCES; i++)
		assert_int_equal(untimed(rig, i), 0);
	rig_close(rig);
}

static void long_call(struct probe *probe, struct aloe_slot *slot)
{
	const uint64_t until_ns = clock_ns() + 4000;

	(void)probe;
	(void)slot;
	while (clock_ns() < until_ns)
		;
}

static void test_all_timed(void **state)
{
	enum { BUDGET, LONG, STEP, CASES };

	(void)state;
	for (int c = 0; c < CASES; c++) {
		struct rig *rig = chain_new(c == STEP ? IMAGE_STEP : IMAGE_VIRTUAL, 0, 0);

		rig->slots = 4001;
		rig->nodes[1].budget_ns = c == BUDGET ? 3600000000000u : 0;
		rig_open(rig);
		probe_of(rig, 2)->hook = c == LONG ? long_call : NULL;
		run(rig);
		for (uint32_t i = 0; i < INSTANCES; i++) {
			assert_int_equal(untimed(rig, i), 0);
			assert_int_equal(timed(rig, i), 4001);
		}
		rig_close(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_counts),
	    cmocka_unit_test(test_pause),
	    cmocka_unit_test(test_segments),
	    cmocka_unit_test(test_change),
	    cmocka_unit_test(test_fault),
	    cmocka_unit_test(test_end),
	    cmocka_unit_test(test_conceal),
	    cmocka_unit_test(test_phase),
	    cmocka_unit_test(test_long_phase),
	    cmocka_unit_test(test_all_timed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
