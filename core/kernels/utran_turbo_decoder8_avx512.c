/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 64 windows in AVX-512, metrics of 8 bits. */
#if defined(__AVX512VBMI__)
#include <string.h>

#include "core/kernels/utran_turbo_decoder_avx512.h"

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

static inline __m512i v_numbers(int first)
{
	static const int8_t numbers[64] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	    17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38,
	    39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60,
	    61, 62, 63};

	return _mm512_add_epi8(_mm512_loadu_si512(numbers), _mm512_set1_epi8((int8_t)first));
}

/* Lane l gets what lane l - 1 has, lane 0 `first`. */
static inline vec v_up(vec v, int8_t first)
{
	const __m512i up = _mm512_permutexvar_epi8(v_numbers(-1), (__m512i)v);

	return (vec)_mm512_mask_mov_epi8(up, 1, _mm512_set1_epi8(first));
}

/* Lane l gets what lane l + 1 has, the last one 0. */
static inline vec v_down(vec v)
{
	return (vec)_mm512_maskz_permutexvar_epi8(INT64_MAX, v_numbers(1), (__m512i)v);
}

static inline vec v_set_last(vec v, int8_t value)
{
	return (vec)_mm512_mask_mov_epi8((__m512i)v, (uint64_t)1 << 63, _mm512_set1_epi8(value));
}

/* One bit a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, uint32_t t)
{
	const uint64_t negative = _mm512_movepi8_mask((__m512i)v);

	memcpy(decided + t * sizeof(negative), &negative, sizeof(negative));
}

/* Sixteen values at a time as 32 bits, of which one byte is kept. Three permutations of the bytes of registers with two
 * transpositions between them, which can make any order, take as long. */
static inline __m128i gather16(const void *values, const uint16_t *from)
{
	const __m512i at = _mm512_cvtepu16_epi32(_mm256_load_si256((const __m256i *)from));

	return _mm512_cvtepi32_epi8(_mm512_i32gather_epi32(at, values, 1));
}

static void hand_on(const struct utran_turbo_decoder *d, int coder)
{
	const uint16_t *from = d->from[!coder];
	int8_t *x = d->x[!coder];

	for (uint32_t i = 0; i < d->steps * LANES; i += 16)
		_mm_store_si128((__m128i *)(x + i), gather16(d->extrinsic, from + i));
}

#define LANES_HAND_ON hand_on
#define LANES_HAND_OUT hand_out

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder8_avx512 = UTRAN_TURBO_LANES_TABLE;
#endif
