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

const struct calibrate_kernels calibrate_sse41 = {{
    [CALIBRATE_ARITHMETIC] = arithmetic,
    [CALIBRATE_COPY] = calibrate_copy_plain,
    [CALIBRATE_BITS] = bits_16,
    [CALIBRATE_REGISTER] = register_16,
    [CALIBRATE_SHUFFLE8] = shuffle8_16,
    [CALIBRATE_SHUFFLE16] = shuffle16_16,
    [CALIBRATE_TRANSPOSE8] = transpose8_16,
    [CALIBRATE_TRANSPOSE16] = transpose16_16,
    [CALIBRATE_GATHER8] = calibrate_gather8_plain,
    [CALIBRATE_GATHER16] = calibrate_gather16_plain,
    [CALIBRATE_WEAVE] = weave_16,
    [CALIBRATE_TRELLIS] = trellis,
}};
#endif
