/* SPDX-License-Identifier: BSD-3-Clause
 * utran_viterbi - SSE4.1: eight pairs of states at a time. */
#if defined(__x86_64__)
#include "core/kernels/utran_viterbi.h"

#include <immintrin.h>
#include <string.h>

enum { LANES = 8, HALF = UTRAN_VITERBI_STATES / 2 };

/* The larger of two metrics that wrap around; ret_less is negative where `a` is the smaller. */
static inline __m128i larger(__m128i a, __m128i b, __m128i *ret_less)
{
	*ret_less = _mm_sub_epi16(a, b);
	return _mm_add_epi16(b, _mm_max_epi16(*ret_less, _mm_setzero_si128()));
}

/* States 2j and 2j + 1 for eight j from `j` on; ret_less says where each comes from. */
static inline void butterflies(const int16_t *old, int16_t *new, __m128i branches, const uint8_t *select, uint32_t j,
			       __m128i ret_less[2])
{
	const __m128i m = _mm_shuffle_epi8(branches, _mm_loadu_si128((const __m128i *)(select + 2 * j)));
	const __m128i a = _mm_loadu_si128((const __m128i *)(old + j));
	const __m128i b = _mm_loadu_si128((const __m128i *)(old + j + HALF));
	const __m128i even = larger(_mm_add_epi16(a, m), _mm_sub_epi16(b, m), &ret_less[0]);
	const __m128i odd = larger(_mm_sub_epi16(a, m), _mm_add_epi16(b, m), &ret_less[1]);

	_mm_storeu_si128((__m128i *)(new + 2 * j), _mm_unpacklo_epi16(even, odd));
	_mm_storeu_si128((__m128i *)(new + 2 * j + LANES), _mm_unpackhi_epi16(even, odd));
}

static inline void store_signs(__m128i low, __m128i high, uint8_t *to)
{
	const uint16_t signs = (uint16_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));

	memcpy(to, &signs, sizeof(signs));
}

static void select_sse41(const int16_t (*branches)[8], const uint8_t *select, uint32_t steps, int16_t *metrics,
			 uint8_t (*ret_decisions)[UTRAN_VITERBI_DECISION_BYTES])
{
	int16_t other[UTRAN_VITERBI_STATES], *old = metrics, *new = other;

	for (uint32_t t = 0; t < steps; t++) {
		const __m128i branch = _mm_loadu_si128((const __m128i *)branches[t]);
		int16_t *swap = old;

		for (uint32_t j = 0; j < HALF; j += 2 * LANES) {
			__m128i low[2], high[2];
			butterflies(old, new, branch, select, j, low);
			butterflies(old, new, branch, select, j + LANES, high);
			store_signs(low[0], high[0], ret_decisions[t] + j / 8);
			store_signs(low[1], high[1], ret_decisions[t] + (j + HALF) / 8);
		}
		old = new;
		new = swap;
	}
	if (old != metrics)
		memcpy(metrics, old, sizeof(other));
}

const struct utran_viterbi_kernels utran_viterbi_sse41 = {select_sse41};
#endif
