/* SPDX-License-Identifier: BSD-3-Clause
 * core/slot/miss: the records of slots that were skipped or slipped, of absent messages, and of
 * samples that a radio brought late; what the lane's thread knows of itself. Records of slots that
 * ended late: test_segment.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/slot/steps.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"

/* source (segment 0, lag 0) -> pass (segment 1, lag 1) -> sink (segment 1, lag 1) */
static struct rig *chain_new(enum image_late late)
{
	struct rig *rig = rig_new(IMAGE_TIMER, late);

	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_pass, 1, 1);
	rig_add(rig, &probe_sink, 1, 1);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig_link(rig, 1, 0, 2, 0, 0);
	rig->nodes[2].source = 0;
	rig_open(rig);
	return rig;
}

/* A slot whose edge is far ahead, so that nothing is late. */
static enum segment_status slot_ahead(struct rig *rig, uint32_t segment, uint64_t slot)
{
	const uint64_t edge = clock_ns() + 3600000000000ull;
	uint64_t now = edge;

	return segment_slot(&rig->segments[segment], slot, edge, &now);
}

static void record_is(struct rig *rig, uint32_t segment, uint64_t n, enum image_miss_kind kind,
    uint64_t slot, uint32_t count, uint32_t instance)
{
	const struct image_miss *miss = &rig_state(rig, segment)->miss[n];

	assert_true(atomic_load(&rig_state(rig, segment)->misses) > n);
	assert_int_equal(miss->kind, kind);
	assert_int_equal(miss->slot, slot);
	assert_int_equal(miss->count, count);
	assert_int_equal(miss->instance, instance);
}

/* One record of a row of skipped slots, and one for each slot in which a message was absent. */
static void test_skip(void **state)
{
	struct rig *rig = chain_new(IMAGE_SKIP);

	(void)state;
	for (uint64_t slot = 0; slot < 12; slot++) {
		if (slot != 3 && slot != 4 && slot != 8)
			slot_ahead(rig, 0, slot);
		slot_ahead(rig, 1, slot);
	}
	assert_int_equal(atomic_load(&rig_state(rig, 0)->misses), 2);
	record_is(rig, 0, 0, IMAGE_MISS_SKIPPED, 3, 2, IMAGE_NONE);
	record_is(rig, 0, 1, IMAGE_MISS_SKIPPED, 8, 1, IMAGE_NONE);
	assert_int_equal(atomic_load(&rig_state(rig, 1)->misses), 3);
	record_is(rig, 1, 0, IMAGE_MISS_ABSENT, 4, 1, 1);
	record_is(rig, 1, 1, IMAGE_MISS_ABSENT, 5, 1, 1);
	record_is(rig, 1, 2, IMAGE_MISS_ABSENT, 9, 1, 1);
	assert_true(rig_state(rig, 1)->miss[1].follows != 0);
	assert_true(rig_state(rig, 1)->miss[2].follows == 0);
	assert_int_equal(atomic_load(&rig_state(rig, 1)->missed), 0);
	rig_close(rig);
}

static void test_slip(void **state)
{
	struct rig *rig = chain_new(IMAGE_SLIP);

	(void)state;
	assert_int_equal(slot_ahead(rig, 1, 0), SEGMENT_RAN);
	assert_int_equal(slot_ahead(rig, 1, 1), SEGMENT_WAITS);
	assert_int_equal(slot_ahead(rig, 1, 2), SEGMENT_WAITS);
	assert_int_equal(atomic_load(&rig_state(rig, 1)->slipped), 2);
	record_is(rig, 1, 0, IMAGE_MISS_SLIPPED, 1, 1, IMAGE_NONE);
	record_is(rig, 1, 1, IMAGE_MISS_SLIPPED, 2, 1, IMAGE_NONE);
	rig_close(rig);
}

/* Samples of a radio that came late are a record of a slot that has none. */
static void test_radio(void **state)
{
	struct rig *rig = chain_new(IMAGE_SLIP);
	uint64_t edge = clock_ns() / 2, now = clock_ns();

	(void)state;
	slot_ahead(rig, 0, 0);
	miss_radio(&rig->segments[0], 0, 1000, 5000000);
	miss_radio(&rig->segments[0], 0, 1000, 5000000);
	record_is(rig, 0, 0, IMAGE_MISS_RADIO, 0, 1, IMAGE_NONE);
	assert_int_equal(rig_state(rig, 0)->miss[0].late_ns, 5000000);
	assert_int_equal(rig_state(rig, 0)->miss[0].at_ns, 1000);
	segment_slot(&rig->segments[0], 1, edge, &now);
	miss_radio(&rig->segments[0], 1, edge, 5000000);
	record_is(rig, 0, 1, IMAGE_MISS_LATE, 1, 1, 0);
	assert_int_equal(atomic_load(&rig_state(rig, 0)->misses), 2);
	assert_int_equal(atomic_load(&rig_state(rig, 0)->missed), 1);
	rig_close(rig);
}

/* The CPU time of a late slot is what the thread used since the reading before. */
static void test_cpu_time(void **state)
{
	struct rig *rig = chain_new(IMAGE_SLIP);
	const struct image_miss *miss = &rig_state(rig, 0)->miss[0];
	struct witness witness = {0};
	uint64_t edge, now;

	(void)state;
	witness_read(&witness);
	rig->segments[0].witness = &witness;
	clock_sleep_until(clock_ns() + 20000000); /* time that is not the thread's */
	edge = clock_ns() / 2;
	now = clock_ns();
	assert_int_equal(segment_slot(&rig->segments[0], 0, edge, &now), SEGMENT_RAN);
	record_is(rig, 0, 0, IMAGE_MISS_LATE, 0, 1, 0);
	assert_true(miss->from_ns > 0 && miss->cpu_ns > 0);
	assert_true(witness.at_ns - miss->from_ns >= miss->cpu_ns + 19000000);
	assert_true(miss->switches >= 1);
	rig_close(rig);
}

/* A thread that sleeps reads before each edge, one that polls once in 1024 slots; where the edge is
 * too near neither does. */
static void test_when(void **state)
{
	struct witness witness = {0};

	(void)state;
	witness_wait(&witness, 1000000, 1001000, 1000000, true);
	assert_int_equal(witness.at_ns, 0);
	witness_wait(&witness, 1000000, 1050000, 1000000, true);
	assert_true(witness.at_ns > 0);
	witness = (struct witness){.at_ns = 1000000};
	witness_wait(&witness, 2000000, 2030000, 40000, false);
	assert_int_equal(witness.at_ns, 1000000);
	witness_wait(&witness, 1000000 + 1025 * 40000ull, 1030000 + 1025 * 40000ull, 40000, false);
	assert_true(witness.at_ns != 1000000);
	witness.at_ns = 0; /* woken much too late: the slot is to be known all the same */
	witness_wait(&witness, 2000000, 1000000, 1000000, true);
	assert_true(witness.at_ns > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_skip),
	    cmocka_unit_test(test_slip),
	    cmocka_unit_test(test_radio),
	    cmocka_unit_test(test_cpu_time),
	    cmocka_unit_test(test_when),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
