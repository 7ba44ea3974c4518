/* SPDX-License-Identifier: BSD-3-Clause
 * daemons/exec/misses_calls.c: who gets the places for the calls of a late slot, and what is said
 * of those that got none. misses.c: which records of a slot are told. miss_text.c: what a thread of
 * the kernel did. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"

#include "daemons/exec/misses.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"

enum { SEGMENTS = 4, LATE = 3, EDGE_NS = 1000000, CALLS = 200, SLOT = 7 };

struct calls_test {
	struct rig *rig;
	struct exec_wave wave;
	struct exec_miss miss;
};

/* An instance in each segment; each segment has a lane. */
static void test_open(struct calls_test *test)
{
	*test = (struct calls_test){.rig = rig_new(IMAGE_STEP, IMAGE_SLIP)};
	for (uint32_t s = 0; s < SEGMENTS; s++)
		rig_add(test->rig, &probe_source, s, 0);
	for (uint32_t s = 0; s < SEGMENTS; s++)
		test->rig->segment_lane[s] = s;
	rig_open(test->rig);
	test->wave.view = test->rig->view;
	test->wave.misses = calloc(1, sizeof(*test->wave.misses));
	assert_non_null(test->wave.misses);
	test->miss = (struct exec_miss){.miss = {.kind = IMAGE_MISS_LATE,
	                                    .slot = SLOT,
	                                    .at_ns = EDGE_NS,
	                                    .late_ns = EDGE_NS,
	                                    .count = 1},
	    .segment = LATE};
}

static void test_close(struct calls_test *test)
{
	free(test->wave.misses);
	rig_close(test->rig);
}

/* n calls after the edge, one after another, behind one that ended before it. */
static void calls_write(struct calls_test *test, uint32_t segment, uint32_t n)
{
	struct image_event *ring = image_events(&test->rig->view, segment);

	assert_true(n + 2 < test->rig->view.segments[segment].n_events);
	for (uint32_t c = 0; c <= n; c++)
		ring[c] = (struct image_event){.step = SLOT,
		    .start_ns = EDGE_NS - 100 + 100 * (uint64_t)c,
		    .ns = 50,
		    .instance = segment};
	atomic_store(&image_segment_state(&test->rig->view, segment)->events, n + 1);
}

/* of[lane]: how many calls are there */
static void calls_take(struct calls_test *test, size_t of[SEGMENTS], char *ret_missing, size_t size)
{
	json_t *o = json_object(), *call;
	size_t n;

	misses_calls_take(&test->wave, LATE, &test->miss.miss);
	misses_calls_put(&test->wave, &test->miss, o);
	memset(of, 0, SEGMENTS * sizeof(*of));
	json_array_foreach(json_object_get(o, "calls"), n, call)
	{
		of[json_integer_value(json_object_get(call, "lane"))]++;
	}
	snprintf(ret_missing, size, "%s", json_string_value(json_object_get(o, "calls_missing")));
	json_decref(o);
}

/* The late one has all of its calls, the others share what is left. */
static void test_shared(void **state)
{
	struct calls_test test;
	size_t of[SEGMENTS];
	char missing[256];

	(void)state;
	test_open(&test);
	calls_write(&test, 0, CALLS);
	calls_write(&test, 1, 10);
	calls_write(&test, 2, CALLS);
	calls_write(&test, LATE, CALLS);
	calls_take(&test, of, missing, sizeof(missing));
	assert_int_equal(of[LATE], CALLS);
	assert_int_equal(of[0], 104); /* a third of the rest */
	assert_int_equal(of[1], 10);
	assert_int_equal(of[2], 198); /* and what the one before does not need */
	assert_string_equal(missing,
	    "only 512 calls of a slot are kept, those of the late segment first; 98 are not, of "
	    "lanes 0, 2");
	test_close(&test);
}

/* What a host may have written is counted. */
static void test_senseless(void **state)
{
	struct calls_test test;
	size_t of[SEGMENTS];
	char missing[256];

	(void)state;
	test_open(&test);
	calls_write(&test, LATE, 10);
	calls_take(&test, of, missing, sizeof(missing));
	assert_int_equal(of[LATE], 10);
	assert_string_equal(missing, "");
	test.miss.miss.slot++;
	image_events(&test.rig->view, LATE)[4].instance = 77;
	calls_take(&test, of, missing, sizeof(missing));
	assert_int_equal(of[LATE], 9);
	assert_string_equal(missing, "records of calls that make no sense: 1");
	test_close(&test);
}

