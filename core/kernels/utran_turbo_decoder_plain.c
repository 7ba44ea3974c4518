/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - 8 windows at a time in plain C. */
#include "core/kernels/utran_turbo_decoder_plain.h"

#include <stddef.h>

typedef wide vec;
#define LANES WIDE

/* One byte a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, size_t at)
{
	for (int l = 0; l < LANES; l++)
		decided[at + (size_t)l] = v[l] < 0;
}

#include "core/kernels/utran_turbo_decoder_lanes.h"

const struct utran_turbo_decoder_kernels utran_turbo_decoder_plain = UTRAN_TURBO_LANES_TABLE;
