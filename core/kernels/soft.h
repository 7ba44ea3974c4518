/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/soft.h - bits to symbols and symbols to bits, soft and hard, where one real value
 * carries one bit: BPSK, and QPSK as two of them.
 *
 * Bit 0 is +level, bit 1 is -level. Names ending in f32 and i16 work on n values one after the
 * other: real samples, or the n / 2 complex ones of QPSK, whose first bit is the real and whose
 * second is the imaginary part. Names with `re` work on n complex samples (pairs of values) that
 * carry one bit each in the real part; the imaginary part is written as 0 and not read.
 *
 * 	const struct soft_kernels *kernels = soft_kernels((enum simd_level)setup->simd);
 * 	kernels->soft_f32((const float *)symbols, factor, llr, 2 * n); // QPSK: 2 n soft bits
 * 	kernels->soft_re_f32((const float *)symbols, factor, llr, n); // BPSK: n soft bits
 *
 * A soft bit is factor * value, rounded to nearest, halves to even, and limited to +-32767; NaN,
 * which says nothing, becomes 0. So bit 0 is positive, and a value of `amplitude` becomes `scale`
 * with factor = scale / amplitude. A hard bit is 1 where the value is negative, else (NaN too) 0.
 * Every level gives the same bits. `in` and `out` do not overlap, need no more alignment than their
 * type, and nothing behind n is read or written.
 */
#ifndef CORE_KERNELS_SOFT_H
#define CORE_KERNELS_SOFT_H

#include <stdint.h>

#include "core/base/simd.h"

struct soft_kernels {
	/* bits, one per byte, of which the lowest bit counts */
	void (*map_f32)(const uint8_t *bits, float level, float *out, uint32_t n);
	void (*map_i16)(const uint8_t *bits, int16_t level, int16_t *out, uint32_t n);
	void (*map_re_f32)(const uint8_t *bits, float level, float *out, uint32_t n);
	void (*map_re_i16)(const uint8_t *bits, int16_t level, int16_t *out, uint32_t n);

	void (*soft_f32)(const float *in, float factor, int16_t *llr, uint32_t n);
	void (*soft_i16)(const int16_t *in, float factor, int16_t *llr, uint32_t n);
	void (*soft_re_f32)(const float *in, float factor, int16_t *llr, uint32_t n);
	void (*soft_re_i16)(const int16_t *in, float factor, int16_t *llr, uint32_t n);

	void (*hard_f32)(const float *in, uint8_t *bits, uint32_t n);
	void (*hard_i16)(const int16_t *in, uint8_t *bits, uint32_t n);
	void (*hard_re_f32)(const float *in, uint8_t *bits, uint32_t n);
	void (*hard_re_i16)(const int16_t *in, uint8_t *bits, uint32_t n);
};

/* soft_kernels gives the functions of a level. */
const struct soft_kernels *soft_kernels(enum simd_level level);

/* soft_map_re_f32 is the plain one; the levels end their own with it. */
void soft_map_re_f32(const uint8_t *restrict bits, float level, float *restrict out, uint32_t n);

/* The tables behind it; those with a level's name exist on its processors only. */
extern const struct soft_kernels soft_plain, soft_sse41, soft_avx2, soft_avx512, soft_neon;

#endif
