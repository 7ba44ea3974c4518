/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/sha512.h - SHA-512 (FIPS 180-4) of bytes that come piece by piece, as the hash of a
 * recording that grows. [control] or [io]
 */
#ifndef ALOE_BASE_SHA512_H
#define ALOE_BASE_SHA512_H

#include <stddef.h>
#include <stdint.h>

enum { SHA512_TEXT = 129 }; /* 128 hexadecimal digits and a NUL */

struct sha512 {
	uint64_t state[8];
	uint64_t len; /* bytes added so far */
	uint8_t rest[128];
};

void sha512_init(struct sha512 *hash);
void sha512_add(struct sha512 *hash, const void *bytes, size_t len);
/* sha512_text gives the digest of what has been added; more may be added afterwards. */
void sha512_text(const struct sha512 *hash, char ret_hex[SHA512_TEXT]);

#endif
