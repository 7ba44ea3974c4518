/* SPDX-License-Identifier: BSD-3-Clause
 * fir - the loops for any processor, and the choice of a level. */
#include "core/kernels/fir_loops.h"
#include "core/kernels/levels.h"

const struct fir_kernels fir_plain = FIR_TABLE;

const struct fir_kernels *fir_kernels(enum simd_level level)
{
	static const struct fir_kernels *const tables[SIMD_LEVELS] =
	    KERNEL_LEVELS(&fir_plain, &fir_plain, &fir_avx2, &fir_avx512, &fir_plain);

	return tables[level];
}
