/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_decoder_hands_avx512.h - how AVX-512 brings values from one coder's
 * order into the other one's, and bits into the block's, whatever the length of the vectors that
 * made them: hand_on and hand_out of utran_turbo_decoder_lanes.h.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_DECODER_HANDS_AVX512_H
#define CORE_KERNELS_UTRAN_TURBO_DECODER_HANDS_AVX512_H

#if defined(__AVX512VBMI__)
#include <immintrin.h>
#include <stdint.h>

#include "core/kernels/utran_bit_gather_avx512.h"
#include "core/kernels/utran_turbo_decoder_parts.h"

/* Two values at a time as 32 bits; what lies behind the value is dropped. */
LANES_CODE static inline void hand_on_words(const struct utran_turbo_decoder *d, int coder)
{
	const uint16_t *from = d->from[!coder];
	int16_t *x = d->x[!coder];

	for (uint32_t i = 0; i < d->steps * d->windows; i += 32) {
		const __m512i pairs = _mm512_load_si512(from + i), low = _mm512_set1_epi32(0xffff);
		const __m512i even =
		    _mm512_i32gather_epi32(_mm512_and_si512(pairs, low), d->extrinsic, 2);
		const __m512i odd =
		    _mm512_i32gather_epi32(_mm512_srli_epi32(pairs, 16), d->extrinsic, 2);

		_mm512_store_si512(
		    x + i, _mm512_mask_blend_epi16(0xaaaaaaaa, even, _mm512_slli_epi32(odd, 16)));
	}
}

/* Sixteen values at a time as 32 bits, of which one byte is kept. Three permutations of the bytes
 * of registers with two transpositions between them, which can make any order, take as long. */
static inline __m128i gather16(const void *values, const uint16_t *from)
{
	const __m512i at = _mm512_cvtepu16_epi32(_mm256_load_si256((const __m256i *)from));

	return _mm512_cvtepi32_epi8(_mm512_i32gather_epi32(at, values, 1));
}

LANES_CODE static inline void hand_on_bytes(const struct utran_turbo_decoder *d, int coder)
{
	const uint16_t *from = d->from[!coder];
	int8_t *x = d->x[!coder];

	for (uint32_t i = 0; i < d->steps * d->windows; i += 16)
		_mm_store_si128((__m128i *)(x + i), gather16(d->extrinsic, from + i));
}

/* The block's bits in order: all that were decided lie in registers. */
LANES_CODE static inline void hand_out(const struct utran_turbo_decoder *d, uint8_t *bits)
{
	const uint32_t full = d->k / 64;
	const bool large = d->steps * d->windows > 4096;
	__m512i all[GATHER_REGISTERS];

	bit_gather_load(all, (const uint64_t *)d->decided);
	for (uint32_t i = 0; i < full; i++)
		_mm512_storeu_si512(bits + 64 * i,
		    _mm512_maskz_set1_epi8(bit_gather(all, &d->gather[i], large), 1));
	if (d->k % 64) {
		const uint64_t rest = bit_gather(all, &d->gather[full], large);
		_mm512_mask_storeu_epi8(bits + 64 * full, ((uint64_t)1 << d->k % 64) - 1,
		    _mm512_maskz_set1_epi8(rest, 1));
	}
}

#endif

#endif
