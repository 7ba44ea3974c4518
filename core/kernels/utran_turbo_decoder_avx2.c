/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 16 windows in AVX2. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

typedef int16_t vec __attribute__((vector_size(32)));
#define LANES 16

#define V_OPERATION(name, intrinsic)                                                                                   \
	static inline vec name(vec a, vec b)                                                                           \
	{                                                                                                              \
		return (vec)intrinsic((__m256i)a, (__m256i)b);                                                         \
	}
V_OPERATION(v_max, _mm256_max_epi16)
V_OPERATION(v_min, _mm256_min_epi16)
V_OPERATION(v_mulhrs, _mm256_mulhrs_epi16)
V_OPERATION(v_low16, _mm256_unpacklo_epi16)
V_OPERATION(v_high16, _mm256_unpackhi_epi16)
V_OPERATION(v_low32, _mm256_unpacklo_epi32)
V_OPERATION(v_high32, _mm256_unpackhi_epi32)
V_OPERATION(v_low64, _mm256_unpacklo_epi64)
V_OPERATION(v_high64, _mm256_unpackhi_epi64)

/* Lane l gets what lane l - 1 has, lane 0 `first`. */
static inline vec v_up(vec v, int16_t first)
{
	const __m256i carry = _mm256_permute2x128_si256((__m256i)v, (__m256i)v, 0x08);

	return (vec)_mm256_insert_epi16(_mm256_alignr_epi8((__m256i)v, carry, 14), first, 0);
}

/* Lane l gets what lane l + 1 has, the last one 0. */
static inline vec v_down(vec v)
{
	const __m256i carry = _mm256_permute2x128_si256((__m256i)v, (__m256i)v, 0x81);

	return (vec)_mm256_alignr_epi8(carry, (__m256i)v, 2);
}

static inline vec v_set_last(vec v, int16_t value)
{
	return (vec)_mm256_insert_epi16((__m256i)v, value, 15);
}

/* One value a lane, wherever they lie. This machine's own gather is no faster, and far slower where it was mended. */
static inline void v_gather(const int16_t *values, const uint16_t *from, int16_t *at)
{
	for (int i = 0; i < LANES; i++)
		at[i] = values[from[i]];
}

/* One byte a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, uint32_t t)
{
	const __m256i ones = _mm256_srli_epi16((__m256i)v, 15);
	const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(ones, ones), 0x08);

	_mm_store_si128((__m128i *)(decided + t * LANES), _mm256_castsi256_si128(bytes));
}

/* 128 bits from each of the addresses. */
static inline vec v_pieces(const int16_t *const *at, int offset)
{
	return (vec)_mm256_loadu2_m128i((const __m128i *)(at[1] + offset), (const __m128i *)(at[0] + offset));
}

/* Of each 128 bits, values 0 3 6 of a, 1 4 7 of b, 2 5 of c. */
static inline vec v_thirds(vec a, vec b, vec c)
{
	return (vec)_mm256_blend_epi16(_mm256_blend_epi16((__m256i)a, (__m256i)b, 0x92), (__m256i)c, 0x24);
}

/* Bytes of each 128 bits. */
static inline vec v_order(vec v, const uint8_t *order)
{
	const __m256i from = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)order));

	return (vec)_mm256_shuffle_epi8((__m256i)v, from);
}

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder_avx2 = UTRAN_TURBO_LANES_TABLE;
#endif
