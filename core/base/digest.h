/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/digest.h - the door to xxHash: a 64-bit number for bytes (XXH64), at memory speed, to
 * see that they are the same. No defence against somebody who looks for two that have one number:
 * for that there is sha256.h.
 */
#ifndef ALOE_BASE_DIGEST_H
#define ALOE_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* digest64 goes on from `seed`: 0, or the digest of the bytes before. */
uint64_t digest64(const void *bytes, size_t len, uint64_t seed);

#endif
