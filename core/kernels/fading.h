/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/fading.h - Rayleigh fading with the classical Doppler spectrum, as a function of
 * time.
 *
 * The gain of one path is a sum of N = 31 waves that arrive from all around a moving receiver
 * (Clarke 1968; as a simulator: Xiao, Zheng, Beaulieu, "Novel sum-of-sinusoids simulation models
 * for Rayleigh and Rician fading channels", IEEE Trans. Wireless Commun. 5(12), 2006):
 *
 * 	h(t) = 1 / sqrt(N)  sum over n of exp(j 2 pi (f_d t cos(2 pi (n + q) / N) + phase_n))
 *
 * with independent phases. Over seeds the autocorrelation is J0(2 pi f_d tau); so it is over the
 * time of one path, but for 2 J_31 (below 1e-3 for f_d tau up to 3.3), because the angles are even
 * and one rotation q serves all of them (there, each wave has its own). N is odd and q is kept
 * between 1/16 and 3/16, so that no wave shares its frequency, or that with the other sign, with
 * another one: over time the mean power of a path is 1 and its phase is even. Paths differ in q,
 * those of one seed by the golden section, and in all phases.
 *
 * There is no state: time comes in, everything else follows from seed and path, so the gains of an
 * index do not depend on which were asked for before. Same seed, path and time: same bits, at every
 * vector level (no multiply melts into an add, sums have one order).
 */
#ifndef CORE_KERNELS_FADING_H
#define CORE_KERNELS_FADING_H

#include <stdint.h>

#include "core/base/simd.h"

enum { FADING_WAVES = 31, FADING_WAVES_PADDED = 32 };

struct fading {
	double hz[FADING_WAVES_PADDED];
	double turns[FADING_WAVES_PADDED]; /* at time 0; 1 is a whole turn */
};

/* fading_init makes path `path` of `seed`. [control] */
void fading_init(uint64_t seed, uint32_t path, double doppler_hz, struct fading *ret_fading);

struct fading_kernels {
	/* gains gives amplitude times h(start_s + i step_s) for i < n, cf32. [slot] */
	void (*gains)(const struct fading *fading, double start_s, double step_s, uint32_t n,
	    float amplitude, float *ret_gains);
	/* spread makes n gains of every `step`-th one, in between on straight lines: gains[n / step
	 * + 1] is read. [slot] */
	void (*spread)(const float *gains, uint32_t step, uint32_t n, float *ret_gains);
	/* add_product adds gains[i] * x[i] to sum[i], n items of cf32. [slot] */
	void (*add_product)(const float *gains, const float *x, uint32_t n, float *sum);
	/* filter gives the sum over k < n_taps of taps[k] * x[i - k], n items of cf32; x[-(n_taps -
	 * 1)] is read. [slot] */
	void (*filter)(
	    const float *taps, uint32_t n_taps, const float *x, uint32_t n, float *ret_out);
};

/* fading_kernels gives the functions of a level. */
const struct fading_kernels *fading_kernels(enum simd_level level);

/* fading_phasor gives exp(j 2 pi turns), within 1e-8, for up to 2^50 turns: only IEEE operations in
 * a fixed order, and no branch, so that loops of it vectorise. */
static inline void fading_phasor(double turns, double *ret_re, double *ret_im)
{
	/* 1.5 x 2^52: what is added to it is rounded to nearest */
	const double whole = 6755399441055744.0;
	const double part = turns - ((turns + whole) - whole);
	const double quarter = (4 * part + whole) - whole; /* -2 .. 2 */
	const double y = 6.283185307179586476925 * (part - 0.25 * quarter), yy = y * y;
	const double s = y *
	    (1 +
	        yy *
	            (-1.0 / 6 +
	                yy *
	                    (1.0 / 120 +
	                        yy * (-1.0 / 5040 + yy * (1.0 / 362880 - yy * (1.0 / 39916800))))));
	const double c = 1 +
	    yy *
	        (-0.5 +
	            yy *
	                (1.0 / 24 + yy * (-1.0 / 720 + yy * (1.0 / 40320 - yy * (1.0 / 3628800)))));
	const double re = quarter * quarter == 1 ? s : c, im = quarter * quarter == 1 ? c : s;
	const double half = quarter * quarter == 4 ? -1 : 1;

	*ret_re = (quarter == 1 ? -1 : half) * re;
	*ret_im = (quarter == -1 ? -1 : half) * im;
}

/* The tables behind it; those with an x86-64 level's name exist there only. */
extern const struct fading_kernels fading_plain, fading_avx2, fading_avx512;

#endif
