/* SPDX-License-Identifier: BSD-3-Clause
 * utran_chips - the loops for any processor, and the choice of a level. */
#include "core/kernels/utran_chips_loops.h"
#include "core/kernels/levels.h"

const struct utran_chip_kernels utran_chips_plain = CHIPS_TABLE;

const struct utran_chip_kernels *utran_chip_kernels(enum simd_level level)
{
	static const struct utran_chip_kernels *const tables[SIMD_LEVELS] =
	    KERNEL_LEVELS(&utran_chips_plain, &utran_chips_plain, &utran_chips_avx2,
	        &utran_chips_avx512, &utran_chips_plain);

	return tables[level];
}

void utran_chip_pairs(const int8_t *code, uint32_t sf, float factor, float *ret_pairs)
{
	for (uint32_t c = 0; c < sf; c++)
		ret_pairs[2 * c] = ret_pairs[2 * c + 1] = factor * (float)code[c];
}
