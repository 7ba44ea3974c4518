/* SPDX-License-Identifier: BSD-3-Clause
 * core/slot/baton: what a baton can be, by table, time base and clock; what is found of one that
 * stays where it is; random bytes in the lane image, which threads without a watchdog outlive. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/slot/baton.h"
#include "core/slot/lane.h"

/* An entry that was passed over is forgotten a second later (lane.c). */
enum { SLOT_NS = 10000000, WATCHDOG_S = 120, FORGET_NS = 900000000 };

struct bench {
	struct node_image node;
	struct lane_image image;
	struct baton_watch watch;
	uint64_t now; /* when it was made */
};

/* Two waveforms, an entry and a seat each; `slots` slots of the timer have begun, the last one a
 * quarter of a slot ago. */
static struct bench *bench_new(uint64_t slots)
{
	struct bench *b = aligned_alloc(64, (sizeof(*b) + 63) & ~(size_t)63);

	assert_non_null(b);
	memset(b, 0, sizeof(*b));
	b->node.timebase[0] = (struct node_timebase){.pace = IMAGE_TIMER, .slot_ns = SLOT_NS};
	b->now = clock_ns();
	b->node.timebase[0].start_ns = b->now - (slots - 1) * SLOT_NS - SLOT_NS / 4;
	atomic_store(&b->node.lane[0].entries, 2);
	for (uint32_t e = 0; e < 2; e++) {
		b->node.lane[0].entry[e].waveform = e;
		b->node.lane[0].entry[e].seat = e;
		atomic_store(&b->node.lane[0].entry[e].live, 1);
	}
	return b;
}

static bool possible(const struct bench *b, uint64_t baton)
{
	return baton_possible(&b->node, 0, baton, b->now);
}

static enum baton_state look(struct bench *b)
{
	return baton_look(&b->node, 0, &b->image, &b->watch,
	    baton_bound(&b->node, 0, atomic_load(&b->image.baton), true));
}

static void test_possible_on_the_timer(void **state)
{
	struct bench *b = bench_new(100); /* slot 99 is under way */

	(void)state;
	assert_true(possible(b, baton_make(99, 0, 1)));
	assert_true(possible(b, baton_make(99, BATON_FRESH, 0)));
	assert_true(possible(b, baton_make(100, BATON_FRESH, 0)));
	assert_true(possible(b, baton_make(3, 0, 1))); /* late by as much as it likes */
	assert_false(possible(b, baton_make(100, 0, 1)));
	assert_false(possible(b, baton_make(101, BATON_FRESH, 0)));
	assert_false(possible(b, baton_make((1ull << 48) - 1, BATON_FRESH, 0)));
	assert_false(possible(b, baton_make(99, 0, NODE_ENTRIES_MAX)));
	assert_false(possible(b, baton_make(99, 0, 2))); /* the lane has had two */
	assert_false(possible(b, baton_make(99, BATON_FRESH, NODE_ENTRIES_MAX - 1)));
	assert_false(possible(b, baton_make(99, BATON_FRESH, BATON_NOBODY - 1)));
	assert_true(possible(b, baton_make(99, 0, BATON_NOBODY)));
	free(b);
}

/* The edge of a slot that has begun is moved back a little: the baton is still possible. */
static void test_possible_on_a_clock_that_follows(void **state)
{
	struct bench *b = bench_new(100);
	struct node_timebase *base = &b->node.timebase[0];
	const uint64_t now = clock_ns(), baton = baton_make(99, 0, 0);

	(void)state;
	base->start_ns = now - 99ull * SLOT_NS + SLOT_NS / 20;
	assert_false(baton_possible(&b->node, 0, baton, now));
	base->slack_ns = SLOT_NS / 16;
	assert_true(baton_possible(&b->node, 0, baton, now));
	assert_false(baton_possible(&b->node, 0, baton_make(100, 0, 0), now));
	base->start_ns = now - 99ull * SLOT_NS + SLOT_NS / 10;
	assert_false(baton_possible(&b->node, 0, baton, now));
	free(b);
}

static void test_possible_on_the_step_clock(void **state)
{
	struct bench *b = bench_new(100);

	(void)state;
	b->node.timebase[0].pace = IMAGE_STEP;
	atomic_store(&b->node.timebase[0].allowed, 7);
	assert_true(possible(b, baton_make(7, BATON_FRESH, 0)));
	assert_true(possible(b, baton_make(6, 0, 0)));
	assert_false(possible(b, baton_make(7, 0, 0)));
	assert_false(possible(b, baton_make(8, BATON_FRESH, 0)));
	assert_int_equal(baton_fresh(&b->node, 0, 5), baton_make(5, BATON_FRESH, 0));
	assert_int_equal(baton_fresh(&b->node, 0, 500), baton_make(7, BATON_FRESH, 0));
	free(b);
}

