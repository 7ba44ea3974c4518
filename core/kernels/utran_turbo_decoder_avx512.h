/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_decoder_avx512.h - vectors of 16-bit values, for
 * utran_turbo_decoder_lanes.h, in AVX-512.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_DECODER_AVX512_H
#define CORE_KERNELS_UTRAN_TURBO_DECODER_AVX512_H

#if defined(__AVX512VBMI__)
#include <immintrin.h>
#include <stdint.h>

typedef int16_t wide __attribute__((vector_size(64)));
#define WIDE 32

#define W_OPERATION(name, intrinsic)                                                               \
	static inline wide name(wide a, wide b)                                                    \
	{                                                                                          \
		return (wide)intrinsic((__m512i)a, (__m512i)b);                                    \
	}
W_OPERATION(w_max, _mm512_max_epi16)
W_OPERATION(w_min, _mm512_min_epi16)
W_OPERATION(w_mulhrs, _mm512_mulhrs_epi16)
W_OPERATION(w_low16, _mm512_unpacklo_epi16)
W_OPERATION(w_high16, _mm512_unpackhi_epi16)
W_OPERATION(w_low32, _mm512_unpacklo_epi32)
W_OPERATION(w_high32, _mm512_unpackhi_epi32)
W_OPERATION(w_low64, _mm512_unpacklo_epi64)
W_OPERATION(w_high64, _mm512_unpackhi_epi64)

static inline wide w_set(int16_t value)
{
	return (wide){0} + value;
}

/* 128 bits from each of the addresses. */
static inline wide w_pieces(const int16_t *const *at, int offset)
{
	__m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(at[0] + offset)));

	v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(at[1] + offset)), 1);
	v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(at[2] + offset)), 2);
	return (wide)_mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(at[3] + offset)), 3);
}

/* Of each 128 bits, values 0 3 6 of a, 1 4 7 of b, 2 5 of c. */
static inline wide w_thirds(wide a, wide b, wide c)
{
	const __m512i ab = _mm512_mask_blend_epi16(0x92929292, (__m512i)a, (__m512i)b);

	return (wide)_mm512_mask_blend_epi16(0x24242424, ab, (__m512i)c);
}

/* Bytes of each 128 bits. */
static inline wide w_order(wide v, const uint8_t *order)
{
	const __m128i from = _mm_loadu_si128((const __m128i *)order);

	return (wide)_mm512_shuffle_epi8((__m512i)v, _mm512_broadcast_i32x4(from));
}

#endif

#endif
