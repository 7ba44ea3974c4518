/* SPDX-License-Identifier: BSD-3-Clause
 * calibrate for NEON. */
#if defined(__aarch64__)
#include <arm_neon.h>
#include <stdint.h>

typedef int16_t vec __attribute__((vector_size(16)));
#define LANES 8

static inline vec v_max(vec a, vec b)
{
	return (vec)vmaxq_s16((int16x8_t)a, (int16x8_t)b);
}

#include "core/kernels/calibrate_16.h"
#include "core/kernels/calibrate_loops.h"

const struct calibrate_kernels calibrate_neon = CALIBRATE_16_TABLE;
#endif
