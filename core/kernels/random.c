/* SPDX-License-Identifier: BSD-3-Clause
 * Random numbers keyed by (seed, index): Philox4x32-10, Box-Muller. See random.h. */
#include "core/kernels/random.h"

#include <math.h>
#include <string.h>

/* So many blocks are made together, lane by lane, for the compiler to vectorise: word w of lane l is number w * LANES +
 * l of its chunk. */
enum { LANES = 16, CHUNK = 4 * LANES, ROUNDS = 10 };

struct lanes {
	uint32_t word[4][LANES];
};

static inline void philox_round(struct lanes *x, uint32_t key0, uint32_t key1)
{
	for (int l = 0; l < LANES; l++) {
		const uint64_t a = (uint64_t)0xd2511f53u * x->word[0][l];
		const uint64_t b = (uint64_t)0xcd9e8d57u * x->word[2][l];
		const uint32_t one = x->word[1][l], three = x->word[3][l];

		x->word[0][l] = (uint32_t)(b >> 32) ^ one ^ key0;
		x->word[1][l] = (uint32_t)b;
		x->word[2][l] = (uint32_t)(a >> 32) ^ three ^ key1;
		x->word[3][l] = (uint32_t)a;
	}
}

static inline void philox_lanes(struct lanes *x, uint32_t key0, uint32_t key1)
{
	for (int r = 0; r < ROUNDS; r++) {
		philox_round(x, key0, key1);
		key0 += 0x9e3779b9u;
		key1 += 0xbb67ae85u;
	}
}

void random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t ret_words[4])
{
	struct lanes x = {0};

	for (int w = 0; w < 4; w++)
		x.word[w][0] = counter[w];
	philox_lanes(&x, key[0], key[1]);
	for (int w = 0; w < 4; w++)
		ret_words[w] = x.word[w][0];
}

/* chunk_words makes chunk `chunk` (CHUNK numbers) of a message. */
static void chunk_words(uint64_t seed, uint64_t index, enum random_purpose purpose, uint32_t chunk, struct lanes *ret_x)
{
	for (uint32_t l = 0; l < LANES; l++) {
		ret_x->word[0][l] = chunk * LANES + l;
		ret_x->word[1][l] = purpose;
		ret_x->word[2][l] = (uint32_t)index;
		ret_x->word[3][l] = (uint32_t)(index >> 32);
	}
	philox_lanes(ret_x, (uint32_t)seed, (uint32_t)(seed >> 32));
}

void random_words(uint64_t seed, uint64_t index, uint32_t *ret_words, uint32_t n)
{
	struct lanes x;

	for (uint32_t done = 0; done < n; done += CHUNK) {
		const uint32_t len = n - done < CHUNK ? n - done : CHUNK;

		chunk_words(seed, index, RANDOM_WORDS, done / CHUNK, &x);
		memcpy(ret_words + done, x.word, len * sizeof(uint32_t));
	}
}

void random_bits(uint64_t seed, uint64_t index, uint8_t *ret_bits, uint32_t n)
{
	const uint32_t *word = NULL;
	struct lanes x;

	for (uint32_t i = 0; i < n; i += 32) {
		const uint32_t len = n - i < 32 ? n - i : 32;

		if (i % (CHUNK * 32) == 0) {
			chunk_words(seed, index, RANDOM_BITS, i / (CHUNK * 32), &x);
			word = x.word[0];
		}
		for (uint32_t b = 0; b < len; b++)
			ret_bits[i + b] = *word >> b & 1;
		word++;
	}
}

/* ln(1 + f) / f for 1 + f in [sqrt(1/2), sqrt(2)): interpolated at the Chebyshev nodes, within 4e-8. */
static const float LN[] = {
    0.9999999741f,  -0.4999999638f, 0.3333419329f,  -0.2500135219f, 0.1995593336f,
    -0.1657799290f, 0.1497740128f,  -0.1426925821f, 0.0853331308f,
};

/* minus_two_ln gives -2 ln(u) for u = (w / 2 + 1/2) / 2^31, at least 0. */
static inline float minus_two_ln(uint32_t w)
{
	const float x = (float)(int32_t)(w >> 1) + 0.5f;
	int32_t bits, exponent;
	float f, ln;

	memcpy(&bits, &x, sizeof(bits));
	exponent = (bits - 0x3f3504f3) >> 23; /* of the mantissa in [sqrt(1/2), sqrt(2)) */
	bits -= exponent * (1 << 23);
	memcpy(&f, &bits, sizeof(f));
	f -= 1.0f;
	ln = LN[8];
	for (int i = 7; i >= 0; i--)
		ln = LN[i] + f * ln;
	ln = -2.0f * (f * ln + (float)(exponent - 31) * 0.693147180559945f);
	return ln > 0.0f ? ln : 0.0f;
}

/* Two words to two Gaussian numbers: a radius, and an angle of which two bits are the quadrant. */
static inline void box_muller(uint32_t w0, uint32_t w1, float *ret_a, float *ret_b)
{
	const float radius = sqrtf(minus_two_ln(w0));
	const float t = (float)(int32_t)(w1 << 2) * 3.6572951e-10f; /* pi/4 / 2^31 */
	const float tt = t * t;
	const float s = t * (1.0f + tt * (-1.0f / 6 + tt * (1.0f / 120 + tt * (-1.0f / 5040))));
	const float c = 1.0f + tt * (-0.5f + tt * (1.0f / 24 + tt * (-1.0f / 720 + tt * (1.0f / 40320))));
	const float a = radius * c, b = radius * s;
	const float sign = w1 >> 31 ? -1.0f : 1.0f;
	const float turned = w1 >> 30 & 1 ? -b : a;

	*ret_a = sign * turned;
	*ret_b = sign * (w1 >> 30 & 1 ? a : b);
}

static void chunk_gauss(const struct lanes *x, float *restrict out)
{
	for (int l = 0; l < LANES; l++)
		box_muller(x->word[0][l], x->word[1][l], &out[l], &out[LANES + l]);
	for (int l = 0; l < LANES; l++)
		box_muller(x->word[2][l], x->word[3][l], &out[2 * LANES + l], &out[3 * LANES + l]);
}

void random_gauss(uint64_t seed, uint64_t index, float *ret_numbers, uint32_t n)
{
	struct lanes x;
	float chunk[CHUNK];

	for (uint32_t done = 0; done < n; done += CHUNK) {
		const uint32_t len = n - done < CHUNK ? n - done : CHUNK;

		chunk_words(seed, index, RANDOM_GAUSS, done / CHUNK, &x);
		if (len == CHUNK) {
			chunk_gauss(&x, ret_numbers + done);
		} else {
			chunk_gauss(&x, chunk);
			memcpy(ret_numbers + done, chunk, len * sizeof(float));
		}
	}
}
