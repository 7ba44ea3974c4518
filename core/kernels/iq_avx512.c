/* SPDX-License-Identifier: BSD-3-Clause
 * iq for AVX-512: a mask at the end, so that packets of any length need no loop of single values. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "core/kernels/iq_loops.h"

enum { AT_ONCE = 16 };

static inline void to16(const uint8_t *iq, float *out, __mmask16 mask)
{
	const __m256i words = _mm256_maskz_loadu_epi16(mask, iq);
	const __m512 values = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(words));

	_mm512_mask_storeu_ps(out, mask, _mm512_mul_ps(values, _mm512_set1_ps(1 / IQ_ONE)));
}

static inline uint32_t from16(const float *in, uint8_t *iq, __mmask16 mask)
{
	const __m512 x = _mm512_mul_ps(_mm512_maskz_loadu_ps(mask, in), _mm512_set1_ps(IQ_ONE));
	const __m512 limited = _mm512_min_ps(_mm512_max_ps(x, _mm512_set1_ps(IQ_LEAST)), _mm512_set1_ps(IQ_MOST));
	const __m512i whole = _mm512_maskz_cvtps_epi32(_mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), limited);

	_mm256_mask_storeu_epi16(iq, mask, _mm512_cvtepi32_epi16(whole));
	return (uint32_t)__builtin_popcount(_mm512_cmp_ps_mask(limited, x, _CMP_NEQ_UQ));
}

static void avx512_to_f32(const uint8_t *iq, float *out, uint32_t n)
{
	const size_t values = 2 * (size_t)n;
	size_t i = 0;

	for (; i + AT_ONCE <= values; i += AT_ONCE)
		to16(iq + 2 * i, out + i, 0xffff);
	if (i < values)
		to16(iq + 2 * i, out + i, (__mmask16)((1u << (values - i)) - 1));
}

static uint32_t avx512_from_f32(const float *in, uint8_t *iq, uint32_t n)
{
	const size_t values = 2 * (size_t)n;
	uint32_t unfit = 0;
	size_t i = 0;

	for (; i + AT_ONCE <= values; i += AT_ONCE)
		unfit += from16(in + i, iq + 2 * i, 0xffff);
	if (i < values)
		unfit += from16(in + i, iq + 2 * i, (__mmask16)((1u << (values - i)) - 1));
	return unfit;
}

const struct iq_kernels iq_avx512 = {avx512_to_f32, avx512_from_f32};
#endif
