/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_many - one window of 8 blocks at a time in SSE4.1. */
#if defined(__SSE4_1__)
#include "core/kernels/utran_turbo_decoder_sse41.h"

typedef wide vec;
#define LANES WIDE

/* One bit a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, size_t at)
{
	const __m128i bytes = _mm_packs_epi16((__m128i)v, (__m128i)v);

	decided[at / 8] = (uint8_t)_mm_movemask_epi8(bytes);
}

#include "core/kernels/utran_turbo_many_lanes.h"

const struct utran_turbo_many_kernels utran_turbo_many_sse41 = UTRAN_TURBO_MANY_TABLE(7);
#endif
