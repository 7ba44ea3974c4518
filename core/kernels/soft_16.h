/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/soft_16.h - soft decisions in 128-bit registers: the loops of SSE4.1 and NEON. A
 * source first defines NAME_4(in), which reads four values, soft8(llr, low, high, factor), which
 * writes eight soft bits, and SOFT_16.
 */
#ifndef CORE_KERNELS_SOFT_16_H
#define CORE_KERNELS_SOFT_16_H

#include "core/kernels/soft_loops.h"

#ifdef SOFT_16

#define SOFT_16_LOOP(name, type, step)                                                             \
	static void vector_##name(                                                                 \
	    const type *restrict in, float factor, int16_t *restrict llr, uint32_t n)              \
	{                                                                                          \
		uint32_t i = 0;                                                                    \
                                                                                                   \
		for (; i + 8 <= n; i += 8) {                                                       \
			const type *from = in + (step) * (size_t)i;                                \
                                                                                                   \
			soft8(llr + i, name##_4(from), name##_4(from + (step)*4), factor);         \
		}                                                                                  \
		soft_##name(in + (step) * (size_t)i, factor, llr + i, n - i);                      \
	}
SOFT_16_LOOP(f32, float, 1)
SOFT_16_LOOP(i16, int16_t, 1)
SOFT_16_LOOP(re_f32, float, 2)
SOFT_16_LOOP(re_i16, int16_t, 2)
#undef SOFT_16_LOOP

#define SOFT_16_TABLE                                                                              \
	{                                                                                          \
		soft_map_f32, soft_map_i16, soft_map_re_f32, soft_map_re_i16, vector_f32,          \
		    vector_i16, vector_re_f32, vector_re_i16, hard_f32, hard_i16, hard_re_f32,     \
		    hard_re_i16                                                                    \
	}

#endif

#endif
