/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_encoder - 16 bytes at a time in NEON. */
#if defined(__aarch64__)
#include <arm_neon.h>
#include <stdint.h>

static const uint8_t places[] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};

static inline uint64_t pack(const uint8_t *bits)
{
	uint64_t word = 0;

	for (int i = 0; i < 4; i++) {
		const uint8x16_t placed = vmulq_u8(vld1q_u8(bits + 16 * i), vld1q_u8(places));
		const uint64_t low = vaddv_u8(vget_low_u8(placed)),
		               high = vaddv_u8(vget_high_u8(placed));
		word |= (low | high << 8) << 16 * i;
	}
	return word;
}

/* Sixteen bits, one per byte. */
static inline uint8x16_t unpack(uint64_t word, int i)
{
	const uint8x8_t low = vdup_n_u8((uint8_t)(word >> 16 * i)),
	                high = vdup_n_u8((uint8_t)(word >> (16 * i + 8)));

	return vshrq_n_u8(vtstq_u8(vcombine_u8(low, high), vld1q_u8(places)), 7);
}

static inline void spread(const uint8_t *in, uint64_t z, uint64_t z2, uint8_t *out)
{
	for (int i = 0; i < 4; i++) {
		const uint8x16x3_t triples = {{vld1q_u8(in + 16 * i), unpack(z, i), unpack(z2, i)}};
		vst3q_u8(out + 48 * i, triples);
	}
}

#define WORDS_PACK(bits) pack(bits)
#define WORDS_SPREAD(in, u, z, z2, out) spread(in, z, z2, out)
#define WORDS_INTERLEAVE(e, in, first, second) words_gather(e, in, second)

#include "core/kernels/utran_turbo_encoder_words.h"

const struct utran_turbo_encoder_kernels utran_turbo_encoder_neon = {encode_words};
#endif
