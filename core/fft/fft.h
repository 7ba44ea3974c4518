/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/fft/fft.h - complex Fourier transforms of any size, single precision; the one door to FFTW.
 *
 * Made in `init` (or `prepare`): planning allocates, locks and takes its time. Executing does none
 * of that, and may be done by several threads with one plan. FFTW's planner is not safe between
 * threads, so every plan is made behind the lock that FFTW itself keeps for the whole process
 * (fftwf_make_planner_thread_safe): components are libraries of their own, a lock in one of them
 * would not be seen by another.
 *
 *         FFT_SAME     FFTW_ESTIMATE: no measuring, so the same plan and the same bits in every run
 *                      on a kind of processor. What components use.
 *         FFT_FASTEST  FFTW_PATIENT: measures for seconds, and what wins depends on the moment;
 *                      rounding may differ from run to run. For benchmarks.
 *
 * Transforms are not scaled: there and back is times `size`.
 */
#ifndef CORE_FFT_FFT_H
#define CORE_FFT_FFT_H

#include <stdint.h>

enum fft_effort { FFT_SAME, FFT_FASTEST };
enum fft_direction { FFT_FORWARD, FFT_INVERSE }; /* sign of the exponent: minus, plus */

enum { FFT_SIZE_MAX = 1 << 24 };

struct fft;

/* fft_new plans transforms of `size` items, 1 .. FFT_SIZE_MAX: 0, -EINVAL outside of that, -ENOMEM.
 * [control] */
int fft_new(
    uint32_t size, enum fft_direction direction, enum fft_effort effort, struct fft **ret_fft);

/* fft_execute transforms `size` complex items (re, im); in and out are different, both aligned to
 * 64 bytes. `in` may be spoilt. [slot] */
void fft_execute(const struct fft *fft, float *in, float *ret_out);

/* fft_free takes NULL. [control] */
void fft_free(struct fft *fft);

/* fft_size_above gives the least size of at least `size` with no prime factor above 7, which FFTW
 * is fast at. */
uint32_t fft_size_above(uint32_t size);

#endif
