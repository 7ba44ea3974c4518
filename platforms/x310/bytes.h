/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/x310/bytes.h - integers at any address: CHDR is little-endian, everything else of the
 * X310 is big-endian.
 */
#ifndef PLATFORMS_X310_BYTES_H
#define PLATFORMS_X310_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define X310_BYTES_(name, type, from, to)                                                          \
	static inline type get_##name(const uint8_t *at)                                           \
	{                                                                                          \
		type value;                                                                        \
		memcpy(&value, at, sizeof(value));                                                 \
		return from(value);                                                                \
	}                                                                                          \
	static inline void put_##name(uint8_t *at, type value)                                     \
	{                                                                                          \
		value = to(value);                                                                 \
		memcpy(at, &value, sizeof(value));                                                 \
	}
X310_BYTES_(le16, uint16_t, le16toh, htole16)
X310_BYTES_(le32, uint32_t, le32toh, htole32)
X310_BYTES_(le64, uint64_t, le64toh, htole64)
X310_BYTES_(be16, uint16_t, be16toh, htobe16)
X310_BYTES_(be32, uint32_t, be32toh, htobe32)
#undef X310_BYTES_

#endif
