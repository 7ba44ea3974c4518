/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_bit_gather_avx512.h - the lookup of utran_bit_gather.h, for sources compiled
 * for AVX-512.
 */
#ifndef CORE_KERNELS_UTRAN_BIT_GATHER_AVX512_H
#define CORE_KERNELS_UTRAN_BIT_GATHER_AVX512_H

#if defined(__x86_64__)
#include <immintrin.h>
#include <stdbool.h>

#include "core/kernels/utran_bit_gather.h"

enum { GATHER_REGISTERS = UTRAN_BIT_GATHER_MAX / 512 };

/* All bits, as registers; `words` are UTRAN_BIT_GATHER_WORDS, aligned to 64 bytes. */
static inline void bit_gather_load(__m512i *bits, const uint64_t *words)
{
	for (int i = 0; i < GATHER_REGISTERS; i++)
		bits[i] = _mm512_load_si512(words + 8 * i);
}

/* 64 bits of the result; `large`: more than 4096 bits are there to choose from. */
static inline uint64_t bit_gather(
    const __m512i *bits, const struct utran_bit_gather *table, bool large)
{
	const __m512i byte = _mm512_load_si512(table->byte);
	const __mmask64 odd = _mm512_movepi8_mask(byte);
	__m512i lower = _mm512_permutex2var_epi8(bits[0], byte, bits[1]);
	__m512i upper = _mm512_permutex2var_epi8(bits[4], byte, bits[5]);

	lower = _mm512_mask_mov_epi8(lower, odd, _mm512_permutex2var_epi8(bits[2], byte, bits[3]));
	upper = _mm512_mask_mov_epi8(upper, odd, _mm512_permutex2var_epi8(bits[6], byte, bits[7]));
	lower = _mm512_mask_mov_epi8(lower, table->upper, upper);
	if (large)
		lower = _mm512_mask_mov_epi8(
		    lower, table->last, _mm512_permutex2var_epi8(bits[8], byte, bits[9]));
	return _mm512_test_epi8_mask(lower, _mm512_load_si512(table->bit));
}

#endif

#endif
