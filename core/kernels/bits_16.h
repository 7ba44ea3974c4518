/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/bits_16.h - 16 bits to a word and back in one 128-bit register, for SSE4.1 and NEON:
 * the same names on both. The first bit is the most significant one. Empty on other processors.
 */
#ifndef CORE_KERNELS_BITS_16_H
#define CORE_KERNELS_BITS_16_H

#include "core/kernels/bits.h"

#if defined(__x86_64__)
#include <immintrin.h>

static inline uint32_t bits_gather16(const uint8_t *bits)
{
	const __m128i reverse = _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
	const __m128i bytes = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)bits), reverse);

	return (uint32_t)_mm_movemask_epi8(_mm_slli_epi16(bytes, 7));
}

static inline void bits_spread16(uint32_t word, uint8_t *bits)
{
	const __m128i byte = _mm_setr_epi8(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
	const __m128i bit = _mm_set1_epi64x(0x0102040810204080);
	const __m128i spread =
	    _mm_and_si128(_mm_shuffle_epi8(_mm_cvtsi32_si128((int)word), byte), bit);

	_mm_storeu_si128((__m128i *)bits, _mm_min_epu8(spread, _mm_set1_epi8(1)));
}
#define BITS_16

#elif defined(__aarch64__)
#include <arm_neon.h>

static inline uint32_t bits_gather16(const uint8_t *bits)
{
	const uint8x16_t place = vreinterpretq_u8_u64(vdupq_n_u64(0x0102040810204080));
	const uint8x16_t set = vandq_u8(vtstq_u8(vld1q_u8(bits), vdupq_n_u8(1)), place);

	return (uint32_t)vaddv_u8(vget_low_u8(set)) << 8 | vaddv_u8(vget_high_u8(set));
}

static inline void bits_spread16(uint32_t word, uint8_t *bits)
{
	const uint8x16_t place = vreinterpretq_u8_u64(vdupq_n_u64(0x0102040810204080));
	const uint8x16_t bytes =
	    vcombine_u8(vdup_n_u8((uint8_t)(word >> 8)), vdup_n_u8((uint8_t)word));

	vst1q_u8(bits, vminq_u8(vandq_u8(bytes, place), vdupq_n_u8(1)));
}
#define BITS_16
#endif

#ifdef BITS_16
static inline void bits_16_pack8(const uint8_t *bits, uint8_t *words, uint32_t n)
{
	size_t i = 0;

	for (; i + 2 <= n; i += 2) {
		const uint32_t both = bits_gather16(bits + 8 * i);

		words[i] = (uint8_t)(both >> 8);
		words[i + 1] = (uint8_t)both;
	}
	if (i < n)
		words[i] = (uint8_t)bits_pack_plain(bits + 8 * i, 8);
}

static inline void bits_16_pack16(const uint8_t *bits, uint16_t *words, uint32_t n)
{
	for (size_t i = 0; i < n; i++)
		words[i] = (uint16_t)bits_gather16(bits + 16 * i);
}

static inline void bits_16_unpack8(const uint8_t *words, uint8_t *bits, uint32_t n)
{
	size_t i = 0;

	for (; i + 2 <= n; i += 2)
		bits_spread16((uint32_t)words[i] << 8 | words[i + 1], bits + 8 * i);
	if (i < n)
		bits_unpack_plain(words[i], bits + 8 * i, 8);
}

static inline void bits_16_unpack16(const uint16_t *words, uint8_t *bits, uint32_t n)
{
	for (size_t i = 0; i < n; i++)
		bits_spread16(words[i], bits + 16 * i);
}

#define BITS_16_TABLE                                                                              \
	{                                                                                          \
		bits_16_pack8, bits_16_pack16, bits_16_unpack8, bits_16_unpack16,                  \
		    bits_differ_plain                                                              \
	}
#endif

#endif
