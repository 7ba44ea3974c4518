/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/random_loops.h - the loops of random.h, once for all levels: each source that
 * includes it is compiled for other instructions, and the compiler makes vector code of them. No
 * multiplication may melt into an addition (-ffp-contract=off), so every level makes the same bits.
 */
#ifndef CORE_KERNELS_RANDOM_LOOPS_H
#define CORE_KERNELS_RANDOM_LOOPS_H

#include <math.h>
#include <string.h>

#include "core/kernels/random_lanes.h"

/* random_chunk makes chunk `chunk` of a message: Philox of the counters (16 chunk + lane, purpose,
 * index). random_spread writes the 32 bits of a word, the lowest first. A source that has its own
 * of both defines RANDOM_OWN before it includes this. */
#ifndef RANDOM_OWN
static inline void random_round(struct random_lanes *x, uint32_t key0, uint32_t key1)
{
#pragma GCC unroll 1 /* or it is no loop any more when the compiler looks for vectors */
	for (int l = 0; l < RANDOM_LANES; l++) {
		const uint64_t a = (uint64_t)RANDOM_MULTIPLY_0 * x->word[0][l];
		const uint64_t b = (uint64_t)RANDOM_MULTIPLY_1 * x->word[2][l];
		const uint32_t one = x->word[1][l], three = x->word[3][l];

		x->word[0][l] = (uint32_t)(b >> 32) ^ one ^ key0;
		x->word[1][l] = (uint32_t)b;
		x->word[2][l] = (uint32_t)(a >> 32) ^ three ^ key1;
		x->word[3][l] = (uint32_t)a;
	}
}

static inline void random_lanes_mix(struct random_lanes *x, uint32_t key0, uint32_t key1)
{
	for (int r = 0; r < RANDOM_ROUNDS; r++) {
		random_round(x, key0, key1);
		key0 += RANDOM_KEY_STEP_0;
		key1 += RANDOM_KEY_STEP_1;
	}
}

static inline void random_chunk(uint64_t seed, uint64_t index, enum random_purpose purpose,
    uint32_t chunk, struct random_lanes *ret_x)
{
	for (uint32_t l = 0; l < RANDOM_LANES; l++) {
		ret_x->word[0][l] = chunk * RANDOM_LANES + l;
		ret_x->word[1][l] = purpose;
		ret_x->word[2][l] = (uint32_t)index;
		ret_x->word[3][l] = (uint32_t)(index >> 32);
	}
	random_lanes_mix(ret_x, (uint32_t)seed, (uint32_t)(seed >> 32));
}

