/* SPDX-License-Identifier: BSD-3-Clause
 * Partitioned convolution for SSE4.1: four lanes, no fused multiply-add. */
#if defined(__x86_64__)
#include <immintrin.h>

#define LANES 4
typedef __m128 vec;
#define V_ALL(x) _mm_set1_ps(x)
#define V_FMA(a, b, c) ((c) + (a) * (b))
#define V_FNMA(a, b, c) ((c) - (a) * (b))
#define V_LOW(a, b) _mm_unpacklo_ps(a, b)
#define V_HIGH(a, b) _mm_unpackhi_ps(a, b)
#define V_LOW2(a, b) _mm_movelh_ps(a, b)
#define V_HIGH2(a, b) _mm_movehl_ps(b, a)

static inline void v_groups(vec *t)
{
	(void)t; /* one group */
}

static inline void v_split(vec a, vec b, vec *ret_re, vec *ret_im)
{
	*ret_re = _mm_shuffle_ps(a, b, 0x88);
	*ret_im = _mm_shuffle_ps(a, b, 0xdd);
}

static inline void v_join(vec re, vec im, vec *ret_a, vec *ret_b)
{
	*ret_a = _mm_unpacklo_ps(re, im);
	*ret_b = _mm_unpackhi_ps(re, im);
}

#include "core/kernels/spectrum_loops.h"

const struct spectrum_kernels spectrum_sse41 = SPECTRUM_TABLE;
#endif
