/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 16 windows at a time in SSE4.1, metrics of 8 bits. */
#if defined(__SSE4_1__)
#include "core/kernels/utran_turbo_decoder_sse41.h"

typedef int8_t vec __attribute__((vector_size(16)));
#define LANES (2 * WIDE)

#define V_OPERATION(name, intrinsic)                                                               \
	static inline vec name(vec a, vec b)                                                       \
	{                                                                                          \
		return (vec)intrinsic((__m128i)a, (__m128i)b);                                     \
	}
V_OPERATION(v_add, _mm_add_epi8)
V_OPERATION(v_sub, _mm_sub_epi8)
V_OPERATION(v_less, _mm_subs_epi8)
V_OPERATION(v_max, _mm_max_epi8)
V_OPERATION(v_min, _mm_min_epi8)
V_OPERATION(m_max, _mm_max_epu8)
V_OPERATION(m_down, _mm_subs_epu8)

static inline vec v_pack(wide low, wide high)
{
	return (vec)_mm_packs_epi16((__m128i)low, (__m128i)high);
}

static inline wide v_low(vec v)
{
	return (wide)_mm_unpacklo_epi8(_mm_setzero_si128(), (__m128i)v);
}

static inline wide v_high(vec v)
{
	return (wide)_mm_unpackhi_epi8(_mm_setzero_si128(), (__m128i)v);
}

/* One byte a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, size_t at)
{
	const __m128i negative = _mm_cmpgt_epi8(_mm_setzero_si128(), (__m128i)v);

	_mm_store_si128((__m128i *)(decided + at), _mm_and_si128(negative, _mm_set1_epi8(1)));
}

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder8_sse41 = UTRAN_TURBO_LANES_TABLE;
#endif
