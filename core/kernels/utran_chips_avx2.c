/* SPDX-License-Identifier: BSD-3-Clause
 * utran_chips - the loops, compiled for avx2. */
#if defined(__x86_64__)
#define CHIPS_VECTOR_BYTES 32
#include "core/kernels/utran_chips_loops.h"

const struct utran_chip_kernels utran_chips_avx2 = CHIPS_TABLE;
#endif
