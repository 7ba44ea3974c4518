/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_turbo_many - several blocks of one length and one plan side by side in the decoder of
 * utran_turbo_decoder.h; every block's bits are those that utran_turbo_decode gives.
 *
 * A vector has the same steps of UTRAN_TURBO_ABREAST blocks: of one window in 8 lanes, of two in
 * AVX2, of four in AVX-512. So a decoder of few windows fills long vectors, and what one coder
 * hands to the other goes from place to place as 8 values at once: nothing is gathered value by
 * value. Values of position p in a stream of utran_turbo_decoder.h lie at 8 p, one for each block,
 * so that its tables are those of both.
 *
 * Blocks side by side share their warm-ups, whose length depends on how many parity bits are known.
 * So blocks are put in groups of up to 8 that need one length, wherever they stand among 256. A
 * group of fewer blocks than the level's `least` is decoded one block after the other, and so are
 * blocks in one window (all with K < 64), and blocks with metrics of 8 bits.
 *
 * 	work = aligned_alloc(64, utran_turbo_many_work_size(&plan));	// of the decoder
 * 	utran_turbo_many_init(&many, level, &decoder, work);
 * 	utran_turbo_many_decode(&many, 2, blocks, llr, bits);
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_MANY_H
#define CORE_KERNELS_UTRAN_TURBO_MANY_H

#include "core/kernels/utran_turbo_decoder.h"

enum { UTRAN_TURBO_ABREAST = 8 }; /* blocks in a vector */

struct utran_turbo_many;

struct utran_turbo_many_kernels {
	uint32_t lanes;
	uint32_t least; /* blocks that are faster side by side than one after the other */
	/* start takes in the soft bits of each block; what lies in the place of a block that is not
	 * there does not matter, but must be soft bits. */
	void (*start)(struct utran_turbo_many *many, const int16_t *const *llr);
	/* iterate does one more iteration; `last`: the bits become ready. */
	void (*iterate)(struct utran_turbo_many *many, bool last);
	/* hand_out writes the k bits of each block that has a place for them (not NULL). */
	void (*hand_out)(const struct utran_turbo_many *many, uint8_t *const *bits);
};

/* Arrays are working memory, streams as in struct utran_turbo_decoder with 8 values for one. */
struct utran_turbo_many {
	const struct utran_turbo_many_kernels *kernels; /* NULL: nothing goes side by side */
	/* decodes what is alone; its plan, tables and warm-ups are those of all */
	struct utran_turbo_decoder *one;
	uint32_t iteration; /* done since start */
	int16_t *systematic, *extrinsic[2], *y[2];
	/* behind each step of a section: the state metrics, then what was read at the step */
	int16_t *beta;
	int16_t *edge[2][2];
	int16_t *last;    /* soft bits of the last window, block by block */
	uint8_t *decided; /* a bit for each block */
	int16_t end[2][UTRAN_TURBO_STATES][UTRAN_TURBO_ABREAST];
};

/* Bytes of working memory, a multiple of 64; 0 if nothing goes side by side. */
size_t utran_turbo_many_work_size(const struct utran_turbo_decoder_plan *plan);

/* utran_turbo_many_init lays the decoder out in `work`, aligned to 64 bytes, which may hold
 * anything before each call of decode and may be the memory that `one` works in. `one` has been
 * initialised and is used as long as the decoder is. */
void utran_turbo_many_init(struct utran_turbo_many *many, enum simd_level level,
    struct utran_turbo_decoder *one, void *work);

/* utran_turbo_many_decode decodes any number of blocks in `iterations` >= 1: of block i the 3k + 12
 * soft bits at llr[i] to the k bits at bits[i]. It returns how many were decoded side by side. */
uint32_t utran_turbo_many_decode(struct utran_turbo_many *many, unsigned iterations,
    uint32_t blocks, const int16_t *const *llr, uint8_t *const *bits);

#endif