static inline void random_spread(uint32_t word, uint8_t *out)
{
	for (int i = 0; i < 4; i++) {
		const uint64_t set =
		    (word >> 8 * i & 0xff) * 0x0101010101010101u & 0x8040201008040201u;
		uint64_t bits = (set + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		bits = __builtin_bswap64(bits);
#endif
		memcpy(out + 8 * i, &bits, sizeof(bits));
	}
}
#endif

static inline void random_level_words(
    uint64_t seed, uint64_t index, uint32_t *ret_words, uint32_t n)
{
	struct random_lanes x;

	for (uint32_t done = 0; done < n; done += RANDOM_CHUNK) {
		const uint32_t len = n - done < RANDOM_CHUNK ? n - done : RANDOM_CHUNK;

		random_chunk(seed, index, RANDOM_WORDS, done / RANDOM_CHUNK, &x);
		memcpy(ret_words + done, x.word, len * sizeof(uint32_t));
	}
}

static inline void random_level_bits(uint64_t seed, uint64_t index, uint8_t *ret_bits, uint32_t n)
{
	struct random_lanes x;
	uint8_t last[32];

	for (uint32_t i = 0; i < n; i += 32) {
		const uint32_t at = i / 32 % RANDOM_CHUNK;

		if (at == 0)
			random_chunk(seed, index, RANDOM_BITS, i / (RANDOM_CHUNK * 32), &x);
		if (n - i >= 32) {
			random_spread(x.word[at / RANDOM_LANES][at % RANDOM_LANES], ret_bits + i);
		} else {
			random_spread(x.word[at / RANDOM_LANES][at % RANDOM_LANES], last);
			memcpy(ret_bits + i, last, n - i);
		}
	}
}

/* ln(1 + f) / f for 1 + f in [sqrt(1/2), sqrt(2)): interpolated at the Chebyshev nodes, within
 * 4e-8. */
static const float RANDOM_LN[] = {
    0.9999999741f,
    -0.4999999638f,
    0.3333419329f,
    -0.2500135219f,
    0.1995593336f,
    -0.1657799290f,
    0.1497740128f,
    -0.1426925821f,
    0.0853331308f,
};

/* random_minus_two_ln gives -2 ln(u) for u = (w / 2 + 1/2) / 2^31, at least 0. */
static inline float random_minus_two_ln(uint32_t w)
{
	const float x = (float)(int32_t)(w >> 1) + 0.5f;
	int32_t bits, exponent;
	float f, ln;

	memcpy(&bits, &x, sizeof(bits));
	exponent = (bits - 0x3f3504f3) >> 23; /* of the mantissa in [sqrt(1/2), sqrt(2)) */
	bits -= exponent * (1 << 23);
	memcpy(&f, &bits, sizeof(f));
	f -= 1.0f;
	ln = RANDOM_LN[8];
	for (int i = 7; i >= 0; i--)
		ln = RANDOM_LN[i] + f * ln;
	ln = -2.0f * (f * ln + (float)(exponent - 31) * 0.693147180559945f);
	return ln > 0.0f ? ln : 0.0f;
}

/* Two words to two Gaussian numbers: a radius, and an angle of which two bits are the quadrant. */
static inline void random_box_muller(uint32_t w0, uint32_t w1, float *ret_a, float *ret_b)
{
	const float radius = sqrtf(random_minus_two_ln(w0));
	const float t = (float)(int32_t)(w1 << 2) * 3.6572951e-10f; /* pi/4 / 2^31 */
	const float tt = t * t;
	const float s = t * (1.0f + tt * (-1.0f / 6 + tt * (1.0f / 120 + tt * (-1.0f / 5040))));
	const float c =
	    1.0f + tt * (-0.5f + tt * (1.0f / 24 + tt * (-1.0f / 720 + tt * (1.0f / 40320))));
	const float a = radius * c, b = radius * s;
	const float sign = w1 >> 31 ? -1.0f : 1.0f;
	const float turned = w1 >> 30 & 1 ? -b : a;

	*ret_a = sign * turned;
	*ret_b = sign * (w1 >> 30 & 1 ? a : b);
}

static inline void random_chunk_gauss(const struct random_lanes *x, float *restrict out)
{
	for (int l = 0; l < RANDOM_LANES; l++)
		random_box_muller(x->word[0][l], x->word[1][l], &out[l], &out[RANDOM_LANES + l]);
	for (int l = 0; l < RANDOM_LANES; l++)
		random_box_muller(x->word[2][l], x->word[3][l], &out[2 * RANDOM_LANES + l],
		    &out[3 * RANDOM_LANES + l]);
}

static inline void random_level_gauss(uint64_t seed, uint64_t index, float *ret_numbers, uint32_t n)
{
	struct random_lanes x;
	float chunk[RANDOM_CHUNK];

	for (uint32_t done = 0; done < n; done += RANDOM_CHUNK) {
		const uint32_t len = n - done < RANDOM_CHUNK ? n - done : RANDOM_CHUNK;

		random_chunk(seed, index, RANDOM_GAUSS, done / RANDOM_CHUNK, &x);
		if (len == RANDOM_CHUNK) {
			random_chunk_gauss(&x, ret_numbers + done);
		} else {
			random_chunk_gauss(&x, chunk);
			memcpy(ret_numbers + done, chunk, len * sizeof(float));
		}
	}
}

static inline void random_scale_add(
    const float *in, const float *restrict numbers, float sigma, float *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = in[i] + sigma * numbers[i];
}

static inline void random_level_add_gauss(
    uint64_t seed, uint64_t index, const float *in, float sigma, float *out, uint32_t n)
{
	struct random_lanes x;
	float chunk[RANDOM_CHUNK];

	for (uint32_t done = 0; done < n; done += RANDOM_CHUNK) {
		random_chunk(seed, index, RANDOM_GAUSS, done / RANDOM_CHUNK, &x);
		random_chunk_gauss(&x, chunk);
		random_scale_add(in + done, chunk, sigma, out + done,
		    n - done < RANDOM_CHUNK ? n - done : RANDOM_CHUNK);
	}
}

#define RANDOM_TABLE                                                                               \
	{                                                                                          \
		random_level_words, random_level_bits, random_level_gauss, random_level_add_gauss  \
	}

#endif
