/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/sha256.h - SHA-256 (FIPS 180-4), to know a file again by its content. [control]
 */
#ifndef ALOE_BASE_SHA256_H
#define ALOE_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_TEXT = 65 }; /* 64 hexadecimal digits and a NUL */

/* sha256_begin, sha256_add as often as there are bytes, sha256_end. */
struct sha256 {
	uint32_t state[8];
	uint64_t len; /* bytes added */
	uint8_t rest[64];
};
void sha256_begin(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t len);
void sha256_end(struct sha256 *sha, char ret_hex[SHA256_TEXT]);

void sha256_text(const void *bytes, size_t len, char ret_hex[SHA256_TEXT]);

/* sha256_file gives the digest of a file of at most `max` bytes: 0, or what file_read says. */
int sha256_file(const char *path, size_t max, char ret_hex[SHA256_TEXT]);

#endif
