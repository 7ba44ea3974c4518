/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 8 windows in NEON. */
#if defined(__aarch64__)
#include <arm_neon.h>
#include <stdint.h>

typedef int16x8_t vec;
#define LANES 8

static inline vec v_max(vec a, vec b)
{
	return vmaxq_s16(a, b);
}

static inline vec v_min(vec a, vec b)
{
	return vminq_s16(a, b);
}

static inline vec v_mulhrs(vec a, vec b)
{
	return vqrdmulhq_s16(a, b);
}

#define V_INTERLEAVE(name, bits, intrinsic)                                                                            \
	static inline vec name(vec a, vec b)                                                                           \
	{                                                                                                              \
		return vreinterpretq_s16_s##bits(                                                                      \
		    intrinsic##_s##bits(vreinterpretq_s##bits##_s16(a), vreinterpretq_s##bits##_s16(b)));              \
	}
#define vreinterpretq_s16_s16(v) (v)
V_INTERLEAVE(v_low16, 16, vzip1q)
V_INTERLEAVE(v_high16, 16, vzip2q)
V_INTERLEAVE(v_low32, 32, vzip1q)
V_INTERLEAVE(v_high32, 32, vzip2q)
V_INTERLEAVE(v_low64, 64, vzip1q)
V_INTERLEAVE(v_high64, 64, vzip2q)

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

/* One value a lane, wherever they lie. */
static inline void v_gather(const int16_t *values, const uint16_t *from, int16_t *at)
{
	for (int i = 0; i < LANES; i++)
		at[i] = values[from[i]];
}

/* One byte a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, uint32_t t)
{
	vst1_u8(decided + t * LANES, vmovn_u16(vshrq_n_u16(vreinterpretq_u16_s16(v), 15)));
}

/* 128 bits from the address. */
static inline vec v_pieces(const int16_t *const *at, int offset)
{
	return vld1q_s16(at[0] + offset);
}

/* Values 0 3 6 of a, 1 4 7 of b, 2 5 of c. */
static inline vec v_thirds(vec a, vec b, vec c)
{
	static const uint16_t of_b[] = {0, 0xffff, 0, 0, 0xffff, 0, 0, 0xffff};
	static const uint16_t of_c[] = {0, 0, 0xffff, 0, 0, 0xffff, 0, 0};

	return vbslq_s16(vld1q_u16(of_c), c, vbslq_s16(vld1q_u16(of_b), b, a));
}

static inline vec v_order(vec v, const uint8_t *order)
{
	return vreinterpretq_s16_u8(vqtbl1q_u8(vreinterpretq_u8_s16(v), vld1q_u8(order)));
}

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder_neon = UTRAN_TURBO_LANES_TABLE;
#endif
