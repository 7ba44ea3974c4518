/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/http/frame.h"

#include <errno.h>

enum { MASKED = 0x80, LENGTH = 0x7f, LENGTH_16 = 126, LENGTH_64 = 127, MASK_BYTES = 4 };

long http_frame_take(uint8_t *bytes, size_t have, struct http_frame *ret)
{
	size_t head = 2, len;
	uint8_t *data;

	if (have < head)
		return 0;
	len = bytes[1] & LENGTH;
	if (!(bytes[1] & MASKED))
		return -EPROTO;
	if (len == LENGTH_64)
		return -EMSGSIZE;
	if (len == LENGTH_16) {
		head += 2;
		if (have < head)
			return 0;
		len = (size_t)bytes[2] << 8 | bytes[3];
	}
	if (len > HTTP_FRAME_BYTES)
		return -EMSGSIZE;
	if (have < head + MASK_BYTES + len)
		return 0;
	data = bytes + head + MASK_BYTES;
	for (size_t i = 0; i < len; i++)
		data[i] ^= bytes[head + i % MASK_BYTES];
	*ret = (struct http_frame){.opcode = bytes[0] & 0xf, .bytes = data, .len = len};
	return (long)(head + MASK_BYTES + len);
}
