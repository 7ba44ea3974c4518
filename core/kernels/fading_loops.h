/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/fading_loops.h - the loops of fading.h, once for all levels: each source that
 * includes it is compiled for other instructions, and the compiler makes vector code of them.
 */
#ifndef CORE_KERNELS_FADING_LOOPS_H
#define CORE_KERNELS_FADING_LOOPS_H

#include <stddef.h>
#include <string.h>

#include "core/kernels/fading.h"

/* after so many turns the phasors are made afresh */
enum { FADING_LANES = 16, FADING_TURNED = 64 };

struct fading_phasors {
	float re[FADING_WAVES_PADDED], im[FADING_WAVES_PADDED];
};

/* The phasors of all waves: at a time, or of the turn that they take in it. */
static inline void fading_phasors(const struct fading *fading, double scale, double time_s,
    float amplitude, struct fading_phasors *restrict ret_z)
{
	double re[FADING_WAVES_PADDED], im[FADING_WAVES_PADDED];

	for (int n = 0; n < FADING_WAVES_PADDED; n++)
		fading_phasor(fading->hz[n] * time_s + scale * fading->turns[n], &re[n], &im[n]);
	for (int n = 0; n < FADING_WAVES_PADDED; n++) {
		ret_z->re[n] = (float)(amplitude * re[n]);
		ret_z->im[n] = (float)(amplitude * im[n]);
	}
	for (int n = FADING_WAVES; n < FADING_WAVES_PADDED; n++)
		ret_z->re[n] = ret_z->im[n] = 0;
}

/* In the order of a tree, whatever the width of vectors. */
static inline float fading_sum(const float *x)
{
	float sum[FADING_LANES];

	for (int l = 0; l < FADING_LANES; l++)
		sum[l] = x[l] + x[FADING_LANES + l];
	for (int half = FADING_LANES / 2; half > 0; half /= 2)
		for (int l = 0; l < half; l++)
			sum[l] += sum[half + l];
	return sum[0];
}

static inline void fading_turn(
    struct fading_phasors *restrict z, const struct fading_phasors *restrict turn)
{
	for (int n = 0; n < FADING_WAVES_PADDED; n++) {
		const float re = z->re[n] * turn->re[n] - z->im[n] * turn->im[n];

		z->im[n] = z->re[n] * turn->im[n] + z->im[n] * turn->re[n];
		z->re[n] = re;
	}
}

static void fading_gains(const struct fading *fading, double start_s, double step_s, uint32_t n,
    float amplitude, float *ret_gains)
{
	const float each = amplitude * 0.17960530202677491f; /* 1 / sqrt(31) */
	struct fading_phasors z, turn;

	if (n > 2)
		fading_phasors(fading, 0, step_s, 1, &turn);
	for (uint32_t i = 0; i < n; i++) {
		if (i % FADING_TURNED == 0 || n <= 2)
			fading_phasors(fading, 1, start_s + i * step_s, each, &z);
		else
			fading_turn(&z, &turn);
		ret_gains[2 * (size_t)i] = fading_sum(z.re);
		ret_gains[2 * (size_t)i + 1] = fading_sum(z.im);
	}
}

static inline void fading_line(const float *from, uint32_t step, uint32_t n, float *restrict out)
{
	const float re = from[0], im = from[1];
	const float slope_re = (from[2] - re) / (float)step,
	            slope_im = (from[3] - im) / (float)step;

	for (uint32_t i = 0; i < n; i++) {
		out[2 * (size_t)i] = re + (float)(int32_t)i * slope_re;
		out[2 * (size_t)i + 1] = im + (float)(int32_t)i * slope_im;
	}
}

static void fading_spread(const float *gains, uint32_t step, uint32_t n, float *ret_gains)
{
	for (uint32_t at = 0; at < n; at += step, gains += 2)
		fading_line(gains, step, n - at < step ? n - at : step, ret_gains + 2 * (size_t)at);
}

/* re * x and im * i x, each in loops that add only: where a loop adds and subtracts in turn, some
 * compilers put fused instructions whatever they were told, and levels would differ. */
static void fading_add_product(
    const float *restrict gains, const float *restrict x, uint32_t n, float *restrict sum)
{
	enum { ITEMS = 64 };
	float re[2 * ITEMS], im[2 * ITEMS], turned[2 * ITEMS];

	for (size_t at = 0; at < n;
	     at += ITEMS, gains += 2 * ITEMS, x += 2 * ITEMS, sum += 2 * ITEMS) {
		const uint32_t len = n - at < ITEMS ? (uint32_t)(n - at) : ITEMS;

		for (uint32_t i = 0; i < len; i++) {
			re[2 * i] = re[2 * i + 1] = gains[2 * i];
			im[2 * i] = im[2 * i + 1] = gains[2 * i + 1];
			turned[2 * i] = -x[2 * i + 1];
			turned[2 * i + 1] = x[2 * i];
		}
		for (uint32_t i = 0; i < 2 * len; i++)
			sum[i] += re[i] * x[i]; /* cppcheck-suppress uninitvar */
		for (uint32_t i = 0; i < 2 * len; i++)
			sum[i] += im[i] * turned[i]; /* cppcheck-suppress uninitvar */
	}
}

/* So many floats at a time: their sums stay in registers over all taps. */
static inline void fading_filter_piece(
    const float *restrict taps, uint32_t n_taps, const float *restrict x, float *restrict out)
{
	enum { FLOATS = 64 };
	float sum[FLOATS];

	for (int i = 0; i < FLOATS; i++)
		sum[i] = taps[0] * x[i];
	for (uint32_t k = 1; k < n_taps; k++) {
		const float *from = x - 2 * (size_t)k;

		for (int i = 0; i < FLOATS; i++)
			sum[i] += taps[k] * from[i];
	}
	memcpy(out, sum, sizeof(sum));
}

static void fading_filter(const float *restrict taps, uint32_t n_taps, const float *restrict x,
    uint32_t n, float *restrict ret_out)
{
	const size_t floats = 2 * (size_t)n, pieces = floats / 64 * 64;

	for (size_t at = 0; at < pieces; at += 64)
		fading_filter_piece(taps, n_taps, x + at, ret_out + at);
	for (size_t at = pieces; at < floats; at++) {
		ret_out[at] = taps[0] * x[at];
		for (uint32_t k = 1; k < n_taps; k++)
			ret_out[at] += taps[k] * x[(ptrdiff_t)at - 2 * (ptrdiff_t)k];
	}
}

#define FADING_TABLE                                                                               \
	{                                                                                          \
		fading_gains, fading_spread, fading_add_product, fading_filter                     \
	}

#endif
