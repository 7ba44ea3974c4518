/* SPDX-License-Identifier: BSD-3-Clause
 * soft - the loops, compiled for neon. */
#if defined(__aarch64__)
#include "core/kernels/soft_loops.h"

const struct soft_kernels soft_neon = SOFT_TABLE;
#endif
