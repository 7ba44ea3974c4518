/* SPDX-License-Identifier: BSD-3-Clause
 * Memory of a waveform that was overwritten: canaries on both sides of a message, found by the call
 * that did it or by the next; records of messages; and what core/image/damage.h says of an image in
 * which anything at all may stand. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/image/damage.h"
#include "tests/common/image_sample.h"
#include "tests/common/image_walk.h"
#include "tests/common/probe.h"
#include "tests/common/rig.h"

static struct probe *probe_of(const struct rig *rig, int node)
{
	return rig->instances[node].state;
}

/* ---- what a component must not do ---- */

static void write_past(struct probe *probe, struct aloe_slot *slot)
{
	if (slot->index == 6)
		((uint8_t *)slot->out[0].data)[slot->out[0].max + (size_t)probe->arg] ^= 1;
}

static void write_before(struct probe *probe, struct aloe_slot *slot)
{
	if (slot->index == 6)
		((uint8_t *)slot->out[0].data)[-1 - (ptrdiff_t)probe->arg] ^= 1;
}

static void claim_more(struct probe *probe, struct aloe_slot *slot)
{
	(void)probe;
	if (slot->index == 6)
		aloe_put(slot, 0, slot->out[0].max + 1);
}

static void caught(uint32_t max, void (*hook)(struct probe *, struct aloe_slot *), size_t at,
    bool sampled, const char *why, uint32_t spoiled)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
	int (*call)(struct instance *, uint64_t, unsigned) =
	    sampled ? instance_call_sampled : instance_call;
	const void *data;

	rig_add(rig, &probe_source, 0, 0);
	rig->nodes[0].max = max;
	rig_open(rig);
	probe_of(rig, 0)->hook = hook;
	probe_of(rig, 0)->arg = (void *)at;
	for (uint64_t k = 0; k < 6; k++)
		assert_int_equal(call(&rig->instances[0], k, false), 0);
	assert_int_equal(call(&rig->instances[0], 6, false), -EOVERFLOW);
	assert_string_equal(rig->instances[0].slot.why, why);
	assert_int_equal(rig->instances[0].spoiled, spoiled);
	assert_null(rig_message(rig, 0, 0, 6, &data)); /* nobody reads it */
	rig_close(rig);
}

static void test_caught(void **state)
{
	static const uint32_t sizes[] = {8, 9, 13, 48, 49, 56, 57, 64, 100};

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (size_t at = 0; at < 8; at++) {
			caught(sizes[s], write_past, at, at & 1,
			    "memory behind an output message was overwritten",
			    IMAGE_SPOILED_BEHIND);
			caught(sizes[s], write_before, at, at & 1,
			    "memory before an output message was overwritten",
			    IMAGE_SPOILED_BEFORE);
		}
	caught(8, claim_more, 0, false, "an output message claims more items than fit", 0);
	caught(8, claim_more, 0, true, "an output message claims more items than fit", 0);
}

/* What was overwritten before the call is not this instance's doing, whichever side of its items it
 * is on. */
static void test_spoiled_earlier(void **state)
{
	(void)state;
	for (int sampled = 0; sampled < 2; sampled++)
		for (int side = 0; side < 2; side++) {
			struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);
			const uint32_t wanted = side ? IMAGE_SPOILED_BEFORE : IMAGE_SPOILED_BEHIND;
			struct probe *probe;
			uint8_t *items;

			rig_add(rig, &probe_source, 0, 0);
			rig_open(rig);
			probe = probe_of(rig, 0);
			items = image_data(&rig->view, 0) + 2 * rig->view.buffers[0].stride;
			assert_int_equal(instance_call(&rig->instances[0], 1, false), 0);
			items[side ? -8 : (ptrdiff_t)rig->view.buffers[0].canary + 7] ^= 0x80;
			assert_int_equal((sampled ? instance_call_sampled : instance_call)(
			                     &rig->instances[0], 2, false),
			    -EOVERFLOW);
			assert_int_equal(rig->instances[0].spoiled, wanted | IMAGE_SPOILED_EARLIER);
			assert_int_equal(rig->instances[0].slot.index, 2);
			assert_int_equal(probe->calls, 1); /* it was not called */
			rig_close(rig);
		}
}

/* The record of a message says more items than fit: the reader is not given them. */
static void test_spoiled_input(void **state)
{
	struct rig *rig = rig_new(IMAGE_STEP, IMAGE_SLIP);

	(void)state;
	rig_add(rig, &probe_source, 0, 0);
	rig_add(rig, &probe_join, 0, 0);
	rig_link(rig, 0, 0, 1, 0, 0);
	rig_open(rig);
	assert_int_equal(instance_call(&rig->instances[0], 0, false), 0);
	atomic_store(&image_messages(&rig->view, 0)[0].len, rig->view.buffers[0].max);
	assert_int_equal(instance_call(&rig->instances[1], 0, false), 0);
	atomic_store(&image_messages(&rig->view, 0)[0].len, rig->view.buffers[0].max + 1);
	assert_int_equal(instance_call(&rig->instances[1], 0, false), -EOVERFLOW);
	assert_int_equal(rig->instances[1].spoiled, IMAGE_SPOILED_INPUT);
	assert_int_equal(rig->instances[1].slot.index, 0);
	rig_close(rig);
}

