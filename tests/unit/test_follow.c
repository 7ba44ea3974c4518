/* SPDX-License-Identifier: BSD-3-Clause
 * core/image/follow: what may not follow and why, rings deep enough for what is in flight, places
 * that are shared no more, and what is carried: messages at their index, counters, when an instance
 * goes on. On the engine: tests/sim/test_remap.c. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/image/follow.h"
#include "tests/common/image_sample.h"

/* Two lanes: a source of 8 bytes a message, and its reader on the other, `delay` behind. */
static struct rig *pair(uint32_t lag, uint32_t delay)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);

	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_sink, 1, lag);
	rig_link(rig, 0, 0, 1, 0, delay);
	rig->nodes[1].source = 0;
	rig_gates(rig);
	return rig;
}

/* ---- may it follow? ------------------------------------------------------------------------ */

static struct rig *sample_opened(void **ret_program)
{
	struct rig *rig = image_sample_rig();
	size_t len;

	rig_image(rig);
	*ret_program = rig_program(rig, &len);
	return rig;
}

enum {
	SLOT,
	CLOCK,
	LATE,
	HOSTS,
	SHARED,
	DIGEST,
	NAME,
	PERIOD,
	MAX,
	TYPE,
	DELAY,
	READER,
	COPIES,
	HOST,
	DAMAGES
};

static const char *const words[DAMAGES] = {
    [SLOT] = "the slot length or the clock would change",
    [CLOCK] = "the slot length or the clock would change",
    [LATE] = "the slot length or the clock would change",
    [HOSTS] = "the waveform would run in other processes",
    [SHARED] = "the waveform would run in other processes",
    [DIGEST] = "was rebuilt after the load",
    [NAME] = "the place of instance \"",
    [PERIOD] = "another period than at the load",
    [MAX] = "the messages have other sizes",
    [TYPE] = "the messages have other sizes",
    [DELAY] = "the messages have other sizes",
    [READER] = "the messages have other sizes",
    [COPIES] = "the waveform has other instances or links",
    [HOST] = "would move to another process",
};

static void damage(void *program, int what)
{
	struct image_view view;
	struct image_head *head = program;

	image_bind(program, &view);
	switch (what) {
	case SLOT:
		head->slot_ns++;
		break;
	case CLOCK:
		head->clock = IMAGE_TIMER;
		break;
	case LATE:
		head->late = IMAGE_SKIP;
		break;
	case HOSTS:
		head->n_hosts = 2;
		break;
	case SHARED:
		((struct image_host *)view.hosts)[0].shared ^= 1;
		break;
	case DIGEST:
		((struct image_instance *)view.instances)[1].digest++;
		break;
	case NAME:
		((struct image_instance *)view.instances)[1].name = view.instances[0].name;
		break;
	case PERIOD:
		((struct image_instance *)view.instances)[2].period++;
		break;
	case MAX:
		((struct image_buffer *)view.buffers)[0].max++;
		break;
	case TYPE:
		((struct image_input *)view.inputs)[0].type = 0;
		break;
	case DELAY:
		((struct image_input *)view.inputs)[1].delay++;
		break;
	case READER:
		((struct image_input *)view.inputs)[1].buffer = IMAGE_NONE;
		break;
	case COPIES:
		head->copies = 3;
		break;
	case HOST:
		((struct image_segment *)view.segments)[1].host = 7;
		break;
	}
}

static void test_follows(void **state)
{
	char why[256];
	void *program;

	(void)state;
	for (int what = 0; what < DAMAGES; what++) {
		struct rig *rig = sample_opened(&program);

		assert_int_equal(image_follows(&rig->view, program, false, why, sizeof(why)), 0);
		damage(program, what);
		assert_int_equal(
		    image_follows(&rig->view, program, false, why, sizeof(why)), -EINVAL);
		if (!strstr(why, words[what]))
			fail_msg("%d: %s", what, why);
		free(program);
		rig_close(rig);
	}
}

/* ---- what is in flight ---- */

static void stand(struct rig *rig, uint64_t source, uint64_t sink)
{
	atomic_store(&rig_state(rig, 0)->done, source);
	atomic_store(&rig_state(rig, 1)->done, sink);
}

static void test_next_index(void **state)
{
	struct rig *rig = pair(3, 0);

	(void)state;
	rig_image(rig);
	assert_int_equal(image_next_index(&rig->view, 1), 0);
	stand(rig, 10, 2);
	assert_int_equal(image_next_index(&rig->view, 0), 10);
	assert_int_equal(image_next_index(&rig->view, 1), 0);
	stand(rig, 10, 9);
	assert_int_equal(image_next_index(&rig->view, 1), 6);
	atomic_store(&image_instance_state(&rig->view, 1)->first, 12); /* it rests until then */
	assert_int_equal(image_next_index(&rig->view, 1), 9);
	rig_close(rig);
}

