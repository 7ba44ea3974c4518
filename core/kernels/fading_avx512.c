/* SPDX-License-Identifier: BSD-3-Clause
 * fading - the loops, compiled for avx512. */
#if defined(__x86_64__)
#include "core/kernels/fading_loops.h"

const struct fading_kernels fading_avx512 = FADING_TABLE;
#endif
