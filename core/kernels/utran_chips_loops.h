/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_chips_loops.h - the loops of utran_chips.h, once for all levels: each source
 * that includes it is compiled for other instructions and says how wide its vectors are
 * (CHIPS_VECTOR_BYTES, at most 64).
 */
#ifndef CORE_KERNELS_UTRAN_CHIPS_LOOPS_H
#define CORE_KERNELS_UTRAN_CHIPS_LOOPS_H

#include <string.h>

#include "core/kernels/utran_chips.h"

#ifndef CHIPS_VECTOR_BYTES
#define CHIPS_VECTOR_BYTES 16 /* what every processor with vectors has */
#endif

enum {
	CHIPS_STEP = 8, /* chips at a time: 16 floats */
	CHIPS_LANES = CHIPS_VECTOR_BYTES / sizeof(float),
	CHIPS_VECTORS = 2 * CHIPS_STEP / CHIPS_LANES
};

typedef float chips_vector __attribute__((vector_size(CHIPS_VECTOR_BYTES)));
typedef uint64_t chips_words __attribute__((vector_size(CHIPS_VECTOR_BYTES)));
typedef float chips_half __attribute__((vector_size(32)));
typedef float chips_quarter __attribute__((vector_size(16)));

static inline void chips_spread(
    const float *pairs, uint32_t sf, const float complex *symbols, float complex *chips, uint32_t n)
{
	float *out = (float *)chips;

	for (uint32_t s = 0; s < n; s++) {
		chips_words word = {0};
		chips_vector symbol, code;
		uint64_t one;
		uint32_t l = 0;

		memcpy(&one, &symbols[s], sizeof(one));
		word += one; /* in every lane */
		memcpy(&symbol, &word, sizeof(symbol));
		for (; l + CHIPS_LANES <= 2 * sf; l += CHIPS_LANES, out += CHIPS_LANES) {
			memcpy(&code, pairs + l, sizeof(code));
			code *= symbol;
			memcpy(out, &code, sizeof(code));
		}
		for (; l < 2 * sf; l += 2) {
			*out++ = pairs[l] * crealf(symbols[s]);
			*out++ = pairs[l + 1] * cimagf(symbols[s]);
		}
	}
}

static inline void chips_despread_4(
    const float *pairs, const float *chips, float *symbols, uint32_t n)
{
	for (uint32_t s = 0; s < n; s++, chips += 8)
		for (uint32_t part = 0; part < 2; part++)
			symbols[2 * s + part] =
			    (pairs[part] * chips[part] + pairs[4 + part] * chips[4 + part]) +
			    (pairs[2 + part] * chips[2 + part] + pairs[6 + part] * chips[6 + part]);
}

/* Eight pairs to one: halves onto each other. */
static inline void chips_fold(const chips_vector *sums, float *symbol)
{
#if CHIPS_VECTOR_BYTES == 16
	const chips_quarter left = sums[0] + sums[2], right = sums[1] + sums[3],
	                    pair = left + right;
#else
	chips_half low, high;
	chips_quarter left, right, pair;

	memcpy(&low, sums, sizeof(low));
	memcpy(&high, (const char *)sums + sizeof(low), sizeof(high));
	low += high;
	memcpy(&left, &low, sizeof(left));
	memcpy(&right, (const char *)&low + sizeof(left), sizeof(right));
	pair = left + right;
#endif
	symbol[0] = pair[0] + pair[2];
	symbol[1] = pair[1] + pair[3];
}

static inline void chips_despread(
    const float *pairs, uint32_t sf, const float complex *chips, float complex *symbols, uint32_t n)
{
	const float *at = (const float *)chips;

	if (sf < CHIPS_STEP) {
		chips_despread_4(pairs, at, (float *)symbols, n);
		return;
	}
	for (uint32_t s = 0; s < n; s++) {
		chips_vector sums[CHIPS_VECTORS] = {0}, code, some;

		for (uint32_t c = 0; c < sf; c += CHIPS_STEP)
			for (uint32_t v = 0; v < CHIPS_VECTORS; v++, at += CHIPS_LANES) {
				memcpy(&code, pairs + 2 * (size_t)c + (size_t)v * CHIPS_LANES,
				    sizeof(code));
				memcpy(&some, at, sizeof(some));
				sums[v] += code * some;
			}
		chips_fold(sums, (float *)&symbols[s]);
	}
}

#define CHIPS_HALF_POWER 0.70710678118654752f

static inline void chips_scramble(
    const int8_t *restrict code, const float complex *in, float complex *out, uint32_t n)
{
	const float *restrict from = (const float *)in;
	float *restrict to = (float *)out;

	for (size_t i = 0; i < n; i++) {
		const float re = code[2 * i], im = code[2 * i + 1], x = from[2 * i],
		            y = from[2 * i + 1];

		to[2 * i] = (x * re - y * im) * CHIPS_HALF_POWER;
		to[2 * i + 1] = (y * re + x * im) * CHIPS_HALF_POWER;
	}
}

static inline void chips_descramble(
    const int8_t *restrict code, const float complex *in, float complex *out, uint32_t n)
{
	const float *restrict from = (const float *)in;
	float *restrict to = (float *)out;

	for (size_t i = 0; i < n; i++) {
		const float re = code[2 * i], im = code[2 * i + 1], x = from[2 * i],
		            y = from[2 * i + 1];

		to[2 * i] = (x * re + y * im) * CHIPS_HALF_POWER;
		to[2 * i + 1] = (y * re - x * im) * CHIPS_HALF_POWER;
	}
}

#define CHIPS_TABLE                                                                                \
	{                                                                                          \
		chips_spread, chips_despread, chips_scramble, chips_descramble                     \
	}

#endif
