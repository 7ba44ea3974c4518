/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_turbo_decoder - iterative max-log-MAP decoder of the code of utran_turbo.h.
 *
 * Soft bits are int16_t, positive = bit 0, 0 = nothing known (a punctured bit), in the order of the
 * codeword. Their scale does not matter to max-log decoding, only their resolution and range do:
 * they are limited to +-UTRAN_LLR_MAX here, so 8 to 64 per unit of signal amplitude is right and 16
 * is plenty. Extrinsic values are limited to +-UTRAN_EXTRINSIC_MAX. With these limits no sum leaves
 * the range of int16_t (see the sources), so the arithmetic is exact whatever comes in, and nothing
 * needs to saturate on the way.
 *
 * One iteration is two passes, one over each of the coders; without noise one iteration decodes. An
 * extrinsic value e is handed on as round(scaling * e), halves rounded up, with `scaling` in steps
 * of 1 / UTRAN_SCALING_ONE; the decision takes it whole. 0.875 is worth 0.04 dB at 2 iterations,
 * 0.75 is worth 0.2 dB at 8.
 *
 * The block is cut into windows of ceil(K / windows) steps; only the last one is shorter. How many
 * there are is part of the decoder's plan and nothing else changes the result: every level gives
 * the same bits for the same plan, for blocks that noise leaves undecided, too, and after every
 * iteration.
 *
 *         windows = 1             the trellis is walked in one piece, in plain C, so decisions are
 *                                 the textbook's.
 *      windows = 8, 16, 32     State metrics where windows meet are found by a warm-up through the
 *                              last steps of the window
 *      (8 bits: 16, 32, 64)    before (forward) or the first ones of the next (backward). It is as
 *                              long as it takes to see
 *                                 UTRAN_WARM_PARITIES parity bits that are not punctured, at least
 *                                 UTRAN_WARM_MIN and at most UTRAN_WARM_MAX steps; after the first
 *                                 iteration half as long, from the metrics that the last iteration
 *                                 had there. So bits differ from those of one window only in blocks
 *                                 that noise leaves undecided.
 *
 * A vector walks one window in each lane: 8 in plain C, SSE4.1 and NEON, 16 in AVX2, 16 or 32 in
 * AVX-512 (8 bits: 16; 32; 32 or 64). A level with fewer lanes than the plan has windows walks them
 * in parts, a part after the other. The plan's default, 16 (8 bits: 32), fills AVX2; AVX-512 walks
 * them in vectors of 256 bits.
 *
 * A window is walked in one to three sections of at most 2048 / windows steps (8 bits: 4096 /
 * windows), so that the state metrics of one, 32 KiB at most, stay in the first cache: backward
 * through a section, then forward. Backward metrics where sections meet come from a warm-up too,
 * through the next section. Warm-ups longer than a section leave it at one.
 *
 * A window has at least as many steps as there are windows, but 40 are enough for 64, and the last
 * window at least one. Other K take fewer windows: 32 fit K >= 1024, 16 most K >= 256, 8 most K >=
 * 64, and 64 most K >= 2560. Metrics of 8 bits have no 8 windows: K < 256 is decoded in one.
 *
 * Metrics of 8 bits: twice the lanes, at the price of resolution. What is argued for it:
 *
 *         scale           the block's known soft bits get a mean magnitude of UTRAN_LLR8_MEAN,
 *                         whatever their scale was (it is lowered only): at the noise where blocks
 *                         begin to decode a unit is an eighth of the signal's amplitude. Half of
 *                         that resolution would cost 0.06 dB; +-UTRAN_LLR8_MAX is 2.5 times the
 *                         mean, and more range would gain nothing.
 *         metrics         are unsigned: what agrees with the soft bits is rewarded, nothing is less
 *                         than 0, so that plain adds do. The best state is brought back to 77 at
 *                         every other step, what lies further below it becomes 0. In two steps it
 *                         rises by 2 D at most, D = max(|x| + |y|) = 80, and the metrics of the two
 *                         ways that meet at a bit are brought back in turn: neither a metric nor a
 *                         path leaves 8 bits. Adds that saturate would need none of that, but they
 *                         and maxima share one port of the processor (two below AVX-512), and so
 *                         they took longer than 16 bits do.
 *         extrinsic       values are limited to +-UTRAN_EXTRINSIC8_MAX, what these bounds leave;
 *                         their scaling is in 1 / 128.
 *         later on        the limit is 5 times the soft bits' mean magnitude. Decoding goes further
 *                         than that after some iterations, and with the limit in its way single
 *                         bits stay wrong: at 8 iterations and 0.8 dB, all 11580 bits sent, 2
 *                         blocks in 1000. So from iteration UTRAN_COARSE8_FROM on everything that
 *                         is kept counts about two thirds (UTRAN_TURBO8_COARSE), the limit stays,
 *                         and 3 in 10000 are left. By then resolution matters less: where noise
 *                         decides nothing is lost.
 *
 * All that and the windows, shorter than those of 16 bits, cost 0.01 to 0.05 dB, more with few
 * iterations (tests/bench/bench_turbo_loss counts it). It takes 0.83 to 0.93 of the time of 16 bits
 * at K = 3856; in plain C four times, and twice for K < 256, which plain C decodes on every level.
 *
 * A decoder has tables, which init makes and nothing changes, and working memory, which holds a
 * block from `start` to its last `iterate` and before that may hold anything: decoders that take
 * turns, a block each, can have the same.
 *
 * 	struct utran_turbo_decoder decoder;
 * 	tables = aligned_alloc(64, utran_turbo_decoder_size(k));
 * 	work = aligned_alloc(64, utran_turbo_decoder_work_size(k));
 *         utran_turbo_decoder_init(&decoder, level, &(struct utran_turbo_decoder_plan){k, 16, 0,
 *                                  UTRAN_SCALING_ONE}, tables, work);
 * 	utran_turbo_decode(&decoder, 2, llr, bits);		// 3k + 12 soft bits to k bits
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

