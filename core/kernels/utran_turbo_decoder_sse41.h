/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_decoder_sse41.h - vectors of 16-bit values, for
 * utran_turbo_decoder_lanes.h, in SSE4.1.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_DECODER_SSE41_H
#define CORE_KERNELS_UTRAN_TURBO_DECODER_SSE41_H

#if defined(__SSE4_1__)
#include <immintrin.h>
#include <stdint.h>

typedef int16_t wide __attribute__((vector_size(16)));
#define WIDE 8

#define W_OPERATION(name, intrinsic)                                                               \
	static inline wide name(wide a, wide b)                                                    \
	{                                                                                          \
		return (wide)intrinsic((__m128i)a, (__m128i)b);                                    \
	}
W_OPERATION(w_max, _mm_max_epi16)
W_OPERATION(w_min, _mm_min_epi16)
W_OPERATION(w_mulhrs, _mm_mulhrs_epi16)
W_OPERATION(w_low16, _mm_unpacklo_epi16)
W_OPERATION(w_high16, _mm_unpackhi_epi16)
W_OPERATION(w_low32, _mm_unpacklo_epi32)
W_OPERATION(w_high32, _mm_unpackhi_epi32)
W_OPERATION(w_low64, _mm_unpacklo_epi64)
W_OPERATION(w_high64, _mm_unpackhi_epi64)

static inline wide w_set(int16_t value)
{
	return (wide){0} + value;
}

/* 128 bits from the address. */
static inline wide w_pieces(const int16_t *const *at, int offset)
{
	return (wide)_mm_loadu_si128((const __m128i *)(at[0] + offset));
}

/* Values 0 3 6 of a, 1 4 7 of b, 2 5 of c. */
static inline wide w_thirds(wide a, wide b, wide c)
{
	return (wide)_mm_blend_epi16(
	    _mm_blend_epi16((__m128i)a, (__m128i)b, 0x92), (__m128i)c, 0x24);
}

static inline wide w_order(wide v, const uint8_t *order)
{
	return (wide)_mm_shuffle_epi8((__m128i)v, _mm_loadu_si128((const __m128i *)order));
}

#endif

#endif
