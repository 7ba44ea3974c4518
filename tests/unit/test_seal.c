/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_seal.c - sealed frames: what is made is read, once, by whom it is for; all else
 * is dropped and counted. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/seal/seal.h"
#include "tests/common/counting.h"

enum { LOAD = 77, A = 1, B = 2, C = 3, PAYLOAD = 100, FRAME = PAYLOAD + SEAL_MORE_BYTES };

struct rig {
	struct seal_use use;
	struct seal *a, *b;
	uint8_t payload[PAYLOAD], frame[FRAME], out[PAYLOAD];
	size_t len;
};

static struct seal *seal_of(const struct rig *rig, uint16_t node)
{
	struct seal_use use = rig->use;
	struct seal *seal = NULL;

	use.node = node;
	assert_int_equal(seal_new(&use, &seal), 0);
	return seal;
}

static int rig_open(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	rig->use = (struct seal_use){.load_id = LOAD, .first = 5};
	assert_int_equal(seal_key_new(rig->use.key), 0);
	rig->a = seal_of(rig, A);
	rig->b = seal_of(rig, B);
	for (int i = 0; i < PAYLOAD; i++)
		rig->payload[i] = (uint8_t)(i * 7);
	*state = rig;
	return 0;
}

static int rig_close(void **state)
{
	struct rig *rig = *state;

	seal_free(rig->a);
	seal_free(rig->b);
	free(rig);
	return 0;
}

static void put(struct rig *rig)
{
	assert_int_equal(
	    seal_put(rig->a, B, rig->payload, PAYLOAD, rig->frame, FRAME, &rig->len), 0);
	assert_int_equal(rig->len, FRAME);
}

static int take_by(struct rig *rig, struct seal *seal)
{
	uint16_t from = 99;
	size_t len = 99;
	int result;

	memset(rig->out, 0xee, sizeof(rig->out));
	result = seal_take(seal, rig->frame, rig->len, rig->out, sizeof(rig->out), &len, &from);
	if (result == 0) {
		assert_int_equal(len, PAYLOAD);
		assert_int_equal(from, A);
		assert_memory_equal(rig->out, rig->payload, PAYLOAD);
	} else { /* nothing of it is given out */
		assert_int_equal(len, 99);
		assert_int_equal(from, 99);
		for (size_t i = 0; i < sizeof(rig->out); i++)
			assert_true(rig->out[i] == 0xee || rig->out[i] == 0);
	}
	return result;
}

static int take(struct rig *rig)
{
	return take_by(rig, rig->b);
}

static void test_there(void **state)
{
	struct rig *rig = *state;

	for (int i = 0; i < 3; i++) {
		put(rig);
		assert_int_equal(take(rig), 0);
	}
	assert_int_equal(seal_next(rig->a), 8);
	assert_int_equal(seal_counts(rig->a).put, 3);
	assert_int_equal(seal_counts(rig->b).taken, 3);
}

/* The vector of RFC 8439 section 2.8.2 has nonce 07000000 4041424344454647, which is {from 7,
 * counter}: only its head differs from ours. So hold the cipher text, which no head enters. */
static void test_cipher_of_rfc_8439(void **state)
{
	static const char text[] =
	    "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the "
	    "future, sunscreen would be it.";
	static const uint8_t cipher[16] = {0xd3, 0x1a, 0x8d, 0x34, 0x64, 0x8e, 0x60, 0xdb, 0x7b,
	    0x86, 0xaf, 0xbc, 0x53, 0xef, 0x7e, 0xc2};
	struct seal_use use = {.node = 7, .first = 0x4746454443424140};
	struct seal *seal;
	uint8_t frame[256];
	size_t len;

	(void)state;
	for (int i = 0; i < SEAL_KEY_BYTES; i++)
		use.key[i] = (uint8_t)(0x80 + i);
	assert_int_equal(seal_new(&use, &seal), 0);
	assert_int_equal(seal_put(seal, 1, text, 114, frame, sizeof(frame), &len), 0);
	assert_int_equal(len, 114 + SEAL_MORE_BYTES);
	assert_memory_equal(frame + SEAL_HEAD_BYTES, cipher, sizeof(cipher));
	seal_free(seal);
}

