/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_chips - the inner loops at the chip rate of the UTRA downlink: spreading and scrambling
 * (3GPP TS 25.213 section 5.1) and their inverses.
 *
 * A channelisation code comes as `pairs`: for each of its sf chips (a power of two from 4 on) the
 * same factor twice, for the real and the imaginary part; utran_chip_pairs makes them of the code
 * and a factor. A scrambling code comes as utran_scrambling writes it, +1 or -1 twice a chip;
 * scrambled chips are divided by the square root of 2, so that power stays what it is.
 *
 * Every level gives the same bits: sums run over every eighth chip first and are then folded in
 * halves. Inputs and outputs do not overlap and need no alignment; nothing behind n is read or
 * written.
 */
#ifndef CORE_KERNELS_UTRAN_CHIPS_H
#define CORE_KERNELS_UTRAN_CHIPS_H

#include <complex.h>
#include <stdint.h>

#include "core/base/simd.h"

struct utran_chip_kernels {
	/* n symbols to n sf chips: chip c of symbol s is pairs[c] symbols[s] */
	void (*spread)(const float *pairs, uint32_t sf, const float complex *symbols,
	    float complex *chips, uint32_t n);
	/* n sf chips to n symbols: the sum of pairs[c] chips[c] */
	void (*despread)(const float *pairs, uint32_t sf, const float complex *chips,
	    float complex *symbols, uint32_t n);
	/* chips times code, and times its conjugate, over sqrt(2) */
	void (*scramble)(
	    const int8_t *code, const float complex *in, float complex *out, uint32_t n);
	void (*descramble)(
	    const int8_t *code, const float complex *in, float complex *out, uint32_t n);
};

/* utran_chip_kernels gives the functions of a level. */
const struct utran_chip_kernels *utran_chip_kernels(enum simd_level level);

/* The tables behind it; a level's one exists on the processors that have it. */
extern const struct utran_chip_kernels utran_chips_plain, utran_chips_avx2, utran_chips_avx512;

/* utran_chip_pairs writes the 2 sf numbers that spread and despread take: code times `factor`. */
void utran_chip_pairs(const int8_t *code, uint32_t sf, float factor, float *ret_pairs);

#endif
