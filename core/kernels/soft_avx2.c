/* SPDX-License-Identifier: BSD-3-Clause
 * soft for AVX2: what a compiler does not find by itself is how to bring 32 bits to 16 and every
 * second value together. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "core/kernels/soft_loops.h"

/* Eight values and how they come: re_f32_8 has 0 1 4 5 in its lower half, 2 3 6 7 in its upper
 * one. */
static inline __m256 f32_8(const float *in)
{
	return _mm256_loadu_ps(in);
}

static inline __m256 re_f32_8(const float *in)
{
	return _mm256_shuffle_ps(_mm256_loadu_ps(in), _mm256_loadu_ps(in + 8), 0x88);
}

static inline __m256 i16_8(const int16_t *in)
{
	return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)in)));
}

static inline __m256 re_i16_8(const int16_t *in)
{
	const __m256i both = _mm256_loadu_si256((const __m256i *)in);

	return _mm256_cvtepi32_ps(_mm256_srai_epi32(_mm256_slli_epi32(both, 16), 16));
}

/* Soft bits of 8 values; NaN becomes 0. */
static inline __m256i soft8(__m256 values, __m256 factor)
{
	const __m256 x = _mm256_mul_ps(values, factor);
	const __m256 limited =
	    _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(-32767)), _mm256_set1_ps(32767));

	return _mm256_cvtps_epi32(_mm256_and_ps(limited, _mm256_cmp_ps(x, x, _CMP_ORD_Q)));
}

/* 16 at a time: packed half by half, then the pairs in their order; the rest as in plain C. */
#define SOFT_AVX2(name, type, step, ...)                                                           \
	static void avx2_##name(                                                                   \
	    const type *restrict in, float factor, int16_t *restrict llr, uint32_t n)              \
	{                                                                                          \
		const __m256i order = _mm256_setr_epi32(__VA_ARGS__);                              \
		const __m256 factors = _mm256_set1_ps(factor);                                     \
		uint32_t i = 0;                                                                    \
                                                                                                   \
		for (; i + 16 <= n; i += 16) {                                                     \
			const type *from = in + (step) * (size_t)i;                                \
			const __m256i low = soft8(name##_8(from), factors);                        \
			const __m256i high = soft8(name##_8(from + (step)*8), factors);            \
			const __m256i packed = _mm256_packs_epi32(low, high);                      \
                                                                                                   \
			_mm256_storeu_si256(                                                       \
			    (__m256i *)(llr + i), _mm256_permutevar8x32_epi32(packed, order));     \
		}                                                                                  \
		soft_##name(in + (step) * (size_t)i, factor, llr + i, n - i);                      \
	}
SOFT_AVX2(f32, float, 1, 0, 1, 4, 5, 2, 3, 6, 7)
SOFT_AVX2(i16, int16_t, 1, 0, 1, 4, 5, 2, 3, 6, 7)
SOFT_AVX2(re_f32, float, 2, 0, 4, 1, 5, 2, 6, 3, 7)
SOFT_AVX2(re_i16, int16_t, 2, 0, 1, 4, 5, 2, 3, 6, 7)

/* 8 at a time: a byte becomes 64 bits, of which the lower half is the real part. */
static void avx2_map_re_f32(
    const uint8_t *restrict bits, float level, float *restrict out, uint32_t n)
{
	const __m256i word = _mm256_set1_epi64x(soft_word(level));
	uint32_t i = 0;

	for (; i + 8 <= n; i += 8) {
		const __m256i low = _mm256_cvtepu8_epi64(_mm_loadu_si32(bits + i));
		const __m256i high = _mm256_cvtepu8_epi64(_mm_loadu_si32(bits + i + 4));
		__m256i *to = (__m256i *)(void *)(out + 2 * (size_t)i);

		_mm256_storeu_si256(to, _mm256_xor_si256(_mm256_slli_epi32(low, 31), word));
		_mm256_storeu_si256(to + 1, _mm256_xor_si256(_mm256_slli_epi32(high, 31), word));
	}
	soft_map_re_f32(bits + i, level, out + 2 * (size_t)i, n - i);
}

const struct soft_kernels soft_avx2 = {soft_map_f32, soft_map_i16, avx2_map_re_f32, soft_map_re_i16,
    avx2_f32, avx2_i16, avx2_re_f32, avx2_re_i16, hard_f32, hard_i16, hard_re_f32, hard_re_i16};
#endif
