/* SPDX-License-Identifier: BSD-3-Clause
 * iq for SSE4.1. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "core/kernels/iq_loops.h"

/* Four values; a bit in ret_unfit for each that is not as it was. */
static inline __m128i iq4(const float *in, int *ret_unfit)
{
	const __m128 x = _mm_mul_ps(_mm_loadu_ps(in), _mm_set1_ps(IQ_ONE));
	const __m128 limited =
	    _mm_min_ps(_mm_max_ps(x, _mm_set1_ps(IQ_LEAST)), _mm_set1_ps(IQ_MOST));

	*ret_unfit = _mm_movemask_ps(_mm_cmpneq_ps(limited, x));
	return _mm_cvtps_epi32(_mm_and_ps(limited, _mm_cmpord_ps(x, x)));
}

static uint32_t sse41_from_f32(const float *in, uint8_t *iq, uint32_t n)
{
	uint32_t unfit = 0;
	size_t i = 0;

	for (; i + 8 <= 2 * (size_t)n; i += 8) {
		int low, high;
		const __m128i first = iq4(in + i, &low), second = iq4(in + i + 4, &high);

		_mm_storeu_si128((__m128i *)(void *)(iq + 2 * i), _mm_packs_epi32(first, second));
		if (low | high)
			unfit += (uint32_t)__builtin_popcount((unsigned)(low | high << 4));
	}
	return unfit + iq_rest_from_f32(in, iq, n, i);
}

const struct iq_kernels iq_sse41 = {iq_loop_to_f32, sse41_from_f32};
#endif
