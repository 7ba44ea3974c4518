/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/hash.h - FNV-1a, 64 bits: a number for bytes, the same on every machine. No defence
 * against somebody who looks for two texts with one number.
 *
 *	hash_text(hash_text(HASH_START, cpu), simd)        of both, one after the other
 */
#ifndef ALOE_BASE_HASH_H
#define ALOE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* hash_bytes goes on from `hash`, the number of what came before or HASH_START. */
static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t len)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* hash_text takes the text and its end, so that "ab", "c" differs from "a", "bc". */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	return hash_bytes(hash, text, strlen(text) + 1);
}

#endif
