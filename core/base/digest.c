/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/base/digest.h"

#include <assert.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t digest64(const void *bytes, size_t len, uint64_t seed)
{
	assert(bytes != NULL || len == 0);
	return XXH64(bytes, len, seed);
}
