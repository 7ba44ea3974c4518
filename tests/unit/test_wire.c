/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_wire.c - the control message, byte by byte. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/wire/wire.h"

/* A message written by hand from the drawing in wire.h. */
static const uint8_t literal[] = {
    'A', 'L', 'O', 'E', 1, 0, 4, 0,           /* version 1, client -> swman, no flags */
    13, 0, 2, 0, 0x78, 0x56, 0x34, 0x12,      /* STEP, 2 fields, seq 0x12345678 */
    32, 0, 0, 0,                              /* bytes that follow */
    3, 0, 0, 0, 5, 0, 0, 0,                   /* WAVEFORM, 5 bytes */
    'b', 'p', 's', 'k', '2', 0, 0, 0,         /* padded */
    16, 0, 0, 0, 8, 0, 0, 0,                  /* COUNT, a number */
    0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 2, 1, /* 0x0102030405060708 */
};

static void literal_write(struct wire_msg *msg)
{
	wire_init(msg, WIRE_STEP, WIRE_CLIENT, WIRE_SWMAN, 0x12345678);
	wire_put_text(msg, WIRE_TAG_WAVEFORM, "bpsk2");
	wire_put_u64(msg, WIRE_TAG_COUNT, 0x0102030405060708);
}

static void test_written_as_drawn(void **state)
{
	struct wire_msg msg;
	const uint8_t *bytes;
	size_t len;

	(void)state;
	literal_write(&msg);
	bytes = wire_bytes(&msg, &len);
	assert_non_null(bytes);
	assert_int_equal(len, sizeof(literal));
	assert_memory_equal(bytes, literal, sizeof(literal));
	wire_fini(&msg);
}

/* A field that is written in its place is as one that was copied there, of whatever length. */
static void test_room(void **state)
{
	static const char text[] = "in its place";

	(void)state;
	for (size_t used = 0; used < sizeof(text); used++) {
		struct wire_msg copied, written;
		const uint8_t *a, *b;
		size_t a_len = 0, b_len = 0;
		uint8_t *room;

		wire_init(&copied, WIRE_FRAME, WIRE_BRIDGE, WIRE_BRIDGE, 1);
		wire_put_text(&copied, WIRE_TAG_NAME, "a");
		wire_put_bytes(&copied, WIRE_TAG_BYTES, text, used);
		wire_init(&written, WIRE_FRAME, WIRE_BRIDGE, WIRE_BRIDGE, 1);
		wire_put_text(&written, WIRE_TAG_NAME, "a");
		room = wire_put_room(&written, WIRE_TAG_BYTES, 5000);
		assert_non_null(room);
		memset(room, 0xa5, 5000);
		wire_room_used(&written, room, 3); /* by what was written before */
		memcpy(room, text, used);
		wire_room_used(&written, room, used);
		a = wire_bytes(&copied, &a_len);
		b = wire_bytes(&written, &b_len);
		assert_int_equal(a_len, b_len);
		assert_memory_equal(a, b, a_len);
		wire_fini(&copied);
		wire_fini(&written);
		assert_null(wire_put_room(&written, WIRE_TAG_BYTES, 1));
	}
}

/* The bytes are the caller's then, and the message is finished. */
static void test_taken(void **state)
{
	struct wire_msg msg;
	uint8_t *bytes;
	size_t len;

	(void)state;
	literal_write(&msg);
	bytes = wire_take(&msg, &len);
	assert_non_null(bytes);
	assert_int_equal(len, sizeof(literal));
	wire_fini(&msg);
	assert_memory_equal(bytes, literal, sizeof(literal));
	free(bytes);
	assert_null(wire_take(&msg, &len));
}

static void test_read_as_drawn(void **state)
{
	struct wire_view view;
	uint64_t count;
	char *name;

	(void)state;
	assert_int_equal(wire_decode(literal, sizeof(literal), &view), 0);
	assert_int_equal(view.type, WIRE_STEP);
	assert_int_equal(view.source, WIRE_CLIENT);
	assert_int_equal(view.dest, WIRE_SWMAN);
	assert_int_equal(view.seq, 0x12345678);
	assert_int_equal(view.fields, 2);
	name = wire_get_text(&view, WIRE_TAG_WAVEFORM, 0);
	assert_string_equal(name, "bpsk2");
	free(name);
	assert_int_equal(wire_get_u64(&view, WIRE_TAG_COUNT, &count), 0);
	assert_true(count == 0x0102030405060708);
	count = 1;
	assert_int_equal(wire_get_u64(&view, WIRE_TAG_SLOT, &count), -ENOENT);
	assert_int_equal(wire_get_u64(&view, WIRE_TAG_WAVEFORM, &count), -EBADMSG);
	assert_int_equal(count, 1); /* untouched */
	assert_null(wire_get_text(&view, WIRE_TAG_WAVEFORM, 1));
}

