/* SPDX-License-Identifier: BSD-3-Clause
 * fir - the loops, compiled for avx2. */
#if defined(__x86_64__)
#define FIR_VECTOR_BYTES 32
#include "core/kernels/fir_loops.h"

const struct fir_kernels fir_avx2 = FIR_TABLE;
#endif
