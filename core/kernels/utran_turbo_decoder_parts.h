/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_decoder_parts.h - what all levels of utran_turbo_decoder.h share.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_DECODER_PARTS_H
#define CORE_KERNELS_UTRAN_TURBO_DECODER_PARTS_H

#include "core/kernels/utran_turbo_decoder.h"

/* Decoders that take LANES windows at a time, and, `whole`, one that walks the trellis in one
 * piece. */
extern const struct utran_turbo_decoder_kernels utran_turbo_decoder_plain,
    utran_turbo_decoder_sse41, utran_turbo_decoder_avx2, utran_turbo_decoder_avx512,
    utran_turbo_decoder_half_avx512, utran_turbo_decoder_neon;
extern const struct utran_turbo_decoder_kernels utran_turbo_decoder8_whole,
    utran_turbo_decoder8_plain, utran_turbo_decoder8_sse41, utran_turbo_decoder8_avx2,
    utran_turbo_decoder8_avx512, utran_turbo_decoder8_half_avx512, utran_turbo_decoder8_neon;

/* A level whose source has defined LANES_TEXT as the name of a section has all of its code there,
 * in one piece, so that one can tell where it is (kernels->text). */
#ifdef LANES_TEXT
#define LANES_CODE __attribute__((section(LANES_TEXT)))
extern const uint8_t lanes_text[] __asm__("__start_" LANES_TEXT);
extern const uint8_t lanes_text_end[] __asm__("__stop_" LANES_TEXT);
__asm__(".hidden __start_" LANES_TEXT "\n.hidden __stop_" LANES_TEXT);
#else
#define LANES_CODE
#define lanes_text NULL
#define lanes_text_end NULL
#endif

/* D: two branch metrics of one step differ by at most this. Metric of a state that cannot be. */
enum {
	UTRAN_TURBO_BRANCH_MAX = 2 * UTRAN_LLR_MAX + UTRAN_EXTRINSIC_MAX,
	UTRAN_TURBO_NEVER = -8192,
	UTRAN_TURBO_TAIL_STEPS = 3
};

_Static_assert(-UTRAN_TURBO_NEVER > 4 * UTRAN_TURBO_BRANCH_MAX, "a wrong start state could win");

static inline int16_t utran_turbo_limit(int value, int bound)
{
	return (int16_t)(value > bound ? bound : value < -bound ? -bound : value);
}

/* The tail leaves each state one way home: three steps that shift zeros in, so the metrics behind
 * bit k - 1 are sums. `tail` holds x y x y x y of the coder, limited. */
static inline void utran_turbo_end(const int16_t *tail, int16_t *metric)
{
	for (int state = UTRAN_TURBO_STATES - 1; state >= 0; state--) {
		int sum = 0;
		for (int i = 0, s = state; i < UTRAN_TURBO_TAIL_STEPS; i++, s >>= 1) {
			const int bit = (s >> 1 ^ s) & 1, parity = (s >> 2 ^ s) & 1;
			sum += (bit ? 0 : tail[2 * i]) + (parity ? 0 : tail[2 * i + 1]);
		}
		metric[state] = (int16_t)sum;
	}
	for (int state = UTRAN_TURBO_STATES - 1; state >= 0; state--)
		metric[state] = (int16_t)(metric[state] - metric[0]);
}

/* Metrics of both coders behind the last bit; `tails` are the codeword's last soft bits. */
static inline void utran_turbo_ends(struct utran_turbo_decoder *d, const int16_t *tails)
{
	for (int coder = 0; coder < 2; coder++) {
		int16_t tail[2 * UTRAN_TURBO_TAIL_STEPS];
		for (int i = 0; i < 2 * UTRAN_TURBO_TAIL_STEPS; i++)
			tail[i] = utran_turbo_limit(
			    tails[2 * UTRAN_TURBO_TAIL_STEPS * coder + i], UTRAN_LLR_MAX);
		utran_turbo_end(tail, d->end[coder]);
	}
}

/* The metrics of a section of all windows take so much of the first cache; those of a whole block
 * would not stay there. */
enum { UTRAN_TURBO_SECTION_BYTES = 32768, UTRAN_TURBO_SECTIONS_MAX = 3 };

/* Steps of a warm-up, which must see so many parities: `known` of `all` are. */
static inline uint32_t utran_turbo_warm_of(uint32_t known, uint32_t all)
{
	const uint32_t warm = UTRAN_WARM_PARITIES * all / (known + 1) / 4 * 4;

	return warm < UTRAN_WARM_MIN ? UTRAN_WARM_MIN
	    : warm > UTRAN_WARM_MAX  ? UTRAN_WARM_MAX
	                             : warm;
}

