/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 8 windows in NEON. */
#if defined(__aarch64__)
#include "core/kernels/utran_turbo_decoder_neon.h"

typedef wide vec;
#define LANES WIDE

/* Lane l gets what lane l - 1 has, lane 0 `first`. */
static inline vec v_up(vec v, int16_t first)
{
	return vextq_s16(vdupq_n_s16(first), v, 7);
}

/* Lane l gets what lane l + 1 has, the last one 0. */
static inline vec v_down(vec v)
{
	return vextq_s16(v, vdupq_n_s16(0), 1);
}

static inline vec v_set_last(vec v, int16_t value)
{
	return vsetq_lane_s16(value, v, 7);
}

/* One byte a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, uint32_t t)
{
	vst1_u8(decided + t * LANES, vmovn_u16(vshrq_n_u16(vreinterpretq_u16_s16(v), 15)));
}

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder_neon = UTRAN_TURBO_LANES_TABLE;
#endif
