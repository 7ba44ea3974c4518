/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_many - two windows of 8 blocks at a time in AVX2. */
#if defined(__AVX2__)
#include "core/kernels/utran_turbo_decoder_avx2.h"

typedef wide vec;
#define LANES WIDE

/* One bit a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, size_t at)
{
	const __m256i bytes = _mm256_packs_epi16((__m256i)v, (__m256i)v);
	const uint32_t negative = (uint32_t)_mm256_movemask_epi8(bytes);

	decided[at / 8] = (uint8_t)negative;
	decided[at / 8 + 1] = (uint8_t)(negative >> 16);
}

#include "core/kernels/utran_turbo_many_lanes.h"

const struct utran_turbo_many_kernels utran_turbo_many_avx2 = UTRAN_TURBO_MANY_TABLE(7);
#endif
