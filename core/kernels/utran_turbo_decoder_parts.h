/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_decoder_parts.h - what all levels of utran_turbo_decoder.h share.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_DECODER_PARTS_H
#define CORE_KERNELS_UTRAN_TURBO_DECODER_PARTS_H

#include "core/kernels/utran_turbo_decoder.h"

extern const struct utran_turbo_decoder_kernels utran_turbo_decoder_sse41, utran_turbo_decoder_avx2,
    utran_turbo_decoder_avx512, utran_turbo_decoder_neon;

/* D: two branch metrics of one step differ by at most this. Metric of a state that cannot be. */
enum {
	UTRAN_TURBO_BRANCH_MAX = 2 * UTRAN_LLR_MAX + UTRAN_EXTRINSIC_MAX,
	UTRAN_TURBO_NEVER = -8192,
	UTRAN_TURBO_TAIL_STEPS = 3
};

_Static_assert(-UTRAN_TURBO_NEVER > 4 * UTRAN_TURBO_BRANCH_MAX, "a wrong start state could win");

static inline int16_t utran_turbo_limit(int value, int bound)
{
	return (int16_t)(value > bound ? bound : value < -bound ? -bound : value);
}

/* The tail leaves each state one way home: three steps that shift zeros in, so the metrics behind bit k - 1 are sums.
 * `tail` holds x y x y x y of the coder. */
static inline void utran_turbo_end(const int16_t *tail, int16_t *metric)
{
	for (int state = UTRAN_TURBO_STATES - 1; state >= 0; state--) {
		int sum = 0;
		for (int i = 0, s = state; i < UTRAN_TURBO_TAIL_STEPS; i++, s >>= 1) {
			const int bit = (s >> 1 ^ s) & 1, parity = (s >> 2 ^ s) & 1;
			sum += (bit ? 0 : utran_turbo_limit(tail[2 * i], UTRAN_LLR_MAX)) +
			       (parity ? 0 : utran_turbo_limit(tail[2 * i + 1], UTRAN_LLR_MAX));
		}
		metric[state] = (int16_t)sum;
	}
	for (int state = UTRAN_TURBO_STATES - 1; state >= 0; state--)
		metric[state] = (int16_t)(metric[state] - metric[0]);
}

#endif
