/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 32 windows in AVX2, metrics of 8 bits. */
#if defined(__AVX2__)
#include "core/kernels/utran_turbo_decoder_avx2.h"

typedef int8_t vec __attribute__((vector_size(32)));
#define LANES (2 * WIDE)

#define V_OPERATION(name, intrinsic)                                                               \
	static inline vec name(vec a, vec b)                                                       \
	{                                                                                          \
		return (vec)intrinsic((__m256i)a, (__m256i)b);                                     \
	}
V_OPERATION(v_add, _mm256_add_epi8)
V_OPERATION(v_sub, _mm256_sub_epi8)
V_OPERATION(v_less, _mm256_subs_epi8)
V_OPERATION(v_max, _mm256_max_epi8)
V_OPERATION(v_min, _mm256_min_epi8)
V_OPERATION(m_max, _mm256_max_epu8)
V_OPERATION(m_down, _mm256_subs_epu8)

static inline vec v_pack(wide low, wide high)
{
	return (vec)_mm256_packs_epi16((__m256i)low, (__m256i)high);
}

static inline wide v_low(vec v)
{
	return (wide)_mm256_unpacklo_epi8(_mm256_setzero_si256(), (__m256i)v);
}

static inline wide v_high(vec v)
{
	return (wide)_mm256_unpackhi_epi8(_mm256_setzero_si256(), (__m256i)v);
}

/* Lane l gets what lane l - 1 has, lane 0 `first`. */
static inline vec v_up(vec v, int8_t first)
{
	const __m256i carry = _mm256_permute2x128_si256((__m256i)v, (__m256i)v, 0x08);

	return (vec)_mm256_insert_epi8(_mm256_alignr_epi8((__m256i)v, carry, 15), first, 0);
}

/* Lane l gets what lane l + 1 has, the last one 0. */
static inline vec v_down(vec v)
{
	const __m256i carry = _mm256_permute2x128_si256((__m256i)v, (__m256i)v, 0x81);

	return (vec)_mm256_alignr_epi8(carry, (__m256i)v, 1);
}

static inline vec v_set_last(vec v, int8_t value)
{
	return (vec)_mm256_insert_epi8((__m256i)v, value, 31);
}

/* One byte a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, uint32_t t)
{
	const __m256i negative = _mm256_cmpgt_epi8(_mm256_setzero_si256(), (__m256i)v);

	_mm256_store_si256(
	    (__m256i *)(decided + t * LANES), _mm256_and_si256(negative, _mm256_set1_epi8(1)));
}

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder8_avx2 = UTRAN_TURBO_LANES_TABLE;
#endif
