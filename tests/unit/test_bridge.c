/* SPDX-License-Identifier: BSD-3-Clause
 * core/bridge by hand, frame by frame: messages that take many frames, what is repeated and what is
 * not, bridges that begin anew, frames that are refused. tests/sim/test_bridge has the rest. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/bridge/bridge.h"
#include "core/bridge/frame.h"
#include "tests/common/pair.h"

static const struct bridge_counts *counts_of(const struct pair *pair, uint32_t node)
{
	return bridge_counts(pair->bridge[node], 0);
}

static uint64_t done_of(const struct pair *pair, uint32_t node, uint32_t segment)
{
	return atomic_load(&rig_state(pair->rig[node], segment)->done);
}

static void both(struct pair *pair)
{
	pair_round(pair, 0, 0);
	pair_round(pair, 1, 0);
}

/* The bytes of a head are those of frame.h, whatever machine this is. */
static void test_layout(void **state)
{
	static const uint8_t want[FRAME_HEAD_BYTES] = {'A', 'B', 'R', '1', 2, 1, 4, 3, 8, 7, 6, 5,
	    0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0,
	    12, 0, 0, 0, 0, 0, 0, 0, 13, 0, 0, 0, 0, 0, 0, 0x80, 64, 0, 0, 0, 14, 0, 0, 0};
	const struct frame_head head = {
	    0x0102, 0x0304, 0x05060708, 9, 10, 11, 12, 0x800000000000000dull, 64, 14};
	uint8_t have[FRAME_HEAD_BYTES];
	struct frame_head back;

	(void)state;
	frame_put_head(have, &head);
	assert_memory_equal(have, want, sizeof(want));
	memset(have, 0, sizeof(have));
	frame_get_head(want, &back);
	frame_put_head(have, &back);
	assert_memory_equal(have, want, sizeof(want));
}

/* Messages of any size through frames of any size. */
static void test_sizes(void **state)
{
	static const uint32_t sizes[] = {1, 8, 80, 1000, 60000},
	                      frames[] = {192, 1472, 65507, 1 << 20};

	(void)state;
	for (size_t i = 0; i < 5; i++)
		for (size_t f = 0; f < 4; f++) {
			struct pair pair;

			if (sizes[i] == 60000 && frames[f] == 192)
				continue; /* more than BRIDGE_PARTS_MAX allows, see below */
			pair_open(&pair, IMAGE_SLIP, sizes[i], frames[f]);
			for (uint64_t slot = 0; slot < 50; slot++) {
				pair_slot(&pair, slot);
				both(&pair);
			}
			assert_true(pair_seen(pair.rig[0]).right > 40);
			assert_int_equal(pair_seen(pair.rig[0]).wrong, 0);
			assert_int_equal(pair_seen(pair.rig[0]).absent, 0);
			assert_int_equal(counts_of(&pair, 0)->repeated, 0);
			assert_int_equal(counts_of(&pair, 0)->bad + counts_of(&pair, 1)->bad, 0);
			pair_close(&pair);
		}
}

/* 40 parts, of which two are lost: these two are sent once more, and no other. */
static void test_parts_lost(void **state)
{
	struct pair pair;

	(void)state;
	pair_open(&pair, IMAGE_SLIP, 50000, 1472);
	both(&pair);
	pair_slot(&pair, 0);
	assert_true(pair_round(&pair, 0, (uint64_t)1 << 7 | (uint64_t)1 << 20) >= 37);
	assert_int_equal(done_of(&pair, 1, 0), 0);
	pair_round(&pair, 1, 0);
	pair_round(&pair, 0, 0);
	assert_int_equal(counts_of(&pair, 0)->repeated, 2);
	assert_int_equal(counts_of(&pair, 1)->known, 0);
	assert_int_equal(done_of(&pair, 1, 0), 1);
	pair_close(&pair);
}

