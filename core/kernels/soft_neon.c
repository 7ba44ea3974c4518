/* SPDX-License-Identifier: BSD-3-Clause
 * soft for NEON, whose conversions round to nearest, saturate and make NaN 0: only -32768 is left
 * to be limited. */
#if defined(__aarch64__)
#include <arm_neon.h>
#include <stdint.h>

static inline float32x4_t f32_4(const float *in)
{
	return vld1q_f32(in);
}

static inline float32x4_t re_f32_4(const float *in)
{
	return vuzp1q_f32(vld1q_f32(in), vld1q_f32(in + 4));
}

static inline float32x4_t i16_4(const int16_t *in)
{
	return vcvtq_f32_s32(vmovl_s16(vld1_s16(in)));
}

static inline float32x4_t re_i16_4(const int16_t *in)
{
	const int16x8_t both = vld1q_s16(in);

	return vcvtq_f32_s32(vmovl_s16(vget_low_s16(vuzp1q_s16(both, both))));
}

static inline int16x4_t soft4(float32x4_t values, float factor)
{
	return vqmovn_s32(vcvtnq_s32_f32(vmulq_n_f32(values, factor)));
}

static inline void soft8(int16_t *llr, float32x4_t low, float32x4_t high, float factor)
{
	const int16x8_t both = vcombine_s16(soft4(low, factor), soft4(high, factor));

	vst1q_s16(llr, vmaxq_s16(both, vdupq_n_s16(-32767)));
}

#define SOFT_16
#include "core/kernels/soft_16.h"

const struct soft_kernels soft_neon = SOFT_16_TABLE;
#endif
