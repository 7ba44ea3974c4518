/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_encoder_words.h - the coder of utran_turbo_encoder.h on words of 64
 * bits, the first in bit 0.
 *
 * A source of a level defines WORDS_PACK, WORDS_SPREAD and WORDS_INTERLEAVE before it includes
 * this; encode_words is then its coder.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_ENCODER_WORDS_H
#define CORE_KERNELS_UTRAN_TURBO_ENCODER_WORDS_H

#include <string.h>

#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_encoder.h"

extern const struct utran_turbo_encoder_kernels utran_turbo_encoder_sse41, utran_turbo_encoder_avx2,
    utran_turbo_encoder_avx512, utran_turbo_encoder_neon;

#ifdef WORDS_PACK

enum { WORDS = UTRAN_BIT_GATHER_WORDS };

/* One recursive coder, after some words. */
struct word_coder {
	uint64_t u, a; /* the last word of its input, and of what entered its register */
};

/* `word` as if delayed by n steps, with what came before it. */
static inline uint64_t word_delay(uint64_t word, uint64_t before, int n)
{
	return word << n | before >> (64 - n);
}

/* 64 steps: their parity. */
static inline uint64_t word_coder_step(struct word_coder *c, uint64_t u)
{
	const uint64_t carry = (c->a >> 57) * 0x8102040810204081; /* seven bits, again and again */
	uint64_t a = u ^ word_delay(u, c->u, 2) ^ word_delay(u, c->u, 3) ^ word_delay(u, c->u, 4);
	uint64_t z;

	a ^= a << 7;
	a ^= a << 14;
	a ^= a << 28;
	a ^= a << 56;
	a ^= carry;
	z = a ^ word_delay(a, c->a, 1) ^ word_delay(a, c->a, 3);
	c->u = u;
	c->a = a;
	return z;
}

/* The tail of a coder whose register took in bit k - 1 last: `last` is that word, `before` the one
 * ahead of it. */
static inline void word_coder_end(uint64_t last, uint64_t before, uint32_t k, uint8_t *out)
{
	const uint32_t shift = (k - 1) % 64;
	const uint64_t a = shift < 2 ? word_delay(last, before, 2) >> shift : last >> (shift - 2);

	utran_turbo_tail(a >> 2 & 1, a >> 1 & 1, a & 1, out);
}

static inline void words_pack(const uint8_t *in, uint32_t k, uint64_t *words)
{
	uint8_t rest[64] = {0};

	for (uint32_t i = 0; i < k / 64; i++)
		words[i] = WORDS_PACK(in + 64 * i);
	memcpy(rest, in + k / 64 * 64, k % 64);
	words[k / 64] = WORDS_PACK(rest);
}

/* The second coder's bits, one by one. */
static inline void words_gather(
    const struct utran_turbo_encoder *e, const uint8_t *in, uint64_t *words)
{
	uint8_t second[UTRAN_TURBO_K_MAX];

	for (uint32_t i = 0; i < e->k; i++)
		second[i] = in[e->pi[i]];
	words_pack(second, e->k, words);
}

static inline void encode_words(
    const struct utran_turbo_encoder *e, const uint8_t *in, uint8_t *out)
{
	_Alignas(64) uint64_t first[WORDS], second[WORDS];
	struct word_coder one = {0, 0}, two = {0, 0}, one_before = {0, 0}, two_before = {0, 0};
	const uint32_t k = e->k, full = k / 64;
	uint8_t rest[3 * 64];

	words_pack(in, k, first);
	WORDS_INTERLEAVE(e, in, first, second);
	for (uint32_t i = 0; i < full; i++) {
		const uint64_t u = first[i];
		uint64_t z;
		one_before = one;
		two_before = two;
		z = word_coder_step(&one, u);
		WORDS_SPREAD(in + 64 * i, u, z, word_coder_step(&two, second[i]), out + 192 * i);
	}
	if (k % 64) {
		const uint64_t u = first[full];
		uint8_t last[64] = {0};
		uint64_t z;
		memcpy(last, in + 64 * full, k % 64);
		one_before = one;
		two_before = two;
		z = word_coder_step(&one, u);
		WORDS_SPREAD(last, u, z, word_coder_step(&two, second[full]), rest);
		memcpy(out + 192 * full, rest, 3 * (k % 64));
	}
	word_coder_end(one.a, one_before.a, k, out + 3 * k);
	word_coder_end(two.a, two_before.a, k, out + 3 * k + 6);
}

#endif

#endif
