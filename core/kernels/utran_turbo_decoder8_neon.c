/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 16 windows in NEON, metrics of 8 bits. */
#if defined(__aarch64__)
#include "core/kernels/utran_turbo_decoder_neon.h"

typedef int8x16_t vec;
#define LANES (2 * WIDE)

static inline vec v_add(vec a, vec b)
{
	return vaddq_s8(a, b);
}

static inline vec v_sub(vec a, vec b)
{
	return vsubq_s8(a, b);
}

static inline vec v_less(vec a, vec b)
{
	return vqsubq_s8(a, b);
}

static inline vec v_max(vec a, vec b)
{
	return vmaxq_s8(a, b);
}

static inline vec v_min(vec a, vec b)
{
	return vminq_s8(a, b);
}

static inline vec m_max(vec a, vec b)
{
	return vreinterpretq_s8_u8(vmaxq_u8(vreinterpretq_u8_s8(a), vreinterpretq_u8_s8(b)));
}

static inline vec m_down(vec a, vec b)
{
	return vreinterpretq_s8_u8(vqsubq_u8(vreinterpretq_u8_s8(a), vreinterpretq_u8_s8(b)));
}

static inline vec v_pack(wide low, wide high)
{
	return vcombine_s8(vqmovn_s16(low), vqmovn_s16(high));
}

static inline wide v_low(vec v)
{
	return vshll_n_s8(vget_low_s8(v), 8);
}

static inline wide v_high(vec v)
{
	return vshll_n_s8(vget_high_s8(v), 8);
}

/* Lane l gets what lane l - 1 has, lane 0 `first`. */
static inline vec v_up(vec v, int8_t first)
{
	return vextq_s8(vdupq_n_s8(first), v, 15);
}

/* Lane l gets what lane l + 1 has, the last one 0. */
static inline vec v_down(vec v)
{
	return vextq_s8(v, vdupq_n_s8(0), 1);
}

static inline vec v_set_last(vec v, int8_t value)
{
	return vsetq_lane_s8(value, v, 15);
}

/* One byte a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, uint32_t t)
{
	vst1q_u8(decided + t * LANES, vshrq_n_u8(vreinterpretq_u8_s8(v), 7));
}

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder8_neon = UTRAN_TURBO_LANES_TABLE;
#endif
