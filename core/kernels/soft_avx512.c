/* SPDX-License-Identifier: BSD-3-Clause
 * soft for AVX-512: as for AVX2, what a compiler does not find by itself. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "core/kernels/soft_loops.h"

/* 16 values and how they come: lane k of re_f32_16 has 2k, 2k + 1, 8 + 2k, 9 + 2k. */
static inline __m512 f32_16(const float *in)
{
	return _mm512_loadu_ps(in);
}

static inline __m512 re_f32_16(const float *in)
{
	return _mm512_shuffle_ps(_mm512_loadu_ps(in), _mm512_loadu_ps(in + 16), 0x88);
}

static inline __m512 i16_16(const int16_t *in)
{
	return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)in)));
}

static inline __m512 re_i16_16(const int16_t *in)
{
	return _mm512_cvtepi32_ps(
	    _mm512_srai_epi32(_mm512_slli_epi32(_mm512_loadu_si512(in), 16), 16));
}

/* Soft bits of 16 values; NaN becomes 0. */
static inline __m512i soft16(__m512 values, __m512 factor)
{
	const __m512 x = _mm512_mul_ps(values, factor);
	const __m512 limited =
	    _mm512_min_ps(_mm512_max_ps(x, _mm512_set1_ps(-32767)), _mm512_set1_ps(32767));

	return _mm512_maskz_cvtps_epi32(_mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), limited);
}

/* 32 at a time: packed lane by lane, then the pairs in their order; the rest as in plain C. */
#define SOFT_AVX512(name, type, step, ...)                                                         \
	static void avx512_##name(                                                                 \
	    const type *restrict in, float factor, int16_t *restrict llr, uint32_t n)              \
	{                                                                                          \
		const __m512i order = _mm512_setr_epi32(__VA_ARGS__);                              \
		const __m512 factors = _mm512_set1_ps(factor);                                     \
		uint32_t i = 0;                                                                    \
                                                                                                   \
		for (; i + 32 <= n; i += 32) {                                                     \
			const type *from = in + (step) * (size_t)i;                                \
			const __m512i low = soft16(name##_16(from), factors);                      \
			const __m512i high = soft16(name##_16(from + (step)*16), factors);         \
			const __m512i packed = _mm512_packs_epi32(low, high);                      \
                                                                                                   \
			_mm512_storeu_si512(llr + i, _mm512_permutexvar_epi32(order, packed));     \
		}                                                                                  \
		soft_##name(in + (step) * (size_t)i, factor, llr + i, n - i);                      \
	}
SOFT_AVX512(f32, float, 1, 0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15)
SOFT_AVX512(i16, int16_t, 1, 0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15)
SOFT_AVX512(re_f32, float, 2, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)
SOFT_AVX512(re_i16, int16_t, 2, 0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15)

/* 16 at a time: a byte becomes 64 bits, of which the lower half is the real part. */
static void avx512_map_re_f32(
    const uint8_t *restrict bits, float level, float *restrict out, uint32_t n)
{
	const __m512i word = _mm512_set1_epi64(soft_word(level));
	uint32_t i = 0;

	for (; i + 16 <= n; i += 16) {
		const __m512i low = _mm512_cvtepu8_epi64(_mm_loadu_si64(bits + i));
		const __m512i high = _mm512_cvtepu8_epi64(_mm_loadu_si64(bits + i + 8));

		_mm512_storeu_si512(
		    out + 2 * (size_t)i, _mm512_xor_si512(_mm512_slli_epi32(low, 31), word));
		_mm512_storeu_si512(
		    out + 2 * (size_t)i + 16, _mm512_xor_si512(_mm512_slli_epi32(high, 31), word));
	}
	soft_map_re_f32(bits + i, level, out + 2 * (size_t)i, n - i);
}

const struct soft_kernels soft_avx512 = {soft_map_f32, soft_map_i16, avx512_map_re_f32,
    soft_map_re_i16, avx512_f32, avx512_i16, avx512_re_f32, avx512_re_i16, hard_f32, hard_i16,
    hard_re_f32, hard_re_i16};
#endif
