/* SPDX-License-Identifier: BSD-3-Clause
 * soft for SSE4.1: what a compiler does not find by itself is how to bring 32 bits to 16. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "core/kernels/soft_loops.h"

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
static inline __m128i soft4(__m128 values, __m128 factor)
{
	const __m128 x = _mm_mul_ps(values, factor);
	const __m128 limited = _mm_min_ps(_mm_max_ps(x, _mm_set1_ps(-32767)), _mm_set1_ps(32767));

	return _mm_cvtps_epi32(_mm_and_ps(limited, _mm_cmpord_ps(x, x)));
}

#define SOFT_SSE41(name, type, step)                                                                                   \
	static void sse41_##name(const type *restrict in, float factor, int16_t *restrict llr, uint32_t n)             \
	{                                                                                                              \
		const __m128 factors = _mm_set1_ps(factor);                                                            \
		uint32_t i = 0;                                                                                        \
                                                                                                                       \
		for (; i + 8 <= n; i += 8) {                                                                           \
			const type *from = in + (step) * (size_t)i;                                                    \
			const __m128i low = soft4(name##_4(from), factors);                                            \
			const __m128i high = soft4(name##_4(from + (step)*4), factors);                                \
                                                                                                                       \
			_mm_storeu_si128((__m128i *)(llr + i), _mm_packs_epi32(low, high));                            \
		}                                                                                                      \
		soft_##name(in + (step) * (size_t)i, factor, llr + i, n - i);                                          \
	}
SOFT_SSE41(f32, float, 1)
SOFT_SSE41(i16, int16_t, 1)
SOFT_SSE41(re_f32, float, 2)
SOFT_SSE41(re_i16, int16_t, 2)

const struct soft_kernels soft_sse41 = {soft_map_f32, soft_map_i16, soft_map_re_f32, soft_map_re_i16,
					sse41_f32,    sse41_i16,    sse41_re_f32,    sse41_re_i16,
					hard_f32,     hard_i16,     hard_re_f32,     hard_re_i16};
#endif
