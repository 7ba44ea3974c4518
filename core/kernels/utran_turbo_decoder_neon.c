/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 8 windows at a time in NEON. */
#if defined(__aarch64__)
#include "core/kernels/utran_turbo_decoder_neon.h"

#include <stddef.h>

typedef wide vec;
#define LANES WIDE

/* One byte a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, size_t at)
{
	vst1_u8(decided + at, vmovn_u16(vshrq_n_u16(vreinterpretq_u16_s16(v), 15)));
}

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder_neon = UTRAN_TURBO_LANES_TABLE;
#endif
