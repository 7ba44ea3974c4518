/* SPDX-License-Identifier: BSD-3-Clause
 * soft - the loops, compiled for avx512. */
#if defined(__x86_64__)
#include "core/kernels/soft_loops.h"

const struct soft_kernels soft_avx512 = SOFT_TABLE;
#endif