/* The clock's slot, whatever was known; never one that is itself impossible. */
static void test_fresh(void **state)
{
	struct bench *b = bench_new(100);
	const uint64_t baton = baton_fresh(&b->node, 0, 12345);

	(void)state;
	assert_in_range(baton_slot(baton), 99, timebase_slot(&b->node.timebase[0], clock_ns()) + 1);
	assert_int_equal(baton_entry(baton), 0);
	assert_true(baton_possible(&b->node, 0, baton, clock_ns()));
	atomic_store(&b->node.lane[0].entry[0].live, 0);
	assert_int_equal(baton_entry(baton_fresh(&b->node, 0, 0)), 1);
	b->node.timebase[0].start_ns = clock_ns() + 1000ull * SLOT_NS; /* before the first slot */
	assert_int_equal(baton_slot(baton_fresh(&b->node, 0, 0)), 0);
	free(b);
}

static void test_bound(void **state)
{
	struct bench *b = bench_new(100);

	(void)state;
	assert_int_equal(baton_bound(&b->node, 0, 0, true), SLOT_NS);
	assert_int_equal(baton_bound(&b->node, 0, 0, false), BATON_BOUND_ALONE_NS);
	/* a place of several has as many slots; where no entry is named, nobody has */
	b->node.lane[0].entry[1].slots = 3;
	assert_int_equal(baton_bound(&b->node, 0, baton_make(99, 0, 1), true), 3 * SLOT_NS);
	assert_int_equal(baton_bound(&b->node, 0, baton_make(99, 0, 0), true), SLOT_NS);
	assert_int_equal(baton_bound(&b->node, 0, baton_make(99, 0, BATON_NOBODY), true), SLOT_NS);
	b->node.lane[0].entry[1].slots = 0;
	b->node.timebase[0].slot_ns = 1000;
	assert_int_equal(baton_bound(&b->node, 0, 0, true), BATON_BOUND_NS);
	/* the holder is off the lane, and the other one waits for it */
	atomic_store(&b->node.lane[0].entry[1].live, 0);
	assert_int_equal(baton_bound(&b->node, 0, baton_make(99, 0, 1), true), BATON_BOUND_NS);
	atomic_store(&b->node.lane[0].entry[1].live, 1);
	b->node.lane[0].entry[1].waveform = 0; /* one waveform has the lane */
	assert_int_equal(baton_bound(&b->node, 0, 0, true), BATON_BOUND_ALONE_NS);
	free(b);
}

/* A holder that is at work since `since` is held against it from then on; a time that cannot be is
 * not believed. */
static void test_held(void **state)
{
	struct bench *b = bench_new(100);
	const uint64_t edge = b->node.timebase[0].start_ns + 99ull * SLOT_NS;
	uint64_t held;

	(void)state;
	atomic_store(&b->image.baton, baton_make(99, 0, 1));
	assert_int_equal(look(b), BATON_GOES);
	assert_int_equal(baton_held(&b->node, 0, &b->watch), b->watch.seen_ns);
	/* before its slot, or another's: not this holder's */
	atomic_store(&b->image.since, since_make(edge - 128, SINCE_AT_WORK, 1));
	look(b);
	assert_int_equal(baton_held(&b->node, 0, &b->watch), b->watch.seen_ns);
	atomic_store(&b->image.since, since_make(edge + 1000, SINCE_AT_WORK, 0));
	look(b);
	assert_int_equal(baton_held(&b->node, 0, &b->watch), b->watch.seen_ns);
	/* it makes itself younger than it was seen */
	atomic_store(&b->image.since, since_make(clock_ns() + SLOT_NS, SINCE_AT_WORK, 1));
	look(b);
	assert_int_equal(baton_held(&b->node, 0, &b->watch), b->watch.seen_ns);
	atomic_store(&b->image.since, since_make(edge + 1000, SINCE_AT_WORK, 1));
	look(b);
	held = baton_held(&b->node, 0, &b->watch);
	assert_in_range(held, edge + 1000, edge + 1127);
	atomic_store(
	    &b->image.since, since_make(b->watch.seen_ns, SINCE_AT_WORK, 1)); /* and later */
	look(b);
	assert_int_equal(baton_held(&b->node, 0, &b->watch), held);
	b->watch.stalled_ns = 500;
	assert_int_equal(baton_held(&b->node, 0, &b->watch), held + 500);
	free(b);
}