static void test_empty_and_largest(void **state)
{
	struct rig *rig = *state;
	uint8_t *payload = calloc(1, SEAL_PAYLOAD_MAX + 1), *frame = malloc(65507), *out;
	size_t len;
	uint16_t from;

	out = malloc(SEAL_PAYLOAD_MAX);
	assert_int_equal(seal_put(rig->a, B, NULL, 0, frame, 65507, &len), 0);
	assert_int_equal(len, SEAL_MORE_BYTES);
	assert_int_equal(seal_take(rig->b, frame, len, out, 0, &len, &from), 0);
	assert_int_equal(len, 0);
	assert_int_equal(seal_put(rig->a, B, payload, SEAL_PAYLOAD_MAX, frame, 65507, &len), 0);
	assert_int_equal(len, 65507);
	assert_int_equal(
	    seal_take(rig->b, frame, len, out, SEAL_PAYLOAD_MAX - 1, &len, &from), -EMSGSIZE);
	assert_int_equal(seal_take(rig->b, frame, len, out, SEAL_PAYLOAD_MAX, &len, &from), 0);
	assert_int_equal(
	    seal_put(rig->a, B, payload, SEAL_PAYLOAD_MAX + 1, frame, 1 << 20, &len), -EMSGSIZE);
	free(payload);
	free(frame);
	free(out);
}

static void test_altered_byte_anywhere(void **state)
{
	struct rig *rig = *state;

	put(rig);
	for (size_t i = 0; i < rig->len; i++)
		for (int bit = 0; bit < 8; bit++) {
			rig->frame[i] ^= (uint8_t)(1 << bit);
			assert_int_not_equal(take(rig), 0);
			rig->frame[i] ^= (uint8_t)(1 << bit);
		}
	{
		const struct seal_counts counts = seal_counts(rig->b);

		assert_int_equal(counts.taken, 0);
		assert_int_equal(counts.foreign + counts.stale + counts.misdirected +
		        counts.replayed + counts.forged + counts.size,
		    8 * FRAME);
		/* magic, version, zero and the high byte of `from`; load id; `to`; `from` that
		 * became the receiver's would need two bits */
		assert_int_equal(counts.foreign, 8 * 5);
		assert_int_equal(counts.stale, 8 * 8);
		assert_int_equal(counts.misdirected, 8 * 2);
		assert_int_equal(counts.replayed, 0);
	}
	assert_int_equal(take(rig), 0); /* and the window was not moved by any of them */
}

static void test_replay(void **state)
{
	struct rig *rig = *state;

	put(rig);
	assert_int_equal(take(rig), 0);
	assert_int_equal(take(rig), -EALREADY);
	put(rig);
	assert_int_equal(take(rig), 0);
	assert_int_equal(seal_counts(rig->b).replayed, 1);
}

/* All orders within the window are taken, each once; a plain list of what has come is the judge. */
static void test_window(void **state)
{
	enum { FRAMES = 5000 };
	struct rig *rig = *state;
	uint8_t(*frames)[FRAME] = malloc(FRAMES * sizeof(*frames));
	bool come[FRAMES] = {false};
	unsigned random = 1, newest = 0;

	for (int i = 0; i < FRAMES; i++) {
		put(rig);
		memcpy(frames[i], rig->frame, FRAME);
	}
	for (int n = 0; n < 4 * FRAMES; n++) {
		unsigned i;
		int expected;

		random = random * 1664525u + 1013904223u;
		i = n / 4 + (random >> 8) % 3000;
		i = i >= 1500 ? i - 1500 : 0;
		i = i < FRAMES ? i : FRAMES - 1;
		memcpy(rig->frame, frames[i], FRAME);
		expected = come[i] || i + SEAL_WINDOW <= newest ? -EALREADY : 0;
		assert_int_equal(take(rig), expected);
		if (expected == 0) {
			come[i] = true;
			newest = i > newest ? i : newest;
		}
	}
	free(frames);
}

