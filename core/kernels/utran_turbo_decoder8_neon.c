/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 16 windows at a time in NEON, metrics of 8 bits. */
#if defined(__aarch64__)
#include "core/kernels/utran_turbo_decoder_neon.h"

#include <stddef.h>

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

/* One byte a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, size_t at)
{
	vst1q_u8(decided + at, vshrq_n_u8(vreinterpretq_u8_s8(v), 7));
}

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder8_neon = UTRAN_TURBO_LANES_TABLE;
#endif
