/* SPDX-License-Identifier: BSD-3-Clause
 * core/base/sha512: the examples of FIPS 180-4 and its supplements, every length around a block,
 * and bytes that come in pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/sha512.h"

static void digest_take(const void *bytes, size_t len, char ret_hex[SHA512_TEXT])
{
	struct sha512 hash;

	sha512_init(&hash);
	sha512_add(&hash, bytes, len);
	sha512_text(&hash, ret_hex);
}

static void digest_is(const void *bytes, size_t len, const char *expected)
{
	char hex[SHA512_TEXT];

	digest_take(bytes, len, hex);
	assert_string_equal(hex, expected);
}

static void test_examples(void **state)
{
	char *many = malloc(1000000);

	(void)state;
	assert_non_null(many);
	memset(many, 'a', 1000000);
	digest_is("", 0,
	    "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
	    "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e");
	digest_is("abc", 3,
	    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
	    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
	digest_is(many, 1000000,
	    "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
	    "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b");
	free(many);
}

/* Digests of 0, 1, ... 200 bytes, as one text: every way in which the end can lie in a block. (The
 * expected digest is that of Python's hashlib.) */
static void test_lengths(void **state)
{
	static char all[201 * 128 + 1];
	uint8_t bytes[200];

	(void)state;
	for (int i = 0; i < 200; i++)
		bytes[i] = (uint8_t)i;
	for (size_t len = 0; len <= 200; len++)
		digest_take(bytes, len, all + 128 * len);
	digest_is(all, 201 * 128,
	    "a2d333981ea85c1def97ddd746a0a2e4126382b6c0daab5c08133d87f96df856"
	    "4ca3c823338a9d5ac5395fe154a6e4b911826ff9fb7de90a7922ce03073deb90");
}

static void test_pieces(void **state)
{
	uint8_t bytes[1000];
	char whole[SHA512_TEXT], pieces[SHA512_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7);
	digest_take(bytes, sizeof(bytes), whole);
	for (size_t piece = 1; piece < 300; piece++) {
		struct sha512 hash;

		sha512_init(&hash);
		for (size_t at = 0; at < sizeof(bytes); at += piece) {
			const size_t left = sizeof(bytes) - at;
			sha512_add(&hash, bytes + at, piece < left ? piece : left);
			sha512_text(&hash, pieces); /* in between, as of a file that grows */
		}
		assert_string_equal(pieces, whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_examples),
	    cmocka_unit_test(test_lengths),
	    cmocka_unit_test(test_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
