/* SPDX-License-Identifier: BSD-3-Clause
 * utran_viterbi - NEON: eight pairs of states at a time. */
#if defined(__aarch64__)
#include "core/kernels/utran_viterbi.h"

#include <arm_neon.h>
#include <string.h>

enum { LANES = 8, HALF = UTRAN_VITERBI_STATES / 2 };

/* The larger of two metrics that wrap around; ret_signs has a bit for each lane where `a` is the smaller. */
static inline int16x8_t larger(int16x8_t a, int16x8_t b, uint8_t *ret_signs)
{
	static const uint16_t weights[LANES] = {1, 2, 4, 8, 16, 32, 64, 128};
	const uint16x8_t less = vcltzq_s16(vsubq_s16(a, b));

	*ret_signs = (uint8_t)vaddvq_u16(vandq_u16(less, vld1q_u16(weights)));
	return vbslq_s16(less, b, a);
}

static void select_neon(const int16_t (*branches)[8], const uint8_t *select, uint32_t steps, int16_t *metrics,
			uint8_t (*ret_decisions)[UTRAN_VITERBI_DECISION_BYTES])
{
	int16_t other[UTRAN_VITERBI_STATES], *old = metrics, *new = other;

	for (uint32_t t = 0; t < steps; t++) {
		const uint8x16_t branch = vreinterpretq_u8_s16(vld1q_s16(branches[t]));
		uint8_t *decisions = ret_decisions[t];
		int16_t *swap = old;

		for (uint32_t j = 0; j < HALF; j += LANES) {
			const int16x8_t m = vreinterpretq_s16_u8(vqtbl1q_u8(branch, vld1q_u8(select + 2 * j)));
			const int16x8_t a = vld1q_s16(old + j), b = vld1q_s16(old + j + HALF);
			const int16x8_t even = larger(vaddq_s16(a, m), vsubq_s16(b, m), &decisions[j / 8]);
			const int16x8_t odd = larger(vsubq_s16(a, m), vaddq_s16(b, m), &decisions[(j + HALF) / 8]);

			vst1q_s16(new + 2 * j, vzip1q_s16(even, odd));
			vst1q_s16(new + 2 * j + LANES, vzip2q_s16(even, odd));
		}
		old = new;
		new = swap;
	}
	if (old != metrics)
		memcpy(metrics, old, sizeof(other));
}

const struct utran_viterbi_kernels utran_viterbi_neon = {select_neon};
#endif
