/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_many - four windows of 8 blocks at a time in AVX-512. */
#if defined(__AVX512VBMI__)
#include <string.h>

#include "core/kernels/utran_turbo_decoder_avx512.h"

typedef wide vec;
#define LANES WIDE

/* One bit a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, size_t at)
{
	const uint32_t negative = _mm512_movepi16_mask((__m512i)v);

	memcpy(decided + at / 8, &negative, sizeof(negative));
}

#include "core/kernels/utran_turbo_many_lanes.h"

const struct utran_turbo_many_kernels utran_turbo_many_avx512 = UTRAN_TURBO_MANY_TABLE(6);
#endif