/* Two tags of one number are two equal cases, which no compiler takes; one that is missing here is
 * a warning. */
static bool tag_is_named(enum wire_tag tag)
{
	switch (tag) {
	case WIRE_TAG_CODE:
	case WIRE_TAG_TEXT:
	case WIRE_TAG_WAVEFORM:
	case WIRE_TAG_FILE:
	case WIRE_TAG_CWD:
	case WIRE_TAG_SET:
	case WIRE_TAG_CLOCK:
	case WIRE_TAG_LATE:
	case WIRE_TAG_ISOLATION:
	case WIRE_TAG_PIPELINED:
	case WIRE_TAG_SLOT_NS:
	case WIRE_TAG_SLOTS:
	case WIRE_TAG_LANES:
	case WIRE_TAG_JSON:
	case WIRE_TAG_PROGRAM:
	case WIRE_TAG_COUNT:
	case WIRE_TAG_SLOT:
	case WIRE_TAG_INDEX:
	case WIRE_TAG_NAME:
	case WIRE_TAG_VALUE:
	case WIRE_TAG_STATE:
	case WIRE_TAG_PID:
	case WIRE_TAG_CURSOR:
	case WIRE_TAG_LOST:
	case WIRE_TAG_BYTES:
	case WIRE_TAG_DAEMON:
	case WIRE_TAG_COPIES:
	case WIRE_TAG_RADIO:
	case WIRE_TAG_RADIO_TEXT:
	case WIRE_TAG_AGAIN:
	case WIRE_TAG_NOTE:
	case WIRE_TAG_LOAD_ID:
	case WIRE_TAG_FORCE:
	case WIRE_TAG_NEWEST:
	case WIRE_TAG_NODE:
	case WIRE_TAG_HOME:
	case WIRE_TAG_KEY:
	case WIRE_TAG_LEASE_MS:
	case WIRE_TAG_WORD_NS:
	case WIRE_TAG_BUILD:
	case WIRE_TAG_PART:
	case WIRE_TAG_RECORD:
	case WIRE_TAG_REPLAY:
	case WIRE_TAG_ORIGIN:
		return true;
	}
	return false;
}

static void test_tags_differ(void **state)
{
	(void)state;
	for (int tag = 1; tag <= WIRE_TAG_BUILD; tag++)
		assert_true(tag_is_named((enum wire_tag)tag));
	assert_false(tag_is_named((enum wire_tag)0));
}

static void test_another_number(void **state)
{
	struct wire_msg msg;
	const uint8_t *bytes;
	size_t len;

	(void)state;
	literal_write(&msg);
	wire_put_seq(&msg, 0xfedcba98);
	bytes = wire_bytes(&msg, &len);
	assert_int_equal(len, sizeof(literal));
	for (size_t i = 0; i < len; i++)
		assert_int_equal(
		    bytes[i], i < 12 || i >= 16 ? literal[i] : 0x98 + 0x22 * (int)(i - 12));
	wire_fini(&msg);
	wire_put_seq(&msg, 1); /* refused, as every put */
	assert_int_equal(msg.error, -EINVAL);
}

static void test_every_byte_cut_off(void **state)
{
	struct wire_view view;

	(void)state;
	for (size_t len = 0; len < sizeof(literal); len++) {
		uint8_t *copy = malloc(len ? len : 1); /* so that a sanitizer sees the end */

		memcpy(copy, literal, len);
		assert_int_equal(wire_decode(copy, len, &view), -EBADMSG);
		free(copy);
	}
}

/* Every single changed byte that must be refused; those of type, seq, tags' values and contents may
 * change. */
