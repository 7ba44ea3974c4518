/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_crc_fold.h - the remainder by multiplication without carry. Empty where there
 * is none.
 *
 * A block of 128 bits that comes before 128 others is worth its upper half times D^192 and its
 * lower half times D^128: both remainders are constants, so two multiplications put it into the
 * next block. What is left at the end is 128 bits with the same remainder as the message.
 */
#ifndef CORE_KERNELS_UTRAN_CRC_FOLD_H
#define CORE_KERNELS_UTRAN_CRC_FOLD_H

#include "core/kernels/utran_crc.h"

#if defined(__x86_64__)
#include <immintrin.h>

static inline __m128i utran_crc_folded(__m128i block, __m128i constants, __m128i next)
{
	return _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(block, constants, 0x11),
	                         _mm_clmulepi64_si128(block, constants, 0x00)),
	    next);
}

/* 128 bits to 64 that are worth the same, and those byte by byte to the remainder of them times
 * D^32. */
static inline uint32_t utran_crc_reduced(const struct utran_crc *crc, __m128i block)
{
	const __m128i constant = _mm_cvtsi32_si128((int)crc->fold[0]);
	const __m128i low = _mm_set_epi64x(0, -1);
	const __m128i three =
	    _mm_xor_si128(_mm_clmulepi64_si128(block, constant, 0x01), _mm_and_si128(block, low));
	const __m128i two = _mm_xor_si128(_mm_clmulepi64_si128(three, constant, 0x01), three);
	const uint64_t word = (uint64_t)_mm_cvtsi128_si64(two);
	uint32_t state = 0;

	for (int half = 32; half >= 0; half -= 32) {
		state ^= (uint32_t)(word >> half);
		state = crc->table[3][state >> 24] ^ crc->table[2][state >> 16 & 0xff] ^
		    crc->table[1][state >> 8 & 0xff] ^ crc->table[0][state & 0xff];
	}
	return state;
}

/* utran_crc_fold takes the bits that are no whole 64 packed, as `first`, and a function that packs
 * 64. */
static inline uint32_t utran_crc_fold(const struct utran_crc *crc, uint64_t first,
    const uint8_t *bits, uint32_t words, uint64_t (*gather64)(const uint8_t *bits))
{
	const __m128i constants = _mm_set_epi64x(crc->fold[2], crc->fold[1]);
	__m128i block = _mm_set_epi64x(0, (int64_t)first);

	if (words % 2) {
		block = _mm_set_epi64x((int64_t)first, (int64_t)gather64(bits));
		bits += 64;
	}
	for (uint32_t i = 0; i < words / 2; i++, bits += 128) {
		const __m128i next =
		    _mm_set_epi64x((int64_t)gather64(bits), (int64_t)gather64(bits + 64));

		block = utran_crc_folded(block, constants, next);
	}
	return utran_crc_reduced(crc, block);
}
#endif

#endif
