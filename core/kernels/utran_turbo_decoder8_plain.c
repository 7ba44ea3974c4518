/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 16 windows at a time in plain C, metrics of 8 bits. */
#include "core/kernels/utran_turbo_decoder_plain.h"

#include <stddef.h>

typedef int8_t vec __attribute__((vector_size(16)));
typedef uint8_t metrics __attribute__((vector_size(16)));
#define LANES (2 * WIDE)

static inline vec v_add(vec a, vec b)
{
	return (vec)((metrics)a + (metrics)b);
}

static inline vec v_sub(vec a, vec b)
{
	return (vec)((metrics)a - (metrics)b);
}

static inline vec v_max(vec a, vec b)
{
	const vec a_is_more = (vec)(a > b);

	return (a & a_is_more) | (b & ~a_is_more);
}

static inline vec v_min(vec a, vec b)
{
	const vec a_is_less = (vec)(a < b);

	return (a & a_is_less) | (b & ~a_is_less);
}

/* A difference whose sign is not what it should be is as large as can be. */
static inline vec v_less(vec a, vec b)
{
	const vec less = v_sub(a, b), wrong = ((a ^ b) & (a ^ less)) >> 7;
	const vec most = (a >> 7) ^ INT8_MAX;

	return (less & ~wrong) | (most & wrong);
}

static inline vec m_max(vec a, vec b)
{
	const vec a_is_more = (vec)((metrics)a > (metrics)b);

	return (a & a_is_more) | (b & ~a_is_more);
}

static inline vec m_down(vec a, vec b)
{
	return v_sub(m_max(a, b), b);
}

static inline vec v_pack(wide low, wide high)
{
	vec packed = {0};

	for (int l = 0; l < WIDE; l++) {
		packed[l] = (int8_t)(low[l] > INT8_MAX ? INT8_MAX
		        : low[l] < INT8_MIN            ? INT8_MIN
		                                       : low[l]);
		packed[l + WIDE] = (int8_t)(high[l] > INT8_MAX ? INT8_MAX
		        : high[l] < INT8_MIN                   ? INT8_MIN
		                                               : high[l]);
	}
	return packed;
}

static inline wide v_low(vec v)
{
	wide low = {0};

	for (int l = 0; l < WIDE; l++)
		low[l] = (int16_t)(v[l] * 256);
	return low;
}

static inline wide v_high(vec v)
{
	wide high = {0};

	for (int l = 0; l < WIDE; l++)
		high[l] = (int16_t)(v[l + WIDE] * 256);
	return high;
}

/* One byte a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, size_t at)
{
	for (int l = 0; l < LANES; l++)
		decided[at + (size_t)l] = v[l] < 0;
}

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder8_plain = UTRAN_TURBO_LANES_TABLE;