/* A start number above the last: taken; a frame of the earlier life: not. */
static void test_started_again(void **state)
{
	struct rig *rig = *state;
	struct seal_use use = rig->use;
	uint8_t old[FRAME];

	put(rig);
	memcpy(old, rig->frame, FRAME);
	seal_free(rig->a);
	use.node = A;
	use.first = SEAL_START;
	assert_int_equal(seal_new(&use, &rig->a), 0);
	put(rig);
	assert_int_equal(take(rig), 0);
	memcpy(rig->frame, old, FRAME);
	assert_int_equal(take(rig), -EALREADY);
}

/* The window of a receiver that was started again is empty: a floor closes it. */
static void test_floor(void **state)
{
	struct rig *rig = *state;

	put(rig);
	seal_free(rig->b);
	rig->b = seal_of(rig, B);
	seal_floor(rig->b, A, seal_next(rig->a));
	seal_floor(rig->b, A, 0); /* never lower */
	seal_floor(rig->b, SEAL_NODES_MAX, 1);
	assert_int_equal(take(rig), -EALREADY);
	put(rig);
	assert_int_equal(take(rig), 0);
}

static void test_wrong_key(void **state)
{
	struct rig *rig = *state;
	struct rig other = *rig;
	struct seal *wrong;

	other.use.key[31] ^= 1;
	wrong = seal_of(&other, B);
	put(rig);
	assert_int_equal(take_by(rig, wrong), -EBADMSG);
	assert_int_equal(seal_counts(wrong).forged, 1);
	seal_free(wrong);
}

static void test_old_load(void **state)
{
	struct rig *rig = *state;
	struct rig next = *rig;
	struct seal *now;

	next.use.load_id = LOAD + 1;
	assert_int_equal(seal_key_new(next.use.key), 0);
	now = seal_of(&next, B);
	put(rig);
	assert_int_equal(take_by(rig, now), -ESTALE);
	assert_int_equal(seal_counts(now).stale, 1);
	/* even by one that says it is of this load: the key is another */
	memset(rig->frame + 8, LOAD + 1, 1);
	assert_int_equal(take_by(rig, now), -EBADMSG);
	seal_free(now);
}

static void test_for_another_node(void **state)
{
	struct rig *rig = *state;
	struct seal *c = seal_of(rig, C);

	put(rig);
	assert_int_equal(take_by(rig, c), -EXDEV);
	assert_int_equal(take_by(rig, rig->a), -EXDEV); /* reflected */
	rig->frame[6] = C;                              /* sent on, with another address */
	assert_int_equal(take_by(rig, c), -EBADMSG);
	seal_free(c);
}

static void test_truncated(void **state)
{
	struct rig *rig = *state;

	put(rig);
	for (rig->len = 0; rig->len < FRAME; rig->len++) {
		uint8_t *exact = malloc(rig->len ? rig->len : 1);
		uint16_t from;
		size_t len;

		memcpy(exact, rig->frame, rig->len);
		assert_int_equal(seal_take(rig->b, exact, rig->len, rig->out, PAYLOAD, &len, &from),
		    rig->len < SEAL_MORE_BYTES ? -EMSGSIZE : -EBADMSG);
		free(exact);
	}
	assert_int_equal(seal_counts(rig->b).size, SEAL_MORE_BYTES);
	assert_int_equal(seal_counts(rig->b).forged, PAYLOAD);
}