static void test_bytes_that_must_agree(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
	} wrong[] = {
	    {0, 'a'},
	    {3, 0},
	    {4, 0},
	    {4, 2},
	    {5, WIRE_PEERS},
	    {6, 255},
	    {7, 1},
	    {10, 1},
	    {10, 3},
	    {11, 1},
	    {16, 31},
	    {16, 28},
	    {16, 33},
	    {19, 1},
	    {20, 0},
	    {22, 1},
	    {23, 1},
	    {24, 0},
	    {24, 20},
	    {27, 128},
	    {33, 1},
	    {34, 1},
	    {35, 1},
	    {36, 0},
	    {40, 9},
	    {40, 7},
	    {40, 4},
	    {43, 255},
	};
	struct wire_view view;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		uint8_t copy[sizeof(literal)];

		memcpy(copy, literal, sizeof(literal));
		copy[wrong[i].at] = wrong[i].value;
		assert_int_equal(wire_decode(copy, sizeof(copy), &view), -EBADMSG);
	}
}

/* Six bytes are as good a field as five, the padding is shorter; but a text holds no zero. */
static void test_text_with_a_zero(void **state)
{
	uint8_t copy[sizeof(literal)];
	struct wire_view view;
	const void *field;
	size_t len;

	(void)state;
	memcpy(copy, literal, sizeof(literal));
	copy[24] = 6;
	assert_int_equal(wire_decode(copy, sizeof(copy), &view), 0);
	assert_int_equal(wire_get_bytes(&view, WIRE_TAG_WAVEFORM, 0, &field, &len), 0);
	assert_int_equal(len, 6);
	assert_null(wire_get_text(&view, WIRE_TAG_WAVEFORM, 0));
}

static void test_types_not_known(void **state)
{
	uint8_t copy[sizeof(literal)];
	struct wire_view view;

	(void)state;
	memcpy(copy, literal, sizeof(literal));
	copy[8] = 0xee;
	copy[9] = 0xee;
	assert_int_equal(wire_decode(copy, sizeof(copy), &view), 0);
	assert_int_equal(view.type, 0xeeee);
	copy[8] = copy[9] = 0;
	assert_int_equal(wire_decode(copy, sizeof(copy), &view), -EBADMSG);
}

static void test_lengths_and_repeats(void **state)
{
	struct wire_msg msg;
	struct wire_view view;
	const uint8_t *bytes;
	const void *field;
	uint8_t data[9];
	size_t len;

	(void)state;
	memset(data, 0xff, sizeof(data));
	wire_init(&msg, WIRE_LOAD, WIRE_CLIENT, WIRE_SWMAN, 1);
	for (size_t n = 0; n <= sizeof(data); n++)
		wire_put_bytes(&msg, WIRE_TAG_SET, data, n);
	wire_put_text(&msg, WIRE_TAG_CLOCK, NULL);
	bytes = wire_bytes(&msg, &len);
	assert_int_equal(wire_decode(bytes, len, &view), 0);
	assert_int_equal(view.fields, 10);
	for (unsigned n = 0; n <= sizeof(data); n++) {
		assert_int_equal(wire_get_bytes(&view, WIRE_TAG_SET, n, &field, &len), 0);
		assert_int_equal(len, n);
		assert_memory_equal(field, data, n);
	}
	assert_int_equal(wire_get_bytes(&view, WIRE_TAG_SET, 10, &field, &len), -ENOENT);
	assert_int_equal(wire_get_bytes(&view, WIRE_TAG_CLOCK, 0, &field, &len), -ENOENT);
	wire_fini(&msg);
}

static void test_no_fields(void **state)
{
	struct wire_msg msg;
	struct wire_view view;
	const uint8_t *bytes;
	size_t len;

	(void)state;
	wire_init(&msg, WIRE_PING, WIRE_CLIENT, WIRE_EXEC, 0);
	bytes = wire_bytes(&msg, &len);
	assert_int_equal(len, WIRE_HEAD_BYTES);
	assert_int_equal(wire_decode(bytes, len, &view), 0);
	assert_int_equal(view.fields, 0);
	wire_fini(&msg);
}

static void test_error_stays(void **state)
{
	struct wire_msg msg;
	char *large = calloc(1, WIRE_BYTES_MAX);
	size_t len;

	(void)state;
	assert_non_null(large);
	wire_init(&msg, WIRE_PREPARE, WIRE_SWMAN, WIRE_EXEC, 1);
	wire_put_bytes(&msg, WIRE_TAG_PROGRAM, large, WIRE_BYTES_MAX - WIRE_HEAD_BYTES - 8 + 1);
	assert_int_equal(msg.error, -EMSGSIZE);
	wire_put_u64(&msg, WIRE_TAG_SLOT, 1);
	assert_null(wire_bytes(&msg, &len));
	assert_int_equal(msg.error, -EMSGSIZE);
	wire_fini(&msg);
	wire_fini(&msg); /* again does no harm */
	wire_put_u64(&msg, WIRE_TAG_SLOT, 1);
	assert_null(wire_bytes(&msg, &len));
	free(large);
}

