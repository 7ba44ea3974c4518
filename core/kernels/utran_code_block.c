/* SPDX-License-Identifier: BSD-3-Clause
 * utran_code_block - one transport channel's bits in code blocks of one size. */
#include "core/kernels/utran_code_block.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

int utran_code_blocks_init(
    struct utran_code_blocks *cut, uint32_t bits, uint32_t k_min, uint32_t k_max)
{
	uint32_t blocks, k;

	if (bits == 0 || bits > UTRAN_CODE_BLOCKS_MAX * k_max)
		return -EINVAL;
	blocks = (bits + k_max - 1) / k_max;
	k = bits < k_min ? k_min : (bits + blocks - 1) / blocks;
	*cut = (struct utran_code_blocks){
	    .bits = bits, .blocks = blocks, .k = k, .filler = blocks * k - bits};
	return 0;
}

static bool has_filler(const struct utran_code_blocks *cut, uint32_t r)
{
	return r == 0 && cut->filler > 0;
}

/* Bits of the whole before block r, for a block without filler of its own. */
static uint32_t block_start(const struct utran_code_blocks *cut, uint32_t r)
{
	return r * cut->k - (r ? cut->filler : 0);
}

const uint8_t *utran_code_block_get(
    const struct utran_code_blocks *cut, uint32_t r, const uint8_t *in, uint8_t *scratch)
{
	if (!has_filler(cut, r))
		return in + block_start(cut, r);
	memset(scratch, 0, cut->filler);
	memcpy(scratch + cut->filler, in, cut->k - cut->filler);
	return scratch;
}

uint8_t *utran_code_block_room(
    const struct utran_code_blocks *cut, uint32_t r, uint8_t *out, uint8_t *scratch)
{
	return has_filler(cut, r) ? scratch : out + block_start(cut, r);
}

void utran_code_block_put(
    const struct utran_code_blocks *cut, uint32_t r, uint8_t *out, const uint8_t *scratch)
{
	if (has_filler(cut, r))
		memcpy(out, scratch + cut->filler, cut->k - cut->filler);
}
