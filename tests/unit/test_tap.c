/* SPDX-License-Identifier: BSD-3-Clause
 * core/tap: every message of a tapped output once and whole, or among those that are counted as
 * lost, from a writer that never waits; and what a damaged image does to a reader. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/tap/frame.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"

enum { MAX = 8, STEPS = 200000 };

/* A source and a sink of 8 bytes a message in one segment, with a ring of `depth`. */
static struct rig *chain(uint32_t depth, uint64_t slots)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);

	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_sink, 0, 0);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig->nodes[0].depth = depth;
	rig->nodes[0].tap = depth - 1;
	rig->nodes[1].source = 0;
	rig->slots = slots;
	rig_open(rig);
	return rig;
}

static void steps_run(struct rig *rig, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		segment_step(&rig->segments[0], i, 1);
}

static void is_message(struct tap *tap, uint64_t index)
{
	struct tap_message message;
	uint64_t value;

	assert_int_equal(tap_next(tap, &value, &message), TAP_MESSAGE);
	assert_int_equal(message.index, index);
	assert_int_equal(message.state, ALOE_VALID);
	assert_int_equal(message.bytes, MAX);
	assert_true(value == probe_value(index));
}

static void is_lost(struct tap *tap, uint64_t first, uint64_t count)
{
	struct tap_message message;
	uint64_t value;

	assert_int_equal(tap_next(tap, &value, &message), TAP_LOST);
	assert_int_equal(message.index, first);
	assert_int_equal(message.count, count);
}

static void is_nothing(struct tap *tap, enum tap_status status)
{
	struct tap_message message;
	uint64_t value;

	assert_int_equal(tap_next(tap, &value, &message), status);
}

/* ---- names ---- */

static void test_names(void **state)
{
	struct rig *rig = chain(16, IMAGE_FOREVER);
	char name[64];
	uint32_t b = 9;

	(void)state;
	assert_int_equal(tap_find(&rig->view, "n0.out", &b), 0);
	assert_int_equal(b, 0);
	assert_int_equal(tap_find(&rig->view, "n0.in", &b), -ENOENT);
	assert_int_equal(tap_find(&rig->view, "n1.in", &b), -ENOENT);
	assert_int_equal(tap_find(&rig->view, "", &b), -ENOENT);
	tap_name(&rig->view, 0, name, sizeof(name));
	assert_string_equal(name, "n0.out");
	assert_int_equal(tap_bytes(&rig->view, 0), MAX);
	assert_true(tap_can(&rig->view, 0, 15));
	assert_false(tap_can(&rig->view, 0, 16));
	rig_close(rig);
}

static void test_keep(void **state)
{
	(void)state;
	assert_int_equal(image_tap_keep(1000000), 100);
	assert_int_equal(image_tap_keep(1000001), 100);
	assert_int_equal(image_tap_keep(999999), 101);
	assert_int_equal(image_tap_keep(10000000000), 16);
	assert_int_equal(image_tap_keep(1), IMAGE_TAP_MAX);
	assert_int_equal(image_tap_depth(1), 2);
	assert_int_equal(image_tap_depth(15), 16);
	assert_int_equal(image_tap_depth(16), 32);
	assert_int_equal(image_tap_depth(IMAGE_TAP_MAX), 2 * IMAGE_TAP_MAX);
}

/* ---- following ---- */

static void test_follows(void **state)
{
	struct rig *rig = chain(16, IMAGE_FOREVER);
	struct tap tap, late;

	(void)state;
	tap_init(&tap, &rig->view, 0, 0);
	is_nothing(&tap, TAP_WAIT);
	steps_run(rig, 3);
	for (uint64_t k = 0; k < 3; k++)
		is_message(&tap, k);
	is_nothing(&tap, TAP_WAIT);
	tap_init(&late, &rig->view, 0, TAP_NOW);
	steps_run(rig, 1);
	is_message(&late, 3);
	/* the ring has 4 .. 18, and the place of 3 is the next to be written */
	steps_run(rig, 15);
	is_lost(&tap, 3, 4 + 16 / 4 - 3);
	is_message(&tap, 8);
	assert_int_equal(tap.counts.lost, 5);
	assert_int_equal(tap.counts.gaps, 1);
	assert_int_equal(tap.counts.messages, 4);
	tap_last(&tap, 2);
	is_message(&tap, 17);
	is_message(&tap, 18);
	is_nothing(&tap, TAP_WAIT);
	tap_last(&tap, 1000);
	is_message(&tap, 4);
	tap_last(&tap, 0);
	is_nothing(&tap, TAP_WAIT);
	rig_close(rig);
}

