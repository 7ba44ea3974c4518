/* SPDX-License-Identifier: BSD-3-Clause
 * bits for AVX-512: 64 bits are a mask register. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "core/kernels/bits.h"

/* The bytes of each 8 (16) in reverse: the first bit comes to lie where a word has its most
 * significant one. */
static inline __m512i reversed(__m512i bytes, uint32_t width)
{
	const __m512i in8 = _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607);
	const __m512i in16 = _mm512_set4_epi32(0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f);

	return _mm512_shuffle_epi8(bytes, width == 8 ? in8 : in16);
}

static inline void pack(const uint8_t *bits, uint8_t *words, size_t n_bits, uint32_t width)
{
	size_t i = 0;

	for (; i + 64 <= n_bits; i += 64) {
		const __m512i bytes = reversed(_mm512_loadu_si512(bits + i), width);
		const uint64_t mask = _mm512_test_epi8_mask(bytes, _mm512_set1_epi8(1));

		memcpy(words + i / 8, &mask, sizeof(mask));
	}
	if (i < n_bits) {
		const __m512i bytes =
		    _mm512_maskz_loadu_epi8(~0ull >> (64 - (n_bits - i)), bits + i);
		const uint64_t mask =
		    _mm512_test_epi8_mask(reversed(bytes, width), _mm512_set1_epi8(1));

		memcpy(words + i / 8, &mask, (n_bits - i) / 8);
	}
}

static void pack8(const uint8_t *bits, uint8_t *words, uint32_t n)
{
	pack(bits, words, 8 * (size_t)n, 8);
}

static void pack16(const uint8_t *bits, uint16_t *words, uint32_t n)
{
	pack(bits, (uint8_t *)words, 16 * (size_t)n, 16);
}

static inline void unpack(const uint8_t *words, uint8_t *bits, size_t n_bits, uint32_t width)
{
	uint64_t mask = 0;
	size_t i = 0;

	for (; i + 64 <= n_bits; i += 64) {
		memcpy(&mask, words + i / 8, sizeof(mask));
		_mm512_storeu_si512(bits + i, reversed(_mm512_maskz_set1_epi8(mask, 1), width));
	}
	if (i < n_bits) {
		memcpy(&mask, words + i / 8, (n_bits - i) / 8);
		_mm512_mask_storeu_epi8(bits + i, ~0ull >> (64 - (n_bits - i)),
		    reversed(_mm512_maskz_set1_epi8(mask, 1), width));
	}
}

static void unpack8(const uint8_t *words, uint8_t *bits, uint32_t n)
{
	unpack(words, bits, 8 * (size_t)n, 8);
}

static void unpack16(const uint16_t *words, uint8_t *bits, uint32_t n)
{
	unpack((const uint8_t *)words, bits, 16 * (size_t)n, 16);
}

static uint32_t differ(const uint8_t *a, const uint8_t *b, uint32_t n)
{
	uint64_t count = 0;
	size_t i = 0;

	for (; i + 64 <= n; i += 64)
		count += (uint64_t)_mm_popcnt_u64(
		    _mm512_cmpneq_epi8_mask(_mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i)));
	if (i < n) {
		const __mmask64 rest = ~0ull >> (64 - (n - i));

		count += (uint64_t)_mm_popcnt_u64(_mm512_cmpneq_epi8_mask(
		    _mm512_maskz_loadu_epi8(rest, a + i), _mm512_maskz_loadu_epi8(rest, b + i)));
	}
	return (uint32_t)count;
}

const struct bits_kernels bits_avx512 = {pack8, pack16, unpack8, unpack16, differ};
#endif
