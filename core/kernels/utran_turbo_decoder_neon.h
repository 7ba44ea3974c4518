/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_decoder_neon.h - vectors of 16-bit values, for
 * utran_turbo_decoder_lanes.h, in NEON.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_DECODER_NEON_H
#define CORE_KERNELS_UTRAN_TURBO_DECODER_NEON_H

#if defined(__aarch64__)
#include <arm_neon.h>
#include <stdint.h>

typedef int16x8_t wide;
#define WIDE 8

static inline wide w_max(wide a, wide b)
{
	return vmaxq_s16(a, b);
}

static inline wide w_min(wide a, wide b)
{
	return vminq_s16(a, b);
}

static inline wide w_mulhrs(wide a, wide b)
{
	return vqrdmulhq_s16(a, b);
}

#define W_INTERLEAVE(name, bits, intrinsic)                                                        \
	static inline wide name(wide a, wide b)                                                    \
	{                                                                                          \
		return vreinterpretq_s16_s##bits(intrinsic##_s##bits(                              \
		    vreinterpretq_s##bits##_s16(a), vreinterpretq_s##bits##_s16(b)));              \
	}
#define vreinterpretq_s16_s16(v) (v)
W_INTERLEAVE(w_low16, 16, vzip1q)
W_INTERLEAVE(w_high16, 16, vzip2q)
W_INTERLEAVE(w_low32, 32, vzip1q)
W_INTERLEAVE(w_high32, 32, vzip2q)
W_INTERLEAVE(w_low64, 64, vzip1q)
W_INTERLEAVE(w_high64, 64, vzip2q)

static inline wide w_set(int16_t value)
{
	return (wide){0} + value;
}

/* 128 bits from the address. */
static inline wide w_pieces(const int16_t *const *at, int offset)
{
	return vld1q_s16(at[0] + offset);
}

/* Values 0 3 6 of a, 1 4 7 of b, 2 5 of c. */
static inline wide w_thirds(wide a, wide b, wide c)
{
	static const uint16_t of_b[] = {0, 0xffff, 0, 0, 0xffff, 0, 0, 0xffff};
	static const uint16_t of_c[] = {0, 0, 0xffff, 0, 0, 0xffff, 0, 0};

	return vbslq_s16(vld1q_u16(of_c), c, vbslq_s16(vld1q_u16(of_b), b, a));
}

static inline wide w_order(wide v, const uint8_t *order)
{
	return vreinterpretq_s16_u8(vqtbl1q_u8(vreinterpretq_u8_s16(v), vld1q_u8(order)));
}

#endif

#endif
