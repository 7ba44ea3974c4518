/* SPDX-License-Identifier: BSD-3-Clause
 * utran_interleave for SSE4.1. */
#if defined(__x86_64__)
#include "core/kernels/utran_interleave_16.h"

const struct utran_interleave_kernels utran_interleave_sse41 = {
    utran_interleave1_16, utran_deinterleave1_16, utran_interleave2_16, utran_deinterleave2_16};
#endif
