/* SPDX-License-Identifier: BSD-3-Clause
 * core/slot/warm: before any step what it will touch can be read, and nothing is changed by
 * that; what a component names is read, as far as there is time and room; the rehearsal's slots
 * run; a lane whose hosts stir each other before the edge does what it did. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/slot/lane.h"
#include "tests/common/own_clock.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"
#include "tests/common/wave.h"

enum { STEPS = 300, REHEARSALS = 1000, ROOM = 1 << 20, PAGES = 4 };

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
	size_t room = ROOM;

	memcpy(image, rig->view.base, rig->view.bytes);
	memcpy(before, rig, sizeof(*rig));
	segment_warm(&rig->segments[s], until);
	segment_warm_bulk(&rig->segments[s], &room, until);
	assert_memory_equal(image, rig->view.base, rig->view.bytes);
	assert_memory_equal(before, rig, sizeof(*rig));
	assert_in_range(room, 0, ROOM);
	assert_true(until != 0 || room == ROOM);
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

/* ---- what a component names ---- */

/* Pages that nobody has touched are not there. */
struct table {
	uint8_t *at;
	size_t page;
};

static int table_init(void *self, struct aloe_setup *setup)
{
	struct table *table = self;

	(void)setup;
	table->page = (size_t)sysconf(_SC_PAGESIZE);
	table->at = mmap(NULL, PAGES * table->page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return table->at != MAP_FAILED ? 0 : -1;
}

static int table_close(void *self, struct aloe_setup *setup)
{
	const struct table *table = self;

	(void)setup;
	return munmap(table->at, PAGES * table->page);
}

static int table_work(void *self, struct aloe_slot *slot)
{
	(void)self, (void)slot;
	return 0;
}

static void table_warm(const void *self, struct aloe_warm *warm)
{
	const struct table *table = self;

	aloe_warm(warm, table->at, 0);
	aloe_warm(warm, table->at, PAGES * table->page);
	aloe_warm_code(warm, (uintptr_t)table_work, 1 << 20); /* to the end of its page */
	for (int i = 0; i < ALOE_WARM_MAX; i++)               /* the last two find no place */
		aloe_warm(warm, table->at, 1);
}

static unsigned pages_there(const struct table *table)
{
	unsigned char there[PAGES];
	unsigned n = 0;

	assert_int_equal(mincore(table->at, PAGES * table->page, there), 0);
	for (int i = 0; i < PAGES; i++)
		n += there[i] & 1;
	return n;
}

static void test_what_is_named_is_read(void **state)
{
	static const struct aloe_component component = {.summary = "table",
	    .state_size = sizeof(struct table),
	    .init = table_init,
	    .work = table_work,
	    .close = table_close,
	    .warm = table_warm};
	struct rig *rig = rig_new(IMAGE_TIMER, IMAGE_SLIP);
	const struct table *table;
	size_t room = ROOM;

	(void)state;
	rig_add(rig, &component, 0, 0);
	rig_open(rig);
	table = rig->instances[0].state;
	assert_int_equal(rig->instances[0].n_warm, ALOE_WARM_MAX);
	assert_in_range(rig->instances[0].warm[1].bytes, 1, 4096);
	segment_warm(&rig->segments[0], UINT64_MAX);
	segment_warm_bulk(&rig->segments[0], &room, 0); /* no time */
	assert_int_equal(pages_there(table), 0);
	assert_int_equal(room, ROOM);
	room = 1; /* in the cache */
	segment_warm_bulk(&rig->segments[0], &room, UINT64_MAX);
	assert_int_equal(pages_there(table), 1);
	assert_int_equal(room, 0);
	room = ROOM;
	segment_warm_bulk(&rig->segments[0], &room, UINT64_MAX);
	assert_int_equal(pages_there(table), PAGES);
	assert_in_range(ROOM - room, PAGES * table->page, PAGES * table->page + 8192);
	rig_close(rig);
}

/* ---- when ---- */

static void test_time_for_it(void **state)
{
	uint64_t ns = 0;

	(void)state;
	ns = lane_warm_time(ns, 20000, 10000000);
	assert_int_equal(ns, 25000); /* a quarter more */
	assert_int_equal(lane_warm_time(ns, 22000, 10000000), 27500);
	assert_int_equal(lane_warm_time(ns, 0, 10000000), 25000 - 25000 / 64);
	assert_int_equal(lane_warm_time(ns, 1000000000, 10000000), 156250); /* a stall */
	assert_int_equal(lane_warm_time(ns, 20000, 100000), 1562);
	for (int i = 0; i < 2000; i++)
		ns = lane_warm_time(ns, 0, 10000000);
	assert_in_range(ns, 0, 64);
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

/* ---- what comes after the bulk ---- */

/* A look for each page of the bulk takes longer than the guard. */
enum { BULK = 512 * 1024, EDGES = 100, LOOK_NS = 200, GUARD_NS = 20000 };

struct bulk {
	uint8_t *at;
	struct lane_thread *thread; /* ends with slot EDGES - 1 */
	unsigned slots, begun, ended;
};

static int bulk_init(void *self, struct aloe_setup *setup)
{
	struct bulk *bulk = self;

	(void)setup;
	bulk->at = mmap(NULL, BULK, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return bulk->at != MAP_FAILED ? 0 : -1;
}

static bool page_there(const uint8_t *at)
{
	unsigned char there = 0;

	assert_int_equal(mincore((void *)(uintptr_t)at, 1, &there), 0);
	return there & 1;
}

/* What was read of it is seen by its pages. */
static int bulk_work(void *self, struct aloe_slot *slot)
{
	struct bulk *bulk = self;

	(void)slot;
	bulk->begun += page_there(bulk->at);
	bulk->ended += page_there(bulk->at + BULK - sysconf(_SC_PAGESIZE));
	if (++bulk->slots == EDGES)
		atomic_store(&bulk->thread->quit, 1);
	return madvise(bulk->at, BULK, MADV_DONTNEED);
}

static int bulk_close(void *self, struct aloe_setup *setup)
{
	const struct bulk *bulk = self;

	(void)setup;
	return munmap(bulk->at, BULK);
}

static void bulk_warm(const void *self, struct aloe_warm *warm)
{
	const struct bulk *bulk = self;

	aloe_warm(warm, bulk->at, BULK);
}

/* The bulk has more pages than there is time to look at before an edge: it never comes to its end,
 * and leaves time for the rehearsal. */
static void test_bulk_leaves_time(void **state)
{
	static const struct aloe_component component = {.summary = "bulk",
	    .state_size = sizeof(struct bulk),
	    .init = bulk_init,
	    .work = bulk_work,
	    .close = bulk_close,
	    .warm = bulk_warm};
	struct rig *rig = rig_new(IMAGE_TIMER, IMAGE_SKIP);
	struct node_image *node = aligned_alloc(64, (sizeof(*node) + 63) / 64 * 64);
	struct lane_image *image = aligned_alloc(64, (sizeof(*image) + 63) / 64 * 64);
	struct lane_thread *thread = aligned_alloc(64, (sizeof(*thread) + 63) / 64 * 64);
	struct bulk *bulk;

	(void)state;
	rig_add(rig, &component, 0, 0);
	rig_open(rig);
	assert_true(node != NULL && image != NULL && thread != NULL);
	memset(node, 0, sizeof(*node));
	memset(image, 0, sizeof(*image));
	memset(thread, 0, sizeof(*thread));
	own_clock_begin(1000000000, LOOK_NS);
	node->timebase[0].pace = IMAGE_TIMER;
	node->timebase[0].slot_ns = rig->slot_ns;
	node->timebase[0].start_ns = clock_ns();
	atomic_store(&node->lane[0].watched_ns, IMAGE_FOREVER / 2);
	atomic_store(&node->lane[0].entries, 1);
	atomic_store(&node->lane[0].entry[0].live, 1);
	atomic_store(&image->baton, baton_make(0, BATON_FRESH, 0));
	atomic_store(&image->guard_ns, GUARD_NS);
	thread->node = node;
	thread->image = image;
	thread->rehearsal = rehearsal_new();
	atomic_store(&thread->segments[0], &rig->segments[0]);
	bulk = rig->instances[0].state;
	bulk->thread = thread;
	lane_run(thread);
	own_clock_end();
	assert_int_equal(bulk->slots, EDGES);
	assert_int_equal(bulk->ended, 0);
	/* before each edge but that of slot 0, which nobody waits for */
	assert_int_equal(bulk->begun, EDGES - 1);
	assert_int_equal(rehearsal_run(thread->rehearsal), EDGES);
	rehearsal_free(thread->rehearsal);
	rig_close(rig);
	free(thread);
	free(image);
	free(node);
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
	    cmocka_unit_test(test_what_is_named_is_read),
	    cmocka_unit_test(test_time_for_it),
	    cmocka_unit_test(test_rehearsal),
	    cmocka_unit_test(test_bulk_leaves_time),
	    cmocka_unit_test(test_stirred),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
