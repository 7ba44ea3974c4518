/* SPDX-License-Identifier: BSD-3-Clause
 * calibrate for SSE4.1. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

typedef int16_t vec __attribute__((vector_size(16)));
#define LANES 8

static inline vec v_max(vec a, vec b)
{
	return (vec)_mm_max_epi16((__m128i)a, (__m128i)b);
}

#include "core/kernels/calibrate_16.h"
#include "core/kernels/calibrate_loops.h"

const struct calibrate_kernels calibrate_sse41 = CALIBRATE_16_TABLE;
#endif
