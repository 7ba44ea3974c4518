/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_many - one window of 8 blocks at a time in plain C. */
#include "core/kernels/utran_turbo_decoder_plain.h"

#include <stddef.h>

typedef wide vec;
#define LANES WIDE

/* One bit a lane: 1 if it is negative. */
static inline void v_decide(vec v, uint8_t *decided, size_t at)
{
	uint32_t negative = 0;

	for (int l = 0; l < LANES; l++)
		negative |= (uint32_t)(v[l] < 0) << l;
	decided[at / 8] = (uint8_t)negative;
}

#include "core/kernels/utran_turbo_many_lanes.h"

const struct utran_turbo_many_kernels utran_turbo_many_plain = UTRAN_TURBO_MANY_TABLE(8);
