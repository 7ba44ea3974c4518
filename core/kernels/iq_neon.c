/* SPDX-License-Identifier: BSD-3-Clause
 * iq for NEON, whose conversions round to nearest, saturate and make NaN 0. */
#if defined(__aarch64__)
#include <arm_neon.h>

#include "core/kernels/iq_loops.h"

/* Four values; to each lane of *unfit one more for what is not as it was. */
static inline int16x4_t iq4(const float *in, uint32x4_t *unfit)
{
	const float32x4_t x = vmulq_n_f32(vld1q_f32(in), IQ_ONE);
	const float32x4_t limited =
	    vminq_f32(vmaxq_f32(x, vdupq_n_f32(IQ_LEAST)), vdupq_n_f32(IQ_MOST));

	*unfit = vaddq_u32(*unfit, vshrq_n_u32(vmvnq_u32(vceqq_f32(limited, x)), 31));
	return vqmovn_s32(vcvtnq_s32_f32(limited));
}

static uint32_t neon_from_f32(const float *in, uint8_t *iq, uint32_t n)
{
	uint32x4_t unfit = vdupq_n_u32(0);
	size_t i = 0;

	for (; i + 8 <= 2 * (size_t)n; i += 8) {
		const int16x4_t low = iq4(in + i, &unfit), high = iq4(in + i + 4, &unfit);

		vst1q_u8(iq + 2 * i, vreinterpretq_u8_s16(vcombine_s16(low, high)));
	}
	return vaddvq_u32(unfit) + iq_rest_from_f32(in, iq, n, i);
}

const struct iq_kernels iq_neon = {iq_loop_to_f32, neon_from_f32};
#endif
