/* SPDX-License-Identifier: BSD-3-Clause
 * core/tap/frame: frames from another node are read inside their bytes, whatever these are. */
#include <stdlib.h>

#include "core/tap/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned sum = 0;

	while (size > 0) {
		struct tap_frame frame;
		const ssize_t n = tap_frame_get(data, size, &frame);

		if (n <= 0)
			break;
		if ((size_t)n > size || frame.data + frame.len > data + size)
			abort();
		for (uint32_t i = 0; i < frame.len; i++)
			sum += frame.data[i];
		data += n;
		size -= (size_t)n;
	}
	return sum == 1u << 31 ? 1 : 0;
}
