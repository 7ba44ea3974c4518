/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_turbo_encoder - the coder of utran_turbo.h at the speed of the machine: the same codeword
 * on every level.
 *
 * Bits are packed into words of 64. The recursive coder is a division by 1 + D^2 + D^3, and as that
 * divides 1 + D^7, 1 / (1 + D^2 + D^3) = (1 + D^2 + D^3 + D^4) / (1 + D^7): four shifts in a word
 * undo 1 + D^7, and what the word before adds is its last seven bits, repeated. The second coder's
 * bits are gathered one by one (SSE4.1, AVX2, NEON) or looked up in registers that hold the whole
 * block (AVX-512).
 *
 * 	struct utran_turbo_encoder encoder;
 * 	memory = aligned_alloc(64, utran_turbo_encoder_size(k));
 * 	utran_turbo_encoder_init(&encoder, k, memory);
 * 	utran_turbo_encoder_kernels(level)->encode(&encoder, in, out);
 * 	// k bits, one per byte, to 3k + 12
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_ENCODER_H
#define CORE_KERNELS_UTRAN_TURBO_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/simd.h"
#include "core/kernels/utran_bit_gather.h"

/* The tables of one block size; encoding writes nothing here. */
struct utran_turbo_encoder {
	uint32_t k;
	uint16_t *pi; /* internal interleaver */
	struct utran_bit_gather *gather;
};

struct utran_turbo_encoder_kernels {
	/* `in` holds k bytes of 0 or 1, `out` has room for 3k + 12; they do not overlap and may lie
	 * anywhere. */
	void (*encode)(const struct utran_turbo_encoder *encoder, const uint8_t *in, uint8_t *out);
};

const struct utran_turbo_encoder_kernels *utran_turbo_encoder_kernels(enum simd_level level);

/* utran_turbo_encoder_size gives the bytes of memory for blocks of k bits; 0 if k is outside [40,
 * 5114]. */
size_t utran_turbo_encoder_size(uint32_t k);

/* utran_turbo_encoder_init makes the tables in `memory`, aligned to 64 bytes; -EINVAL if k is
 * outside [40, 5114]. There is nothing to undo. */
int utran_turbo_encoder_init(struct utran_turbo_encoder *encoder, uint32_t k, void *memory);

#endif
