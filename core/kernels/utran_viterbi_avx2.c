/* SPDX-License-Identifier: BSD-3-Clause
 * utran_viterbi - AVX2: sixteen pairs of states at a time. */
#if defined(__x86_64__)
#include "core/kernels/utran_viterbi.h"

#include <immintrin.h>
#include <string.h>

enum { LANES = 16, HALF = UTRAN_VITERBI_STATES / 2 };

/* The larger of two metrics that wrap around; ret_less is negative where `a` is the smaller. */
static inline __m256i larger(__m256i a, __m256i b, __m256i *ret_less)
{
	*ret_less = _mm256_sub_epi16(a, b);
	return _mm256_add_epi16(b, _mm256_max_epi16(*ret_less, _mm256_setzero_si256()));
}

/* States 2j and 2j + 1 for sixteen j from `j` on; ret_less says where each comes from. */
static inline void butterflies(const int16_t *old, int16_t *new, __m256i branches, const uint8_t *select, uint32_t j,
			       __m256i ret_less[2])
{
	const __m256i m = _mm256_shuffle_epi8(branches, _mm256_loadu_si256((const __m256i *)(select + 2 * j)));
	const __m256i a = _mm256_loadu_si256((const __m256i *)(old + j));
	const __m256i b = _mm256_loadu_si256((const __m256i *)(old + j + HALF));
	const __m256i even = larger(_mm256_add_epi16(a, m), _mm256_sub_epi16(b, m), &ret_less[0]);
	const __m256i odd = larger(_mm256_sub_epi16(a, m), _mm256_add_epi16(b, m), &ret_less[1]);
	const __m256i low = _mm256_unpacklo_epi16(even, odd), high = _mm256_unpackhi_epi16(even, odd);

	_mm256_storeu_si256((__m256i *)(new + 2 * j), _mm256_permute2x128_si256(low, high, 0x20));
	_mm256_storeu_si256((__m256i *)(new + 2 * j + LANES), _mm256_permute2x128_si256(low, high, 0x31));
}

static inline void store_signs(__m256i low, __m256i high, uint8_t *to)
{
	const __m256i packed = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
	const uint32_t signs = (uint32_t)_mm256_movemask_epi8(packed);

	memcpy(to, &signs, sizeof(signs));
}

static void select_avx2(const int16_t (*branches)[8], const uint8_t *select, uint32_t steps, int16_t *metrics,
			uint8_t (*ret_decisions)[UTRAN_VITERBI_DECISION_BYTES])
{
	int16_t other[UTRAN_VITERBI_STATES], *old = metrics, *new = other;

	for (uint32_t t = 0; t < steps; t++) {
		const __m256i branch = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)branches[t]));
		int16_t *swap = old;

		for (uint32_t j = 0; j < HALF; j += 2 * LANES) {
			__m256i low[2], high[2];
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

const struct utran_viterbi_kernels utran_viterbi_avx2 = {select_avx2};
#endif