static void test_end(void **state)
{
	struct rig *rig = chain(16, 5);
	struct tap tap;

	(void)state;
	tap_init(&tap, &rig->view, 0, 3);
	steps_run(rig, 5);
	is_message(&tap, 3);
	is_message(&tap, 4);
	is_nothing(&tap, TAP_END);
	is_nothing(&tap, TAP_END);
	tap_init(&tap, &rig->view, 0, 77);
	is_nothing(&tap, TAP_END);
	rig_close(rig);
}

/* IDLE comes as such; an index that was never run (late = "skip") reads ABSENT and is counted. */
static void test_idle_and_skipped(void **state)
{
	struct rig *rig = rig_new(IMAGE_TIMER, IMAGE_SKIP);
	struct tap_message message;
	struct tap tap;
	uint64_t value;

	(void)state;
	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_sink, 0, 0);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig->nodes[0].depth = 16;
	rig->nodes[0].period = 2;
	rig_open(rig);
	tap_init(&tap, &rig->view, 0, 0);
	steps_run(rig, 2);
	atomic_store(&rig_state(rig, 0)->done, 4);
	steps_run(rig, 1);
	is_message(&tap, 0);
	assert_int_equal(tap_next(&tap, &value, &message), TAP_MESSAGE);
	assert_int_equal(message.state, ALOE_IDLE);
	for (uint64_t k = 2; k < 4; k++) {
		assert_int_equal(tap_next(&tap, &value, &message), TAP_MESSAGE);
		assert_int_equal(message.index, k);
		assert_int_equal(message.state, ALOE_ABSENT);
		assert_int_equal(message.bytes, 0);
	}
	is_message(&tap, 4);
	is_nothing(&tap, TAP_WAIT);
	assert_int_equal(tap.counts.messages, 5);
	assert_int_equal(tap.counts.idle, 1);
	assert_int_equal(tap.counts.absent, 2);
	assert_int_equal(tap.counts.skipped, 2);
	assert_int_equal(tap.counts.lost, 0);
	rig_close(rig);
}

/* A writer in two places, the second of which has other instances' rows between it and the first: a
 * message is there when both have done all before it. */
static void test_places(void **state)
{
	static const uint64_t stands[][3] = {/* done of the places, next index of the tap */
	    {0, 1, 0}, {2, 1, 1}, {0, 3, 0}, {6, 3, 3}, {6, 7, 6}, {20, 7, 7}};
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
	struct image_instance instances[3];
	struct image_segment segments[2];
	struct image_view view;
	struct tap tap;

	(void)state;
	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_sink, 0, 0);
	rig_add(rig, &probe_source, 1, 0);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig->nodes[0].depth = 16;
	rig_open(rig);
	memcpy(instances, rig->view.instances, sizeof(instances));
	memcpy(segments, rig->view.segments, sizeof(segments));
	instances[0].places = instances[2].places = 2;
	segments[0].stride = segments[1].stride = 2;
	instances[0].rest = 2;
	instances[2].place = 1;
	view = rig->view;
	view.instances = instances;
	view.segments = segments;
	for (size_t i = 0; i < sizeof(stands) / sizeof(stands[0]); i++) {
		atomic_store(&rig_state(rig, 0)->done, stands[i][0]);
		atomic_store(&rig_state(rig, 1)->done, stands[i][1]);
		tap_init(&tap, &view, 0, TAP_NOW);
		assert_int_equal(tap.next, stands[i][2]);
	}
	tap_last(&tap, 16);
	assert_int_equal(tap.next, 20 - 15); /* what the place that is ahead may write over */
	rig_close(rig);
}

