/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/spectrum.h - the inner loops of uniformly partitioned overlap-save convolution
 * (Wefers, "Partitioned convolution algorithms for real-time auralization", 2015, chapter 5):
 * complex Fourier transforms of power-of-two sizes made for it, and the multiply-accumulate between
 * spectra.
 *
 * A spectrum of `size` bins lies in blocks of 16: 16 real parts, then 16 imaginary parts, aligned
 * to 64 bytes. The order of the bins is the transform's own: `forward` decimates in frequency and
 * leaves its bins permuted, `inverse` decimates in time and takes them so; products do not mind.
 * Neither reorders anything, so spectra of one table must not meet those of another, while a plan
 * is the same for all of them.
 *
 * 	frame of a forward transform:   [ size/2 samples before | size/2 samples now ]
 *      samples of an inverse one:                              [ size/2 samples now ] (the first
 *                                                              half is not computed)
 *
 * The samples before live in `history`, in blocks of 16 like a spectrum; `forward` puts the samples
 * of now there. Transforms are not scaled: inverse(forward(x)) is x times `size`; who prepares a
 * response divides by it once.
 *
 * Every level gives the same bits: the flow graph is one, and every multiply-add is rounded once.
 * A processor without fused multiply-add (before AVX2) has the plain loops alone, which ask the C
 * library for each of them.
 */
#ifndef CORE_KERNELS_SPECTRUM_H
#define CORE_KERNELS_SPECTRUM_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/simd.h"

enum {
	SPECTRUM_BLOCK = 16, /* bins in a block */
	/* the multiply-accumulate works on so many bins at a time: pad a spectrum to them */
	SPECTRUM_STEP = 64,
	SPECTRUM_SIZE_MIN = 128,
	SPECTRUM_SIZE_MAX = 8192,
	SPECTRUM_PASSES_MAX = 8
};

/* One pass of butterflies: sub-transforms of `length` become `radix` ones of length / radix. */
struct spectrum_pass {
	uint32_t radix;
	uint32_t length;
	const float *twiddles;
};

struct spectrum_plan {
	uint32_t size;
	uint32_t n_passes;
	struct spectrum_pass passes[SPECTRUM_PASSES_MAX];
};

struct spectrum_kernels {
	/* forward transforms [history | in], in: size/2 cf32 (re, im), any alignment. [slot] */
	void (*forward)(
	    const struct spectrum_plan *plan, const float *in, float *history, float *ret_spectrum);
	/* inverse spoils the spectrum; ret_out: size/2 cf32, any alignment. [slot] */
	void (*inverse)(const struct spectrum_plan *plan, float *spectrum, float *ret_out);
	/* multiply gives the sum over k < count (at least 1) of x[k] * h[k], bin by bin; bins is a
	 * multiple of SPECTRUM_STEP. [slot] */
	void (*multiply)(const float *const *x, const float *const *h, uint32_t count,
	    uint32_t bins, float *ret_sum);
	/* split and join turn n complex items (re, im) into blocks of 16 and back; n is a multiple
	 * of SPECTRUM_BLOCK, the items have any alignment. [slot] */
	void (*split)(const float *in, uint32_t n, float *ret_blocks);
	void (*join)(const float *blocks, uint32_t n, float *ret_out);
};

/* spectrum_kernels gives the table for transforms of `size` at a level: small ones get that of
 * narrower vectors. The table's other functions do not mind the size. */
const struct spectrum_kernels *spectrum_kernels(enum simd_level level, uint32_t size);

/* spectrum_has_size: is there a transform of this size? Powers of two from SPECTRUM_SIZE_MIN to
 * SPECTRUM_SIZE_MAX. */
int spectrum_has_size(uint32_t size);

/* spectrum_plan_bytes says how much memory, aligned to 64 bytes, spectrum_plan_init fills with
 * tables; the plan points there and has nothing to free. Sizes that are not there: a slip of the
 * programmer. [control] */
size_t spectrum_plan_bytes(uint32_t size);
void spectrum_plan_init(uint32_t size, void *memory, struct spectrum_plan *ret_plan);

/* spectrum_floats: so many floats hold a spectrum of `bins`, padded to SPECTRUM_STEP. */
static inline size_t spectrum_floats(uint32_t bins)
{
	return ((size_t)bins + SPECTRUM_STEP - 1) / SPECTRUM_STEP * SPECTRUM_STEP * 2;
}

#if defined(__x86_64__)
extern const struct spectrum_kernels spectrum_avx2, spectrum_avx512;
#elif defined(__aarch64__)
extern const struct spectrum_kernels spectrum_neon;
#endif
extern const struct spectrum_kernels spectrum_plain;

#endif
