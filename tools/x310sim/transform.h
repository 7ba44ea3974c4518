/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/transform.h - a discrete Fourier transform in double precision: no program of ours
 * needs FFTW, which is for components that transform in every slot (core/fft). Radix 2, in place;
 * not scaled, so there and back is times n.
 */
#ifndef TOOLS_X310SIM_TRANSFORM_H
#define TOOLS_X310SIM_TRANSFORM_H

#include <stdint.h>

/* n is a power of two, x has n complex numbers (re, im); roots[k] = exp(-2 pi i k / n) for k < n /
 * 2, from transform_roots. */
void transform_roots(uint32_t n, double *ret_roots);
void transform_forward(uint32_t n, const double *roots, double *x);
void transform_inverse(uint32_t n, const double *roots, double *x);

#endif