static void test_every(void **state)
{
	struct rig *rig = chain(16, IMAGE_FOREVER);
	struct tap tap;

	(void)state;
	tap_init(&tap, &rig->view, 0, 1);
	tap.every = 3;
	steps_run(rig, 8);
	is_message(&tap, 3);
	is_message(&tap, 6);
	is_nothing(&tap, TAP_WAIT);
	steps_run(rig, 20); /* the oldest is 13 */
	is_lost(&tap, 9, 3);
	is_message(&tap, 18);
	assert_int_equal(tap.counts.lost, 3);
	rig_close(rig);
}

/* A ring that was made at index 30 tells the indices before as such, not as ABSENT or lost. */
static void test_before_the_ring(void **state)
{
	struct rig *rig = chain(16, 40);
	struct tap_message message;
	uint64_t value;
	struct tap tap;

	(void)state;
	atomic_store(&rig_state(rig, 0)->done, 30); /* as after a remap */
	atomic_store(&image_instance_state(&rig->view, 0)->first, 30);
	steps_run(rig, 4);
	tap_init(&tap, &rig->view, 0, 0);
	assert_int_equal(tap_next(&tap, &value, &message), TAP_EARLIER);
	assert_true(message.index == 0 && message.count == 30);
	assert_int_equal(tap_next(&tap, &value, &message), TAP_MESSAGE);
	assert_true(message.index == 30 && message.state == ALOE_VALID);
	assert_true(tap.counts.earlier == 30 && tap.counts.absent == 0 && tap.counts.lost == 0);
	tap_last(&tap, 6);
	assert_int_equal(tap_next(&tap, &value, &message), TAP_EARLIER);
	assert_true(message.index == 28 && message.count == 2);
	rig_close(rig);
}

/* What is written as frames is read again, and nothing else is. */
static void test_frames(void **state)
{
	struct rig *rig = chain(16, 40);
	const struct {
		uint64_t index, count;
		uint32_t flags, len;
	} want[] = {{0, 17, TAP_GAP, 8}, {17, 1, 0, MAX}, {18, 1, 0, MAX}};
	uint8_t bytes[3 * (TAP_FRAME_HEAD + MAX)], *at = bytes;
	struct tap_frame frame;
	struct tap tap;
	bool ended;

	(void)state;
	steps_run(rig, 28);
	tap_init(&tap, &rig->view, 0, 0);
	assert_int_equal(tap_frames(&tap, bytes, sizeof(bytes), &ended), sizeof(bytes));
	assert_false(ended);
	for (size_t i = 0; i < 3; i++, at += TAP_FRAME_HEAD + MAX) {
		for (size_t len = 0; len < TAP_FRAME_HEAD + MAX; len++)
			assert_int_equal(tap_frame_get(at, len, &frame), 0);
		assert_int_equal(
		    tap_frame_get(at, TAP_FRAME_HEAD + MAX, &frame), TAP_FRAME_HEAD + MAX);
		assert_true(frame.index == want[i].index && frame.count == want[i].count &&
		    frame.flags == want[i].flags && frame.len == want[i].len);
	}
	steps_run(rig, 12);
	tap_last(&tap, 0);
	assert_int_equal(tap_frames(&tap, bytes, sizeof(bytes), &ended), 0);
	assert_true(ended);
	for (uint8_t flags = 1; flags < 16; flags++) {
		bytes[8] = flags; /* with a length of 8 */
		assert_int_equal(tap_frame_get(bytes, sizeof(bytes), &frame),
		    flags == TAP_GAP || flags == TAP_BEFORE ? TAP_FRAME_HEAD + MAX : -EBADMSG);
	}
	rig_close(rig);
}

/* ---- beside a writer that never waits ---- */

struct writer {
	struct rig *rig;
	uint64_t pauses; /* one for each so many steps; 0: none */
};

