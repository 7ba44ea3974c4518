/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/iq_loops.h - the loops of iq.h, once for all levels, on values (two for each
 * sample): each source that includes it is compiled for other instructions. To floats the compiler
 * makes vector code of them; from floats the levels do by hand, and end theirs with these.
 */
#ifndef CORE_KERNELS_IQ_LOOPS_H
#define CORE_KERNELS_IQ_LOOPS_H

#include <string.h>

#include "core/kernels/iq.h"

#define IQ_ONE 32768.0f
#define IQ_LEAST (-32768.0f)
#define IQ_MOST 32767.0f

/* The other order turned into ours, and back. */
static inline uint16_t iq_turned(uint16_t word)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : __builtin_bswap16(word);
}

static inline void iq_values_to_f32(const uint8_t *restrict iq, float *restrict out, size_t values)
{
	for (size_t i = 0; i < values; i++) {
		uint16_t word;

		memcpy(&word, iq + 2 * i, sizeof(word));
		out[i] = (float)(int16_t)iq_turned(word) * (1 / IQ_ONE);
	}
}

/* 1.5 * 2^23 pushes everything behind the point out of the mantissa, rounding as the processor
 * does; the low bits that are left are the integer. */
static inline uint32_t iq_values_from_f32(
    const float *restrict in, uint8_t *restrict iq, size_t values)
{
	uint32_t unfit = 0;

	for (size_t i = 0; i < values; i++) {
		const float x = in[i] * IQ_ONE;
		const float low = x > IQ_LEAST ? x : IQ_LEAST;
		const float limited = low < IQ_MOST ? low : IQ_MOST;
		const float rounded = (x == x ? limited : 0.0f) + 12582912.0f;
		uint32_t bits;
		uint16_t word;

		unfit += limited != x;
		memcpy(&bits, &rounded, sizeof(bits));
		word = iq_turned((uint16_t)bits);
		memcpy(iq + 2 * i, &word, sizeof(word));
	}
	return unfit;
}

static inline void iq_loop_to_f32(const uint8_t *iq, float *out, uint32_t n)
{
	iq_values_to_f32(iq, out, 2 * (size_t)n);
}

/* The rest, behind `done` values. */
static inline uint32_t iq_rest_from_f32(const float *in, uint8_t *iq, uint32_t n, size_t done)
{
	return iq_values_from_f32(in + done, iq + 2 * done, 2 * (size_t)n - done);
}

#endif
