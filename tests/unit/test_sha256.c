/* SPDX-License-Identifier: BSD-3-Clause
 * core/base/sha256: the examples of FIPS 180-4 and its supplements, every length around a block,
 * and a file. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "core/base/sha256.h"

static void digest_is(const void *bytes, size_t len, const char *expected)
{
	char hex[SHA256_TEXT];

	sha256_text(bytes, len, hex);
	assert_string_equal(hex, expected);
}

static void test_examples(void **state)
{
	char *many = malloc(1000000);

	(void)state;
	memset(many, 'a', 1000000);
	digest_is("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	digest_is("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	digest_is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
	    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	digest_is("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopq"
	          "klmnopqrlmnopqrsmnopqrstnopqrstu",
	    112, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
	digest_is(
	    many, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(many);
}

/* Digests of 0, 1, ... 200 bytes, as one text: every way in which the end can lie in a block. */
static void test_lengths(void **state)
{
	char all[201 * 64 + 1] = "";
	uint8_t bytes[200];

	(void)state;
	for (int i = 0; i < 200; i++)
		bytes[i] = (uint8_t)i;
	for (size_t len = 0; len <= 200; len++)
		sha256_text(bytes, len, all + 64 * len);
	digest_is(
	    all, 201 * 64, "b367ea311264aae50e6260b96a10761169ce3eec5d5f8f2258351f82c7252776");
}

static void test_file(void **state)
{
	char dir[] = "/tmp/aloe-sha256-XXXXXX", path[64], hex[SHA256_TEXT];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/abc", dir);
	assert_int_equal(file_write(path, "abc", 3), 0);
	assert_int_equal(sha256_file(path, 3, hex), 0);
	assert_string_equal(
	    hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_int_equal(sha256_file(path, 2, hex), -EFBIG);
	unlink(path);
	assert_int_equal(sha256_file(path, 3, hex), -ENOENT);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_examples),
	    cmocka_unit_test(test_lengths),
	    cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
