/* SPDX-License-Identifier: BSD-3-Clause
 * core/slot/lapse: what a waveform that skips missed is written down, and repeated where nothing is
 * missed, so that every call sees the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/slot/steps.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"

enum { NODES = 3, SLOTS = 300 };

/* source (segment 0, lag 0) -> pass (segment 1, lag 1) -> sink (segment 1, lag 1) */
static struct rig *chain_new(enum image_late late, struct lapses *lapses)
{
	struct rig *rig = rig_new(IMAGE_TIMER, late);

	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_pass, 1, 1);
	rig_add(rig, &probe_sink, 1, 1);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig_link(rig, 1, 0, 2, 0, 0);
	rig->nodes[2].source = 0;
	rig_open(rig);
	for (uint32_t i = 0; i < NODES; i++)
		lapses_begin(&rig->instances[i], &lapses[i]);
	return rig;
}

static void slot_run(struct rig *rig, uint32_t segment, uint64_t slot)
{
	const uint64_t edge = clock_ns() + 3600000000000ull;
	uint64_t now = edge;

	assert_int_equal(segment_slot(&rig->segments[segment], slot, edge, &now), SEGMENT_RAN);
}

/* Slots that the source or the others miss, and messages that come when their reader has passed. */
static void slot_late(struct rig *rig, uint64_t slot)
{
	const bool source = slot % 7 != 3 && slot % 7 != 4, waits = slot % 13 == 12;

	if (source && !waits)
		slot_run(rig, 0, slot);
	if (slot % 11 != 5 && (slot == 0 || slot % 13 != 0)) /* 13, 26, ...: has been run */
		slot_run(rig, 1, slot + waits);
	if (source && waits)
		slot_run(rig, 0, slot);
}

static size_t rows_take(struct lapses *lapses, struct lapse *rows)
{
	size_t n = 0;

	while (lapses_take(lapses, &rows[n]))
		n++;
	return n;
}

static void logs_same(struct rig *a, struct rig *b, uint32_t node)
{
	const struct probe *one = a->instances[node].state, *two = b->instances[node].state;

	assert_true(one->calls > 0);
	assert_int_equal(one->calls, two->calls);
	for (uint64_t n = 0; n < one->calls && n < PROBE_LOG; n++) {
		assert_int_equal(one->log[n].index, two->log[n].index);
		assert_int_equal(one->log[n].state, two->log[n].state);
		assert_int_equal(one->log[n].value, two->log[n].value);
	}
}

static void what_was_missed_is_repeated(void **state)
{
	static struct lapse rows[NODES][LAPSES_RING];
	struct lapses recorded[NODES] = {0}, repeated[NODES] = {0};
	struct rig *late, *again;

	(void)state;
	for (uint32_t i = 0; i < NODES; i++)
		recorded[i].ring = calloc(LAPSES_RING, sizeof(struct lapse));
	late = chain_new(IMAGE_SKIP, recorded);
	for (uint64_t slot = 0; slot < SLOTS; slot++)
		slot_late(late, slot);
	for (uint32_t i = 0; i < NODES; i++) {
		repeated[i].n_rows = rows_take(&recorded[i], rows[i]);
		repeated[i].rows = rows[i];
		assert_true(repeated[i].n_rows > 0);
		assert_int_equal(atomic_load(&recorded[i].lost), 0);
	}
	assert_int_equal(rows[0][0].index, 3);
	assert_int_equal(rows[0][0].count, 2);
	assert_int_equal(rows[0][0].kind, LAPSE_LEFT_OUT);
	assert_int_equal(rows[1][0].kind, LAPSE_ABSENT);
	assert_int_equal(rows[1][0].index, 3);
	again = chain_new(IMAGE_SLIP, repeated);
	for (uint64_t slot = 0; slot < SLOTS; slot++) {
		slot_run(again, 0, slot);
		slot_run(again, 1, slot);
	}
	for (uint32_t i = 0; i < NODES; i++) {
		logs_same(late, again, i);
		free(recorded[i].ring);
	}
	rig_close(late);
	rig_close(again);
}

/* More than the ring holds while nobody takes them: from the first lost one nothing is known. */
static void what_does_not_fit_is_said(void **state)
{
	struct lapses lapses = {.ring = calloc(LAPSES_RING, sizeof(struct lapse))};
	struct lapse one;

	(void)state;
	for (uint64_t k = 0; k < LAPSES_RING + 10; k++)
		lapse_add(&lapses, LAPSE_ABSENT, 5 * k, 1, 2);
	assert_int_equal(atomic_load(&lapses.lost), 5 * LAPSES_RING + 1);
	assert_true(lapses_take(&lapses, &one));
	assert_int_equal(one.index, 0);
	assert_int_equal(one.port, 2);
	lapse_add(&lapses, LAPSE_ABSENT, 1000000, 1, 2);
	for (uint64_t k = 1; k < LAPSES_RING; k++)
		assert_true(lapses_take(&lapses, &one));
	assert_int_equal(one.index, 5 * (LAPSES_RING - 1));
	assert_false(lapses_take(&lapses, &one));
	free(lapses.ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_was_missed_is_repeated),
	    cmocka_unit_test(what_does_not_fit_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
