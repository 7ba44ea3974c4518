/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/kernels/move.h"

#include <string.h>

#include "core/kernels/levels.h"

static void plain_copy(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
}

static void plain_clear(void *to, size_t bytes)
{
	memset(to, 0, bytes);
}

const struct move_kernels move_plain = {plain_copy, plain_clear};

const struct move_kernels *move_kernels(enum simd_level level)
{
	static const struct move_kernels *const tables[SIMD_LEVELS] =
	    KERNEL_LEVELS(&move_plain, &move_plain, &move_avx2, &move_avx512, &move_plain);

	return tables[level];
}
