/* SPDX-License-Identifier: BSD-3-Clause
 * iq for AVX2. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "core/kernels/iq_loops.h"

/* Eight values; a bit in ret_unfit for each that is not as it was. */
static inline __m256i iq8(const float *in, int *ret_unfit)
{
	const __m256 x = _mm256_mul_ps(_mm256_loadu_ps(in), _mm256_set1_ps(IQ_ONE));
	const __m256 limited =
	    _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(IQ_LEAST)), _mm256_set1_ps(IQ_MOST));

	*ret_unfit = _mm256_movemask_ps(_mm256_cmp_ps(limited, x, _CMP_NEQ_UQ));
	return _mm256_cvtps_epi32(_mm256_and_ps(limited, _mm256_cmp_ps(x, x, _CMP_ORD_Q)));
}

/* From value i on, each limited and looked at. Packed half by half, then the halves in their
 * order. */
static uint32_t limited_from_f32(const float *in, uint8_t *iq, uint32_t n, size_t i)
{
	uint32_t unfit = 0;

	for (; i + 16 <= 2 * (size_t)n; i += 16) {
		int low, high;
		const __m256i packed =
		    _mm256_packs_epi32(iq8(in + i, &low), iq8(in + i + 8, &high));

		_mm256_storeu_si256(
		    (__m256i *)(void *)(iq + 2 * i), _mm256_permute4x64_epi64(packed, 0xd8));
		unfit += (uint32_t)__builtin_popcount((unsigned)(low | high << 8));
	}
	return unfit + iq_rest_from_f32(in, iq, n, i);
}

static inline __m256i rounded8(const float *in)
{
	return _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(in), _mm256_set1_ps(IQ_ONE)));
}

/* What does not fit becomes a word at either limit: NaN and what no integer holds are INT_MIN
 * first. Where no word is there, everything fitted; else all are looked at. */
static uint32_t avx2_from_f32(const float *in, uint8_t *iq, uint32_t n)
{
	const size_t whole = (2 * (size_t)n) & ~(size_t)15;
	__m256i most = _mm256_setzero_si256(), least = most;

	for (size_t i = 0; i < whole; i += 16) {
		const __m256i packed = _mm256_packs_epi32(rounded8(in + i), rounded8(in + i + 8));

		most = _mm256_max_epi16(most, packed);
		least = _mm256_min_epi16(least, packed);
		_mm256_storeu_si256(
		    (__m256i *)(void *)(iq + 2 * i), _mm256_permute4x64_epi64(packed, 0xd8));
	}
	most = _mm256_cmpeq_epi16(most, _mm256_set1_epi16(INT16_MAX));
	least = _mm256_cmpeq_epi16(least, _mm256_set1_epi16(INT16_MIN));
	if (_mm256_movemask_epi8(_mm256_or_si256(most, least)) != 0)
		return limited_from_f32(in, iq, n, 0);
	return limited_from_f32(in, iq, n, whole);
}

const struct iq_kernels iq_avx2 = {iq_loop_to_f32, avx2_from_f32};
#endif
