/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 16 windows in AVX2. */
#if defined(__AVX2__)
#include "core/kernels/utran_turbo_decoder_avx2.h"

typedef wide vec;
#define LANES WIDE

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

/* One byte a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, uint32_t t)
{
	const __m256i ones = _mm256_srli_epi16((__m256i)v, 15);
	const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(ones, ones), 0x08);

	_mm_store_si128((__m128i *)(decided + t * LANES), _mm256_castsi256_si128(bytes));
}

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder_avx2 = UTRAN_TURBO_LANES_TABLE;
#endif
