/* SPDX-License-Identifier: BSD-3-Clause
 * utran_rate - the choice of a level. */
#include "core/kernels/utran_rate.h"
#include "core/kernels/levels.h"

const struct utran_rate_kernels *utran_rate_kernels(enum simd_level level)
{
	static const struct utran_rate_kernels *const tables[SIMD_LEVELS] =
	    KERNEL_LEVELS(&utran_rate_plain, &utran_rate_sse41, &utran_rate_avx2,
	        &utran_rate_avx512, &utran_rate_neon);

	return tables[level];
}
