/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/soft_loops.h - the loops of soft.h, once for all levels: each source that includes
 * it is compiled for other instructions, and the compiler makes vector code of them. Without
 * branches, and with casts that no vector unit lacks. Soft decisions the levels have by hand, and
 * end them with these.
 */
#ifndef CORE_KERNELS_SOFT_LOOPS_H
#define CORE_KERNELS_SOFT_LOOPS_H

#include <string.h>

#include "core/kernels/soft.h"

/* `level` with its sign turned by the bit: float words are written as integers. */
static inline uint32_t soft_mapped(uint32_t level, uint8_t bit)
{
	return level ^ (uint32_t)bit << 31;
}

static inline uint32_t soft_word(float value)
{
	uint32_t word;

	memcpy(&word, &value, sizeof(word));
	return word;
}

static inline void soft_map_f32(
    const uint8_t *restrict bits, float level, float *restrict out, uint32_t n)
{
	const uint32_t word = soft_word(level);

	for (size_t i = 0; i < n; i++) {
		const uint32_t mapped = soft_mapped(word, bits[i]);

		memcpy(&out[i], &mapped, sizeof(mapped));
	}
}

static inline void soft_map_i16(
    const uint8_t *restrict bits, int16_t level, int16_t *restrict out, uint32_t n)
{
	for (size_t i = 0; i < n; i++) {
		const int16_t minus = (int16_t) - (bits[i] & 1);

		out[i] = (int16_t)((level ^ minus) - minus);
	}
}

static inline void soft_map_re_i16(
    const uint8_t *restrict bits, int16_t level, int16_t *restrict out, uint32_t n)
{
	for (size_t i = 0; i < n; i++) {
		const int16_t minus = (int16_t) - (bits[i] & 1);

		out[2 * i] = (int16_t)((level ^ minus) - minus);
		out[2 * i + 1] = 0;
	}
}

/* 1.5 * 2^23 pushes everything behind the point out of the mantissa, rounding as the processor
 * does: to nearest, halves to even. What is left in the low bits is the integer. */
static inline int16_t soft_bit(float x)
{
	const float low = x > -32767.0f ? x : -32767.0f;
	const float limited = low < 32767.0f ? low : 32767.0f;

	return (int16_t)soft_word((x == x ? limited : 0.0f) + 12582912.0f);
}

#define SOFT_LOOP(name, type, step)                                                                \
	static inline void soft_##name(                                                            \
	    const type *restrict in, float factor, int16_t *restrict llr, uint32_t n)              \
	{                                                                                          \
		for (size_t i = 0; i < n; i++)                                                     \
			llr[i] = soft_bit(factor * (float)in[(step)*i]);                           \
	}                                                                                          \
	static inline void hard_##name(                                                            \
	    const type *restrict in, uint8_t *restrict bits, uint32_t n)                           \
	{                                                                                          \
		for (size_t i = 0; i < n; i++)                                                     \
			bits[i] = in[(step)*i] < 0;                                                \
	}
SOFT_LOOP(f32, float, 1)
SOFT_LOOP(i16, int16_t, 1)
SOFT_LOOP(re_f32, float, 2)
SOFT_LOOP(re_i16, int16_t, 2)
#undef SOFT_LOOP

#endif
