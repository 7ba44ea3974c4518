/* SPDX-License-Identifier: BSD-3-Clause
 * utran_viterbi - AVX2: sixteen pairs of states at a time. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define LANES 16

typedef __m256i vector;

static inline vector metrics_load(const int16_t *from)
{
	return _mm256_loadu_si256((const __m256i *)from);
}

static inline vector pattern_load(const int16_t *branches)
{
	return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)branches));
}

static inline vector pattern_look_up(vector pattern, const uint8_t *bytes)
{
	return _mm256_shuffle_epi8(pattern, _mm256_loadu_si256((const __m256i *)bytes));
}

static inline vector metrics_add(vector a, vector b)
{
	return _mm256_add_epi16(a, b);
}

static inline vector metrics_sub(vector a, vector b)
{
	return _mm256_sub_epi16(a, b);
}

static inline vector metrics_larger(vector a, vector b, vector *ret_less)
{
	*ret_less = _mm256_sub_epi16(a, b);
	return _mm256_add_epi16(b, _mm256_max_epi16(*ret_less, _mm256_setzero_si256()));
}

/* Unpacking stays in 128-bit halves, which are then put in order. */
static inline void metrics_zip(vector even, vector odd, int16_t *to)
{
	const vector low = _mm256_unpacklo_epi16(even, odd),
	             high = _mm256_unpackhi_epi16(even, odd);

	_mm256_storeu_si256((__m256i *)to, _mm256_permute2x128_si256(low, high, 0x20));
	_mm256_storeu_si256((__m256i *)(to + LANES), _mm256_permute2x128_si256(low, high, 0x31));
}

static inline void signs_store(vector low, vector high, uint8_t *to)
{
	const vector packed = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
	const uint32_t signs = (uint32_t)_mm256_movemask_epi8(packed);

	memcpy(to, &signs, sizeof(signs));
}

#include "core/kernels/utran_viterbi_loops.h"

const struct utran_viterbi_kernels utran_viterbi_avx2 = {select_states};
#endif
