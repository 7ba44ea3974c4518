/* SPDX-License-Identifier: BSD-3-Clause
 * soft for NEON, whose conversions round to nearest, saturate and make NaN 0: only -32768 is left to be limited. */
#if defined(__aarch64__)
#include <arm_neon.h>

#include "core/kernels/soft_loops.h"

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

#define SOFT_NEON(name, type, step)                                                                                    \
	static void neon_##name(const type *restrict in, float factor, int16_t *restrict llr, uint32_t n)              \
	{                                                                                                              \
		uint32_t i = 0;                                                                                        \
                                                                                                                       \
		for (; i + 8 <= n; i += 8) {                                                                           \
			const type *from = in + (step) * (size_t)i;                                                    \
			const int16x8_t both =                                                                         \
			    vcombine_s16(soft4(name##_4(from), factor), soft4(name##_4(from + (step)*4), factor));     \
                                                                                                                       \
			vst1q_s16(llr + i, vmaxq_s16(both, vdupq_n_s16(-32767)));                                      \
		}                                                                                                      \
		soft_##name(in + (step) * (size_t)i, factor, llr + i, n - i);                                          \
	}
SOFT_NEON(f32, float, 1)
SOFT_NEON(i16, int16_t, 1)
SOFT_NEON(re_f32, float, 2)
SOFT_NEON(re_i16, int16_t, 2)

const struct soft_kernels soft_neon = {soft_map_f32, soft_map_i16, soft_map_re_f32, soft_map_re_i16,
				       neon_f32,     neon_i16,     neon_re_f32,     neon_re_i16,
				       hard_f32,     hard_i16,     hard_re_f32,     hard_re_i16};
#endif