static void record_put(
    struct exec_misses *misses, uint32_t segment, uint32_t lane, uint64_t slot, uint64_t count)
{
	misses->kept[misses->n++ % MISSES_KEPT] = (struct exec_miss){
	    .miss = {.slot = slot, .count = count}, .segment = segment, .lane = lane};
}

/* Of each lane its latest record, whatever segments it has, the newest lane first. */
static void test_by_lane(void **state)
{
	struct exec_wave wave = {.misses = calloc(1, sizeof(*wave.misses))};
	const struct exec_miss *told[3];

	(void)state;
	assert_non_null(wave.misses);
	assert_int_equal(misses_find(&wave, SLOT, told, 3), 0);
	record_put(wave.misses, 0, 0, SLOT, 1);
	record_put(wave.misses, 1, 1, SLOT - 2, 3); /* a row */
	record_put(wave.misses, 2, 1, SLOT, 1);
	record_put(wave.misses, 3, 0, SLOT, 1);
	record_put(wave.misses, 4, 2, SLOT + 1, 1);
	record_put(wave.misses, 4, 2, SLOT - 3, 3);
	assert_int_equal(misses_find(&wave, SLOT, told, 3), 2);
	assert_true(told[0]->segment == 3 && told[1]->segment == 2);
	assert_int_equal(misses_find(&wave, SLOT, told, 1), 1);
	assert_int_equal(misses_find(&wave, SLOT - 2, told, 3), 2);
	assert_true(told[0]->segment == 4 && told[1]->segment == 1);
	while (wave.misses->n <= MISSES_KEPT + 3) /* the first four are not kept any more */
		record_put(wave.misses, 4, 2, SLOT + 2, 1);
	assert_int_equal(misses_find(&wave, SLOT, told, 3), 0);
	free(wave.misses);
}

/* The names are read from the first late slot on: a record of before has its function's name as
 * soon as they are there, and says so until then. */
static void test_functions(void **state)
{
	static const char not_yet[] =
	    "(kworker/1:0: the names of kernel functions are not read yet)";
	struct exec *exec = aligned_alloc(64, (sizeof(*exec) + 63) / 64 * 64);
	struct platform_symbol *table = NULL;
	const size_t n = platform_kernel_table(&table);
	struct exec_miss miss = {.n_causes = 1,
	    .causes = {{.kind = EVIDENCE_PREEMPTED,
	        .instance = IMAGE_NONE,
	        .tid = 7,
	        .name = "kworker/1:0",
	        .function = n > 0 ? table[0].address : 1}}};
	struct exec_wave wave = {.exec = exec};
	struct witness_records records;
	struct perf_ring *ring;
	char why[300], want[100];

	(void)state;
	assert_non_null(exec);
	memset(exec, 0, sizeof(*exec));
	ring = &exec->lanes[0].perf;
	setenv("ALOE_EVIDENCE", "off", 1);
	witness_open(exec, 0);
	unsetenv("ALOE_EVIDENCE");
	*ring = (struct perf_ring)PERF_RING_NONE;
	ring->fd[PERF_WORK] = 0; /* a ring in which nothing has been written */
	ring->map = calloc(1, (size_t)sysconf(_SC_PAGESIZE) + PERF_RING_BYTES);
	assert_non_null(ring->map);
	misses_words(&wave, &miss, why, sizeof(why));
	assert_non_null(strstr(why, not_yet));
	assert_true(witness_records(exec, 0, 0, &records));
	while (strstr(why, not_yet) != NULL) {
		clock_sleep_until(clock_ns() + 1000000);
		misses_words(&wave, &miss, why, sizeof(why));
	}
	snprintf(want, sizeof(want), "(kworker/1:0%s%s) had", n > 0 ? ": " : "",
	    n > 0 ? table[0].name : "");
	assert_non_null(strstr(why, want));
	witness_fini(exec);
	free(ring->map);
	free(table);
	free(exec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_shared),
	    cmocka_unit_test(test_senseless),
	    cmocka_unit_test(test_by_lane),
	    cmocka_unit_test(test_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
