/* SPDX-License-Identifier: BSD-3-Clause
 * soft - the choice of a level. */
#include "core/kernels/soft.h"
#include "core/kernels/levels.h"

const struct soft_kernels *soft_kernels(enum simd_level level)
{
	static const struct soft_kernels *const tables[SIMD_LEVELS] =
	    KERNEL_LEVELS(&soft_plain, &soft_sse41, &soft_avx2, &soft_avx512, &soft_neon);

	return tables[level];
}
