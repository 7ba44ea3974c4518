/* SPDX-License-Identifier: BSD-3-Clause
 * Partitioned convolution for AVX2 and FMA: eight lanes. */
#if defined(__x86_64__)
#include <immintrin.h>

#define LANES 8
typedef __m256 vec;
#define V_ALL(x) _mm256_set1_ps(x)
#define V_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define V_FNMA(a, b, c) _mm256_fnmadd_ps(a, b, c)
#define V_LOW(a, b) _mm256_unpacklo_ps(a, b)
#define V_HIGH(a, b) _mm256_unpackhi_ps(a, b)
#define V_LOW2(a, b) _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
#define V_HIGH2(a, b) _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))

static inline void v_groups(vec *t)
{
	const vec low = _mm256_permute2f128_ps(t[0], t[1], 0x20);

	t[1] = _mm256_permute2f128_ps(t[0], t[1], 0x31);
	t[0] = low;
}

static inline void v_split(vec a, vec b, vec *ret_re, vec *ret_im)
{
	const vec low = _mm256_permute2f128_ps(a, b, 0x20),
	          high = _mm256_permute2f128_ps(a, b, 0x31);

	*ret_re = _mm256_shuffle_ps(low, high, 0x88);
	*ret_im = _mm256_shuffle_ps(low, high, 0xdd);
}

static inline void v_join(vec re, vec im, vec *ret_a, vec *ret_b)
{
	const vec low = _mm256_unpacklo_ps(re, im), high = _mm256_unpackhi_ps(re, im);

	*ret_a = _mm256_permute2f128_ps(low, high, 0x20);
	*ret_b = _mm256_permute2f128_ps(low, high, 0x31);
}

#include "core/kernels/spectrum_loops.h"

const struct spectrum_kernels spectrum_avx2 = SPECTRUM_TABLE;
#endif
