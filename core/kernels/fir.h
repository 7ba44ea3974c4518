/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/fir.h - the sum of products behind every filter with real taps: one stream in for an
 * ordinary filter or for one phase of an interpolator, several for a decimator, whose input is
 * dealt out to as many streams.
 *
 * 	out[i] = sum over s < streams, k < len of taps[s * len + k] * in[s][i + k],	i < n
 *
 * (a correlation: a filter stores its impulse response backwards). in[s] has n + len - 1 samples.
 * The products are added in the order of s and k, multiplied and rounded first, so that every level
 * gives the same bits. `out` overlaps no input; nothing needs alignment, and nothing behind n is
 * written.
 *
 * 	const struct fir_kernels *kernels = fir_kernels((enum simd_level)setup->simd);
 * 	kernels->sum(taps, len, &history, 1, out, n);
 */
#ifndef CORE_KERNELS_FIR_H
#define CORE_KERNELS_FIR_H

#include <complex.h>
#include <stdint.h>

#include "core/base/simd.h"

struct fir_kernels {
	void (*sum)(const float *taps, uint32_t len, const float complex *const *in,
	    uint32_t streams, float complex *out, uint32_t n);
	/* out[i * streams + s] = in[s][i], i < n: the phases of an interpolator become one stream
	 * ... */
	void (*join)(
	    const float complex *const *in, uint32_t streams, float complex *out, uint32_t n);
	/* ... and one stream is dealt out: out[s][i] = in[i * streams + s], i < n */
	void (*deal)(
	    const float complex *in, uint32_t streams, float complex *const *out, uint32_t n);
};

/* fir_kernels gives the functions of a level. */
const struct fir_kernels *fir_kernels(enum simd_level level);

/* The tables behind it; a level's one exists on the processors that have it. */
extern const struct fir_kernels fir_plain, fir_avx2, fir_avx512;

#endif