/* ---- the image as a whole ---- */

static struct rig *sample_open(void)
{
	struct rig *rig = image_sample_rig();

	rig_image(rig);
	return rig;
}

static void whole(const struct image_view *view)
{
	struct image_damage damage;

	if (image_damage_all(view, &damage))
		fail_msg("whole, yet: %s", damage.what);
}

/* `what` must be said, by the quick look as well if `quick`. */
static void damaged(const struct image_view *view, bool quick, uint32_t host, const char *what)
{
	struct image_damage damage = {0};

	assert_true(image_damage_quick(view, &damage) == quick);
	assert_true(image_damage_all(view, &damage));
	assert_int_equal(damage.host, host);
	assert_string_equal(damage.what, what);
}

static void test_numbers(void **state)
{
	struct rig *rig = sample_open();
	const struct image_view *view = &rig->view;
	struct image_run *run = image_run(view);
	struct image_segment_state *segment = image_segment_state(view, 0);
	_Atomic uint64_t *const counts[] = {
	    &segment->done, &segment->events, &segment->misses, &segment->slots};

	(void)state;
	whole(view);
	atomic_store(&run->fault, (uint32_t)view->head->instances.count + 1);
	damaged(view, true, IMAGE_NONE, "the record of its run");
	atomic_store(&run->fault, UINT32_MAX); /* being written */
	whole(view);
	atomic_store(&run->fault, 0);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		atomic_store(counts[i], IMAGE_COUNT_MAX);
		whole(view);
		atomic_store(counts[i], IMAGE_COUNT_MAX + 1);
		damaged(view, true, IMAGE_NONE, "the record of a segment's steps, on CPU 0");
		atomic_store(counts[i], 0);
	}
	atomic_store(&segment->current, 1);
	whole(view);
	atomic_store(&image_segment_state(view, 1)->current, 1); /* another segment's */
	damaged(view, true, IMAGE_NONE, "the record of a segment's steps, on CPU 0");
	atomic_store(&image_segment_state(view, 1)->current, 0);
	atomic_store(&image_instance_state(view, 2)->absent, UINT64_MAX);
	damaged(view, false, 0, "the record of instance \"n2\"");
	atomic_store(&image_instance_state(view, 2)->absent, 0);
	atomic_store(&image_messages(view, 0)[1].stamp, UINT64_MAX);
	damaged(view, false, 0, "memory at the messages of output 0 of instance \"n0\"");
	rig_close(rig);
}

/* A byte of any wall, or of the canary on either side of any message. */
static void test_walls(void **state)
{
	struct rig *rig = sample_open();
	const struct image_view *view = &rig->view;

	(void)state;
	for (uint64_t i = 0; i < IMAGE_WALL; i++) {
		uint8_t *begin = view->base + view->hosts[0].offset + i;
		uint8_t *links = view->base + view->hosts[0].links - IMAGE_WALL + i;

		*begin ^= 1;
		damaged(view, true, 0, "memory before its instances' records");
		*begin ^= 1;
		*links ^= 1;
		damaged(view, true, 0, "memory between its instances' records and its links");
		*links ^= 1;
	}
	for (uint32_t b = 0; b < view->head->buffers.count; b++)
		for (uint32_t m = 0; m < view->buffers[b].depth; m++) {
			uint8_t *items = image_data(view, b) + m * view->buffers[b].stride;
			struct image_damage damage;

			items[-1] ^= 1;
			assert_true(image_damage_all(view, &damage));
			items[-1] ^= 1;
			items[view->buffers[b].canary] ^= 1;
			assert_true(image_damage_all(view, &damage));
			items[view->buffers[b].canary] ^= 1;
		}
	whole(view);
	rig_close(rig);
}

/* Random bytes all over, also with whole canaries between them: it is noticed, and nothing is
 * followed anywhere. */
static void test_random(void **state)
{
	uint64_t random = 88172645463325252ull;

	(void)state;
	for (int n = 0; n < 40; n++) {
		struct rig *rig = sample_open();
		struct image_damage damage;

		for (size_t i = 0; i + 8 <= rig->view.bytes; i += 8) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			memcpy(rig->view.base + i, &random, 8);
		}
		assert_true(image_damage_quick(&rig->view, &damage));
		assert_true(image_damage_all(&rig->view, &damage));
		image_walk(&rig->view);
		rig_close(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_caught),
	    cmocka_unit_test(test_spoiled_earlier),
	    cmocka_unit_test(test_spoiled_input),
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_walls),
	    cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
