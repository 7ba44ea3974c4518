/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_turbo_decoder - iterative max-log-MAP decoder of the code of utran_turbo.h.
 *
 * Soft bits are int16_t, positive = bit 0, 0 = nothing known (a punctured bit), in the order of the codeword. Their
 * scale does not matter to max-log decoding, only their resolution and range do: they are limited to
 * +-UTRAN_LLR_MAX here, so 8 to 64 per unit of signal amplitude is right and 16 is plenty. Extrinsic values are limited
 * to +-UTRAN_EXTRINSIC_MAX. With these limits no sum leaves the range of int16_t (see the sources), so the arithmetic is
 * exact whatever comes in, and nothing needs to saturate on the way.
 *
 * One iteration is two passes, one over each of the coders; without noise one iteration decodes. An extrinsic value e is
 * handed on as round(scaling * e), halves rounded up, with `scaling` in steps of 1 / UTRAN_SCALING_ONE; the decision takes
 * it whole. 0.875 is worth 0.04 dB at 2 iterations, 0.75 is worth 0.2 dB at 8.
 *
 * Two kinds of decoder stand behind one table of functions:
 *
 *	lanes = 1		the reference in plain C: the trellis is walked in one piece, so decisions are the textbook's.
 *	lanes = 8, 16, 32	SSE4.1 and NEON, AVX2, AVX-512: the block is cut into that many windows of ceil(K / lanes)
 *	(8 bits: 16, 32, 64)	steps, one in each lane; only the last one is shorter. State metrics where windows meet are
 *				found by a warm-up through the last steps of the window before (forward) or the first ones
 *				of the next (backward). It is as long as it takes to see UTRAN_WARM_PARITIES parity bits
 *				that are not punctured, at least UTRAN_WARM_MIN and at most UTRAN_WARM_MAX steps; after the
 *				first iteration half as long, from the metrics that the last iteration had there. So bits
 *				differ from the reference's only in blocks that noise leaves undecided.
 *
 * A window is walked in one to three sections of at most 2048 / lanes steps (8 bits: 4096 / lanes), so that the state
 * metrics of one, 32 KiB, stay in the first cache: backward through a section, then forward. Backward metrics where
 * sections meet come from a warm-up too, through the next section. Warm-ups longer than a section leave it at one.
 *
 * A window has at least as many steps as there are lanes, but 40 are enough for 64 lanes, and the last window at least one.
 * Other K take fewer lanes: on the level AVX-512, K >= 1024 is decoded with 32 (8 bits: most K >= 2497 with 64), 256 to
 * 1023 with 16, 64 to 255 with 8 (8 bits: by the reference), and 40 to 63 by the reference, on every level.
 *
 * Metrics of 8 bits: twice the lanes, at the price of resolution. What is argued for it:
 *
 *	scale		the block's known soft bits get a mean magnitude of UTRAN_LLR8_MEAN, whatever their scale was (it is
 *			lowered only): at the noise where blocks begin to decode a unit is an eighth of the signal's amplitude.
 *			Half of that resolution would cost 0.06 dB; +-UTRAN_LLR8_MAX is 2.5 times the mean, and more range
 *			would gain nothing.
 *	metrics		are unsigned: what agrees with the soft bits is rewarded, nothing is less than 0, so that plain adds
 *			do. The best state is brought back to 77 at every other step, what lies further below it becomes 0. In
 *			two steps it rises by 2 D at most, D = max(|x| + |y|) = 80, and the metrics of the two ways that meet at
 *			a bit are brought back in turn: neither a metric nor a path leaves 8 bits. Adds that saturate would
 *			need none of that, but they and maxima share one port of the processor (two below AVX-512), and so
 *			they took longer than 16 bits do.
 *	extrinsic	values are limited to +-UTRAN_EXTRINSIC8_MAX, what these bounds leave; their scaling is in 1 / 128.
 *
 * All that and the windows, shorter than those of 16 bits, cost 0.01 to 0.05 dB, more with few iterations
 * (tests/bench/bench_turbo_loss counts it). It takes 0.83 to 0.93 of the time of 16 bits at K = 3856; in plain C, which also
 * decodes K < 256, twice the time.
 *
 * A decoder has tables, which init makes and nothing changes, and working memory, which holds a block from `start` to its
 * last `iterate` and before that may hold anything: decoders that take turns, a block each, can have the same.
 *
 *	struct utran_turbo_decoder decoder;
 *	tables = aligned_alloc(64, utran_turbo_decoder_size(k));
 *	work = aligned_alloc(64, utran_turbo_decoder_work_size(k));
 *	utran_turbo_decoder_init(&decoder, utran_turbo_decoder_kernels(level, 16, k), k, UTRAN_SCALING_ONE, tables,
 *				 work);
 *	utran_turbo_decode(&decoder, 2, llr, bits);		// 3k + 12 soft bits to k bits
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_DECODER_H
#define CORE_KERNELS_UTRAN_TURBO_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/simd.h"
#include "core/kernels/utran_bit_gather.h"