/* The source's place 1 of 3, lag 2: its own steps are 0, 3, 6 ... and its indices 1, 4, 7 ... */
static void test_next_of_a_place(void **state)
{
	static const uint64_t stands[][4] = {/* done, next index, steps done, indices done */
	    {0, 1, 0, 0}, {3, 1, 1, 0}, {6, 4, 4, 2}, {9, 7, 7, 5}};
	struct rig *rig = pair(3, 0);
	struct image_instance instances[2];
	struct image_segment segments[2];
	struct image_view view;

	(void)state;
	rig_image(rig);
	memcpy(instances, rig->view.instances, sizeof(instances));
	memcpy(segments, rig->view.segments, sizeof(segments));
	segments[0].stride = instances[0].places = 3;
	instances[0].place = 1;
	instances[0].lag = 2;
	view = rig->view;
	view.instances = instances;
	view.segments = segments;
	atomic_store(&image_instance_state(&view, 0)->first, 0);
	for (size_t i = 0; i < sizeof(stands) / sizeof(stands[0]); i++) {
		stand(rig, stands[i][0], 0);
		assert_int_equal(image_next_index(&view, 0), stands[i][1]);
		assert_int_equal(image_steps_done(&view, 0), stands[i][2]);
		assert_int_equal(image_indices_done(&view, 0), stands[i][3]);
	}
	rig_close(rig);
}

/* Messages of index from .. to - 1 lie in the ring, each with its index in all bytes. */
static void messages_write(struct rig *rig, uint64_t from, uint64_t to)
{
	for (uint64_t k = from; k < to; k++) {
		const struct image_buffer *row = &rig->view.buffers[0];
		struct image_message *message =
		    &image_messages(&rig->view, 0)[k & (row->depth - 1)];

		memset(image_data(&rig->view, 0) + (k & (row->depth - 1)) * row->stride, (int)k,
		    row->canary);
		atomic_store(&message->len, (uint32_t)k % 5);
		atomic_store(&message->state, ALOE_VALID);
		atomic_store(&message->stamp, k + 1);
	}
}

static void messages_are(const struct image_view *view, uint64_t from, uint64_t to)
{
	const struct image_buffer *row = &view->buffers[0];
	uint32_t found = 0;

	for (uint32_t m = 0; m < row->depth; m++)
		found += atomic_load(&image_messages(view, 0)[m].stamp) != 0;
	assert_int_equal(found, to - from);
	for (uint64_t k = from; k < to; k++) {
		const struct image_message *message =
		    &image_messages(view, 0)[k & (row->depth - 1)];
		const uint8_t *data = image_data(view, 0) + (k & (row->depth - 1)) * row->stride;
		uint64_t canary;

		assert_int_equal(atomic_load(&message->stamp), k + 1);
		assert_int_equal(atomic_load(&message->len), k % 5);
		assert_int_equal(atomic_load(&message->state), ALOE_VALID);
		for (uint64_t i = 0; i < row->canary; i++)
			assert_int_equal(data[i], (uint8_t)k);
		memcpy(&canary, data + row->canary, sizeof(canary));
		assert_true(canary == IMAGE_CANARY);
	}
}

/* From a reader 5 slots behind (2 of them declared) to one as near as can be, and what that
 * needs. */
static void test_carry(void **state)
{
	struct rig *far = pair(3, 2), *near = pair(1, 2);
	struct image_view after;
	uint64_t step = 0;
	void *program;
	size_t len;
	struct image_files files;

	(void)state;
	far->nodes[0].depth = 8;
	rig_image(far);
	program = rig_program(near, &len);
	stand(far, 20, 20);
	messages_write(far, 12, 20);
	atomic_store(&rig_state(far, 0)->slots, 20);
	atomic_store(&rig_state(far, 1)->missed, 3);
	atomic_store(&image_instance_state(&far->view, 1)->absent, 7);
	atomic_store(&image_run(&far->view)->last, 99);
	assert_int_equal(image_fit(&far->view, program), 0);
	assert_int_equal(image_create(program, len, &files), 0);
	assert_int_equal(image_open(&files, true, &after), 0);
	assert_true(after.buffers[0].depth >= 5);
	assert_int_equal(image_carry(&far->view, &after, &step), 0);
	messages_are(&after, 15, 20); /* the reader is at 17 and reads 15 */
	assert_int_equal(step, 18);   /* where the reader goes on; the writer rests until 20 */
	assert_int_equal(atomic_load(&image_segment_state(&after, 0)->done), 18);
	assert_int_equal(image_next_index(&after, 0), 20);
	assert_int_equal(image_next_index(&after, 1), 17);
	assert_int_equal(atomic_load(&image_run(&after)->slots), 20);
	assert_int_equal(atomic_load(&image_run(&after)->missed), 3);
	assert_int_equal(atomic_load(&image_run(&after)->last), 99);
	assert_int_equal(atomic_load(&image_run(&after)->remaps), 1);
	assert_int_equal(atomic_load(&image_instance_state(&after, 1)->absent), 7);
	image_close(&after);
	image_files_close(&files);
	free(program);
	rig_close(far);
	rig_close(near);
}

