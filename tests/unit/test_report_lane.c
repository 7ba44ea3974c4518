/* SPDX-License-Identifier: BSD-3-Clause
 * daemons/exec/report: the slots of a lane are those of the segment that has counted most, run and
 * skipped, however many segments have skipped the same slot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemons/exec/report.h"
#include "tests/common/wave.h"

enum { SLOTS = 100, SKIPPED = 10 };

static uint64_t lane_number(const struct exec *exec, const char *key)
{
	char *text = exec_list(exec, true);
	json_t *list = json_loads(text, 0, NULL);
	const json_t *lane = json_array_get(json_object_get(json_array_get(list, 0), "lanes"), 0);
	const json_t *number = json_object_get(lane, key);
	const uint64_t value = (uint64_t)json_integer_value(number);

	assert_true(json_is_integer(number));
	json_decref(list);
	free(text);
	return value;
}

static void test_slots_of_a_lane(void **state)
{
	struct exec *exec = calloc(1, sizeof(*exec));
	struct exec_wave *it = calloc(1, sizeof(*it));
	struct wave wave;
	char *text = wave_file("waveforms/bpsk.conf");
	uint32_t n;

	(void)state;
	assert_true(exec != NULL && it != NULL && text != NULL);
	assert_int_equal(wave_open(&wave, text,
	                     &(struct wave_options){.clock = "timer", .isolation = "component"}),
	    0);
	exec->node = wave.node;
	exec->waves = it;
	*it = (struct exec_wave){.exec = exec, .name = "bpsk", .view = wave.view};
	it->places = calloc(wave.view.head->segments.count, sizeof(*it->places));
	n = (uint32_t)wave.view.head->segments.count;
	assert_true(n > 1);
	/* the last one has begun later */
	for (uint32_t s = 0; s < n; s++) {
		struct image_segment_state *segment = image_segment_state(&wave.view, s);

		atomic_store(&segment->slots, SLOTS - SKIPPED - (s == n - 1));
		atomic_store(&segment->skipped, SKIPPED);
	}
	assert_int_equal(lane_number(exec, "slots"), SLOTS - SKIPPED);
	assert_int_equal(lane_number(exec, "skipped"), SKIPPED);
	wave_close(&wave);
	free(it->places);
	free(it);
	free(exec);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_slots_of_a_lane),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
