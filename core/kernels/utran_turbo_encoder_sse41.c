/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_encoder - compiled for SSE4.1. */
#if defined(__x86_64__)
#include "core/kernels/utran_turbo_encoder_x86.h"

const struct utran_turbo_encoder_kernels utran_turbo_encoder_sse41 = {encode_words};
#endif
