/* SPDX-License-Identifier: BSD-3-Clause
 * iq - the loops for any processor, and the choice of a level. */
#include "core/kernels/iq_loops.h"
#include "core/kernels/levels.h"

static uint32_t plain_from_f32(const float *in, uint8_t *iq, uint32_t n)
{
	return iq_rest_from_f32(in, iq, n, 0);
}

static void move(const uint8_t *from, uint8_t *to, uint32_t n)
{
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
		memcpy(to, from, IQ_BYTES * (size_t)n);
		return;
	}
	for (size_t i = 0; i < 2 * (size_t)n; i++) {
		uint16_t word;

		memcpy(&word, from + 2 * i, sizeof(word));
		word = iq_turned(word);
		memcpy(to + 2 * i, &word, sizeof(word));
	}
}

void iq_to_ci16(const uint8_t *iq, void *out, uint32_t n)
{
	move(iq, out, n);
}

void iq_from_ci16(const void *in, uint8_t *iq, uint32_t n)
{
	move(in, iq, n);
}

const struct iq_kernels iq_plain = {iq_loop_to_f32, plain_from_f32};

const struct iq_kernels *iq_kernels(enum simd_level level)
{
	static const struct iq_kernels *const tables[SIMD_LEVELS] =
	    KERNEL_LEVELS(&iq_plain, &iq_sse41, &iq_avx2, &iq_avx512, &iq_neon);

	return tables[level];
}
