/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 32 windows at a time in AVX-512. */
#if defined(__AVX512VBMI__)
#define LANES_TEXT "utran_turbo_avx512"

#include <string.h>

#include "core/kernels/utran_turbo_decoder_avx512.h"
#include "core/kernels/utran_turbo_decoder_hands_avx512.h"

typedef wide vec;
#define LANES WIDE

/* One bit a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, size_t at)
{
	const uint32_t negative = _mm512_movepi16_mask((__m512i)v);

	memcpy(decided + at / 8, &negative, sizeof(negative));
}

#define LANES_HAND_ON hand_on_words
#define LANES_HAND_OUT hand_out

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder_avx512 = UTRAN_TURBO_LANES_TABLE;
#endif
