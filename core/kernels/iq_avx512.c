/* SPDX-License-Identifier: BSD-3-Clause
 * iq for AVX-512: a mask at the end, so that packets of any length need no loop of single
 * values. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "core/kernels/iq_loops.h"

enum { AT_ONCE = 16 };

/* The first of sixteen, as many as there are. */
static inline __mmask16 mask_of(size_t values)
{
	return values < AT_ONCE ? (__mmask16)((1u << values) - 1) : 0xffff;
}

static inline void to16(const uint8_t *iq, float *out, __mmask16 mask)
{
	const __m256i words = _mm256_maskz_loadu_epi16(mask, iq);
	const __m512 values = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(words));

	_mm512_mask_storeu_ps(out, mask, _mm512_mul_ps(values, _mm512_set1_ps(1 / IQ_ONE)));
}

/* Sixteen values; one more in each lane of *unfit for what is not as it was. */
static inline __m512i from16(__m512 in, __m512i *unfit)
{
	const __m512 x = _mm512_mul_ps(in, _mm512_set1_ps(IQ_ONE));
	const __m512 limited =
	    _mm512_min_ps(_mm512_max_ps(x, _mm512_set1_ps(IQ_LEAST)), _mm512_set1_ps(IQ_MOST));
	const __mmask16 differ = _mm512_cmp_ps_mask(limited, x, _CMP_NEQ_UQ);

	*unfit = _mm512_mask_add_epi32(*unfit, differ, *unfit, _mm512_set1_epi32(1));
	return _mm512_maskz_cvtps_epi32(_mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), limited);
}

static void avx512_to_f32(const uint8_t *iq, float *out, uint32_t n)
{
	const size_t values = 2 * (size_t)n;
	size_t i = 0;

	for (; i + AT_ONCE <= values; i += AT_ONCE)
		to16(iq + 2 * i, out + i, 0xffff);
	if (i < values)
		to16(iq + 2 * i, out + i, mask_of(values - i));
}

/* From value i on, each limited and looked at. 32 at a time: packed lane by lane, then the lanes in
 * their order. */
static uint32_t limited_from_f32(const float *in, uint8_t *iq, size_t values, size_t i)
{
	const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
	__m512i unfit = _mm512_setzero_si512();

	for (; i + 2 * AT_ONCE <= values; i += 2 * AT_ONCE) {
		const __m512i low = from16(_mm512_loadu_ps(in + i), &unfit);
		const __m512i high = from16(_mm512_loadu_ps(in + i + AT_ONCE), &unfit);

		_mm512_storeu_si512(
		    iq + 2 * i, _mm512_permutexvar_epi64(order, _mm512_packs_epi32(low, high)));
	}
	for (; i < values; i += AT_ONCE) {
		const __mmask16 mask = mask_of(values - i);
		const __m512i whole = from16(_mm512_maskz_loadu_ps(mask, in + i), &unfit);

		_mm256_mask_storeu_epi16(iq + 2 * i, mask, _mm512_cvtepi32_epi16(whole));
	}
	return (uint32_t)_mm512_reduce_add_epi32(unfit);
}

static inline __m512i rounded16(const float *in)
{
	return _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(in), _mm512_set1_ps(IQ_ONE)));
}

/* What does not fit becomes a word at either limit: NaN and what no integer holds are INT_MIN
 * first. Where no word is there, everything fitted; else all are looked at. */
static uint32_t avx512_from_f32(const float *in, uint8_t *iq, uint32_t n)
{
	const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
	const size_t values = 2 * (size_t)n, whole = values & ~(size_t)(2 * AT_ONCE - 1);
	__m512i most = _mm512_setzero_si512(), least = most;

	for (size_t i = 0; i < whole; i += 2 * AT_ONCE) {
		const __m512i packed =
		    _mm512_packs_epi32(rounded16(in + i), rounded16(in + i + AT_ONCE));

		most = _mm512_max_epi16(most, packed);
		least = _mm512_min_epi16(least, packed);
		_mm512_storeu_si512(iq + 2 * i, _mm512_permutexvar_epi64(order, packed));
	}
	if ((_mm512_cmpeq_epi16_mask(most, _mm512_set1_epi16(INT16_MAX)) |
	        _mm512_cmpeq_epi16_mask(least, _mm512_set1_epi16(INT16_MIN))) != 0)
		return limited_from_f32(in, iq, values, 0);
	return limited_from_f32(in, iq, values, whole);
}

const struct iq_kernels iq_avx512 = {avx512_to_f32, avx512_from_f32};
#endif
