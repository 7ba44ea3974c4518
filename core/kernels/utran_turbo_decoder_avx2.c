/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 16 windows at a time in AVX2. */
#if defined(__AVX2__)
#define LANES_TEXT "utran_turbo_avx2"

#include "core/kernels/utran_turbo_decoder_avx2.h"

typedef wide vec;
#define LANES WIDE

/* One byte a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, size_t at)
{
	const __m256i ones = _mm256_srli_epi16((__m256i)v, 15);
	const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(ones, ones), 0x08);

	_mm_store_si128((__m128i *)(decided + at), _mm256_castsi256_si128(bytes));
}

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder_avx2 = UTRAN_TURBO_LANES_TABLE;
#endif
