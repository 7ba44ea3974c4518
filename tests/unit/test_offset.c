/* SPDX-License-Identifier: BSD-3-Clause
 * core/bridge/offset and core/image/align: how far the clock of another node is off. By hand, and
 * on links with drift, jitter, delays that differ by direction, losses, doubles and clocks that are
 * set, by seeds: what is said is never further off than is said, and a node that follows keeps its
 * edges. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/bridge/offset.h"
#include "core/image/align.h"
#include "core/image/node.h"

#define MS 1000000ull
#define SECOND 1000000000ull

/* ---- by hand ------------------------------------------------------------------------ */

static uint64_t size_of(int64_t n)
{
	return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

/* An exchange begun at `at`, with these ways; the other clock is `epoch` ahead. */
static void exchange(struct offset *offset, uint64_t at, uint64_t there, uint64_t rest,
    uint64_t back, uint64_t epoch)
{
	const struct offset_times times = {.asked = at,
	    .took = at + there + epoch,
	    .answered = at + there + rest + epoch,
	    .heard = at + there + rest + back};

	assert_int_equal(offset_add(offset, &times), 0);
}

static void test_one_exchange(void **state)
{
	struct offset offset = {0};
	struct offset_is is;

	(void)state;
	assert_false(offset_best(&offset, SECOND, &is));
	exchange(&offset, SECOND, 100, 5000, 100, 7 * SECOND);
	assert_true(offset_best(&offset, SECOND + 5200, &is));
	assert_int_equal(is.epoch_ns, 7 * SECOND);
	assert_int_equal(is.round_ns, 200);
	assert_int_equal(is.within_ns, 102);
	/* a hundred millionths: a microsecond in ten milliseconds */
	assert_true(offset_best(&offset, SECOND + 5200 + 10 * MS, &is));
	assert_int_equal(is.within_ns, 102 + 1000);
}

/* One way takes everything: the error is half of the round trip, and that is what is said. */
static void test_one_way(void **state)
{
	struct offset offset = {0};
	struct offset_is is;

	(void)state;
	exchange(&offset, SECOND, 10000, 0, 0, (uint64_t)-5);
	assert_true(offset_best(&offset, SECOND + 10000, &is));
	assert_int_equal((int64_t)is.epoch_ns, -5 + 5000);
	assert_in_range(is.within_ns, 5000, 5002);
}

static void test_shortest_counts(void **state)
{
	struct offset offset = {0};
	struct offset_is is;

	(void)state;
	exchange(&offset, SECOND, 50000, 0, 90000, 77);
	exchange(&offset, SECOND + MS, 1000, 0, 1000, 77);
	exchange(&offset, SECOND + 2 * MS, 90000, 0, 50000, 77);
	assert_true(offset_best(&offset, SECOND + 3 * MS, &is));
	assert_int_equal(is.round_ns, 2000);
	assert_int_equal(is.epoch_ns, 77);
	/* until the drift since then may be more than the next best is off */
	assert_true(offset_best(&offset, SECOND + 800 * MS, &is));
	assert_int_equal(is.round_ns, 2000);
	for (uint32_t i = 0; i < OFFSET_SAMPLES; i++)
		exchange(&offset, 3 * SECOND + i, 30000, 0, 30000, 77);
	assert_true(offset_best(&offset, 3 * SECOND + MS, &is));
	assert_int_equal(is.round_ns, 60000);
	assert_int_equal(offset.jumps, 0);
}

static void test_a_clock_that_is_set(void **state)
{
	struct offset offset = {0};
	struct offset_is is;

	(void)state;
	for (int i = 0; i < 10; i++)
		exchange(&offset, SECOND + i * MS, 1000, 0, 1000, 77);
	exchange(&offset, SECOND + 20 * MS, 40000, 0, 20000, 77 + 37 * SECOND);
	assert_int_equal(offset.jumps, 1);
	assert_true(offset_best(&offset, SECOND + 21 * MS, &is));
	assert_in_range(is.epoch_ns, 77 + 37 * SECOND, 77 + 37 * SECOND + 10000);
}

static void test_times_that_cannot_be(void **state)
{
	static const struct offset_times wrong[] = {
	    {.asked = 100, .took = 5, .answered = 5, .heard = 99}, /* heard before it was asked */
	    {.asked = 100,
	        .took = 5,
	        .answered = 4,
	        .heard = 200}, /* answered before it was taken */
	    {.asked = 100, .took = 5, .answered = 206, .heard = 300}, /* longer there than in all */
	    {.asked = 100, .took = 5, .answered = 6, .heard = 101 + OFFSET_ROUND_MAX_NS},
	};
	struct offset offset = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(offset_add(&offset, &wrong[i]), -EBADMSG);
	assert_int_equal(offset.n, 0);
}

static void test_messages(void **state)
{
	uint8_t ask[OFFSET_BYTES], bytes[OFFSET_BYTES];
	struct offset_times times;

	(void)state;
	offset_ask_put(ask, 0x0102030405060708);
	assert_int_equal(offset_kind(ask, sizeof(ask)), OFFSET_ASK);
	assert_memory_equal(ask, "ACQ1\0\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01", 16);
	offset_answer_put(bytes, ask, 11, UINT64_MAX);
	assert_int_equal(offset_kind(bytes, sizeof(bytes)), OFFSET_ANSWER);
	offset_answer_get(bytes, &times);
	assert_int_equal(times.asked, 0x0102030405060708);
	assert_int_equal(times.took, 11);
	assert_true(times.answered == UINT64_MAX);
	assert_int_equal(offset_kind(bytes, sizeof(bytes) - 1), OFFSET_NONE);
	bytes[3] = '2';
	assert_int_equal(offset_kind(bytes, sizeof(bytes)), OFFSET_NONE);
}

/* ---- slots ------------------------------------------------------------------------ */

static void test_slot_least(void **state)
{
	const uint64_t now = 1790000000 * SECOND; /* 2026 */
	const uint64_t least = align_slot_least(now), later = now + 10 * 365 * 86400 * SECOND;

	(void)state;
	assert_in_range(least, 7000, 8000);
	for (uint64_t slot_ns = least; slot_ns < least + 3000; slot_ns += 997)
		for (uint64_t at = now; at <= later; at += 86400 * 365 * SECOND) {
			const uint64_t slot = at / slot_ns + 1;

			assert_int_equal(baton_slot(baton_make(slot, BATON_FRESH, 3)), slot);
		}
	/* and a slot that is much shorter does not */
	assert_true(baton_slot(baton_make(later / 5000, 0, 3)) != later / 5000);
	assert_int_equal(align_slot_least(0), 1124);
}

/* What runs goes on with the next step in the next slot, what waits for its slot waits on. */
static void test_base(void **state)
{
	(void)state;
	assert_true(align_base(IMAGE_FOREVER, 100, 200) == IMAGE_FOREVER);
	assert_int_equal(align_base(40, 100, 137), 77);
	assert_int_equal(align_base(40, 100, 95), 35);
	assert_int_equal(align_base(100, 100, 0), 0);
	assert_int_equal(align_base(101, 100, 5000), 101);
	/* further back than the waveform is old: it wraps, as slot - base has to stay */
	assert_int_equal(3 - align_base(40, 100, 3), 100 - 40);
}

static void test_slew(void **state)
{
	(void)state;
	assert_int_equal(align_slew(5, 1000000), 5);
	assert_int_equal(align_slew(-40000, 1000000), -31250);
	assert_int_equal(align_slew(INT64_MAX, 1000000), 31250);
	assert_int_equal(align_slew(INT64_MIN, 1000000), -31250);
	assert_false(align_is_far(250000, 1000000));
	assert_false(align_is_far(-250000, 1000000));
	assert_true(align_is_far(-250001, 1000000));
	assert_true(align_is_far(INT64_MIN, 1000000));
	assert_true(align_agrees(0, 250000, 1000000));
	assert_true(align_agrees(-200000, 50000, 1000000));
	assert_false(align_agrees(-200000, 50001, 1000000));
	assert_false(align_agrees(0, 250001, 1000000));
	assert_false(align_agrees(INT64_MIN, UINT64_MAX, 1000000));
}

/* ---- by seeds ------------------------------------------------------------------------ */

enum { SEEDS = 500, ROUNDS = 400, ASK_MS = 100 };

/* CLOCK_SEEDS: as many (make clock-seeds). */
static uint32_t seeds(void)
{
	const char *text = getenv("CLOCK_SEEDS");

	return text != NULL && atoi(text) > 0 ? (uint32_t)atoi(text) : SEEDS;
}

struct world {
	uint64_t random;
	double ppm;              /* of the other oscillator against this one, at the most 100 */
	uint64_t there, back;    /* least time of each way */
	uint64_t queue;          /* and what a queue may add */
	uint32_t lost;           /* of 1000 */
	uint64_t set_at, set_by; /* the other clock is set in this round; UINT64_MAX: never */
	uint64_t epoch;          /* at time 0 */
};

static uint64_t below(struct world *world, uint64_t n)
{
	world->random ^= world->random << 13;
	world->random ^= world->random >> 7;
	world->random ^= world->random << 17;
	return world->random % n;
}

static struct world world_of(uint32_t seed)
{
	struct world world = {.random = seed * 0x9e3779b97f4a7c15ull + 1};

	for (int i = 0; i < 8; i++)
		below(&world, 2);
	world.ppm = (double)below(&world, 2 * ALIGN_DRIFT_PPM + 1) - ALIGN_DRIFT_PPM;
	world.there = 1000 + below(&world, 300000);
	world.back = 1000 + below(&world, 300000);
	world.queue = 1 + below(&world, 2000000);
	world.lost = (uint32_t)below(&world, 300);
	world.set_at = below(&world, 3) == 0 ? below(&world, ROUNDS) : UINT64_MAX;
	world.set_by = (below(&world, 2) ? 1 : -1) * (50 * MS + below(&world, 100 * SECOND));
	world.epoch = 1790000000 * SECOND + below(&world, SECOND);
	return world;
}

/* What is to be known: the time there, less the time here. */
static uint64_t true_epoch(const struct world *world, uint64_t now, uint64_t round)
{
	return world->epoch + (uint64_t)(int64_t)((double)now * world->ppm * 1e-6) +
	    (round >= world->set_at ? world->set_by : 0);
}

/* Most queues are short, some are long. */
static uint64_t queued(struct world *world)
{
	const uint64_t most = below(world, 4) == 0 ? world->queue : world->queue / 50 + 1;

	return below(world, most);
}

static bool exchanged(struct world *world, struct offset *offset, uint64_t now, uint64_t round)
{
	const uint64_t there = world->there + queued(world), back = world->back + queued(world),
	               rest = below(world, 50000);
	struct offset_times times = {.asked = now, .heard = now + there + rest + back};
	const bool twice = below(world, 20) == 0;

	times.took = now + there + true_epoch(world, now + there, round);
	times.answered = now + there + rest + true_epoch(world, now + there + rest, round);
	if (below(world, 1000) < world->lost)
		return false;
	assert_int_equal(offset_add(offset, &times), 0);
	if (twice) { /* the same answer once more, later */
		times.heard += below(world, 5 * MS);
		assert_int_equal(offset_add(offset, &times), 0);
	}
	return true;
}

static void never_further_off_than_said(void **state)
{
	uint64_t checked = 0, better = 0, set = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= seeds(); seed++) {
		struct world world = world_of(seed);
		struct offset offset = {0};
		bool known_since_set = false;
		uint64_t last_error = 0;

		for (uint64_t round = 0; round < ROUNDS; round++) {
			const uint64_t now = SECOND + round * ASK_MS * MS, looked = now + 60 * MS;
			const bool heard = exchanged(&world, &offset, now, round);
			struct offset_is is;
			uint64_t error;

			known_since_set = known_since_set || (heard && round >= world.set_at);
			if (!offset_best(&offset, looked, &is) ||
			    (round >= world.set_at && !known_since_set))
				continue;
			error = size_of((int64_t)(is.epoch_ns - true_epoch(&world, looked, round)));
			if (error > is.within_ns)
				fail_msg("seed %u, round %llu: %llu ns off, and said +- %llu", seed,
				    (unsigned long long)round, (unsigned long long)error,
				    (unsigned long long)is.within_ns);
			last_error = error;
			checked++;
		}
		assert_int_equal(
		    offset.jumps, known_since_set && world.set_at > 0 && offset.first > 0);
		set += offset.jumps;
		/* what one exchange of the usual kind would be off, by its queues alone */
		better += last_error < (world.there > world.back ? world.there - world.back
		                                                 : world.back - world.there) /
		            2 +
		        world.queue / 4;
	}
	print_message("%llu checked, %llu set, %llu of %u closer than a queue\n",
	    (unsigned long long)checked, (unsigned long long)set, (unsigned long long)better,
	    seeds());
	assert_true(checked > (uint64_t)seeds() * ROUNDS / 2);
	assert_true(set > seeds() / 5);
	assert_true(better > (uint64_t)seeds() * 9 / 10);
}

