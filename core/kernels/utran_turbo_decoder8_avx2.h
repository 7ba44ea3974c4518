/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_decoder8_avx2.h - vectors of 32 bytes, for utran_turbo_decoder_bytes.h,
 * in AVX2.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_DECODER8_AVX2_H
#define CORE_KERNELS_UTRAN_TURBO_DECODER8_AVX2_H

#if defined(__AVX2__)
#include "core/kernels/utran_turbo_decoder_avx2.h"

typedef int8_t vec __attribute__((vector_size(32)));
#define LANES (2 * WIDE)

#define V_OPERATION(name, intrinsic)                                                               \
	static inline vec name(vec a, vec b)                                                       \
	{                                                                                          \
		return (vec)intrinsic((__m256i)a, (__m256i)b);                                     \
	}
V_OPERATION(v_add, _mm256_add_epi8)
V_OPERATION(v_sub, _mm256_sub_epi8)
V_OPERATION(v_less, _mm256_subs_epi8)
V_OPERATION(v_max, _mm256_max_epi8)
V_OPERATION(v_min, _mm256_min_epi8)
V_OPERATION(m_max, _mm256_max_epu8)
V_OPERATION(m_down, _mm256_subs_epu8)

static inline vec v_pack(wide low, wide high)
{
	return (vec)_mm256_packs_epi16((__m256i)low, (__m256i)high);
}

static inline wide v_low(vec v)
{
	return (wide)_mm256_unpacklo_epi8(_mm256_setzero_si256(), (__m256i)v);
}

static inline wide v_high(vec v)
{
	return (wide)_mm256_unpackhi_epi8(_mm256_setzero_si256(), (__m256i)v);
}

#endif

#endif
