/* SPDX-License-Identifier: BSD-3-Clause
 * Partitioned convolution for NEON: four lanes, fused multiply-add. */
#if defined(__aarch64__)
#include <arm_neon.h>

#define LANES 4
typedef float32x4_t vec;
#define V_ALL(x) vdupq_n_f32(x)
#define V_FMA(a, b, c) vfmaq_f32(c, a, b)
#define V_FNMA(a, b, c) vfmsq_f32(c, a, b)
#define V_LOW(a, b) vzip1q_f32(a, b)
#define V_HIGH(a, b) vzip2q_f32(a, b)
#define V_LOW2(a, b)                                                                               \
	vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)))
#define V_HIGH2(a, b)                                                                              \
	vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)))

static inline void v_groups(vec *t)
{
	(void)t; /* one group */
}

static inline void v_split(vec a, vec b, vec *ret_re, vec *ret_im)
{
	*ret_re = vuzp1q_f32(a, b);
	*ret_im = vuzp2q_f32(a, b);
}

static inline void v_join(vec re, vec im, vec *ret_a, vec *ret_b)
{
	*ret_a = vzip1q_f32(re, im);
	*ret_b = vzip2q_f32(re, im);
}

#include "core/kernels/spectrum_loops.h"

const struct spectrum_kernels spectrum_neon = SPECTRUM_TABLE;
#endif
