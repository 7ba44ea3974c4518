/* SPDX-License-Identifier: BSD-3-Clause
 * utran_viterbi - NEON: eight pairs of states at a time. */
#if defined(__aarch64__)
#include <arm_neon.h>
#include <stdint.h>

#define LANES 8

typedef int16x8_t vector;

static inline vector metrics_load(const int16_t *from)
{
	return vld1q_s16(from);
}

static inline vector pattern_load(const int16_t *branches)
{
	return vld1q_s16(branches);
}

static inline vector pattern_look_up(vector pattern, const uint8_t *bytes)
{
	return vreinterpretq_s16_u8(vqtbl1q_u8(vreinterpretq_u8_s16(pattern), vld1q_u8(bytes)));
}

static inline vector metrics_add(vector a, vector b)
{
	return vaddq_s16(a, b);
}

static inline vector metrics_sub(vector a, vector b)
{
	return vsubq_s16(a, b);
}

static inline vector metrics_larger(vector a, vector b, vector *ret_less)
{
	*ret_less = vsubq_s16(a, b);
	return vaddq_s16(b, vmaxq_s16(*ret_less, vdupq_n_s16(0)));
}

static inline void metrics_zip(vector even, vector odd, int16_t *to)
{
	vst1q_s16(to, vzip1q_s16(even, odd));
	vst1q_s16(to + LANES, vzip2q_s16(even, odd));
}

static inline uint8_t signs_of(vector metrics)
{
	static const uint16_t weights[LANES] = {1, 2, 4, 8, 16, 32, 64, 128};

	return (uint8_t)vaddvq_u16(vandq_u16(vcltzq_s16(metrics), vld1q_u16(weights)));
}

static inline void signs_store(vector low, vector high, uint8_t *to)
{
	to[0] = signs_of(low);
	to[1] = signs_of(high);
}

#include "core/kernels/utran_viterbi_loops.h"

const struct utran_viterbi_kernels utran_viterbi_neon = {select_states};
#endif