/* It was given the baton and has not begun: since when it has it is known from who gave it, also to
 * a watcher that looks for the first time. */
static void test_held_before_work(void **state)
{
	struct bench *b = bench_new(100);
	const uint64_t edge = b->node.timebase[0].start_ns + 99ull * SLOT_NS;

	(void)state;
	atomic_store(&b->image.baton, baton_make(99, 0, 1));
	atomic_store(&b->image.since, since_make(edge + 1000, 0, 1));
	b->node.lane[0].entry[1].slots = 1000; /* not overdue, however long the machine stalls */
	assert_int_equal(look(b), BATON_GOES);
	assert_in_range(baton_held(&b->node, 0, &b->watch), edge + 1000, edge + 1127);
	assert_false(baton_at_work(&b->image, baton_make(99, 0, 1)));
	atomic_store(&b->image.baton, baton_make(99, BATON_FRESH, 1));
	atomic_store(&b->image.since, since_make(edge - 1000000, 0, 1));
	look(b);
	assert_int_equal(baton_held(&b->node, 0, &b->watch), edge); /* not before its slot */
	free(b);
}

static void test_overdue(void **state)
{
	struct bench *b = bench_new(100);

	(void)state;
	b->node.lane[0].entry[2].waveform = 2; /* somebody else stays on the lane */
	atomic_store(&b->node.lane[0].entry[2].live, 1);
	atomic_store(&b->node.lane[0].entries, 3);
	atomic_store(&b->image.baton, baton_make(98, 0, 1));
	atomic_store(&b->image.since,
	    since_make(b->node.timebase[0].start_ns + 98ull * SLOT_NS + 128, SINCE_AT_WORK, 1));
	assert_int_equal(look(b), BATON_OVERDUE); /* a slot and a quarter ago */
	/* taken off the lane while it is at work: it is waited for */
	atomic_store(&b->node.lane[0].entry[1].live, 0);
	assert_int_equal(look(b), BATON_OVERDUE);
	atomic_store(&b->image.since, 0);
	assert_int_equal(look(b), BATON_LEFT);
	atomic_store(&b->image.baton, baton_make(98, BATON_FRESH, 1));
	/* nobody is at work before the slot has begun, whatever it says */
	atomic_store(&b->image.since, since_make(clock_ns(), SINCE_AT_WORK, 1));
	assert_int_equal(look(b), BATON_LEFT);
	atomic_store(&b->image.baton, baton_make(98, BATON_FRESH, BATON_NOBODY));
	assert_int_equal(look(b), BATON_LEFT);
	atomic_store(&b->image.baton, baton_make(12345, BATON_FRESH, 0));
	assert_int_equal(look(b), BATON_IMPOSSIBLE);
	free(b);
}

/* Nobody has the entry any more: that somebody is at work there is not believed, on no clock. */
static void test_left(void **state)
{
	struct bench *b = bench_new(100);

	(void)state;
	atomic_store(&b->image.baton, baton_make(98, 0, 1));
	atomic_store(&b->image.since, since_make(clock_ns(), SINCE_AT_WORK, 1));
	atomic_store(&b->node.lane[0].entry[1].live, 0);
	b->node.timebase[0].pace = IMAGE_STEP;
	atomic_store(&b->node.timebase[0].allowed, 100);
	assert_int_equal(look(b), BATON_GOES); /* its thread ends the slot first */
	atomic_store(&b->node.lane[0].entry[1].seat, IMAGE_NONE);
	assert_int_equal(look(b), BATON_LEFT);
	b->node.timebase[0].pace = IMAGE_TIMER;
	assert_int_equal(look(b), BATON_LEFT);
	free(b);
}

static void test_next_but(void **state)
{
	struct bench *b = bench_new(100);
	const struct node_lane *lane = &b->node.lane[0];

	(void)state;
	assert_int_equal(baton_next(lane, baton_make(5, 0, 0), 0), baton_make(5, 0, 1));
	assert_int_equal(baton_next(lane, baton_make(5, 0, 0), 2), baton_make(6, BATON_FRESH, 0));
	assert_int_equal(
	    baton_next(lane, baton_make(5, BATON_FRESH, 0), 1), baton_make(5, BATON_FRESH, 1));
	assert_int_equal(baton_next(lane, baton_make(5, BATON_FRESH, 0), 3),
	    baton_make(5, BATON_FRESH, BATON_NOBODY));
	free(b);
}

/* ---- threads that nobody watches ---- */

static void *thread_main(void *self)
{
	lane_run(self);
	return NULL;
}

struct lone {
	struct bench *b;
	struct lane_thread *thread;
	pthread_t id;
};

