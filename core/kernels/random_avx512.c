/* SPDX-License-Identifier: BSD-3-Clause
 * random for AVX-512: Philox of 16 blocks, the even ones and the odd ones as 64-bit lanes of which
 * the lower half counts. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "core/kernels/random_lanes.h"

struct half512 {
	__m512i word[4];
};

static inline struct half512 half_round(struct half512 x, __m512i key0, __m512i key1)
{
	const __m512i a = _mm512_mul_epu32(x.word[0], _mm512_set1_epi64(RANDOM_MULTIPLY_0));
	const __m512i b = _mm512_mul_epu32(x.word[2], _mm512_set1_epi64(RANDOM_MULTIPLY_1));

	x.word[0] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(b, 32), x.word[1], key0, 0x96);
	x.word[1] = b;
	x.word[2] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(a, 32), x.word[3], key1, 0x96);
	x.word[3] = a;
	return x;
}

static inline struct half512 half_counters(
    __m512i blocks, uint64_t index, enum random_purpose purpose)
{
	return (struct half512){{blocks, _mm512_set1_epi64(purpose),
	    _mm512_set1_epi64((int64_t)index), _mm512_set1_epi64((int64_t)(index >> 32))}};
}

static inline void random_chunk(uint64_t seed, uint64_t index, enum random_purpose purpose,
    uint32_t chunk, struct random_lanes *ret_x)
{
	const __m512i blocks = _mm512_add_epi64(_mm512_set1_epi64((int64_t)chunk * RANDOM_LANES),
	    _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14));
	struct half512 even = half_counters(blocks, index, purpose);
	struct half512 odd =
	    half_counters(_mm512_add_epi64(blocks, _mm512_set1_epi64(1)), index, purpose);
	uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);

#pragma GCC unroll 10
	for (int r = 0; r < RANDOM_ROUNDS; r++) {
		even = half_round(even, _mm512_set1_epi64(key0), _mm512_set1_epi64(key1));
		odd = half_round(odd, _mm512_set1_epi64(key0), _mm512_set1_epi64(key1));
		key0 += RANDOM_KEY_STEP_0;
		key1 += RANDOM_KEY_STEP_1;
	}
	for (int w = 0; w < 4; w++)
		_mm512_store_si512(ret_x->word[w],
		    _mm512_mask_blend_epi32(
		        0xaaaa, even.word[w], _mm512_slli_epi64(odd.word[w], 32)));
}

static inline void random_spread(uint32_t word, uint8_t *out)
{
	_mm256_storeu_si256((__m256i *)out, _mm256_maskz_set1_epi8(word, 1));
}

#define RANDOM_OWN
#include "core/kernels/random_loops.h"

const struct random_kernels random_avx512 = RANDOM_TABLE;
#endif
