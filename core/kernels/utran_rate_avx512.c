/* SPDX-License-Identifier: BSD-3-Clause
 * utran_rate for AVX-512: compress and expand where no bit comes twice, else steps of 64 bytes. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "core/kernels/utran_rate.h"

/* What is too much of a store is written over by the next one; near the end nothing may be too
 * much. */
static void match_masks(const struct utran_rate_plan *plan, const uint8_t *in, uint8_t *out)
{
	const uint64_t *masks = (const uint64_t *)plan->places;
	uint32_t at = 0;

	for (uint32_t b = 0; b < plan->len; b++) {
		const __m512i kept =
		    _mm512_maskz_compress_epi8(masks[b], _mm512_loadu_si512(in + 64 * (size_t)b));
		const uint32_t len = (uint32_t)_mm_popcnt_u64(masks[b]);

		if (at + 64 <= plan->matched)
			_mm512_storeu_si512(out + at, kept);
		else
			_mm512_mask_storeu_epi8(out + at, _bzhi_u64(~0ull, len), kept);
		at += len;
	}
}

static void match_steps(const struct utran_rate_plan *plan, const uint8_t *in, uint8_t *out)
{
	for (uint32_t s = 0; s < plan->len; s++) {
		const __m512i places = _mm512_load_si512(plan->places + 64 * (size_t)s);
		const __m512i from = _mm512_loadu_si512(in + plan->steps[s].from);

		_mm512_storeu_si512(out, _mm512_permutexvar_epi8(places, from));
		out += plan->steps[s].len;
	}
}

static void match(const struct utran_rate_plan *plan, const uint8_t *in, uint8_t *out)
{
	if (plan->masks)
		match_masks(plan, in, out);
	else
		match_steps(plan, in, out);
	utran_rate_match_rest(plan, in, out);
}

static void dematch_masks(const struct utran_rate_plan *plan, const int16_t *in, int16_t *out)
{
	const uint32_t *masks = (const uint32_t *)plan->places;
	uint32_t at = 0;

	for (uint32_t b = 0; b < plan->len; b++) {
		const uint32_t len = (uint32_t)_mm_popcnt_u32(masks[b]);
		const __m512i from = at + 32 <= plan->matched
		    ? _mm512_loadu_si512(in + at)
		    : _mm512_maskz_loadu_epi16(_bzhi_u32(~0u, len), in + at);

		_mm512_storeu_si512(
		    out + 32 * (size_t)b, _mm512_maskz_expand_epi16(masks[b], from));
		at += len;
	}
}

static inline __m512i load(const struct utran_rate_plan *plan, uint32_t s, const int16_t *in)
{
	const __m512i places = _mm512_load_si512(plan->places + 64 * (size_t)s);
	const __m512i from = _mm512_loadu_si512(in + plan->steps[s].from);

	return _mm512_maskz_permutexvar_epi16(~_mm512_movepi16_mask(places), places, from);
}

static void dematch_steps(const struct utran_rate_plan *plan, const int16_t *in, int16_t *out)
{
	for (uint32_t s = 0; s < plan->len; s++) {
		__m512i sum = load(plan, s, in);

		while (!plan->steps[s].len)
			sum = _mm512_adds_epi16(sum, load(plan, ++s, in));
		_mm512_storeu_si512(out, sum);
		out += 32;
	}
}

static void dematch(const struct utran_rate_plan *plan, const int16_t *in, int16_t *out)
{
	if (plan->masks)
		dematch_masks(plan, in, out);
	else
		dematch_steps(plan, in, out);
	utran_rate_dematch_rest(plan, in, out);
}

const struct utran_rate_kernels utran_rate_avx512 = {64, true, match, dematch};
#endif
