/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/fir_loops.h - the loops of fir.h, once for all levels: each source that includes it
 * says how wide its vectors are (FIR_VECTOR_BYTES) and is compiled for other instructions.
 *
 * A complex sample is two floats that meet the same tap, so a filter over n samples is one over 2n
 * floats with steps of two. Eight vectors of sums stay in registers while taps and samples go by.
 */
#ifndef CORE_KERNELS_FIR_LOOPS_H
#define CORE_KERNELS_FIR_LOOPS_H

#include <string.h>

#include "core/kernels/fir.h"

#ifndef FIR_VECTOR_BYTES
#define FIR_VECTOR_BYTES 16 /* what every processor with vectors has */
#endif

enum {
	FIR_LANES = FIR_VECTOR_BYTES / sizeof(float),
	FIR_SUMS = 8,
	FIR_BLOCK = FIR_LANES * FIR_SUMS
};

typedef float fir_vector __attribute__((vector_size(FIR_VECTOR_BYTES)));

#define FIR_STEP(v)                                                                                \
	memcpy(&sample, at + (v)*FIR_LANES, sizeof(sample));                                       \
	sum##v += tap * sample
#define FIR_STORE(v) memcpy(out + (v)*FIR_LANES, &sum##v, sizeof(sum##v))

/* FIR_BLOCK floats from `first` on of each stream. */
static inline void fir_block(const float *taps, uint32_t len, const float complex *const *in,
    uint32_t streams, size_t first, float *out)
{
	fir_vector sum0 = {0}, sum1 = {0}, sum2 = {0}, sum3 = {0}, sum4 = {0}, sum5 = {0},
	           sum6 = {0}, sum7 = {0};
	fir_vector sample;

	for (uint32_t s = 0; s < streams; s++) {
		const float *at = (const float *)in[s] + first;

		for (uint32_t k = 0; k < len; k++, at += 2) {
			const float tap = *taps++;

			FIR_STEP(0);
			FIR_STEP(1);
			FIR_STEP(2);
			FIR_STEP(3);
			FIR_STEP(4);
			FIR_STEP(5);
			FIR_STEP(6);
			FIR_STEP(7);
		}
	}
	FIR_STORE(0);
	FIR_STORE(1);
	FIR_STORE(2);
	FIR_STORE(3);
	FIR_STORE(4);
	FIR_STORE(5);
	FIR_STORE(6);
	FIR_STORE(7);
}

/* One float at a time, for what is left. */
static inline float fir_single(
    const float *taps, uint32_t len, const float complex *const *in, uint32_t streams, size_t at)
{
	float sum = 0;

	for (uint32_t s = 0; s < streams; s++)
		for (uint32_t k = 0; k < len; k++)
			sum += *taps++ * ((const float *)in[s])[at + 2 * k];
	return sum;
}

static inline void fir_sum(const float *taps, uint32_t len, const float complex *const *in,
    uint32_t streams, float complex *out, uint32_t n)
{
	const size_t floats = 2 * (size_t)n;
	float *to = (float *)out;
	size_t i = 0;

	for (; i + FIR_BLOCK <= floats; i += FIR_BLOCK)
		fir_block(taps, len, in, streams, i, to + i);
	for (; i < floats; i++)
		to[i] = fir_single(taps, len, in, streams, i);
}

/* A sample is moved as one word. Two streams are woven four samples at a time. */
typedef uint64_t fir_four __attribute__((vector_size(32)));

static inline uint32_t fir_join_2(
    const float complex *a, const float complex *b, float complex *out, uint32_t n)
{
	uint32_t i = 0;

	for (; i + 4 <= n; i += 4) {
		fir_four x, y, low, high;

		memcpy(&x, a + i, sizeof(x));
		memcpy(&y, b + i, sizeof(y));
		low = __builtin_shufflevector(x, y, 0, 4, 1, 5);
		high = __builtin_shufflevector(x, y, 2, 6, 3, 7);
		memcpy(out + 2 * (size_t)i, &low, sizeof(low));
		memcpy(out + 2 * (size_t)i + 4, &high, sizeof(high));
	}
	return i;
}

static inline uint32_t fir_deal_2(
    const float complex *in, float complex *a, float complex *b, uint32_t n)
{
	uint32_t i = 0;

	for (; i + 4 <= n; i += 4) {
		fir_four low, high, x, y;

		memcpy(&low, in + 2 * (size_t)i, sizeof(low));
		memcpy(&high, in + 2 * (size_t)i + 4, sizeof(high));
		x = __builtin_shufflevector(low, high, 0, 2, 4, 6);
		y = __builtin_shufflevector(low, high, 1, 3, 5, 7);
		memcpy(a + i, &x, sizeof(x));
		memcpy(b + i, &y, sizeof(y));
	}
	return i;
}

static inline void fir_join(
    const float complex *const *in, uint32_t streams, float complex *out, uint32_t n)
{
	const uint32_t done = streams == 2 ? fir_join_2(in[0], in[1], out, n) : 0;

	for (size_t i = done; i < n; i++)
		for (uint32_t s = 0; s < streams; s++)
			memcpy(&out[i * streams + s], &in[s][i], sizeof(*out));
}

static inline void fir_deal(
    const float complex *in, uint32_t streams, float complex *const *out, uint32_t n)
{
	const uint32_t done = streams == 2 ? fir_deal_2(in, out[0], out[1], n) : 0;

	for (size_t i = done; i < n; i++)
		for (uint32_t s = 0; s < streams; s++)
			memcpy(&out[s][i], &in[i * streams + s], sizeof(*in));
}

#define FIR_TABLE                                                                                  \
	{                                                                                          \
		fir_sum, fir_join, fir_deal                                                        \
	}

#endif
