/* SPDX-License-Identifier: BSD-3-Clause
 * test_kernels_bits - core/kernels/bits.h at every level against bits written down one by one. */
#include "core/kernels/bits.h"
#include "tests/common/guarded.h"

enum { BYTES = 8192 };

static void packs(const struct bits_kernels *kernels, struct guarded *in, struct guarded *out,
    uint32_t n, uint32_t width)
{
	for (int edge = 0; edge < GUARDED_EDGES; edge++) {
		const uint8_t *bits = guarded_at(in, (enum guarded_edge)edge, (size_t)n * width);
		uint8_t *words = guarded_fresh(out, (enum guarded_edge)edge, (size_t)n * width / 8);

		if (width == 8)
			kernels->pack8(bits, words, n);
		else
			kernels->pack16(bits, (uint16_t *)(void *)words, n);
		for (uint32_t i = 0; i < n * width; i++) {
			uint16_t word = words[i / width];

			if (width == 16)
				memcpy(&word, words + i / 16 * 2, 2);
			if ((word >> (width - 1 - i % width) & 1) != (bits[i] & 1))
				fail_msg("bit %u of %u words of %u bits", i, n, width);
		}
		guarded_check(out, words, (size_t)n * width / 8);
	}
}

static void unpacks(const struct bits_kernels *kernels, struct guarded *in, struct guarded *out,
    uint32_t n, uint32_t width)
{
	for (int edge = 0; edge < GUARDED_EDGES; edge++) {
		const uint8_t *words =
		    guarded_at(in, (enum guarded_edge)edge, (size_t)n * width / 8);
		uint8_t *bits = guarded_fresh(out, (enum guarded_edge)edge, (size_t)n * width);

		if (width == 8)
			kernels->unpack8(words, bits, n);
		else
			kernels->unpack16((const uint16_t *)(const void *)words, bits, n);
		for (uint32_t i = 0; i < n * width; i++) {
			uint16_t word = words[i / width];

			if (width == 16)
				memcpy(&word, words + i / 16 * 2, 2);
			if (bits[i] != (word >> (width - 1 - i % width) & 1))
				fail_msg("bit %u of %u words of %u bits", i, n, width);
		}
		guarded_check(out, bits, (size_t)n * width);
	}
}

static void test_words(void **state)
{
	struct guarded in, out;

	(void)state;
	guarded_new(&in, BYTES);
	guarded_new(&out, BYTES);
	GUARDED_EACH_LEVEL(level)
	{
		const struct bits_kernels *kernels = bits_kernels((enum simd_level)level);

		for (uint32_t n = 0; n <= 480; n = guarded_next_length(n)) {
			packs(kernels, &in, &out, n, 8);
			packs(kernels, &in, &out, n, 16);
			unpacks(kernels, &in, &out, n, 8);
			unpacks(kernels, &in, &out, n, 16);
		}
	}
	guarded_free(&in);
	guarded_free(&out);
}

static uint32_t count(const uint8_t *a, const uint8_t *b, uint32_t n)
{
	uint32_t differ = 0;

	for (uint32_t i = 0; i < n; i++)
		if (a[i] != b[i])
			differ++;
	return differ;
}

static void test_differ(void **state)
{
	struct guarded one, two;

	(void)state;
	guarded_new(&one, BYTES);
	guarded_new(&two, BYTES);
	for (size_t i = 0; i < two.size; i++) /* three of four bytes differ */
		two.begin[i] ^= (uint8_t)(i % 4 ? i : 0);
	GUARDED_EACH_LEVEL(level)
	{
		const struct bits_kernels *kernels = bits_kernels((enum simd_level)level);

		for (uint32_t n = 0; n <= BYTES; n = guarded_next_length(n)) {
			const uint8_t *a = guarded_at(&one, GUARDED_END, n),
			              *b = guarded_at(&two, GUARDED_BEGIN, n);

			assert_int_equal(kernels->differ(a, b, n), count(a, b, n));
			assert_int_equal(kernels->differ(b, a, n), count(a, b, n));
			assert_int_equal(kernels->differ(a, a, n), 0);
		}
	}
	guarded_free(&one);
	guarded_free(&two);
}

/* Every byte other than the other's counts once, however far apart the two are. */
static void test_differ_all(void **state)
{
	static uint8_t a[8192], b[8192];

	(void)state;
	memset(b, 0xff, sizeof(b));
	GUARDED_EACH_LEVEL(level)
	assert_int_equal(bits_kernels((enum simd_level)level)->differ(a, b, sizeof(a)), sizeof(a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_words),
	    cmocka_unit_test(test_differ),
	    cmocka_unit_test(test_differ_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