/* Entry 0 is its; entry 1 belongs to a thread that does not exist, as if its host had been killed
 * with exec. */
static void lone_prepare(struct lone *lone)
{
	alarm(WATCHDOG_S);
	lone->b = bench_new(100);
	lone->thread = aligned_alloc(64, (sizeof(*lone->thread) + 63) & ~(size_t)63);
	assert_non_null(lone->thread);
	memset(lone->thread, 0, sizeof(*lone->thread));
	lone->thread->node = &lone->b->node;
	lone->thread->image = &lone->b->image;
	lone->thread->fifo = true; /* what makes the bound a slot */
	lane_alone(lone->thread, true);
}

static void lone_begin(struct lone *lone)
{
	assert_int_equal(pthread_create(&lone->id, NULL, thread_main, lone->thread), 0);
}

static void lone_start(struct lone *lone)
{
	lone_prepare(lone);
	lone_begin(lone);
}

static void lone_stop(struct lone *lone)
{
	atomic_store(&lone->thread->quit, 1);
	lane_alone(lone->thread, true);
	pthread_join(lone->id, NULL);
	free(lone->thread);
	free(lone->b);
	alarm(0);
}

static void slots_pass(const struct lone *lone, uint64_t n)
{
	const uint64_t until = atomic_load(&lone->b->image.slots) + n;

	while (atomic_load(&lone->b->image.slots) < until)
		clock_sleep_until(clock_ns() + 100000);
}

/* 0: it has run down. */
static uint64_t timer_left(int timer)
{
	struct itimerspec left;
	uint64_t ns;

	assert_int_equal(timerfd_gettime(timer, &left), 0);
	ns = (uint64_t)left.it_value.tv_sec * 1000000000u + (uint64_t)left.it_value.tv_nsec;
	/* then all of its interval is left */
	return ns < 60000000000ull ? ns : 0;
}

/* While nobody else can be harmed, the thread puts off its watchdog; with another waveform on the
 * lane it does not. */
static void test_puts_off(void **state)
{
	(void)state;
	for (uint32_t others = 0; others < 2; others++) {
		struct lone lone;
		uint64_t left_ns = 0;

		lone_prepare(&lone);
		lone.thread->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
		assert_true(lone.thread->timer > 0);
		lone.b->node.lane[0].entry[1].seat = 0;
		lone.b->node.lane[0].entry[1].waveform = others;
		lone_begin(&lone);
		/* a stall lets it run down */
		for (int i = 0; i < (others == 0 ? 50 : 10) && left_ns == 0; i++) {
			slots_pass(&lone, 1);
			left_ns = timer_left(lone.thread->timer);
		}
		if (others == 0)
			assert_in_range(left_ns, 1, BATON_BOUND_ALONE_NS + 2ull * SLOT_NS);
		else
			assert_int_equal(left_ns, 0);
		close(lone.thread->timer);
		lone_stop(&lone);
	}
}

/* A lane-mate that sleeps is woken before the edge: its word says then that it does not sleep. One
 * that does not is not woken in the slot, but by whoever trusts nobody. */
static void test_calls_lane_mates(void **state)
{
	struct lone lone;
	_Atomic uint32_t *go;

	(void)state;
	lone_prepare(&lone);
	go = &lone.b->image.go[1];
	atomic_store(go, GO_ASLEEP);
	lone_begin(&lone);
	/* on a busy machine it comes too late for that, again and again; the alarm ends this */
	while (atomic_load(go) & GO_ASLEEP)
		slots_pass(&lone, 1);
	lone_stop(&lone);
}

/* It is found out once; in the slots that follow nobody waits for it. */
static void test_a_dead_lane_mate(void **state)
{
	struct lone lone;
	uint64_t rescued, began;

	(void)state;
	lone_start(&lone);
	began = clock_ns();
	atomic_store(&lone.b->image.baton, baton_make(99, 0, 1)); /* and here its host was killed */
	slots_pass(&lone, 10);
	rescued = atomic_load(&lone.b->image.rescued);
	assert_in_range(rescued, 1, 3); /* a stall may excuse it once more */
	slots_pass(&lone, 10);
	if (clock_ns() - began < FORGET_NS) /* then it is found out again */
		assert_int_equal(atomic_load(&lone.b->image.rescued), rescued);
	lone_stop(&lone);
}

/* What the watchdog had promised ends with it: it may have slept for long, while the lane was one
 * waveform's alone. */
