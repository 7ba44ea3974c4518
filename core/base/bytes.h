/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/bytes.h - integers at any address in a given order of bytes: get_le32 reads a
 * little-endian one of 32 bits, put_be16 writes a big-endian one of 16 bits and returns the address
 * behind it.
 */
#ifndef ALOE_BASE_BYTES_H
#define ALOE_BASE_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define BYTES_(name, type, from, to)                                                               \
	static inline type get_##name(const uint8_t *at)                                           \
	{                                                                                          \
		type value;                                                                        \
		memcpy(&value, at, sizeof(value));                                                 \
		return from(value);                                                                \
	}                                                                                          \
	static inline uint8_t *put_##name(uint8_t *at, type value)                                 \
	{                                                                                          \
		value = to(value);                                                                 \
		memcpy(at, &value, sizeof(value));                                                 \
		return at + sizeof(value);                                                         \
	}
BYTES_(le16, uint16_t, le16toh, htole16)
BYTES_(le32, uint32_t, le32toh, htole32)
BYTES_(le64, uint64_t, le64toh, htole64)
BYTES_(be16, uint16_t, be16toh, htobe16)
BYTES_(be32, uint32_t, be32toh, htobe32)
#undef BYTES_

#endif
