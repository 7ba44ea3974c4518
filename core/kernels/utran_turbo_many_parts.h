/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_many_parts.h - what all levels of utran_turbo_many.h share.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_MANY_PARTS_H
#define CORE_KERNELS_UTRAN_TURBO_MANY_PARTS_H

#include "core/kernels/utran_turbo_many.h"
#include "core/kernels/utran_turbo_decoder_parts.h"

extern const struct utran_turbo_many_kernels utran_turbo_many_plain, utran_turbo_many_sse41,
    utran_turbo_many_avx2, utran_turbo_many_avx512, utran_turbo_many_neon;

/* Vectors that are kept of a step, and the longest of any level. */
enum { MANY_KEPT = UTRAN_TURBO_STATES + 1, MANY_LANES_MAX = 32 };

#endif