static void test_a_promise_of_the_dead(void **state)
{
	struct lone lone;

	(void)state;
	lone_prepare(&lone);
	atomic_store(&lone.b->node.lane[0].watched_ns, clock_ns() + 3600000000000ull);
	atomic_store(&lone.b->image.baton, baton_make(99, 0, 1));
	lone_begin(&lone);
	slots_pass(&lone, 3);
	lone_stop(&lone);
}

/* It is found by the thread of its own waveform, which is passed over with it and could not
 * remember it for the others. */
static void test_a_lane_mate_of_its_own(void **state)
{
	struct lone lone;

	(void)state;
	lone_prepare(&lone);
	lone.b->node.lane[0].entry[2].waveform = 1; /* of another waveform, and it does nothing */
	lone.b->node.lane[0].entry[1].waveform = 0;
	lone.b->node.lane[0].entry[2].seat = 2;
	atomic_store(&lone.b->node.lane[0].entry[2].live, 1);
	atomic_store(&lone.b->node.lane[0].entries, 3);
	atomic_store(&lone.b->image.baton, baton_make(99, 0, 1));
	lone_begin(&lone);
	clock_sleep_until(clock_ns() + 4ull * SLOT_NS);
	assert_int_equal(atomic_load(&lone.b->image.baton), baton_make(99, 0, 1));
	assert_int_equal(atomic_load(&lone.b->image.rescued), 0);
	lone_stop(&lone);
}

/* It found him overdue, and another one was quicker: it does not wait for him a second time. */
static void test_a_lane_mate_was_quicker(void **state)
{
	struct lone lone;
	uint64_t began;

	(void)state;
	lone_prepare(&lone);
	lone.thread->doubted = baton_make(98, 0, 1);
	atomic_store(&lone.b->image.rescued, 1);
	atomic_store(&lone.b->image.baton, baton_make(99, BATON_FRESH, 0));
	began = clock_ns();
	lone_begin(&lone);
	slots_pass(&lone, 10);
	if (clock_ns() - began < FORGET_NS) /* then it is found out again */
		assert_int_equal(atomic_load(&lone.b->image.rescued), 1);
	lone_stop(&lone);
}

/* Another waveform has its place: it is not passed over for what was there before. */
static void test_a_place_taken_again(void **state)
{
	struct lone lone;

	(void)state;
	lone_prepare(&lone);
	lone.thread->passed = 2;
	lone.thread->passed_ns = clock_ns() + 3600000000000ull; /* not forgotten by time */
	atomic_store(&lone.b->node.lane[0].entry[1].live, 0);
	atomic_store(&lone.b->image.baton, baton_make(99, BATON_FRESH, 0));
	lone_begin(&lone);
	slots_pass(&lone, 2);
	atomic_store(&lone.b->node.lane[0].entry[1].live, 1);
	while (baton_entry(atomic_load(&lone.b->image.baton)) != 1)
		clock_sleep_until(clock_ns() + 100000);
	lone_stop(&lone);
}

static void test_random_bytes(void **state)
{
	struct lone lone;
	unsigned seed = 1;

	(void)state;
	lone_start(&lone);
	atomic_store(&lone.b->image.baton, baton_make(99, BATON_FRESH, 0));
	for (int i = 0; i < 30; i++) {
		for (size_t n = 0; n < sizeof(lone.b->image) / 8; n++) {
			const uint64_t word = (uint64_t)rand_r(&seed) << 40 ^
			    (uint64_t)rand_r(&seed) << 20 ^ (uint64_t)rand_r(&seed);

			/* what this test counts by */
			if (n != offsetof(struct lane_image, slots) / 8)
				atomic_store((_Atomic uint64_t *)(void *)&lone.b->image + n, word);
		}
		slots_pass(&lone, 2);
	}
	lone_stop(&lone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_possible_on_the_timer),
	    cmocka_unit_test(test_possible_on_a_clock_that_follows),
	    cmocka_unit_test(test_possible_on_the_step_clock),
	    cmocka_unit_test(test_fresh),
	    cmocka_unit_test(test_bound),
	    cmocka_unit_test(test_held),
	    cmocka_unit_test(test_held_before_work),
	    cmocka_unit_test(test_overdue),
	    cmocka_unit_test(test_left),
	    cmocka_unit_test(test_next_but),
	    cmocka_unit_test(test_puts_off),
	    cmocka_unit_test(test_calls_lane_mates),
	    cmocka_unit_test(test_a_dead_lane_mate),
	    cmocka_unit_test(test_a_promise_of_the_dead),
	    cmocka_unit_test(test_a_lane_mate_of_its_own),
	    cmocka_unit_test(test_a_lane_mate_was_quicker),
	    cmocka_unit_test(test_a_place_taken_again),
	    cmocka_unit_test(test_random_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
