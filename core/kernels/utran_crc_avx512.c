/* SPDX-License-Identifier: BSD-3-Clause
 * utran_crc for AVX-512. */
#if defined(__x86_64__)
#include "core/kernels/utran_crc_fold.h"

static inline uint64_t word_of(__m512i bytes)
{
	const __m512i reverse8 = _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607);
	const __m512i words = _mm512_shuffle_epi8(bytes, reverse8);

	return __builtin_bswap64(_mm512_test_epi8_mask(words, _mm512_set1_epi8(1)));
}

static inline uint64_t gather64(const uint8_t *bits)
{
	return word_of(_mm512_loadu_si512(bits));
}

uint32_t utran_crc_state_avx512(const struct utran_crc *crc, const uint8_t *bits, uint32_t len)
{
	const uint32_t rest = len % 64;
	uint64_t first = 0;

	if (rest)
		first = word_of(_mm512_maskz_loadu_epi8(~0ull >> (64 - rest), bits)) >> (64 - rest);
	return utran_crc_fold(crc, first, bits + rest, len / 64, gather64);
}
#endif
