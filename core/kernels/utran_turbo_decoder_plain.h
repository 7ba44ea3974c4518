/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_decoder_plain.h - vectors of 16-bit values, for
 * utran_turbo_decoder_lanes.h, in C for any processor: the compiler makes of them what the
 * processor has.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_DECODER_PLAIN_H
#define CORE_KERNELS_UTRAN_TURBO_DECODER_PLAIN_H

#include <stdint.h>
#include <string.h>

typedef int16_t wide __attribute__((vector_size(16)));
#define WIDE 8

static inline wide w_max(wide a, wide b)
{
	const wide a_is_more = (wide)(a > b);

	return (a & a_is_more) | (b & ~a_is_more);
}

static inline wide w_min(wide a, wide b)
{
	const wide a_is_less = (wide)(a < b);

	return (a & a_is_less) | (b & ~a_is_less);
}

static inline wide w_mulhrs(wide a, wide b)
{
	wide product = {0};

	for (int l = 0; l < WIDE; l++)
		product[l] = (int16_t)((a[l] * b[l] + (1 << 14)) >> 15);
	return product;
}

#define W_INTERLEAVE(name, type, ...)                                                              \
	static inline wide name(wide a, wide b)                                                    \
	{                                                                                          \
		typedef type numbers __attribute__((vector_size(16)));                             \
		return (wide)__builtin_shufflevector((numbers)a, (numbers)b, __VA_ARGS__);         \
	}
W_INTERLEAVE(w_low16, int16_t, 0, 8, 1, 9, 2, 10, 3, 11)
W_INTERLEAVE(w_high16, int16_t, 4, 12, 5, 13, 6, 14, 7, 15)
W_INTERLEAVE(w_low32, int32_t, 0, 4, 1, 5)
W_INTERLEAVE(w_high32, int32_t, 2, 6, 3, 7)
W_INTERLEAVE(w_low64, int64_t, 0, 2)
W_INTERLEAVE(w_high64, int64_t, 1, 3)

static inline wide w_set(int16_t value)
{
	return (wide){0} + value;
}

/* 128 bits from the address. */
static inline wide w_pieces(const int16_t *const *at, int offset)
{
	wide v;

	memcpy(&v, at[0] + offset, sizeof(v));
	return v;
}

/* Takes 24 values x y y' x y y' ... apart. */
static inline void w_triples(const int16_t *at, wide *x, wide *y0, wide *y1)
{
	*x = (wide){at[0], at[3], at[6], at[9], at[12], at[15], at[18], at[21]};
	*y0 = (wide){at[1], at[4], at[7], at[10], at[13], at[16], at[19], at[22]};
	*y1 = (wide){at[2], at[5], at[8], at[11], at[14], at[17], at[20], at[23]};
}
#define LANES_TRIPLES w_triples

#endif
