/* SPDX-License-Identifier: BSD-3-Clause
 * utran_rate for SSE4.1. */
#if defined(__x86_64__)
#include "core/kernels/utran_rate_16.h"

const struct utran_rate_kernels utran_rate_sse41 = {
    16, false, utran_rate_match_16, utran_rate_dematch_16};
#endif
