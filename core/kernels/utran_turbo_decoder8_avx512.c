/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 64 windows at a time in AVX-512, metrics of 8 bits. */
#if defined(__AVX512VBMI__)
#define LANES_TEXT "utran_turbo8_avx512"

#include <string.h>

#include "core/kernels/utran_turbo_decoder_avx512.h"
#include "core/kernels/utran_turbo_decoder_hands_avx512.h"

typedef int8_t vec __attribute__((vector_size(64)));
#define LANES (2 * WIDE)

#define V_OPERATION(name, intrinsic)                                                               \
	static inline vec name(vec a, vec b)                                                       \
	{                                                                                          \
		return (vec)intrinsic((__m512i)a, (__m512i)b);                                     \
	}
V_OPERATION(v_add, _mm512_add_epi8)
V_OPERATION(v_sub, _mm512_sub_epi8)
V_OPERATION(v_less, _mm512_subs_epi8)
V_OPERATION(v_max, _mm512_max_epi8)
V_OPERATION(v_min, _mm512_min_epi8)
V_OPERATION(m_max, _mm512_max_epu8)
V_OPERATION(m_down, _mm512_subs_epu8)

static inline vec v_pack(wide low, wide high)
{
	return (vec)_mm512_packs_epi16((__m512i)low, (__m512i)high);
}

static inline wide v_low(vec v)
{
	return (wide)_mm512_unpacklo_epi8(_mm512_setzero_si512(), (__m512i)v);
}

static inline wide v_high(vec v)
{
	return (wide)_mm512_unpackhi_epi8(_mm512_setzero_si512(), (__m512i)v);
}

/* One bit a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, size_t at)
{
	const uint64_t negative = _mm512_movepi8_mask((__m512i)v);

	memcpy(decided + at / 8, &negative, sizeof(negative));
}

#define LANES_HAND_ON hand_on_bytes
#define LANES_HAND_OUT hand_out

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder8_avx512 = UTRAN_TURBO_LANES_TABLE;
#endif
