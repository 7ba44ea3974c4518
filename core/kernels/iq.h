/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/iq.h - complex samples between a radio's packets and a waveform.
 *
 * In a packet a sample has four bytes: 16 bits real (I), then 16 bits imaginary (Q), each with its
 * low byte first ("sc16"). In a waveform it is two floats, of which 1 is 32768 of the packet's
 * steps:
 *
 * 	to_f32      value / 32768, exactly: -1 .. 32767/32768
 *         from_f32    32768 value, rounded to nearest, halves to even, limited to -32768 .. 32767;
 *                     NaN becomes 0
 *
 * So what came in goes out as the same bits. Every level gives the same. n counts samples. Packets
 * need no alignment, floats that of their type; `in` and `out` do not overlap, and nothing behind n
 * is read or written.
 */
#ifndef CORE_KERNELS_IQ_H
#define CORE_KERNELS_IQ_H

#include <stdint.h>

#include "core/base/simd.h"

enum { IQ_BYTES = 4 };

struct iq_kernels {
	void (*to_f32)(const uint8_t *iq, float *out, uint32_t n);
	/* from_f32 says how many values, real and imaginary parts counted apart, did not fit:
	 * outside -1 .. 32767/32768, or NaN */
	uint32_t (*from_f32)(const float *in, uint8_t *iq, uint32_t n);
};

/* iq_kernels gives the functions of a level. */
const struct iq_kernels *iq_kernels(enum simd_level level);

/* iq_to_ci16 and iq_from_ci16 only move samples, whose parts are in this machine's order. */
void iq_to_ci16(const uint8_t *iq, void *out, uint32_t n);
void iq_from_ci16(const void *in, uint8_t *iq, uint32_t n);

/* The tables behind it; those with a level's name exist on its processors only. */
extern const struct iq_kernels iq_plain, iq_sse41, iq_avx2, iq_avx512, iq_neon;

#endif