/* Warm-ups, and sections, of so many steps; a metric has so many bytes. */
static inline void utran_turbo_warm_use(
    struct utran_turbo_decoder *d, uint32_t warm, uint32_t bytes)
{
	const uint32_t section =
	    UTRAN_TURBO_SECTION_BYTES / (UTRAN_TURBO_STATES * d->windows * bytes);

	d->warm_first = warm;
	d->warm_next = warm / 2 < d->steps ? warm / 2 : d->steps;
	d->sections = (d->steps + section - 1) / section;
	if (d->warm_first > d->steps / d->sections)
		d->sections = 1;
}

/* ---- metrics of 8 bits ---- */

enum {
	UTRAN_TURBO8_BRANCH_MAX = 2 * UTRAN_LLR8_MAX + UTRAN_EXTRINSIC8_MAX,
	UTRAN_TURBO8_RANGE = 77, /* how far a state may lie behind the best */
	UTRAN_TURBO8_ONE = 1 << 7,
	/* in 1 / UTRAN_TURBO8_ONE: what values count from UTRAN_COARSE8_FROM on */
	UTRAN_TURBO8_COARSE = 84,
	UTRAN_TURBO8_GAIN_ONE = 1 << 15
};

_Static_assert(
    UTRAN_TURBO8_RANGE + 2 * UTRAN_TURBO8_BRANCH_MAX <= UINT8_MAX, "a metric could wrap around");
_Static_assert(2 * UTRAN_TURBO8_RANGE + UTRAN_TURBO8_BRANCH_MAX + UTRAN_LLR8_MAX <= UINT8_MAX,
    "a path could wrap around");

/* What soft bits, limited to +-UTRAN_LLR_MAX, are multiplied by, in 1 / 32768; `sum` and `known`
 * are the magnitudes and the number of those that are not 0 among the first 32 of every 128 (of 3k,
 * and of whole 32s only). */
static inline int16_t utran_turbo8_gain(uint32_t sum, uint32_t known)
{
	const uint64_t gain =
	    (uint64_t)UTRAN_LLR8_MEAN * UTRAN_TURBO8_GAIN_ONE * known / (sum ? sum : 1);

	return gain < UTRAN_TURBO8_GAIN_ONE && sum ? (int16_t)gain : UTRAN_TURBO8_GAIN_ONE - 1;
}

static inline int16_t utran_turbo8_llr(int16_t llr, int16_t gain)
{
	const int limited = utran_turbo_limit(llr, UTRAN_LLR_MAX);

	return utran_turbo_limit(
	    (limited * gain + UTRAN_TURBO8_GAIN_ONE / 2) >> 15, UTRAN_LLR8_MAX);
}

/* d->scaling in 1 / UTRAN_TURBO8_ONE, rounded. */
static inline int16_t utran_turbo8_scaling(const struct utran_turbo_decoder *d)
{
	return (
	    int16_t)((d->scaling * UTRAN_TURBO8_ONE + UTRAN_SCALING_ONE / 2) / UTRAN_SCALING_ONE);
}

/* A state metric on the coarser scale: how far it lies from the best one shrinks. */
static inline int utran_turbo8_coarser(int metric)
{
	return UTRAN_TURBO8_RANGE +
	    (metric - UTRAN_TURBO8_RANGE) * UTRAN_TURBO8_COARSE / UTRAN_TURBO8_ONE;
}

static inline void utran_turbo8_ends_coarser(struct utran_turbo_decoder *d)
{
	for (int coder = 0; coder < 2; coder++)
		for (int s = 0; s < UTRAN_TURBO_STATES; s++)
			d->end[coder][s] = (int16_t)utran_turbo8_coarser(d->end[coder][s]);
}

static inline void utran_turbo8_ends(
    struct utran_turbo_decoder *d, const int16_t *tails, int16_t gain)
{
	for (int coder = 0; coder < 2; coder++) {
		int16_t tail[2 * UTRAN_TURBO_TAIL_STEPS], *metric = d->end[coder], best = 0;
		for (int i = 0; i < 2 * UTRAN_TURBO_TAIL_STEPS; i++)
			tail[i] =
			    utran_turbo8_llr(tails[2 * UTRAN_TURBO_TAIL_STEPS * coder + i], gain);
		utran_turbo_end(tail, metric);
		for (int s = 0; s < UTRAN_TURBO_STATES; s++)
			best = metric[s] > best ? metric[s] : best;
		for (int s = 0; s < UTRAN_TURBO_STATES; s++)
			metric[s] = metric[s] < best - UTRAN_TURBO8_RANGE
			    ? 0
			    : (int16_t)(metric[s] - best + UTRAN_TURBO8_RANGE);
	}
}

#endif
