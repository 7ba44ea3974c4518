/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_code_block - code block segmentation, 3GPP TS 25.212 section 4.2.2.2.
 *
 * The X bits of a TTI (transport blocks with their parity, one after the other) are cut into C =
 * ceil(X / Z) code blocks of one size K = ceil(X / C), Z being the largest block of the coder: 5114
 * (turbo) or 504 (convolutional). A turbo coder has a smallest block too: X < 40 gives K = 40. Y =
 * C K - X filler bits of value 0 stand before the first bit of the first block; they are coded like
 * data and dropped by the receiver. Coded blocks follow each other in order.
 *
 * 	struct utran_code_blocks cut;
 * 	utran_code_blocks_init(&cut, 5115, UTRAN_TURBO_K_MIN, UTRAN_TURBO_K_MAX);
 * 	// 2 blocks of 2558, 1 filler bit
 * 	for (uint32_t r = 0; r < cut.blocks; r++)
 *                 encode(utran_code_block_get(&cut, r, in, scratch), out + r *
 *                 coded_length(cut.k));
 */
#ifndef CORE_KERNELS_UTRAN_CODE_BLOCK_H
#define CORE_KERNELS_UTRAN_CODE_BLOCK_H

#include <stdint.h>

enum {
	UTRAN_CODE_BLOCKS_MAX = 16, /* ours: the standard has no limit */
	UTRAN_CONVOLUTIONAL_K_MIN = 1,
	UTRAN_CONVOLUTIONAL_K_MAX = 504
};

struct utran_code_blocks {
	uint32_t bits;   /* X */
	uint32_t blocks; /* C */
	uint32_t k;      /* K, bits of each block */
	uint32_t filler; /* Y, zeros at the head of the first block, less than K */
};

/* utran_code_blocks_init cuts `bits` into blocks of k_min to k_max: 0, or -EINVAL if there is no
 * bit or more than UTRAN_CODE_BLOCKS_MAX blocks would be needed. */
int utran_code_blocks_init(
    struct utran_code_blocks *cut, uint32_t bits, uint32_t k_min, uint32_t k_max);

/* utran_code_block_get gives the K bits of block r < C of `in` (X bits, one per byte): where they
 * lie in `in`, or, for a first block with filler, in `scratch` (K bytes), which is then written. */
const uint8_t *utran_code_block_get(
    const struct utran_code_blocks *cut, uint32_t r, const uint8_t *in, uint8_t *scratch);

/* utran_code_block_room gives the place where a decoder may write the K bits of block r < C on the
 * way to `out` (X bits): in `out`, or in `scratch` (K bytes) for a first block with filler;
 * utran_code_block_put must follow. */
uint8_t *utran_code_block_room(
    const struct utran_code_blocks *cut, uint32_t r, uint8_t *out, uint8_t *scratch);

/* utran_code_block_put drops the filler of block r written to utran_code_block_room. */
void utran_code_block_put(
    const struct utran_code_blocks *cut, uint32_t r, uint8_t *out, const uint8_t *scratch);

#endif