/* A length that nobody has: refused before a byte is read, for none is there. */
static void test_one_gigabyte(void **state)
{
	struct rig *rig = *state;
	uint8_t byte = 0;
	uint16_t from;
	size_t len;

	assert_int_equal(
	    seal_take(rig->b, &byte, 1 << 30, rig->out, PAYLOAD, &len, &from), -EMSGSIZE);
	assert_int_equal(
	    seal_take(rig->b, &byte, SIZE_MAX, rig->out, SIZE_MAX, &len, &from), -EMSGSIZE);
	assert_int_equal(seal_put(rig->a, B, &byte, 1 << 30, &byte, SIZE_MAX, &len), -EMSGSIZE);
	assert_int_equal(seal_put(rig->a, B, &byte, SIZE_MAX, &byte, SIZE_MAX, &len), -EMSGSIZE);
	assert_int_equal(seal_counts(rig->b).size, 2);
}

static void test_bad_use(void **state)
{
	struct rig *rig = *state;
	struct seal_use use = rig->use;
	struct seal *seal = NULL;
	size_t len;

	use.node = SEAL_NODES_MAX;
	assert_int_equal(seal_new(&use, &seal), -EINVAL);
	assert_int_equal(seal_put(rig->a, A, "", 1, rig->frame, FRAME, &len), -EINVAL);
	assert_int_equal(seal_put(rig->a, SEAL_NODES_MAX, "", 1, rig->frame, FRAME, &len), -EINVAL);
	assert_int_equal(seal_put(rig->a, B, "", 1, rig->frame, SEAL_MORE_BYTES, &len), -EMSGSIZE);
	assert_int_equal(seal_next(rig->a), 5); /* no counter was spent */
	seal_free(rig->a);
	use.node = A;
	use.first = UINT64_MAX - 1;
	assert_int_equal(seal_new(&use, &rig->a), 0);
	put(rig);
	assert_int_equal(take(rig), 0);
	assert_int_equal(seal_put(rig->a, B, rig->payload, 1, rig->frame, FRAME, &len), -EOVERFLOW);
	seal_free(NULL);
}

/* A bridge seals between two slots: nothing that could wait. */
static void test_no_allocation_no_lock(void **state)
{
	struct rig *rig = *state;
	uint16_t from;
	size_t len;

	asked.in_slot = true;
	(void)seal_put(rig->a, B, rig->payload, PAYLOAD, rig->frame, FRAME, &rig->len);
	(void)seal_take(rig->b, rig->frame, rig->len, rig->out, PAYLOAD, &len, &from);
	(void)seal_take(rig->b, rig->frame, rig->len, rig->out, PAYLOAD, &len, &from);
	asked.in_slot = false;
	assert_int_equal(asked.allocations + asked.locks + asked.texts, 0);
	assert_int_equal(seal_counts(rig->b).taken, 1);
	assert_int_equal(seal_counts(rig->b).replayed, 1);
}

static void test_wiped(void **state)
{
	uint8_t key[SEAL_KEY_BYTES], other[SEAL_KEY_BYTES], zero[SEAL_KEY_BYTES] = {0};

	(void)state;
	assert_int_equal(seal_key_new(key), 0);
	assert_int_equal(seal_key_new(other), 0);
	assert_memory_not_equal(key, other, sizeof(key));
	seal_key_wipe(key, sizeof(key));
	assert_memory_equal(key, zero, sizeof(key));
}

#define WITH_RIG(test) cmocka_unit_test_setup_teardown(test, rig_open, rig_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    WITH_RIG(test_there),
	    cmocka_unit_test(test_cipher_of_rfc_8439),
	    WITH_RIG(test_empty_and_largest),
	    WITH_RIG(test_altered_byte_anywhere),
	    WITH_RIG(test_replay),
	    WITH_RIG(test_window),
	    WITH_RIG(test_started_again),
	    WITH_RIG(test_floor),
	    WITH_RIG(test_wrong_key),
	    WITH_RIG(test_old_load),
	    WITH_RIG(test_for_another_node),
	    WITH_RIG(test_truncated),
	    WITH_RIG(test_one_gigabyte),
	    WITH_RIG(test_bad_use),
	    WITH_RIG(test_no_allocation_no_lock),
	    cmocka_unit_test(test_wiped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