/* A frame that comes twice is known; a round that finds nothing new is a heartbeat of one frame. */
static void test_known(void **state)
{
	struct pair pair;
	uint8_t bytes[1472];
	size_t len;

	(void)state;
	pair_open(&pair, IMAGE_SLIP, 100, sizeof(bytes));
	both(&pair);
	pair_slot(&pair, 0);
	assert_true(bridge_news(pair.bridge[0], 0));
	bridge_round(pair.bridge[0], 0);
	len = bridge_out(pair.bridge[0], 0, bytes);
	assert_int_equal(bridge_out(pair.bridge[0], 0, bytes + 1000), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(bridge_in(pair.bridge[1], bytes, len), 0);
	assert_int_equal(counts_of(&pair, 1)->taken, 1);
	assert_true(counts_of(&pair, 1)->known >= 2);
	assert_false(bridge_news(pair.bridge[0], 0));
	assert_true(bridge_news(pair.bridge[1], 0));
	both(&pair);
	assert_int_equal(pair_round(&pair, 0, 0), 1);
	pair_close(&pair);
}

/* A heartbeat brings nothing; a part of a step does, and so does word that a step is done. */
static void test_come(void **state)
{
	struct pair pair;
	uint8_t bytes[1472];
	uint64_t come[2];
	size_t len;

	(void)state;
	pair_open(&pair, IMAGE_SLIP, 50000, sizeof(bytes));
	both(&pair);
	both(&pair);
	for (uint32_t node = 0; node < 2; node++)
		come[node] = bridge_come(pair.bridge[node], 0);
	both(&pair);
	for (uint32_t node = 0; node < 2; node++)
		assert_int_equal(bridge_come(pair.bridge[node], 0), come[node]);
	pair_slot(&pair, 0);
	bridge_round(pair.bridge[0], 0);
	len = bridge_out(pair.bridge[0], 0, bytes); /* with the first part of 40 */
	assert_int_equal(bridge_in(pair.bridge[1], bytes, len), 0);
	assert_true(bridge_come(pair.bridge[1], 0) > come[1]);
	come[1] = bridge_come(pair.bridge[1], 0);
	assert_int_equal(bridge_in(pair.bridge[1], bytes, len), 0);
	assert_int_equal(bridge_come(pair.bridge[1], 0), come[1]);
	pair_close(&pair);
}

static void test_unsent(void **state)
{
	struct pair pair;
	uint8_t bytes[1472];
	size_t len;

	(void)state;
	pair_open(&pair, IMAGE_SLIP, 100, sizeof(bytes));
	bridge_round(pair.bridge[0], 0);
	len = bridge_out(pair.bridge[0], 0, bytes);
	assert_int_equal(counts_of(&pair, 0)->sent, 1);
	assert_int_equal(counts_of(&pair, 0)->bytes_sent, len);
	bridge_unsent(pair.bridge[0], 0, len);
	assert_int_equal(counts_of(&pair, 0)->sent, 0);
	assert_int_equal(counts_of(&pair, 0)->bytes_sent, 0);
	assert_int_equal(counts_of(&pair, 0)->unsent, 1);
	pair_close(&pair);
}

/* Either bridge, or both, begin anew in the middle of a step: no message is lost or doubled. */
static void test_begun_anew(void **state)
{
	(void)state;
	for (uint32_t who = 1; who < 4; who++) {
		struct pair pair;

		pair_open(&pair, IMAGE_SLIP, 5000, 512);
		for (uint64_t slot = 0; slot < 60; slot++) {
			pair_slot(&pair, slot);
			pair_round(&pair, 0, slot % 5 == 1 ? 0x14 : 0);
			for (uint32_t node = 0; node < 2; node++)
				if (slot % 5 == 1 && (who >> node & 1) != 0)
					pair_bridge(&pair, node);
			pair_round(&pair, 1, 0);
		}
		assert_true(pair_seen(pair.rig[0]).right > 20);
		assert_int_equal(pair_seen(pair.rig[0]).wrong, 0);
		assert_int_equal(pair_seen(pair.rig[0]).absent, 0);
		pair_close(&pair);
	}
}

/* Under skip the loss of a frame costs the messages in it, and nothing is sent twice. */
static void test_skip(void **state)
{
	struct pair pair;

	(void)state;
	pair_open(&pair, IMAGE_SKIP, 5000, 8000);
	for (uint64_t slot = 0; slot < 50; slot++) {
		pair_slot(&pair, slot);
		pair_round(&pair, 0, slot % 10 == 5);
		pair_round(&pair, 1, 0);
	}
	assert_int_equal(pair_seen(pair.rig[0]).wrong, 0);
	assert_int_equal(pair_seen(pair.rig[0]).absent, 5);
	assert_int_equal(pair_seen(pair.rig[0]).right, 48 - 5);
	assert_int_equal(counts_of(&pair, 0)->repeated, 0);
	pair_close(&pair);
}

/* One frame of node 0 with step 0 of segment 0 in it. */
static size_t frame_of(struct pair *pair, uint8_t *ret)
{
	size_t len;

	pair_open(pair, IMAGE_SLIP, 100, 1472);
	both(pair);
	pair_slot(pair, 0);
	bridge_round(pair->bridge[0], 0);
	len = bridge_out(pair->bridge[0], 0, ret);
	assert_true(len > 0);
	return len;
}

static uint8_t *record_of(uint8_t *bytes, enum frame_kind kind, uint32_t segment)
{
	for (uint8_t *at = bytes + FRAME_HEAD_BYTES;; at += frame_get_record(at).bytes)
		if (frame_get_record(at).kind == kind && get_le32(at + 8) == segment)
			return at;
}

/* Each change makes it a frame that is refused, and nothing of it gets past the rules. */
static void test_refused(void **state)
{
	static const struct {
		const char *what;
		int offset; /* in the STEP of segment 0; from the piece on: + 40 */
		uint64_t value;
		int bytes;
	} changes[] = {
	    {"kind", 0, 9, 2},
	    {"pieces", 2, 2, 2},
	    {"bytes of the record", 4, 48, 4},
	    {"segment that is not there", 8, 3, 4},
	    {"segment of this node", 8, 1, 4},
	    {"part", 12, 1, 2},
	    {"parts", 14, 0, 2},
	    {"more parts than can be", 14, 0xffff, 2},
	    {"index", 48, 1, 8},
	    {"buffer that is not there", 40, 7, 4},
	    {"buffer of another segment", 40, 1, 4},
	    {"state", 44, 3, 4},
	    {"items", 56, 101, 4},
	    {"all items", 56, 0xffffffff, 4},
	    {"offset", 60, 101, 4},
	    {"bytes of the piece", 64, 101, 4},
	    {"all bytes of the piece", 64, 0xffffffff, 4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct pair pair;
		uint8_t bytes[1472], *at;
		const size_t len = frame_of(&pair, bytes);

		at = record_of(bytes, FRAME_STEP, 0) + changes[i].offset;
		if (changes[i].bytes == 2)
			put_le16(at, (uint16_t)changes[i].value);
		else if (changes[i].bytes == 4)
			put_le32(at, (uint32_t)changes[i].value);
		else
			put_le64(at, changes[i].value);
		if (bridge_in(pair.bridge[1], bytes, len) != -EBADMSG)
			fail_msg("%s: not refused", changes[i].what);
		assert_int_equal(counts_of(&pair, 1)->bad, 1);
		assert_int_equal(done_of(&pair, 1, 0), 0);
		pair_close(&pair);
	}
}

static void test_not_for_us(void **state)
{
	struct pair pair;
	uint8_t bytes[1472];
	const size_t len = frame_of(&pair, bytes);

	(void)state;
	put_le64(bytes + 8, PAIR_LOAD + 1);
	assert_int_equal(bridge_in(pair.bridge[1], bytes, len), -ENOENT);
	put_le64(bytes + 8, PAIR_LOAD);
	put_le16(bytes + 6, 5);
	assert_int_equal(bridge_in(pair.bridge[1], bytes, len), -ENOENT);
	put_le16(bytes + 6, 1);
	assert_int_equal(counts_of(&pair, 1)->foreign, 2);
	put_le16(bytes + 4, 1);
	assert_int_equal(bridge_in(pair.bridge[1], bytes, len), -ENOENT);
	put_le16(bytes + 4, 0);
	for (size_t n = 0; n < len; n++)
		assert_int_equal(bridge_in(pair.bridge[1], bytes, n), -EBADMSG);
	bytes[3]++;
	assert_int_equal(bridge_in(pair.bridge[1], bytes, len), -EBADMSG);
	bytes[3]--;
	assert_int_equal(done_of(&pair, 1, 0), 0);
	assert_int_equal(bridge_in(pair.bridge[1], bytes, len), 0);
	assert_int_equal(done_of(&pair, 1, 0), 1);
	pair_close(&pair);
}

/* A step for which the ring has no room is not taken, whoever says so. */
static void test_early(void **state)
{
	struct pair pair;
	uint8_t bytes[1472], *step;
	const size_t len = frame_of(&pair, bytes);

	(void)state;
	step = record_of(bytes, FRAME_STEP, 0);
	put_le64(step + 16, 5); /* of 4 messages */
	put_le64(step + 48, 5);
	assert_int_equal(bridge_in(pair.bridge[1], bytes, len), 0);
	assert_int_equal(counts_of(&pair, 1)->early, 1);
	assert_int_equal(done_of(&pair, 1, 0), 0);
	pair_close(&pair);
}

/* What a host has written into the image is checked before it is sent. */
static void test_own_image(void **state)
{
	struct pair pair;

	(void)state;
	pair_open(&pair, IMAGE_SLIP, 100, 1472);
	both(&pair);
	pair_slot(&pair, 0);
	atomic_store(&image_messages(&pair.rig[0]->view, 0)[0].len, 0xffffffff);
	pair_round(&pair, 0, 0);
	assert_int_equal(counts_of(&pair, 1)->bad, 0);
	assert_int_equal(done_of(&pair, 1, 0), 1);
	assert_int_equal(atomic_load(&image_messages(&pair.rig[1]->view, 0)[0].stamp), 0);
	pair_close(&pair);
}

static void test_not_made(void **state)
{
	struct rig *rig = pair_rig(IMAGE_STEP, IMAGE_SLIP, 200000, 4);
	struct bridge_peer_options peer = {1, 192};
	struct bridge_options options = {.node = 0, .peers = &peer, .n_peers = 1};
	char why[BRIDGE_WHY];

	(void)state;
	rig_image(rig);
	assert_null(bridge_new(&rig->view, &rig->control, &options, why));
	assert_non_null(strstr(why, "give the link frames larger than 0.2 kB"));
	peer.frame_bytes = 100;
	assert_null(bridge_new(&rig->view, &rig->control, &options, why));
	assert_non_null(strstr(why, "between 192 and"));
	options.n_peers = 0;
	assert_null(bridge_new(&rig->view, &rig->control, &options, why));
	assert_string_equal(why, "segment number 1 is on a node (number 1) that is no peer");
	rig_close(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_layout),
	    cmocka_unit_test(test_sizes),
	    cmocka_unit_test(test_parts_lost),
	    cmocka_unit_test(test_known),
	    cmocka_unit_test(test_come),
	    cmocka_unit_test(test_unsent),
	    cmocka_unit_test(test_begun_anew),
	    cmocka_unit_test(test_skip),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_not_for_us),
	    cmocka_unit_test(test_early),
	    cmocka_unit_test(test_own_image),
	    cmocka_unit_test(test_not_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
