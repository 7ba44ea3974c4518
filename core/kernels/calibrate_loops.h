/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/calibrate_loops.h - the classes that are loops for the compiler, or the same on
 * `vec`, for every level that includes it. A source that has vectors defines `vec` of 16-bit
 * numbers, LANES of them, and v_max before. */
#ifndef CORE_KERNELS_CALIBRATE_LOOPS_H
#define CORE_KERNELS_CALIBRATE_LOOPS_H

#include <string.h>

#include "core/kernels/calibrate.h"

static void arithmetic(struct calibrate_data *data)
{
	const int16_t *restrict in = data->in16;
	int16_t *restrict out = data->out16;

	for (uint32_t i = 0; i < CALIBRATE_ITEMS; i++) {
		const int sum = in[i] + 3 * out[i];

		out[i] = (int16_t)(sum > 511 ? 511 : sum < -511 ? -511 : sum);
	}
}

#ifdef LANES
#define INLINE static inline __attribute__((always_inline))

/* States s and s + 4 come from 2s and 2s + 1: a coder without feedback. */
INLINE void forward(vec *m, vec x, vec y)
{
	const vec xy = x + y;
	const vec a0 = v_max(m[0] + xy, m[1]), a4 = v_max(m[0], m[1] + xy);
	const vec a1 = v_max(m[2] + x, m[3] + y), a5 = v_max(m[2] + y, m[3] + x);
	const vec a2 = v_max(m[4] + y, m[5] + x), a6 = v_max(m[4] + x, m[5] + y);
	const vec a3 = v_max(m[6], m[7] + xy), a7 = v_max(m[6] + xy, m[7]);

	m[0] = a0, m[1] = a1, m[2] = a2, m[3] = a3, m[4] = a4, m[5] = a5, m[6] = a6, m[7] = a7;
}

INLINE void backward(vec *m, vec x, vec y)
{
	const vec xy = x + y;
	const vec a0 = v_max(m[0] + xy, m[4]), a1 = v_max(m[0], m[4] + xy);
	const vec a2 = v_max(m[1] + x, m[5] + y), a3 = v_max(m[1] + y, m[5] + x);
	const vec a4 = v_max(m[2] + y, m[6] + x), a5 = v_max(m[2] + x, m[6] + y);
	const vec a6 = v_max(m[3], m[7] + xy), a7 = v_max(m[3] + xy, m[7]);

	m[0] = a0, m[1] = a1, m[2] = a2, m[3] = a3, m[4] = a4, m[5] = a5, m[6] = a6, m[7] = a7;
}

/* The best path with a 0 less the best one with a 1. */
INLINE vec join(const vec *a, const vec *b, vec y)
{
	const vec zero = v_max(v_max(a[0] + b[0], a[1] + b[0]), v_max(a[2] + b[1], a[3] + b[1]));
	const vec zero_y = v_max(v_max(a[4] + b[2], a[5] + b[2]), v_max(a[6] + b[3], a[7] + b[3]));
	const vec one = v_max(v_max(a[0] + b[4], a[1] + b[4]), v_max(a[2] + b[5], a[3] + b[5]));
	const vec one_y = v_max(v_max(a[4] + b[6], a[5] + b[6]), v_max(a[6] + b[7], a[7] + b[7]));

	return v_max(zero + y, zero_y) - v_max(one, one_y + y);
}

INLINE void normalise(vec *m)
{
	for (int s = CALIBRATE_STATES - 1; s >= 0; s--)
		m[s] = m[s] - m[0];
}

/* In two sections, so that the metrics stay in the first cache. */
static void trellis(struct calibrate_data *data)
{
	enum { STEPS = CALIBRATE_BLOCK / LANES, SECTION = (STEPS + 1) / 2 };
	const vec *x = (const vec *)data->in16, *y = x + 1;
	vec *kept = (vec *)data->metrics[0], *out = (vec *)data->out16;
	vec a[CALIBRATE_STATES] = {0}, b[CALIBRATE_STATES] = {0};

	for (int from = 0; from < STEPS; from += SECTION) {
		const int n = STEPS - from < SECTION ? STEPS - from : SECTION;

		for (int t = n; t-- > 0;) {
			memcpy(kept + t * CALIBRATE_STATES, b, sizeof(b));
			backward(b, x[from + t], y[from + t]);
			if (t % 4 == 0)
				normalise(b);
		}
		for (int t = 0; t < n; t++) {
			out[from + t] = join(a, kept + t * CALIBRATE_STATES, y[from + t]);
			forward(a, x[from + t], y[from + t]);
			if (t % 4 == 3)
				normalise(a);
		}
	}
}
#endif

#endif
