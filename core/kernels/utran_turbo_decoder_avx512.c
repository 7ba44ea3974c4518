/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 32 windows in AVX-512. */
#if defined(__AVX512VBMI__)
#include <string.h>

#include "core/kernels/utran_turbo_decoder.h"
#include "core/kernels/utran_turbo_decoder_avx512.h"

typedef wide vec;
#define LANES WIDE

static inline __m512i mask_set(__m512i v, __mmask32 mask, int16_t value)
{
	return _mm512_mask_mov_epi16(v, mask, _mm512_set1_epi16(value));
}

static inline __m512i v_numbers(int first)
{
	const __m256i numbers = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
	    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);

	return _mm512_add_epi16(_mm512_cvtepi8_epi16(numbers), _mm512_set1_epi16((int16_t)first));
}

/* Lane l gets what lane l - 1 has, lane 0 `first`. */
static inline vec v_up(vec v, int16_t first)
{
	const __m512i up = _mm512_permutexvar_epi16(v_numbers(-1), (__m512i)v);

	return (vec)mask_set(up, 1, first);
}

/* Lane l gets what lane l + 1 has, the last one 0. */
static inline vec v_down(vec v)
{
	return (vec)_mm512_maskz_permutexvar_epi16(0x7fffffff, v_numbers(1), (__m512i)v);
}

static inline vec v_set_last(vec v, int16_t value)
{
	return (vec)mask_set((__m512i)v, 0x80000000, value);
}

/* One bit a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, uint32_t t)
{
	const uint32_t negative = _mm512_movepi16_mask((__m512i)v);

	memcpy(decided + t * sizeof(negative), &negative, sizeof(negative));
}

/* Two values at a time as 32 bits; what lies behind the value is dropped. */
static void hand_on(const struct utran_turbo_decoder *d, int coder)
{
	const uint16_t *from = d->from[!coder];
	int16_t *x = d->x[!coder];

	for (uint32_t i = 0; i < d->steps * LANES; i += LANES) {
		const __m512i pairs = _mm512_load_si512(from + i), low = _mm512_set1_epi32(0xffff);
		const __m512i even =
		    _mm512_i32gather_epi32(_mm512_and_si512(pairs, low), d->extrinsic, 2);
		const __m512i odd =
		    _mm512_i32gather_epi32(_mm512_srli_epi32(pairs, 16), d->extrinsic, 2);

		_mm512_store_si512(
		    x + i, _mm512_mask_blend_epi16(0xaaaaaaaa, even, _mm512_slli_epi32(odd, 16)));
	}
}

#define LANES_HAND_ON hand_on
#define LANES_HAND_OUT hand_out

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder_avx512 = UTRAN_TURBO_LANES_TABLE;
#endif
