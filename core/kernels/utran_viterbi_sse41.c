/* SPDX-License-Identifier: BSD-3-Clause
 * utran_viterbi - SSE4.1: eight pairs of states at a time. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define LANES 8

typedef __m128i vector;

static inline vector metrics_load(const int16_t *from)
{
	return _mm_loadu_si128((const __m128i *)from);
}

static inline vector pattern_load(const int16_t *branches)
{
	return metrics_load(branches);
}

static inline vector pattern_look_up(vector pattern, const uint8_t *bytes)
{
	return _mm_shuffle_epi8(pattern, _mm_loadu_si128((const __m128i *)bytes));
}

static inline vector metrics_add(vector a, vector b)
{
	return _mm_add_epi16(a, b);
}

static inline vector metrics_sub(vector a, vector b)
{
	return _mm_sub_epi16(a, b);
}

static inline vector metrics_larger(vector a, vector b, vector *ret_less)
{
	*ret_less = _mm_sub_epi16(a, b);
	return _mm_add_epi16(b, _mm_max_epi16(*ret_less, _mm_setzero_si128()));
}

static inline void metrics_zip(vector even, vector odd, int16_t *to)
{
	_mm_storeu_si128((__m128i *)to, _mm_unpacklo_epi16(even, odd));
	_mm_storeu_si128((__m128i *)(to + LANES), _mm_unpackhi_epi16(even, odd));
}

static inline void signs_store(vector low, vector high, uint8_t *to)
{
	const uint16_t signs = (uint16_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));

	memcpy(to, &signs, sizeof(signs));
}

#include "core/kernels/utran_viterbi_loops.h"

const struct utran_viterbi_kernels utran_viterbi_sse41 = {select_states};
#endif
