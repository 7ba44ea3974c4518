/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_many - one window of 8 blocks at a time in NEON. */
#if defined(__aarch64__)
#include "core/kernels/utran_turbo_decoder_neon.h"

#include <stddef.h>

typedef wide vec;
#define LANES WIDE

/* One bit a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, size_t at)
{
	static const uint16_t places[] = {1, 2, 4, 8, 16, 32, 64, 128};
	const uint16x8_t negative = vreinterpretq_u16_s16(vshrq_n_s16(v, 15));

	decided[at / 8] = (uint8_t)vaddvq_u16(vandq_u16(negative, vld1q_u16(places)));
}

#include "core/kernels/utran_turbo_many_lanes.h"

const struct utran_turbo_many_kernels utran_turbo_many_neon = UTRAN_TURBO_MANY_TABLE(7);
#endif
