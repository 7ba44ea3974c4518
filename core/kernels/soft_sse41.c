/* SPDX-License-Identifier: BSD-3-Clause
 * soft for SSE4.1: what a compiler does not find by itself is how to bring 32 bits to 16. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

static inline __m128 f32_4(const float *in)
{
	return _mm_loadu_ps(in);
}

static inline __m128 re_f32_4(const float *in)
{
	return _mm_shuffle_ps(_mm_loadu_ps(in), _mm_loadu_ps(in + 4), 0x88);
}

static inline __m128 i16_4(const int16_t *in)
{
	return _mm_cvtepi32_ps(_mm_cvtepi16_epi32(_mm_loadl_epi64((const __m128i *)in)));
}

static inline __m128 re_i16_4(const int16_t *in)
{
	const __m128i both = _mm_loadu_si128((const __m128i *)in);

	return _mm_cvtepi32_ps(_mm_srai_epi32(_mm_slli_epi32(both, 16), 16));
}

/* Soft bits of 4 values; NaN becomes 0. */
static inline __m128i soft4(__m128 values, float factor)
{
	const __m128 x = _mm_mul_ps(values, _mm_set1_ps(factor));
	const __m128 limited = _mm_min_ps(_mm_max_ps(x, _mm_set1_ps(-32767)), _mm_set1_ps(32767));

	return _mm_cvtps_epi32(_mm_and_ps(limited, _mm_cmpord_ps(x, x)));
}

static inline void soft8(int16_t *llr, __m128 low, __m128 high, float factor)
{
	_mm_storeu_si128((__m128i *)llr, _mm_packs_epi32(soft4(low, factor), soft4(high, factor)));
}

#define SOFT_16
#include "core/kernels/soft_16.h"

const struct soft_kernels soft_sse41 = SOFT_16_TABLE;
#endif