/* A node without a clock of its own: its edges are moved a little after each exchange. They are off
 * by what is not known, and by what is left of what is known. */
static void who_follows_keeps_its_edges(void **state)
{
	static const uint64_t slot_ns = MS;
	uint64_t worst = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= seeds(); seed++) {
		struct world world = world_of(seed);
		struct offset offset = {0};
		uint64_t epoch = 0;
		uint32_t at_once = 0;

		world.set_at = UINT64_MAX;
		world.queue = 1 + world.queue / 100; /* a network in which slots of 1 ms are run */
		world.there = world.there / 10 + 1;
		world.back = world.back / 10 + 1;
		world.lost /= 3;
		for (uint64_t round = 0; round < ROUNDS; round++) {
			const uint64_t now = SECOND + round * ASK_MS * MS, looked = now + 60 * MS;
			struct offset_is is;
			int64_t off, by;

			exchanged(&world, &offset, now, round);
			if (!offset_best(&offset, looked, &is))
				continue;
			off = (int64_t)(is.epoch_ns - epoch);
			by = align_is_far(off, slot_ns) ? off : align_slew(off, slot_ns);
			at_once += by == off && align_is_far(off, slot_ns);
			epoch += (uint64_t)by;
			assert_true(size_of((int64_t)(epoch - true_epoch(&world, looked, round))) <=
			    is.within_ns + size_of(off - by));
			if (round > 20 && size_of(off - by) > worst)
				worst = size_of(off - by);
		}
		assert_int_equal(at_once, 1); /* the first time, and never again */
	}
	print_message("at most %llu ns were left\n", (unsigned long long)worst);
	assert_true(worst < slot_ns / ALIGN_FAR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_one_exchange),
	    cmocka_unit_test(test_one_way),
	    cmocka_unit_test(test_shortest_counts),
	    cmocka_unit_test(test_a_clock_that_is_set),
	    cmocka_unit_test(test_times_that_cannot_be),
	    cmocka_unit_test(test_messages),
	    cmocka_unit_test(test_slot_least),
	    cmocka_unit_test(test_base),
	    cmocka_unit_test(test_slew),
	    cmocka_unit_test(never_further_off_than_said),
	    cmocka_unit_test(who_follows_keeps_its_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
