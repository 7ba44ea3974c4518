/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 32 windows at a time in AVX2, metrics of 8 bits. */
#if defined(__AVX2__)
#define LANES_TEXT "utran_turbo8_avx2"

#include "core/kernels/utran_turbo_decoder8_avx2.h"

/* One byte a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, size_t at)
{
	const __m256i negative = _mm256_cmpgt_epi8(_mm256_setzero_si256(), (__m256i)v);

	_mm256_store_si256(
	    (__m256i *)(decided + at), _mm256_and_si256(negative, _mm256_set1_epi8(1)));
}

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder8_avx2 = UTRAN_TURBO_LANES_TABLE;
#endif
