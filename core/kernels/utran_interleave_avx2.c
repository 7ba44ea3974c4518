/* SPDX-License-Identifier: BSD-3-Clause
 * utran_interleave for AVX2: the second interleaver with two squares of the matrix side by side in
 * a register. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "core/kernels/utran_interleave_16.h"

enum { COLUMNS = UTRAN_INTERLEAVE2_COLUMNS };

static inline __m256i pair(const void *low, const void *high)
{
	return _mm256_inserti128_si256(
	    _mm256_castsi128_si256(_mm_loadu_si128(low)), _mm_loadu_si128(high), 1);
}

/* 16 rows: columns 0 to 15 below, 14 to 29 above. */
static inline void rows16(const uint8_t *in, uint8_t *out, const uint32_t *starts)
{
	__m256i v[16], zipped[16];

#pragma GCC unroll 16
	for (int i = 0; i < 16; i++)
		v[i] = pair(in + COLUMNS * i, in + COLUMNS * i + 14);
#pragma GCC unroll 4
	for (int stage = 0; stage < 4; stage++) {
#pragma GCC unroll 8
		for (int i = 0; i < 8; i++) {
			zipped[2 * i] = _mm256_unpacklo_epi8(v[i], v[i + 8]);
			zipped[2 * i + 1] = _mm256_unpackhi_epi8(v[i], v[i + 8]);
		}
		memcpy(v, zipped, sizeof(v));
	}
#pragma GCC unroll 16
	for (int i = 0; i < 16; i++) {
		_mm_storeu_si128((__m128i *)(out + starts[i]), _mm256_castsi256_si128(v[i]));
		_mm_storeu_si128(
		    (__m128i *)(out + starts[i + 14]), _mm256_extracti128_si256(v[i], 1));
	}
}

static void interleave2(const uint8_t *in, uint8_t *out, uint32_t len)
{
	utran_interleave2_blocks(in, out, len, rows16);
}

/* 8 rows of 16 columns. */
static inline void half_rows8(const int16_t *in, int16_t *out, const uint32_t *starts)
{
	__m256i v[8], zipped[8];

#pragma GCC unroll 8
	for (int i = 0; i < 8; i++)
		v[i] = pair(in + starts[i], in + starts[i + 8]);
#pragma GCC unroll 3
	for (int stage = 0; stage < 3; stage++) {
#pragma GCC unroll 4
		for (int i = 0; i < 4; i++) {
			zipped[2 * i] = _mm256_unpacklo_epi16(v[i], v[i + 4]);
			zipped[2 * i + 1] = _mm256_unpackhi_epi16(v[i], v[i + 4]);
		}
		memcpy(v, zipped, sizeof(v));
	}
#pragma GCC unroll 8
	for (int i = 0; i < 8; i++)
		_mm256_storeu_si256((__m256i *)(out + COLUMNS * i), v[i]);
}

static inline void rows8(const int16_t *in, int16_t *out, const uint32_t *starts)
{
	half_rows8(in, out, starts);
	half_rows8(in, out + 14, starts + 14);
}

static void deinterleave2(const int16_t *in, int16_t *out, uint32_t len)
{
	utran_deinterleave2_blocks(in, out, len, rows8);
}

const struct utran_interleave_kernels utran_interleave_avx2 = {
    utran_interleave1_16, utran_deinterleave1_16, interleave2, deinterleave2};
#endif
