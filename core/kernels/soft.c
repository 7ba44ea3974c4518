/* SPDX-License-Identifier: BSD-3-Clause
 * soft - the loops for any processor, and the choice of a level. */
#include "core/kernels/soft_loops.h"
#include "core/kernels/levels.h"

const struct soft_kernels soft_plain = {soft_map_f32, soft_map_i16, soft_map_re_f32, soft_map_re_i16,
					soft_f32,     soft_i16,     soft_re_f32,     soft_re_i16,
					hard_f32,     hard_i16,     hard_re_f32,     hard_re_i16};

const struct soft_kernels *soft_kernels(enum simd_level level)
{
	static const struct soft_kernels *const tables[SIMD_LEVELS] =
	    KERNEL_LEVELS(&soft_plain, &soft_sse41, &soft_avx2, &soft_avx512, &soft_neon);

	return tables[level];
}