/* Without image_fit there is no room, and that is said before anything is written. */
static void test_no_room(void **state)
{
	struct rig *far = pair(9, 0), *near = pair(1, 0);
	uint64_t step = 0;

	(void)state;
	rig_image(far);
	rig_image(near);
	stand(far, 20, 20);
	assert_true(near->view.buffers[0].depth < 9);
	assert_int_equal(image_carry(&far->view, &near->view, &step), -ENOBUFS);
	assert_int_equal(atomic_load(&rig_state(near, 0)->done), 0);
	assert_int_equal(atomic_load(&image_run(&near->view)->remaps), 0);
	rig_close(far);
	rig_close(near);
}

static struct rig *two_pairs(uint32_t lag)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);

	for (uint32_t i = 0; i < 2; i++) {
		rig_add(rig, &probe_source, 0, 0);
		rig_add(rig, &probe_sink, 0, i * lag);
		rig_link(rig, (int)(2 * i), 0, (int)(2 * i + 1), 0, 0);
	}
	return rig;
}

/* A program of other instances is refused, and nothing is written. */
static void test_other_instances(void **state)
{
	struct rig *far = pair(1, 0), *near = two_pairs(0);
	uint64_t step = 0;

	(void)state;
	rig_image(far);
	rig_image(near);
	stand(far, 20, 20);
	assert_int_equal(image_carry(&far->view, &near->view, &step), -EINVAL);
	assert_int_equal(image_carry(&near->view, &far->view, &step), -EINVAL);
	assert_int_equal(atomic_load(&image_run(&near->view)->remaps), 0);
	rig_close(far);
	rig_close(near);
}

/* Two chains that share a place in the new program may not while one of them has a message on its
 * way. */
static void test_shares(void **state)
{
	struct image_view after;
	struct image_buffer *rows;
	void *program;
	size_t len;

	(void)state;
	for (uint32_t in_flight = 0; in_flight < 2; in_flight++) {
		struct rig *rig = two_pairs(in_flight); /* the second reads a slot later, or not */

		rig_image(rig);
		program = rig_program(rig, &len);
		image_bind(program, &after);
		rows = (struct image_buffer *)after.buffers;
		rows[1].shares = 1;
		assert_int_equal(image_fit(&rig->view, program), 0);
		assert_int_equal(rows[1].shares, in_flight ? 0 : 1);
		assert_int_equal(rows[1].data == rows[0].data, !in_flight);
		free(program);
		rig_close(rig);
	}
}

/* What is kept for taps goes over with a remap whose program knows of no tap, in a place of its
 * own. */
static void test_tap_stays(void **state)
{
	struct rig *before = two_pairs(0);
	struct image_view after;
	struct image_files files;
	uint64_t step = 0;
	void *program;
	size_t len;

	(void)state;
	before->nodes[0].depth = 32;
	before->nodes[0].tap = 20;
	rig_image(before);
	before->nodes[0].depth = 1;
	before->nodes[2].depth = 1;
	before->nodes[0].tap = 0;
	program = rig_program(before, &len);
	image_bind(program, &after);
	((struct image_buffer *)after.buffers)[1].shares = 1;
	assert_int_equal(image_fit(&before->view, program), 0);
	assert_int_equal(after.buffers[0].tap, 20);
	assert_int_equal(after.buffers[0].depth, 32);
	assert_int_equal(after.buffers[1].shares, 0);
	atomic_store(&rig_state(before, 0)->done, 40);
	messages_write(before, 10, 40);
	assert_int_equal(image_create(program, len, &files), 0);
	assert_int_equal(image_open(&files, true, &after), 0);
	assert_int_equal(image_carry(&before->view, &after, &step), 0);
	messages_are(&after, 20, 40);
	image_close(&after);
	image_files_close(&files);
	free(program);
	rig_close(before);
}

/* One of two chains that share a place gets a ring; the other has a place of its own then. */
static void test_ring(void **state)
{
	(void)state;
	for (uint32_t b = 0; b < 2; b++) {
		struct rig *rig = two_pairs(0);
		struct image_buffer *rows;
		struct image_view view;
		const char *why;
		void *program;
		size_t len;

		rig->nodes[0].depth = rig->nodes[2].depth = 1;
		program = rig_program(rig, &len);
		image_bind(program, &view);
		rows = (struct image_buffer *)view.buffers;
		rows[1].shares = 1;
		image_layout(program);
		assert_int_equal(image_check(program, len, &why), 0);
		assert_int_equal(image_ring(program, b, 16), 0);
		assert_int_equal(image_check(program, len, &why), 0);
		assert_int_equal(rows[b].depth, 32);
		assert_int_equal(rows[b].tap, 16);
		assert_int_equal(rows[1 - b].depth, 1);
		assert_int_equal(rows[1].shares, 0);
		free(program);
		rig_close(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_follows),
	    cmocka_unit_test(test_next_index),
	    cmocka_unit_test(test_next_of_a_place),
	    cmocka_unit_test(test_carry),
	    cmocka_unit_test(test_no_room),
	    cmocka_unit_test(test_other_instances),
	    cmocka_unit_test(test_shares),
	    cmocka_unit_test(test_tap_stays),
	    cmocka_unit_test(test_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
