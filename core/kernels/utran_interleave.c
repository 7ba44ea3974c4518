/* SPDX-License-Identifier: BSD-3-Clause
 * utran_interleave - the choice of a level. */
#include "core/kernels/utran_interleave.h"
#include "core/kernels/levels.h"

const struct utran_interleave_kernels *utran_interleave_kernels(enum simd_level level)
{
	static const struct utran_interleave_kernels *const tables[SIMD_LEVELS] =
	    KERNEL_LEVELS(&utran_interleave_plain, &utran_interleave_sse41, &utran_interleave_avx2,
	        &utran_interleave_avx512, &utran_interleave_neon);

	return tables[level];
}
