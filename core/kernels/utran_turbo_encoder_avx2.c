/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_encoder - compiled for AVX2. */
#if defined(__x86_64__)
#include "core/kernels/utran_turbo_encoder_x86.h"

const struct utran_turbo_encoder_kernels utran_turbo_encoder_avx2 = {encode_words};
#endif
