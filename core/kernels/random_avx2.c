/* SPDX-License-Identifier: BSD-3-Clause
 * random for AVX2: Philox of 8 blocks at a time, the even ones and the odd ones as 64-bit lanes of
 * which the lower half counts. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "core/kernels/random_lanes.h"

struct half {
	__m256i word[4];
};

static inline struct half half_round(struct half x, __m256i key0, __m256i key1)
{
	const __m256i a = _mm256_mul_epu32(x.word[0], _mm256_set1_epi64x(RANDOM_MULTIPLY_0));
	const __m256i b = _mm256_mul_epu32(x.word[2], _mm256_set1_epi64x(RANDOM_MULTIPLY_1));

	x.word[0] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(b, 32), x.word[1]), key0);
	x.word[1] = b;
	x.word[2] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(a, 32), x.word[3]), key1);
	x.word[3] = a;
	return x;
}

static inline struct half half_counters(__m256i blocks, uint64_t index, enum random_purpose purpose)
{
	return (struct half){{blocks, _mm256_set1_epi64x(purpose),
	    _mm256_set1_epi64x((int64_t)index), _mm256_set1_epi64x((int64_t)(index >> 32))}};
}

static inline void random_chunk(uint64_t seed, uint64_t index, enum random_purpose purpose,
    uint32_t chunk, struct random_lanes *ret_x)
{
	const __m256i blocks = _mm256_add_epi64(
	    _mm256_set1_epi64x((int64_t)chunk * RANDOM_LANES), _mm256_setr_epi64x(0, 2, 4, 6));

	for (int first = 0; first < RANDOM_LANES; first += 8) {
		const __m256i here = _mm256_add_epi64(blocks, _mm256_set1_epi64x(first));
		struct half even = half_counters(here, index, purpose);
		struct half odd =
		    half_counters(_mm256_add_epi64(here, _mm256_set1_epi64x(1)), index, purpose);
		uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);

#pragma GCC unroll 10
		for (int r = 0; r < RANDOM_ROUNDS; r++) {
			even = half_round(even, _mm256_set1_epi64x(key0), _mm256_set1_epi64x(key1));
			odd = half_round(odd, _mm256_set1_epi64x(key0), _mm256_set1_epi64x(key1));
			key0 += RANDOM_KEY_STEP_0;
			key1 += RANDOM_KEY_STEP_1;
		}
		for (int w = 0; w < 4; w++)
			_mm256_store_si256((__m256i *)&ret_x->word[w][first],
			    _mm256_blend_epi32(
			        even.word[w], _mm256_slli_epi64(odd.word[w], 32), 0xaa));
	}
}

static inline void random_spread(uint32_t word, uint8_t *out)
{
	const __m256i bytes =
	    _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
	const __m256i bit = _mm256_set1_epi64x((int64_t)0x8040201008040201);
	const __m256i spread =
	    _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32((int)word), bytes), bit);

	_mm256_storeu_si256((__m256i *)out, _mm256_min_epu8(spread, _mm256_set1_epi8(1)));
}

#define RANDOM_OWN
#include "core/kernels/random_loops.h"

const struct random_kernels random_avx2 = RANDOM_TABLE;
#endif