static void *writer_run(void *self)
{
	const struct writer *writer = self;

	for (uint64_t i = 0; i < STEPS; i++) {
		segment_step(&writer->rig->segments[0], i, 1);
		if (writer->pauses > 0 && i % writer->pauses == 0)
			sched_yield();
	}
	return NULL;
}

/* Every index is read once and whole, or lost once, in order. */
static void follow(struct rig *rig, uint64_t *ret_lost)
{
	struct tap_message message;
	enum tap_status status;
	uint64_t next = 0, value = 0;
	struct tap tap;

	tap_init(&tap, &rig->view, 0, 0);
	while ((status = tap_next(&tap, &value, &message)) != TAP_END) {
		if (status == TAP_WAIT) {
			sched_yield();
			continue;
		}
		assert_true(message.index == next);
		next += message.count;
		if (status == TAP_LOST)
			continue;
		assert_int_equal(message.state, ALOE_VALID);
		assert_true(value == probe_value(message.index));
	}
	assert_true(next == STEPS);
	assert_true(tap.counts.messages + tap.counts.lost == STEPS);
	assert_int_equal(tap.counts.skipped + tap.counts.damaged, 0);
	*ret_lost = tap.counts.lost;
}

static void test_beside_a_writer(void **state)
{
	uint64_t lost = 0, some = 0;

	(void)state;
	for (uint32_t depth = 2; depth <= 4096; depth *= 8) {
		struct writer writer = {chain(depth, STEPS), depth / 4};
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, writer_run, &writer), 0);
		follow(writer.rig, &lost);
		pthread_join(thread, NULL);
		some += lost < STEPS;
		rig_close(writer.rig);
	}
	assert_true(some > 0);
}

/* ---- damage ---- */

static void test_damaged_message(void **state)
{
	struct rig *rig = chain(16, IMAGE_FOREVER);
	struct tap_message message;
	struct tap tap;
	uint64_t value;

	(void)state;
	steps_run(rig, 3);
	atomic_store(&image_messages(&rig->view, 0)[0].len, MAX + 1);
	atomic_store(&image_messages(&rig->view, 0)[1].state, 77);
	tap_init(&tap, &rig->view, 0, 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(tap_next(&tap, &value, &message), TAP_MESSAGE);
		assert_int_equal(message.state, ALOE_ABSENT);
		assert_int_equal(message.bytes, 0);
	}
	is_message(&tap, 2);
	assert_int_equal(tap.counts.damaged, 2);
	rig_close(rig);
}

/* Whatever stands in the words that a host can write, a reader goes on and stays inside. */
static void test_damaged_words(void **state)
{
	static const uint64_t words[] = {
	    0, 1, 15, 16, 17, 1ull << 32, 1ull << 63, UINT64_MAX - 16, UINT64_MAX - 1, UINT64_MAX};
	enum { WORDS = sizeof(words) / sizeof(words[0]) };
	struct rig *rig = chain(16, IMAGE_FOREVER);
	struct tap_message message;
	uint64_t value;

	(void)state;
	steps_run(rig, 20);
	for (int i = 0; i < WORDS * WORDS * WORDS; i++) {
		struct tap tap;

		atomic_store(&rig_state(rig, 0)->done, words[i % WORDS]);
		atomic_store(&image_run(&rig->view)->last, words[i / WORDS % WORDS]);
		tap_init(&tap, &rig->view, 0, words[i / WORDS / WORDS]);
		for (int n = 0; n < 40; n++)
			tap_next(&tap, &value, &message);
		tap_last(&tap, words[i % WORDS]);
		tap_next(&tap, &value, &message);
	}
	rig_close(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_keep),
	    cmocka_unit_test(test_follows),
	    cmocka_unit_test(test_end),
	    cmocka_unit_test(test_idle_and_skipped),
	    cmocka_unit_test(test_places),
	    cmocka_unit_test(test_every),
	    cmocka_unit_test(test_before_the_ring),
	    cmocka_unit_test(test_frames),
	    cmocka_unit_test(test_beside_a_writer),
	    cmocka_unit_test(test_damaged_message),
	    cmocka_unit_test(test_damaged_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