enum { UTRAN_LLR_MAX = 511, UTRAN_EXTRINSIC_MAX = 1023 };

enum { UTRAN_LLR8_MAX = 20, UTRAN_EXTRINSIC8_MAX = 40, UTRAN_LLR8_MEAN = 8 };

enum { UTRAN_SCALING_ONE = 1 << 14 };

enum { UTRAN_TURBO_STATES = 8, UTRAN_TURBO_LANES_MAX = 64 };

enum { UTRAN_WARM_PARITIES = 20, UTRAN_WARM_MIN = 32, UTRAN_WARM_MAX = 160 };

struct utran_turbo_decoder;

struct utran_turbo_decoder_kernels {
	uint32_t lanes;
	uint32_t metrics; /* bits of a state metric: 8 or 16 */
	/* start takes in 3k + 12 soft bits and forgets the block before. */
	void (*start)(struct utran_turbo_decoder *decoder, const int16_t *llr);
	/* iterate does one more iteration. `bits`, if not NULL, gets the k bits decided after it; `more` prepares for
	 * another one. */
	void (*iterate)(struct utran_turbo_decoder *decoder, bool more, uint8_t *bits);
};

/* utran_turbo_decoder_kernels gives the fastest decoder that the level has for blocks of k bits with state metrics of 8 or
 * 16 bits. */
const struct utran_turbo_decoder_kernels *utran_turbo_decoder_kernels(
    enum simd_level level, uint32_t metrics, uint32_t k);

/* Arrays lie in the caller's memory: from, from_bit and gather are the tables, all others are working memory. Value t of
 * lane l of a stream lies at t * lanes + l and belongs to bit l * steps + t of a coder's input; what lies behind the last
 * bit of the last lane means nothing and is left there. Streams of values are int8_t or int16_t, as the metrics are. */
struct utran_turbo_decoder {
	const struct utran_turbo_decoder_kernels *kernels;
	uint32_t k;
	uint32_t steps;      /* of a window: ceil(k / lanes) */
	uint32_t sections;   /* that a window is walked in */
	uint32_t warm_first; /* steps of a warm-up, in the first iteration */
	uint32_t warm_next;  /* and later */
	uint32_t stride;     /* values from one stream to the next one */
	uint32_t scaling;    /* UTRAN_SCALING_ONE = 1 */
	uint32_t iteration;  /* done since start */
	uint16_t *from[2];   /* where a value of that coder's order lies in the other one's */
	uint16_t *from_bit;  /* where bit i of the block lies in the second coder's order */
	void *systematic;    /* of the channel, first coder's order */
	void *x[2],
	    *y[2]; /* what each coder's pass reads: systematic and what the other found; parity */
	void *extrinsic; /* what the last pass found */
	void *alpha;     /* state metrics before each step: the reference's */
	void *beta;      /* state metrics behind each step */
	void *edge
	    [2]
	    [2]; /* [coder][forward, backward]: the last iteration's metrics where warm-ups begin */
	int16_t *last; /* soft bits of the last window, so that nobody reads behind the codeword */
	struct utran_bit_gather *gather; /* from_bit, for AVX-512 */
	uint8_t *decided; /* bits in the second coder's order: bytes, for AVX-512 packed */
	int16_t end
	    [2]
	    [UTRAN_TURBO_STATES]; /* metrics of each coder's state behind bit k - 1, from the tail */
};

/* Bytes of tables and of working memory for blocks of k bits on any level, multiples of 64; 0 if k is outside [40, 5114]. */
size_t utran_turbo_decoder_size(uint32_t k);
size_t utran_turbo_decoder_work_size(uint32_t k);

/* utran_turbo_decoder_init lays the decoder out in `tables` and `work`, both aligned to 64 bytes, and makes the tables;
 * `work` is not touched. -EINVAL if k is outside [40, 5114] or scaling outside [1, UTRAN_SCALING_ONE]. There is nothing to
 * undo. */
int utran_turbo_decoder_init(struct utran_turbo_decoder *decoder,
    const struct utran_turbo_decoder_kernels *kernels, uint32_t k, uint32_t scaling, void *tables,
    void *work);

/* utran_turbo_decode decodes one block in `iterations` >= 1; nothing is kept from one block to the next. */
static inline void utran_turbo_decode(
    struct utran_turbo_decoder *decoder, unsigned iterations, const int16_t *llr, uint8_t *bits)
{
	decoder->kernels->start(decoder, llr);
	for (unsigned i = 1; i < iterations; i++)
		decoder->kernels->iterate(decoder, true, NULL);
	decoder->kernels->iterate(decoder, false, bits);
}

#endif
