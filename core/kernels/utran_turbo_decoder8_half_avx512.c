/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 32 windows at a time in vectors of 256 bits, with what else AVX-512 has,
 * metrics of 8 bits. */
#if defined(__AVX512VBMI__)
#define LANES_TEXT "utran_turbo8_half_avx512"

#include <string.h>

#include "core/kernels/utran_turbo_decoder8_avx2.h"
#include "core/kernels/utran_turbo_decoder_hands_avx512.h"

/* One bit a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, size_t at)
{
	const uint32_t negative = _mm256_movepi8_mask((__m256i)v);

	memcpy(decided + at / 8, &negative, sizeof(negative));
}

#define LANES_HAND_ON hand_on_bytes
#define LANES_HAND_OUT hand_out

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder8_half_avx512 = UTRAN_TURBO_LANES_TABLE;
#endif
