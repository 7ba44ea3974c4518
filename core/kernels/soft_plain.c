/* SPDX-License-Identifier: BSD-3-Clause
 * soft - the loops for any processor. */
#include "core/kernels/soft_loops.h"

/* Real part and zero leave as one word. */
void soft_map_re_f32(const uint8_t *restrict bits, float level, float *restrict out, uint32_t n)
{
	const uint32_t word = soft_word(level);
	const int shift = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 32;

	for (size_t i = 0; i < n; i++) {
		const uint64_t mapped = (uint64_t)soft_mapped(word, bits[i]) << shift;

		memcpy(&out[2 * i], &mapped, sizeof(mapped));
	}
}

const struct soft_kernels soft_plain = {soft_map_f32, soft_map_i16, soft_map_re_f32,
    soft_map_re_i16, soft_f32, soft_i16, soft_re_f32, soft_re_i16, hard_f32, hard_i16, hard_re_f32,
    hard_re_i16};
