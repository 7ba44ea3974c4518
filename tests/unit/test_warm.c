/* SPDX-License-Identifier: BSD-3-Clause
 * core/slot/warm: before any step what it will touch can be read, and nothing is changed by
 * that; the rehearsal's slots run; a lane whose hosts stir each other before the edge does what
 * it did. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/slot/lane.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"
#include "tests/common/wave.h"

enum { STEPS = 300, REHEARSALS = 1000 };

/* A sink to a file has no work: its record is copied. */
static int store_drain(void *self, const struct aloe_record *record, struct aloe_setup *setup)
{
	uint64_t *stored = self;

	(void)record, (void)setup;
	++*stored;
	return 1;
}

static const struct aloe_port store_in[] = {ALOE_IN("in", ALOE_BYTE, "bytes")};
static const struct aloe_component store = {.summary = "store",
    .ports = ALOE_LIST(store_in),
    .state_size = sizeof(uint64_t),
    .drain = store_drain};

static struct rig *chain_new(enum image_late late)
{
	struct rig *rig = rig_new(IMAGE_TIMER, late);

	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_pass, 1, 1);
	rig_add(rig, &probe_sink, 1, 1);
	rig_add(rig, &probe_source, 0, 0); /* nobody reads it */
	rig->nodes[3].depth = 0;
	rig_link(rig, 0, 0, 1, 0, 0);
	rig_link(rig, 1, 0, 2, 0, 3); /* far into what has not been written yet */
	rig->nodes[2].source = 0;
	rig_add(rig, &store, 1, 1);
	rig_link(rig, 0, 0, 4, 0, 0);
	rig_gates(rig);
	rig_open(rig);
	return rig;
}

/* Compared as bytes: the image, the segment and the instances. */
static void warm_and_compare(
    struct rig *rig, uint32_t s, uint64_t until, uint8_t *image, struct rig *before)
{
	memcpy(image, rig->view.base, rig->view.bytes);
	memcpy(before, rig, sizeof(*rig));
	segment_warm(&rig->segments[s], until);
	assert_memory_equal(image, rig->view.base, rig->view.bytes);
	assert_memory_equal(before, rig, sizeof(*rig));
}

static void test_nothing_is_changed(void **state)
{
	struct rig *before = malloc(sizeof(*before));

	(void)state;
	assert_non_null(before);
	for (int late = IMAGE_SLIP; late <= IMAGE_SKIP; late++) {
		struct rig *rig = chain_new((enum image_late)late);
		uint8_t *image = malloc(rig->view.bytes);

		assert_non_null(image);
		for (uint64_t slot = 0; slot < STEPS; slot++)
			for (uint32_t s = 0; s < 2; s++) {
				uint64_t now = clock_ns();

				warm_and_compare(
				    rig, s, slot % 7 == 0 ? 0 : UINT64_MAX, image, before);
				assert_int_equal(
				    segment_slot(&rig->segments[s], slot, now, &now), SEGMENT_RAN);
				io_drain(&rig->instances[4].io, &store, rig->instances[4].state,
				    &rig->instances[4].setup);
			}
		assert_int_equal(*(const uint64_t *)rig->instances[4].state, STEPS - 1);
		/* lag 1 */
		assert_int_equal(((const struct probe *)rig->instances[2].state)->calls, STEPS - 1);
		free(image);
		rig_close(rig);
	}
	free(before);
}

static void test_rehearsal(void **state)
{
	struct rehearsal *rehearsal = rehearsal_new();

	(void)state;
	assert_non_null(rehearsal);
	for (uint64_t i = 1; i <= REHEARSALS; i++)
		assert_int_equal(rehearsal_run(rehearsal), i);
	rehearsal_free(rehearsal);
	rehearsal_free(NULL);
}

/* ---- a lane of several hosts that stir each other ---- */

enum { HOSTS = 4, SLOTS = 60 };

static void *lane_main(void *self)
{
	lane_run(self);
	return NULL;
}

/* Whoever is stirred without having the baton does nothing that can be seen: every message arrives,
 * once and in order. */
static void test_stirred(void **state)
{
	static const char text[] =
	    "name = \"stirred\"; slot_ns = 1000000; isolation = \"component\"; instances: {s: { "
	    "component = \"null_source\"; length = 64; content = \"numbers\"; };c0: { component = "
	    "\"copy\"; }; c1: { component = \"copy\"; }; k: { component = \"null_sink\"; }; "
	    "};links = ( \"s -> c0 -> c1 -> k\" );";
	const struct wave_options options = {.clock = "timer"};
	struct lane_thread *threads = aligned_alloc(64, (HOSTS * sizeof(*threads) + 63) / 64 * 64);
	struct wave wave;
	pthread_t ids[HOSTS];

	(void)state;
	assert_non_null(threads);
	assert_int_equal(wave_open(&wave, text, &options), 0);
	assert_int_equal(wave.view.head->segments.count, HOSTS);
	wave.node->timebase[0].start_ns = clock_ns();
	for (uint32_t h = 0; h < HOSTS; h++) {
		wave_lane(&wave, 0, h, &threads[h]);
		threads[h].fifo = true;
		threads[h].rehearsal = rehearsal_new();
		assert_int_equal(pthread_create(&ids[h], NULL, lane_main, &threads[h]), 0);
	}
	while (atomic_load(&wave.segments[HOSTS - 1].state->done) < SLOTS)
		clock_sleep_until(clock_ns() + 1000000);
	atomic_store(&wave.node->quit, 1);
	for (uint32_t h = 0; h < HOSTS; h++)
		while (pthread_tryjoin_np(ids[h], NULL) != 0) {
			atomic_fetch_add(&wave.lane[0]->go[h], 1);
			futex_wake(&wave.lane[0]->go[h], 1);
			clock_sleep_until(clock_ns() + 100000);
		}
	for (uint32_t i = 0; i < HOSTS; i++) {
		const struct image_instance_state *stats = image_instance_state(&wave.view, i);

		assert_in_range(hist_load(&image_time(&wave.view, i)->count), SLOTS, UINT32_MAX);
		assert_int_equal(atomic_load(&stats->absent), 0);
		assert_int_equal(atomic_load(&stats->overwritten), 0);
		rehearsal_free(threads[i].rehearsal);
	}
	wave_close(&wave);
	free(threads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nothing_is_changed),
	    cmocka_unit_test(test_rehearsal),
	    cmocka_unit_test(test_stirred),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
