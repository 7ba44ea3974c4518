/* SPDX-License-Identifier: BSD-3-Clause
 * utran_rate for AVX2: two steps side by side where each is a block of the output; else as
 * SSE4.1. */
#if defined(__x86_64__)
#include "core/kernels/utran_rate_16.h"

static void dematch(const struct utran_rate_plan *plan, const int16_t *in, int16_t *out)
{
	const struct utran_rate_step *step = plan->steps;
	const uint8_t *all = plan->places;
	const size_t len = plan->len;
	size_t s = 0;

	if (!plan->once) {
		utran_rate_dematch_16(plan, in, out);
		return;
	}
	for (; s + 2 <= len; s += 2) {
		const __m256i places = _mm256_loadu_si256((const __m256i *)(all + 16 * s));
		const __m128i low = _mm_loadu_si128((const __m128i *)(in + step[s].from));
		const __m128i high = _mm_loadu_si128((const __m128i *)(in + step[s + 1].from));
		const __m256i from = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);

		_mm256_storeu_si256((__m256i *)(out + 8 * s), _mm256_shuffle_epi8(from, places));
	}
	if (s < len)
		utran_rate_store(out + 8 * s, utran_rate_load(in + step[s].from, all + 16 * s));
	utran_rate_dematch_rest(plan, in, out);
}

const struct utran_rate_kernels utran_rate_avx2 = {16, false, utran_rate_match_16, dematch};
#endif
