/* SPDX-License-Identifier: BSD-3-Clause
 * Random numbers keyed by (seed, index): Philox4x32-10, Box-Muller. See random.h. */
#include "core/kernels/random_loops.h"
#include "core/kernels/levels.h"

void random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t ret_words[4])
{
	struct random_lanes x = {0};

	for (int w = 0; w < 4; w++)
		x.word[w][0] = counter[w];
	random_lanes_mix(&x, key[0], key[1]);
	for (int w = 0; w < 4; w++)
		ret_words[w] = x.word[w][0];
}

void random_words(uint64_t seed, uint64_t index, uint32_t *ret_words, uint32_t n)
{
	random_level_words(seed, index, ret_words, n);
}

void random_bits(uint64_t seed, uint64_t index, uint8_t *ret_bits, uint32_t n)
{
	random_level_bits(seed, index, ret_bits, n);
}

void random_gauss(uint64_t seed, uint64_t index, float *ret_numbers, uint32_t n)
{
	random_level_gauss(seed, index, ret_numbers, n);
}

const struct random_kernels random_plain = RANDOM_TABLE;

const struct random_kernels *random_kernels(enum simd_level level)
{
	static const struct random_kernels *const tables[SIMD_LEVELS] = KERNEL_LEVELS(
	    &random_plain, &random_plain, &random_avx2, &random_avx512, &random_plain);

	return tables[level];
}
