/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/calibrate_fold.h - the class `bits` where there is multiplication without carry:
 * words of 64 bits, which a level packs its own way, folded 128 at a time. */
#ifndef CORE_KERNELS_CALIBRATE_FOLD_H
#define CORE_KERNELS_CALIBRATE_FOLD_H

#if defined(__x86_64__)
#include <immintrin.h>

#include "core/kernels/calibrate.h"

/* What is left: 128 bits to 64 that are worth the same, and those by table, 32 at a time. */
static inline uint32_t bits_rest(const struct calibrate_data *data, __m128i block)
{
	const __m128i constant = _mm_cvtsi32_si128(0x5d2c1021), low = _mm_set_epi64x(0, -1);
	const __m128i three =
	    _mm_xor_si128(_mm_clmulepi64_si128(block, constant, 0x01), _mm_and_si128(block, low));
	const uint64_t word =
	    (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(three, constant, 0x01) ^ three);

	return calibrate_checksum32(
	    data, calibrate_checksum32(data, (uint32_t)(word >> 32)) ^ (uint32_t)word);
}

static inline __attribute__((always_inline)) void bits_fold(
    struct calibrate_data *data, uint64_t (*pack64)(const uint8_t *bits))
{
	const __m128i constants = _mm_set_epi64x(0x1021b5a3, 0x7e2c4991);
	__m128i block = _mm_setzero_si128();

	for (uint32_t i = 0; i < CALIBRATE_BLOCK; i += 128) {
		const uint64_t high = pack64(data->in8 + i), low = pack64(data->in8 + i + 64);
		const __m128i next = _mm_set_epi64x((int64_t)high, (int64_t)low);

		block = _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(block, constants, 0x11),
		                          _mm_clmulepi64_si128(block, constants, 0x00)),
		    next);
	}
	data->sink = bits_rest(data, block);
}
#endif

#endif