/* The first iteration, counted from 0, with a coarser scale, for metrics of 8 bits. */
enum { UTRAN_COARSE8_FROM = 4 };

enum { UTRAN_SCALING_ONE = 1 << 14 };

enum { UTRAN_TURBO_STATES = 8, UTRAN_TURBO_WINDOWS_MAX = 64 };

enum { UTRAN_WARM_PARITIES = 20, UTRAN_WARM_MIN = 32, UTRAN_WARM_MAX = 160 };

struct utran_turbo_decoder;

struct utran_turbo_decoder_kernels {
	uint32_t lanes;   /* windows at a time */
	uint32_t metrics; /* bits of a state metric: 8 or 16 */
	/* start takes in 3k + 12 soft bits and forgets the block before. */
	void (*start)(struct utran_turbo_decoder *decoder, const int16_t *llr);
	/* iterate does one more iteration. `bits`, if not NULL, gets the k bits decided after it;
	 * `more` prepares for another one. */
	void (*iterate)(struct utran_turbo_decoder *decoder, bool more, uint8_t *bits);
	/* where their code is, for who wants to fetch it before it is needed; NULL: not known */
	const uint8_t *text, *text_end;
};

/* What the bits that are decided depend on, beside what comes in. */
struct utran_turbo_decoder_plan {
	uint32_t k;
	uint32_t metrics; /* bits of a state metric: 8 or 16 */
	uint32_t windows; /* at most so many; 0: 16, with metrics of 8 bits 32 */
	uint32_t scaling; /* UTRAN_SCALING_ONE = 1 */
};

/* utran_turbo_decoder_windows gives the windows that blocks of k bits are cut into: the most of 1,
 * 8, 16, 32 and 64 that fit k and the metrics and are not more than `most`, which is 0 for the
 * default. */
uint32_t utran_turbo_decoder_windows(uint32_t metrics, uint32_t most, uint32_t k);

/* utran_turbo_decoder_kernels gives the fastest decoder that the level has for so many windows. */
const struct utran_turbo_decoder_kernels *utran_turbo_decoder_kernels(
    enum simd_level level, uint32_t metrics, uint32_t windows);

/* Arrays lie in the caller's memory: from, from_bit and gather are the tables, all others are
 * working memory. Value t of window l of a stream lies at t * windows + l and belongs to bit l *
 * steps + t of a coder's input; what lies behind the last bit of the last window means nothing and
 * is left there. Streams of values are int8_t or int16_t, as the metrics are. */
struct utran_turbo_decoder {
	const struct utran_turbo_decoder_kernels *kernels;
	uint32_t k;
	uint32_t windows;
	uint32_t steps;      /* of a window: ceil(k / windows) */
	uint32_t sections;   /* that a window is walked in */
	uint32_t warm_first; /* steps of a warm-up, in the first iteration */
	uint32_t warm_next;  /* and later */
	uint32_t stride;     /* values from one stream to the next one */
	uint32_t scaling;    /* UTRAN_SCALING_ONE = 1 */
	uint32_t iteration;  /* done since start */
	uint16_t *from[2];   /* where a value of that coder's order lies in the other one's */
	uint16_t *from_bit;  /* where bit i of the block lies in the second coder's order */
	void *systematic;    /* of the channel, first coder's order */
	/* what each coder's pass reads: systematic and what the other found; parity */
	void *x[2], *y[2];
	void *extrinsic; /* what the last pass found */
	void *alpha;     /* state metrics before each step: the reference's */
	void *beta;      /* state metrics behind each step */
	/* [coder][forward, backward]: the last iteration's metrics where warm-ups begin */
	void *edge[2][2];
	/* soft bits of the last window, so that nobody reads behind the codeword */
	int16_t *last;
	struct utran_bit_gather *gather; /* from_bit, for AVX-512 */
	/* bits in the second coder's order: bytes, for AVX-512 packed */
	uint8_t *decided;
	/* metrics of each coder's state behind bit k - 1, from the tail */
	int16_t end[2][UTRAN_TURBO_STATES];
};

/* Bytes of tables and of working memory for blocks of k bits on any level, multiples of 64; 0 if k
 * is outside [40, 5114]. */
size_t utran_turbo_decoder_size(uint32_t k);
size_t utran_turbo_decoder_work_size(uint32_t k);

/* utran_turbo_decoder_init lays the decoder out in `tables` and `work`, both aligned to 64 bytes,
 * and makes the tables; `work` is not touched. -EINVAL if k is outside [40, 5114], scaling outside
 * [1, UTRAN_SCALING_ONE] or metrics not 8 or 16. There is nothing to undo. */
int utran_turbo_decoder_init(struct utran_turbo_decoder *decoder, enum simd_level level,
    const struct utran_turbo_decoder_plan *plan, void *tables, void *work);

/* utran_turbo_decoder_section gives the bytes at `beta` that decoding goes through again and
 * again. */
size_t utran_turbo_decoder_section(const struct utran_turbo_decoder *decoder);

/* utran_turbo_decode decodes one block in `iterations` >= 1; nothing is kept from one block to the
 * next. */
static inline void utran_turbo_decode(
    struct utran_turbo_decoder *decoder, unsigned iterations, const int16_t *llr, uint8_t *bits)
{
	decoder->kernels->start(decoder, llr);
	for (unsigned i = 1; i < iterations; i++)
		decoder->kernels->iterate(decoder, true, NULL);
	decoder->kernels->iterate(decoder, false, bits);
}

#endif
