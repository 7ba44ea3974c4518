/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_decoder_avx2.h - vectors of 16-bit values, for
 * utran_turbo_decoder_lanes.h, in AVX2.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_DECODER_AVX2_H
#define CORE_KERNELS_UTRAN_TURBO_DECODER_AVX2_H

#if defined(__AVX2__)
#include <immintrin.h>
#include <stdint.h>

typedef int16_t wide __attribute__((vector_size(32)));
#define WIDE 16

#define W_OPERATION(name, intrinsic)                                                               \
	static inline wide name(wide a, wide b)                                                    \
	{                                                                                          \
		return (wide)intrinsic((__m256i)a, (__m256i)b);                                    \
	}
W_OPERATION(w_max, _mm256_max_epi16)
W_OPERATION(w_min, _mm256_min_epi16)
W_OPERATION(w_mulhrs, _mm256_mulhrs_epi16)
W_OPERATION(w_low16, _mm256_unpacklo_epi16)
W_OPERATION(w_high16, _mm256_unpackhi_epi16)
W_OPERATION(w_low32, _mm256_unpacklo_epi32)
W_OPERATION(w_high32, _mm256_unpackhi_epi32)
W_OPERATION(w_low64, _mm256_unpacklo_epi64)
W_OPERATION(w_high64, _mm256_unpackhi_epi64)

static inline wide w_set(int16_t value)
{
	return (wide){0} + value;
}

/* 128 bits from each of the addresses. */
static inline wide w_pieces(const int16_t *const *at, int offset)
{
	return (wide)_mm256_loadu2_m128i(
	    (const __m128i *)(at[1] + offset), (const __m128i *)(at[0] + offset));
}

/* Of each 128 bits, values 0 3 6 of a, 1 4 7 of b, 2 5 of c. */
static inline wide w_thirds(wide a, wide b, wide c)
{
	return (wide)_mm256_blend_epi16(
	    _mm256_blend_epi16((__m256i)a, (__m256i)b, 0x92), (__m256i)c, 0x24);
}

/* Bytes of each 128 bits. */
static inline wide w_order(wide v, const uint8_t *order)
{
	const __m256i from = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)order));

	return (wide)_mm256_shuffle_epi8((__m256i)v, from);
}

#endif

#endif
