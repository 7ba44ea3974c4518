/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 32 windows in AVX-512. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "core/kernels/utran_bit_gather_avx512.h"
#include "core/kernels/utran_turbo_decoder.h"

typedef int16_t vec __attribute__((vector_size(64)));
#define LANES 32

static inline vec v_max(vec a, vec b)
{
	return (vec)_mm512_max_epi16((__m512i)a, (__m512i)b);
}

static inline vec v_min(vec a, vec b)
{
	return (vec)_mm512_min_epi16((__m512i)a, (__m512i)b);
}

static inline vec v_mulhrs(vec a, vec b)
{
	return (vec)_mm512_mulhrs_epi16((__m512i)a, (__m512i)b);
}

static inline __m512i mask_set(__m512i v, __mmask32 mask, int16_t value)
{
	return _mm512_mask_mov_epi16(v, mask, _mm512_set1_epi16(value));
}

static inline __m512i v_numbers(int first)
{
	const __m256i numbers = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
						 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);

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

/* One value a lane, wherever they lie: two at a time as 32 bits, what lies behind the value is dropped. */
static inline void v_gather(const int16_t *values, const uint16_t *from, int16_t *at)
{
	const __m512i pairs = _mm512_load_si512(from);
	const __m512i even = _mm512_i32gather_epi32(_mm512_and_si512(pairs, _mm512_set1_epi32(0xffff)), values, 2);
	const __m512i odd = _mm512_i32gather_epi32(_mm512_srli_epi32(pairs, 16), values, 2);

	_mm512_store_si512(at, _mm512_mask_blend_epi16(0xaaaaaaaa, even, _mm512_slli_epi32(odd, 16)));
}

/* One bit a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, uint32_t t)
{
	const uint32_t negative = _mm512_movepi16_mask((__m512i)v);

	memcpy(decided + t * sizeof(negative), &negative, sizeof(negative));
}

/* The block's bits in order: all that were decided lie in registers. */
static void hand_out(const struct utran_turbo_decoder *d, uint8_t *bits)
{
	const uint32_t full = d->k / 64;
	__m512i all[GATHER_REGISTERS];

	bit_gather_load(all, (const uint64_t *)d->decided);
	for (uint32_t i = 0; i < full; i++)
		_mm512_storeu_si512(bits + 64 * i,
				    _mm512_maskz_set1_epi8(bit_gather(all, &d->gather[i], d->steps > 128), 1));
	if (d->k % 64) {
		const uint64_t rest = bit_gather(all, &d->gather[full], d->steps > 128);
		_mm512_mask_storeu_epi8(bits + 64 * full, ((uint64_t)1 << d->k % 64) - 1,
					_mm512_maskz_set1_epi8(rest, 1));
	}
}

/* 128 bits from each of the addresses. */
static inline vec v_pieces(const int16_t *const *at, int offset)
{
	__m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(at[0] + offset)));

	v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(at[1] + offset)), 1);
	v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(at[2] + offset)), 2);
	return (vec)_mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(at[3] + offset)), 3);
}

/* Of each 128 bits, values 0 3 6 of a, 1 4 7 of b, 2 5 of c. */
static inline vec v_thirds(vec a, vec b, vec c)
{
	const __m512i ab = _mm512_mask_blend_epi16(0x92929292, (__m512i)a, (__m512i)b);

	return (vec)_mm512_mask_blend_epi16(0x24242424, ab, (__m512i)c);
}

/* Bytes of each 128 bits. */
static inline vec v_order(vec v, const uint8_t *order)
{
	const __m128i from = _mm_loadu_si128((const __m128i *)order);

	return (vec)_mm512_shuffle_epi8((__m512i)v, _mm512_broadcast_i32x4(from));
}

#define V_INTERLEAVE(name, intrinsic)                                                                                  \
	static inline vec name(vec a, vec b)                                                                           \
	{                                                                                                              \
		return (vec)intrinsic((__m512i)a, (__m512i)b);                                                         \
	}
V_INTERLEAVE(v_low16, _mm512_unpacklo_epi16)
V_INTERLEAVE(v_high16, _mm512_unpackhi_epi16)
V_INTERLEAVE(v_low32, _mm512_unpacklo_epi32)
V_INTERLEAVE(v_high32, _mm512_unpackhi_epi32)
V_INTERLEAVE(v_low64, _mm512_unpacklo_epi64)
V_INTERLEAVE(v_high64, _mm512_unpackhi_epi64)

#define LANES_HAND_OUT hand_out

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder_avx512 = UTRAN_TURBO_LANES_TABLE;
#endif