static void test_largest_message(void **state)
{
	const size_t most = WIRE_BYTES_MAX - WIRE_HEAD_BYTES - 8;
	struct wire_msg msg;
	struct wire_view view;
	char *large = calloc(1, most);
	const uint8_t *bytes;
	size_t len;

	(void)state;
	wire_init(&msg, WIRE_PREPARE, WIRE_SWMAN, WIRE_EXEC, 1);
	wire_put_bytes(&msg, WIRE_TAG_PROGRAM, large, most);
	bytes = wire_bytes(&msg, &len);
	assert_non_null(bytes);
	assert_int_equal(len, WIRE_BYTES_MAX);
	assert_int_equal(wire_decode(bytes, len, &view), 0);
	wire_put_u64(&msg, WIRE_TAG_SLOT, 1);
	assert_int_equal(msg.error, -EMSGSIZE);
	wire_fini(&msg);
	free(large);
}

static void test_too_many_fields(void **state)
{
	struct wire_msg msg;
	size_t len;

	(void)state;
	wire_init(&msg, WIRE_LOAD, WIRE_CLIENT, WIRE_SWMAN, 1);
	for (int i = 0; i < 65535; i++)
		wire_put_text(&msg, WIRE_TAG_SET, "");
	assert_non_null(wire_bytes(&msg, &len));
	wire_put_text(&msg, WIRE_TAG_SET, "");
	assert_int_equal(msg.error, -EMSGSIZE);
	assert_null(wire_bytes(&msg, &len));
	wire_fini(&msg);
}

static void test_copy_without_a_tag(void **state)
{
	struct wire_msg msg, copy;
	struct wire_view view;
	const uint8_t *bytes;
	const void *field;
	uint64_t count;
	size_t len;

	(void)state;
	literal_write(&msg);
	wire_put_bytes(&msg, WIRE_TAG_ORIGIN, "me", 2);
	bytes = wire_bytes(&msg, &len);
	assert_int_equal(wire_decode(bytes, len, &view), 0);
	wire_init_copy(&copy, &view, WIRE_TAG_ORIGIN);
	bytes = wire_bytes(&copy, &len);
	assert_int_equal(len, sizeof(literal));
	assert_memory_equal(bytes, literal, sizeof(literal)); /* as if it had never been there */
	wire_put_peers(&copy, WIRE_SWMAN, WIRE_EXEC);
	bytes = wire_bytes(&copy, &len);
	assert_int_equal(wire_decode(bytes, len, &view), 0);
	assert_int_equal(view.source, WIRE_SWMAN);
	assert_int_equal(view.dest, WIRE_EXEC);
	assert_int_equal(wire_get_bytes(&view, WIRE_TAG_ORIGIN, 0, &field, &len), -ENOENT);
	assert_int_equal(wire_get_u64(&view, WIRE_TAG_COUNT, &count), 0);
	wire_fini(&copy);
	wire_fini(&msg);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(wire_type_name(WIRE_PREPARE), "PREPARE");
	assert_string_equal(wire_type_name((enum wire_type)999), "(unknown)");
	assert_string_equal(wire_peer_name(WIRE_SWMAN), "swman");
	assert_string_equal(wire_peer_name(WIRE_BRIDGE), "bridge");
	assert_string_equal(wire_peer_name(WIRE_STATSMAN), "statsman");
	assert_string_equal(wire_peer_name((enum wire_peer)99), "(unknown)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_written_as_drawn),
	    cmocka_unit_test(test_room),
	    cmocka_unit_test(test_taken),
	    cmocka_unit_test(test_read_as_drawn),
	    cmocka_unit_test(test_tags_differ),
	    cmocka_unit_test(test_another_number),
	    cmocka_unit_test(test_every_byte_cut_off),
	    cmocka_unit_test(test_bytes_that_must_agree),
	    cmocka_unit_test(test_text_with_a_zero),
	    cmocka_unit_test(test_types_not_known),
	    cmocka_unit_test(test_lengths_and_repeats),
	    cmocka_unit_test(test_no_fields),
	    cmocka_unit_test(test_error_stays),
	    cmocka_unit_test(test_largest_message),
	    cmocka_unit_test(test_too_many_fields),
	    cmocka_unit_test(test_copy_without_a_tag),
	    cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
