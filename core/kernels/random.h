/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/random.h - random numbers that depend on (seed, index) and on nothing else.
 *
 * A random component must make the same message for index k however often it was called before, on
 * whichever machine: so there is no state to carry. The generator is Philox4x32-10 (Salmon, Moraes,
 * Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11): ten rounds of multiply and xor
 * turn a 128-bit counter and a 64-bit key into 128 random bits. It passes BigCrush, and two
 * different (key, counter) pairs can never run into each other's sequence. Here
 *
 * 	key     = seed (low word, high word)
 * 	counter = block number in the message, purpose, index (low word, high word)
 *
 * where the purpose keeps bits and noise of one seed apart. Gaussian numbers come from Box and
 * Muller's transform with polynomials of its own for logarithm, sine and cosine: only IEEE add,
 * multiply and square root, in a fixed order, so the same bits on every machine, with any compiler
 * that keeps to the standard; and no table and no branch, so that the loops vectorise (about 5 ns
 * per number on a 2.x GHz x86-64 with plain SSE2; random_kernels has faster ones). The largest
 * magnitude is 6.66.
 *
 * `n` is free, up to 2^31. A shorter message is the beginning of a longer one.
 */
#ifndef ALOE_KERNELS_RANDOM_H
#define ALOE_KERNELS_RANDOM_H

#include <stdint.h>

#include "core/base/simd.h"

enum random_purpose { RANDOM_WORDS = 0, RANDOM_BITS = 1, RANDOM_GAUSS = 2, RANDOM_FADING = 3 };

/* random_philox is one block: Philox4x32-10 of counter and key. The published test vectors hold for
 * it. */
void random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t ret_words[4]);

/* random_words gives n uniform 32-bit numbers. */
void random_words(uint64_t seed, uint64_t index, uint32_t *ret_words, uint32_t n);

/* random_bits gives n bits, one per byte, 0 or 1. */
void random_bits(uint64_t seed, uint64_t index, uint8_t *ret_bits, uint32_t n);

/* random_gauss gives n independent Gaussian numbers of mean 0 and variance 1. */
void random_gauss(uint64_t seed, uint64_t index, float *ret_numbers, uint32_t n);

/* The same at every vector level, to the bit. add_gauss gives in[i] + sigma * number i; `in` and
 * `out` are the same or do not overlap. */
struct random_kernels {
	void (*words)(uint64_t seed, uint64_t index, uint32_t *ret_words, uint32_t n);
	void (*bits)(uint64_t seed, uint64_t index, uint8_t *ret_bits, uint32_t n);
	void (*gauss)(uint64_t seed, uint64_t index, float *ret_numbers, uint32_t n);
	void (*add_gauss)(
	    uint64_t seed, uint64_t index, const float *in, float sigma, float *out, uint32_t n);
};

/* random_kernels gives the functions of a level. */
const struct random_kernels *random_kernels(enum simd_level level);

/* The tables behind it; those with an x86-64 level's name exist there only. */
extern const struct random_kernels random_plain, random_avx2, random_avx512;

#endif
