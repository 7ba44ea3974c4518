/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 8 windows in SSE4.1. */
#if defined(__SSE4_1__)
#include "core/kernels/utran_turbo_decoder_sse41.h"

typedef wide vec;
#define LANES WIDE

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

/* One byte a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, uint32_t t)
{
	const __m128i ones = _mm_srli_epi16((__m128i)v, 15);

	_mm_storel_epi64((__m128i *)(decided + t * LANES), _mm_packus_epi16(ones, ones));
}

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder_sse41 = UTRAN_TURBO_LANES_TABLE;
#endif
