/* SPDX-License-Identifier: BSD-3-Clause
 * Partitioned convolution for AVX-512: sixteen lanes, 32 registers. */
#if defined(__x86_64__)
#include <immintrin.h>

#define LANES 16
typedef __m512 vec;
#define V_ALL(x) _mm512_set1_ps(x)
#define V_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define V_FNMA(a, b, c) _mm512_fnmadd_ps(a, b, c)
#define V_LOW(a, b) _mm512_unpacklo_ps(a, b)
#define V_HIGH(a, b) _mm512_unpackhi_ps(a, b)
#define V_LOW2(a, b) _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)))
#define V_HIGH2(a, b) _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)))

static inline void v_groups(vec *t)
{
	const vec a = _mm512_shuffle_f32x4(t[0], t[1], 0x88),
	          b = _mm512_shuffle_f32x4(t[0], t[1], 0xdd);
	const vec c = _mm512_shuffle_f32x4(t[2], t[3], 0x88),
	          d = _mm512_shuffle_f32x4(t[2], t[3], 0xdd);

	t[0] = _mm512_shuffle_f32x4(a, c, 0x88);
	t[1] = _mm512_shuffle_f32x4(b, d, 0x88);
	t[2] = _mm512_shuffle_f32x4(a, c, 0xdd);
	t[3] = _mm512_shuffle_f32x4(b, d, 0xdd);
}

static inline void v_split(vec a, vec b, vec *ret_re, vec *ret_im)
{
	const __m512i even =
	    _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
	const __m512i odd =
	    _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);

	*ret_re = _mm512_permutex2var_ps(a, even, b);
	*ret_im = _mm512_permutex2var_ps(a, odd, b);
}

static inline void v_join(vec re, vec im, vec *ret_a, vec *ret_b)
{
	const __m512i low =
	    _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
	const __m512i high =
	    _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);

	*ret_a = _mm512_permutex2var_ps(re, low, im);
	*ret_b = _mm512_permutex2var_ps(re, high, im);
}

#include "core/kernels/spectrum_loops.h"

const struct spectrum_kernels spectrum_avx512 = SPECTRUM_TABLE;
#endif
