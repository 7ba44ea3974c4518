/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_encoder_x86.h - the coder of utran_turbo_encoder.h for SSE4.1 and AVX2,
 * 16 bytes at a time.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_ENCODER_X86_H
#define CORE_KERNELS_UTRAN_TURBO_ENCODER_X86_H

#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

static inline uint64_t pack(const uint8_t *bits)
{
	uint64_t word = 0;

	for (int i = 0; i < 4; i++) {
		const __m128i at_top =
		    _mm_slli_epi16(_mm_loadu_si128((const __m128i *)bits + i), 7);
		word |= (uint64_t)(uint32_t)_mm_movemask_epi8(at_top) << 16 * i;
	}
	return word;
}

/* Sixteen bits, one per byte. */
static inline __m128i unpack(uint64_t word, int i)
{
	const __m128i copies = _mm_set1_epi16((int16_t)(word >> 16 * i));
	const __m128i byte = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
	const __m128i bit = _mm_set1_epi64x((int64_t)0x8040201008040201);
	const __m128i alone = _mm_and_si128(_mm_shuffle_epi8(copies, byte), bit);

	return _mm_and_si128(_mm_cmpeq_epi8(alone, bit), _mm_set1_epi8(1));
}

/* Bytes 0 3 6 .. of a, 1 4 7 .. of b, 2 5 8 .. of c. */
static inline __m128i thirds(__m128i a, __m128i b, __m128i c)
{
	const __m128i of_b = _mm_setr_epi8(0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0);
	const __m128i of_c = _mm_setr_epi8(0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0);

	return _mm_blendv_epi8(_mm_blendv_epi8(a, b, of_b), c, of_c);
}

/* Sixteen of each, x z z' x z z' ..: what goes to bytes 0 to 15, 16 to 31 and 32 to 47 of the
 * result leaves x in different places, so that one shuffle of each is enough. */
static inline void weave(__m128i x, __m128i z, __m128i z2, uint8_t *out)
{
	x = _mm_shuffle_epi8(
	    x, _mm_setr_epi8(0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15, 10, 5));
	z = _mm_shuffle_epi8(
	    z, _mm_setr_epi8(5, 0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15, 10));
	z2 = _mm_shuffle_epi8(
	    z2, _mm_setr_epi8(10, 5, 0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15));
	_mm_storeu_si128((__m128i *)out, thirds(x, z, z2));
	_mm_storeu_si128((__m128i *)out + 1, thirds(z, z2, x));
	_mm_storeu_si128((__m128i *)out + 2, thirds(z2, x, z));
}

static inline void spread(const uint8_t *in, uint64_t z, uint64_t z2, uint8_t *out)
{
	for (int i = 0; i < 4; i++)
		weave(_mm_loadu_si128((const __m128i *)in + i), unpack(z, i), unpack(z2, i),
		    out + 48 * i);
}

#define WORDS_PACK(bits) pack(bits)
#define WORDS_SPREAD(in, u, z, z2, out) spread(in, z, z2, out)
#define WORDS_INTERLEAVE(e, in, first, second) words_gather(e, in, second)

#include "core/kernels/utran_turbo_encoder_words.h"

#endif

#endif
