/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_interleave - the two block interleavers of UTRAN, 3GPP TS 25.212 sections 4.2.5 and 4.2.11.
 *
 * Bits are one per byte, soft bits int16_t. `in` and `out` never overlap.
 *
 * First interleaver: the `len` bits of one TTI of `frames` = 1, 2, 4 or 8 radio frames (10, 20, 40,
 * 80 ms), len a multiple of frames. Written row by row into `frames` columns, the columns permuted,
 * read column by column; for 10 ms it is a copy. Column c of the result, then, is exactly what
 * radio frame c of the TTI carries.
 *
 * Second interleaver: the `len` bits of one radio frame on one physical channel, any length; 30
 * columns, padding dropped.
 */
#ifndef CORE_KERNELS_UTRAN_INTERLEAVE_H
#define CORE_KERNELS_UTRAN_INTERLEAVE_H

#include <stdint.h>

#include "core/base/simd.h"

/* utran_tti_frames gives the radio frames of a TTI: 1, 2, 4, 8 for 10, 20, 40, 80 ms, and 0 for
 * anything else. */
uint32_t utran_tti_frames(uint32_t tti_ms);

/* P1 of `frames` columns: column c of the result is column P1[c] of what was written. It is its own
 * inverse. */
const uint8_t *utran_interleave1_pattern(uint32_t frames);

/* utran_interleave2_starts tells where each original column of the second interleaver begins in its
 * output. */
enum { UTRAN_INTERLEAVE2_COLUMNS = 30 };
void utran_interleave2_starts(uint32_t len, uint32_t ret_starts[UTRAN_INTERLEAVE2_COLUMNS]);

struct utran_interleave_kernels {
	void (*interleave1)(const uint8_t *in, uint8_t *out, uint32_t len, uint32_t frames);
	void (*deinterleave1)(const int16_t *in, int16_t *out, uint32_t len, uint32_t frames);
	void (*interleave2)(const uint8_t *in, uint8_t *out, uint32_t len);
	void (*deinterleave2)(const int16_t *in, int16_t *out, uint32_t len);
};

/* utran_interleave_kernels gives the functions of a level. Vector levels transpose blocks of 16
 * (soft bits: 8) rows in registers; what is shorter they leave to the plain loops. */
const struct utran_interleave_kernels *utran_interleave_kernels(enum simd_level level);

/* The tables behind it; those with a level's name exist on its processors only. */
extern const struct utran_interleave_kernels utran_interleave_plain, utran_interleave_sse41,
    utran_interleave_avx2, utran_interleave_avx512, utran_interleave_neon;

void utran_interleave1_plain(const uint8_t *in, uint8_t *out, uint32_t len, uint32_t frames);
void utran_deinterleave1_plain(const int16_t *in, int16_t *out, uint32_t len, uint32_t frames);

void utran_interleave2_plain(const uint8_t *in, uint8_t *out, uint32_t len);
void utran_deinterleave2_plain(const int16_t *in, int16_t *out, uint32_t len);

#endif
