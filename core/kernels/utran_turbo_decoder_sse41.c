/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 8 windows in SSE4.1. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

typedef int16_t vec __attribute__((vector_size(16)));
#define LANES 8

#define V_OPERATION(name, intrinsic)                                                                                   \
	static inline vec name(vec a, vec b)                                                                           \
	{                                                                                                              \
		return (vec)intrinsic((__m128i)a, (__m128i)b);                                                         \
	}
V_OPERATION(v_max, _mm_max_epi16)
V_OPERATION(v_min, _mm_min_epi16)
V_OPERATION(v_mulhrs, _mm_mulhrs_epi16)
V_OPERATION(v_low16, _mm_unpacklo_epi16)
V_OPERATION(v_high16, _mm_unpackhi_epi16)
V_OPERATION(v_low32, _mm_unpacklo_epi32)
V_OPERATION(v_high32, _mm_unpackhi_epi32)
V_OPERATION(v_low64, _mm_unpacklo_epi64)
V_OPERATION(v_high64, _mm_unpackhi_epi64)

/* Lane l gets what lane l - 1 has, lane 0 `first`. */
static inline vec v_up(vec v, int16_t first)
{
	return (vec)_mm_insert_epi16(_mm_slli_si128((__m128i)v, 2), first, 0);
}

/* Lane l gets what lane l + 1 has, the last one 0. */
static inline vec v_down(vec v)
{
	return (vec)_mm_srli_si128((__m128i)v, 2);
}

static inline vec v_set_last(vec v, int16_t value)
{
	return (vec)_mm_insert_epi16((__m128i)v, value, 7);
}

/* One value a lane, wherever they lie. */
static inline void v_gather(const int16_t *values, const uint16_t *from, int16_t *at)
{
	for (int i = 0; i < LANES; i++)
		at[i] = values[from[i]];
}

/* One byte a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, uint32_t t)
{
	const __m128i ones = _mm_srli_epi16((__m128i)v, 15);

	_mm_storel_epi64((__m128i *)(decided + t * LANES), _mm_packus_epi16(ones, ones));
}

/* 128 bits from the address. */
static inline vec v_pieces(const int16_t *const *at, int offset)
{
	return (vec)_mm_loadu_si128((const __m128i *)(at[0] + offset));
}

/* Values 0 3 6 of a, 1 4 7 of b, 2 5 of c. */
static inline vec v_thirds(vec a, vec b, vec c)
{
	return (vec)_mm_blend_epi16(_mm_blend_epi16((__m128i)a, (__m128i)b, 0x92), (__m128i)c, 0x24);
}

static inline vec v_order(vec v, const uint8_t *order)
{
	return (vec)_mm_shuffle_epi8((__m128i)v, _mm_loadu_si128((const __m128i *)order));
}

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder_sse41 = UTRAN_TURBO_LANES_TABLE;
#endif
