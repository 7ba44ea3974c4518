/* SPDX-License-Identifier: BSD-3-Clause
 * utran_interleave for NEON. */
#if defined(__aarch64__)
#include "core/kernels/utran_interleave_16.h"

const struct utran_interleave_kernels utran_interleave_neon = {
    utran_interleave1_16, utran_deinterleave1_16, utran_interleave2_16, utran_deinterleave2_16};
#endif
