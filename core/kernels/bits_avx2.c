/* SPDX-License-Identifier: BSD-3-Clause
 * bits for AVX2: 32 bits at a time. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "core/kernels/bits.h"

/* The bytes of each 8 (16) in reverse: the first bit comes to lie where a word has its most
 * significant one. */
static inline __m256i reversed(__m256i bytes, uint32_t width)
{
	const __m256i in8 = _mm256_set1_epi64x(0x0001020304050607);
	const __m256i high = _mm256_setr_epi64x(0x0808080808080808, 0, 0x0808080808080808, 0);

	return _mm256_shuffle_epi8(bytes,
	    width == 8 ? _mm256_add_epi8(in8, _mm256_slli_si256(high, 8))
	               : _mm256_add_epi8(in8, high));
}

static inline size_t pack(const uint8_t *bits, uint8_t *words, size_t n_bits, uint32_t width)
{
	size_t i = 0;

	for (; i + 32 <= n_bits; i += 32) {
		const __m256i bytes =
		    reversed(_mm256_loadu_si256((const __m256i *)(bits + i)), width);
		const int mask = _mm256_movemask_epi8(_mm256_slli_epi16(bytes, 7));

		memcpy(words + i / 8, &mask, sizeof(mask));
	}
	return i / width;
}

static void pack8(const uint8_t *bits, uint8_t *words, uint32_t n)
{
	for (size_t i = pack(bits, words, 8 * (size_t)n, 8); i < n; i++)
		words[i] = (uint8_t)bits_pack_plain(bits + 8 * i, 8);
}

static void pack16(const uint8_t *bits, uint16_t *words, uint32_t n)
{
	for (size_t i = pack(bits, (uint8_t *)words, 16 * (size_t)n, 16); i < n; i++)
		words[i] = (uint16_t)bits_pack_plain(bits + 16 * i, 16);
}

static inline size_t unpack(const uint8_t *words, uint8_t *bits, size_t n_bits, uint32_t width)
{
	const __m256i one = _mm256_set1_epi8(1), bit = _mm256_set1_epi64x(0x0102040810204080);
	const __m256i in8 =
	    _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
	const __m256i in16 =
	    _mm256_setr_epi64x(0x0101010101010101, 0, 0x0303030303030303, 0x0202020202020202);
	size_t i = 0;

	for (; i + 32 <= n_bits; i += 32) {
		int word;

		memcpy(&word, words + i / 8, sizeof(word));
		const __m256i bytes =
		    _mm256_shuffle_epi8(_mm256_set1_epi32(word), width == 8 ? in8 : in16);
		_mm256_storeu_si256(
		    (__m256i *)(bits + i), _mm256_min_epu8(_mm256_and_si256(bytes, bit), one));
	}
	return i / width;
}

static void unpack8(const uint8_t *words, uint8_t *bits, uint32_t n)
{
	for (size_t i = unpack(words, bits, 8 * (size_t)n, 8); i < n; i++)
		bits_unpack_plain(words[i], bits + 8 * i, 8);
}

static void unpack16(const uint16_t *words, uint8_t *bits, uint32_t n)
{
	for (size_t i = unpack((const uint8_t *)words, bits, 16 * (size_t)n, 16); i < n; i++)
		bits_unpack_plain(words[i], bits + 16 * i, 16);
}

static uint32_t differ(const uint8_t *a, const uint8_t *b, uint32_t n)
{
	uint32_t same = 0;
	size_t i = 0;

	for (; i + 32 <= n; i += 32)
		same += (uint32_t)__builtin_popcount((uint32_t)_mm256_movemask_epi8(
		    _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(a + i)),
		        _mm256_loadu_si256((const __m256i *)(b + i)))));
	for (; i < n; i++)
		same += a[i] == b[i];
	return n - same;
}

const struct bits_kernels bits_avx2 = {pack8, pack16, unpack8, unpack16, differ};
#endif
