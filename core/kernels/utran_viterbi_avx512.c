/* SPDX-License-Identifier: BSD-3-Clause
 * utran_viterbi - AVX-512: all 256 metrics stay in eight registers. */
#if defined(__x86_64__)
#include "core/kernels/utran_viterbi.h"

#include <immintrin.h>
#include <string.h>

enum { LANES = 32, REGISTERS = UTRAN_VITERBI_STATES / LANES, PAIRS = REGISTERS / 2 };

/* States 2j and 2j + 1 for the 32 j of register r. */
static inline __attribute__((always_inline)) void butterflies(
    const __m512i *old, __m512i *new, __m512i m, int r, uint8_t *decisions)
{
	/* Where the halves of `even` and `odd`, interleaved, belong. */
	const __m512i first = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
	const __m512i second = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
	const __m512i a = old[r], b = old[r + PAIRS], less = _mm512_sub_epi16(a, b),
	              twice = _mm512_add_epi16(m, m);
	const __mmask32 from_b0 = _mm512_movepi16_mask(_mm512_add_epi16(less, twice));
	const __mmask32 from_b1 = _mm512_movepi16_mask(_mm512_sub_epi16(less, twice));
	const __m512i even = _mm512_mask_sub_epi16(_mm512_add_epi16(a, m), from_b0, b, m);
	const __m512i odd = _mm512_mask_add_epi16(_mm512_sub_epi16(a, m), from_b1, b, m);
	const __m512i low = _mm512_unpacklo_epi16(even, odd),
	              high = _mm512_unpackhi_epi16(even, odd);

	new[2 * r] = _mm512_permutex2var_epi64(low, first, high);
	new[2 * r + 1] = _mm512_permutex2var_epi64(low, second, high);
	memcpy(decisions + 4 * r, &from_b0, sizeof(from_b0));
	memcpy(decisions + 4 * (r + PAIRS), &from_b1, sizeof(from_b1));
}

static void select_avx512(const int16_t (*branches)[8], const uint8_t *select, uint32_t steps,
    int16_t *metrics, uint8_t (*ret_decisions)[UTRAN_VITERBI_DECISION_BYTES])
{
	__m512i old[REGISTERS], new[REGISTERS], pattern[PAIRS];

	for (int r = 0; r < PAIRS; r++)
		pattern[r] = _mm512_loadu_si512(select + 2 * r * LANES);
	for (int r = 0; r < REGISTERS; r++)
		old[r] = _mm512_loadu_si512(metrics + r * LANES);
	for (uint32_t t = 0; t < steps; t++) {
		const __m512i branch =
		    _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)branches[t]));

		for (int r = 0; r < PAIRS; r++)
			butterflies(
			    old, new, _mm512_shuffle_epi8(branch, pattern[r]), r, ret_decisions[t]);
		for (int r = 0; r < REGISTERS; r++)
			old[r] = new[r];
	}
	for (int r = 0; r < REGISTERS; r++)
		_mm512_storeu_si512(metrics + r * LANES, old[r]);
}

const struct utran_viterbi_kernels utran_viterbi_avx512 = {select_avx512};
#endif
