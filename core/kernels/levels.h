/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/levels.h - from a vector level to a kernel's table of functions, in one line for
 * every kernel:
 *
 * 	const struct soft_kernels *soft_kernels(enum simd_level level)
 * 	{
 * 		static const struct soft_kernels *const tables[SIMD_LEVELS] =
 *                     KERNEL_LEVELS(&soft_plain, &soft_sse41, &soft_avx2, &soft_avx512,
 *                     &soft_neon);
 *
 * 		return tables[level];
 * 	}
 *
 * A level without a variant is given the table of the next lower one. Names of another processor's
 * variants vanish, so nothing stands in for them there; a level that this processor does not have
 * leads to the plain table.
 */
#ifndef CORE_KERNELS_LEVELS_H
#define CORE_KERNELS_LEVELS_H

#include "core/base/simd.h"

#if defined(__x86_64__)
#define KERNEL_LEVELS(plain, sse41, avx2, avx512, neon)                                            \
	{                                                                                          \
		plain, sse41, avx2, avx512, plain                                                  \
	}
#elif defined(__aarch64__)
#define KERNEL_LEVELS(plain, sse41, avx2, avx512, neon)                                            \
	{                                                                                          \
		plain, plain, plain, plain, neon                                                   \
	}
#else
#define KERNEL_LEVELS(plain, sse41, avx2, avx512, neon)                                            \
	{                                                                                          \
		plain, plain, plain, plain, plain                                                  \
	}
#endif

#endif
