/* SPDX-License-Identifier: BSD-3-Clause
 * utran_crc for AVX2. */
#if defined(__x86_64__)
#include <string.h>

#include "core/kernels/utran_crc_fold.h"

static inline uint32_t gather32(const uint8_t *bits)
{
	const __m256i reverse8 = _mm256_setr_epi64x(
	    0x0001020304050607, 0x08090a0b0c0d0e0f, 0x0001020304050607, 0x08090a0b0c0d0e0f);
	const __m256i words =
	    _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)bits), reverse8);

	return __builtin_bswap32((uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(words, 7)));
}

static inline uint64_t gather64(const uint8_t *bits)
{
	return (uint64_t)gather32(bits) << 32 | gather32(bits + 32);
}

uint32_t utran_crc_state_avx2(const struct utran_crc *crc, const uint8_t *bits, uint32_t len)
{
	const uint32_t rest = len % 64;
	uint8_t padded[64] = {0};
	uint64_t first = 0;

	if (rest) {
		memcpy(padded + 64 - rest, bits, rest);
		first = gather64(padded);
	}
	return utran_crc_fold(crc, first, bits + rest, len / 64, gather64);
}
#endif
