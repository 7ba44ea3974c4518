/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 8 windows at a time in SSE4.1. */
#if defined(__SSE4_1__)
#include "core/kernels/utran_turbo_decoder_sse41.h"

typedef wide vec;
#define LANES WIDE

/* One byte a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, size_t at)
{
	const __m128i ones = _mm_srli_epi16((__m128i)v, 15);

	_mm_storel_epi64((__m128i *)(decided + at), _mm_packus_epi16(ones, ones));
}

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder_sse41 = UTRAN_TURBO_LANES_TABLE;
#endif
