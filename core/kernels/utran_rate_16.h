/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_rate_16.h - the steps of a plan in 128-bit registers: SSE4.1, AVX2 and NEON.
 * Empty on other processors.
 */
#ifndef CORE_KERNELS_UTRAN_RATE_16_H
#define CORE_KERNELS_UTRAN_RATE_16_H

#include "core/kernels/utran_rate.h"

#if defined(__x86_64__)
#include <immintrin.h>

typedef __m128i utran_rate_vector;

/* 16 bytes from `from`, each moved to its place; places above 127 (15 on NEON) become zero. */
static inline utran_rate_vector utran_rate_load(const void *from, const uint8_t *places)
{
	return _mm_shuffle_epi8(_mm_loadu_si128(from), _mm_load_si128((const __m128i *)places));
}

static inline utran_rate_vector utran_rate_add(utran_rate_vector a, utran_rate_vector b)
{
	return _mm_adds_epi16(a, b);
}

static inline void utran_rate_store(void *to, utran_rate_vector v)
{
	_mm_storeu_si128(to, v);
}
#define UTRAN_RATE_16

#elif defined(__aarch64__)
#include <arm_neon.h>

typedef int16x8_t utran_rate_vector;

static inline utran_rate_vector utran_rate_load(const void *from, const uint8_t *places)
{
	return vreinterpretq_s16_u8(vqtbl1q_u8(vld1q_u8(from), vld1q_u8(places)));
}

static inline utran_rate_vector utran_rate_add(utran_rate_vector a, utran_rate_vector b)
{
	return vqaddq_s16(a, b);
}

static inline void utran_rate_store(void *to, utran_rate_vector v)
{
	vst1q_u8(to, vreinterpretq_u8_s16(v));
}
#define UTRAN_RATE_16
#endif

#ifdef UTRAN_RATE_16
/* What a plan has is taken out of it first: bytes that are stored might be anything's, so it would
 * be read again at each step. */
static inline void utran_rate_match_16(
    const struct utran_rate_plan *plan, const uint8_t *in, uint8_t *out)
{
	const struct utran_rate_step *steps = plan->steps;
	const uint8_t *places = plan->places;
	const size_t len = plan->len;
	uint8_t *to = out;

	for (size_t s = 0; s < len; s++) {
		utran_rate_store(to, utran_rate_load(in + steps[s].from, places + 16 * s));
		to += steps[s].len;
	}
	utran_rate_match_rest(plan, in, out);
}

static inline void utran_rate_sum_16(
    const struct utran_rate_plan *plan, const int16_t *in, int16_t *to)
{
	for (uint32_t s = 0; s < plan->len; s++, to += 8) {
		utran_rate_vector sum =
		    utran_rate_load(in + plan->steps[s].from, plan->places + 16 * (size_t)s);

		while (!plan->steps[s].len) {
			s++;
			sum = utran_rate_add(sum,
			    utran_rate_load(
			        in + plan->steps[s].from, plan->places + 16 * (size_t)s));
		}
		utran_rate_store(to, sum);
	}
}

/* Where no bit comes twice each block is one step. */
static inline void utran_rate_dematch_16(
    const struct utran_rate_plan *plan, const int16_t *in, int16_t *out)
{
	const struct utran_rate_step *steps = plan->steps;
	const uint8_t *places = plan->places;
	const size_t len = plan->once ? plan->len : 0;

	for (size_t s = 0; s < len; s++)
		utran_rate_store(out + 8 * s, utran_rate_load(in + steps[s].from, places + 16 * s));
	if (!plan->once)
		utran_rate_sum_16(plan, in, out);
	utran_rate_dematch_rest(plan, in, out);
}
#endif

#endif
