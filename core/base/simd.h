/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/simd.h - which vector instructions the kernels may use.
 *
 * Every kernel has a plain C reference and variants in files of their own, NAME_avx2.c and so on,
 * which alone are compiled for their instructions (Makefile). Which one runs is chosen once, in a
 * component's `init`, by the level in `setup->simd`:
 *
 * 	self->kernels = utran_crc_kernels((enum simd_level)setup->simd); // a const table
 *
 * A level with no variant of a kernel gets that of the next lower one. Levels above plain are
 * x86-64's but for NEON.
 */
#ifndef ALOE_BASE_SIMD_H
#define ALOE_BASE_SIMD_H

#include <stdbool.h>
#include <stddef.h>

enum simd_level {
	SIMD_PLAIN,
	SIMD_SSE41,
	SIMD_AVX2, /* and BMI1, BMI2, FMA, PCLMULQDQ: Haswell, Zen and later */
	/* F, BW, DQ, VL, VBMI and VBMI2: Ice Lake, Zen 4 and later; older ones run AVX2 */
	SIMD_AVX512,
	SIMD_NEON, /* every aarch64 */
	SIMD_LEVELS
};

/* simd_name gives the word that ALOE_SIMD takes: plain, sse41, avx2, avx512, neon. */
const char *simd_name(enum simd_level level);

/* simd_has says whether this machine runs a level; simd_best is the best that it runs. */
bool simd_has(enum simd_level level);
enum simd_level simd_best(void);

/* simd_choose gives the level that the environment's ALOE_SIMD asks for, the best if it asks for
 * none: 0; -EINVAL when it is none of the words, -ENOTSUP when this machine does not run it, with a
 * line that says what was found and what is allowed. [control] */
int simd_choose(enum simd_level *ret_level, char *ret_why, size_t size);

#endif
