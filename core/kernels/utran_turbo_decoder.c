/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - layout and tables for every level, and max-log-MAP, the trellis in one
 * piece, in plain C.
 *
 * A step's branch metric is one of 0, x, y, x + y: x if the bit is 0, y if the parity is 0, where x
 * is the channel's systematic value plus what the other pass found. With D = 511 + 1023 + 511 =
 * max(|x| + |y|), two metrics of one step differ by at most D, and as every state is reached from
 * every other in three steps, state metrics by at most 3 D. They are kept relative to state 0. The
 * start state is known: the others begin so far below it (more than 4 D) that no path from them can
 * win, and still the smallest sum, start - 2 D of two steps - 3 D of the other side - 511, fits 16
 * bits. Both recursions are loops with a carried state; the metrics go out as eight streams, so
 * that the third loop, which has none, is one that a compiler makes vector code of.
 *
 * Transitions of state S = 4 s1 + 2 s2 + s3 (next state, parity), as in utran_turbo.c: pairs 2i, 2i
 * + 1 lead to i and i + 4. Bit 0 leads 0 1 2 3 4 5 6 7 to 0 4 5 1 2 6 7 3, bit 1 to 4 0 1 5 6 2 3
 * 7; parity differs from the bit in states 2 to 5. */
#include "core/kernels/utran_turbo_decoder.h"
#include "core/kernels/levels.h"
#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_decoder_parts.h"
#include "core/kernels/utran_turbo_trellis.h"

#include <errno.h>

/* Values of a stream of n, rounded up to an odd number of cache lines: equal positions of
 * neighbours then lie in different sets. */
static uint32_t stream_stride(uint32_t n)
{
	return 32 * ((n + 31) / 32 | 1);
}

enum {
	TABLES = 3,
	STREAMS = 7 + 2 * UTRAN_TURBO_STATES, /* in the order of layout() */
	/* 64 bytes for each state in each section */
	EDGE = 3 * UTRAN_TURBO_STATES * UTRAN_TURBO_WINDOWS_MAX / 2,
	/* of the longest of 8 windows */
	LAST = 3 * 32 * ((UTRAN_TURBO_K_MAX / 8 + 32) / 32)
};

/* The longest stream is that of 64 windows. Streams of 8 bits leave half of their room unused. */
size_t utran_turbo_decoder_size(uint32_t k)
{
	if (k < UTRAN_TURBO_K_MIN || k > UTRAN_TURBO_K_MAX)
		return 0;
	return sizeof(uint16_t) * stream_stride(k + UTRAN_TURBO_WINDOWS_MAX) * TABLES +
	    utran_bit_gather_size(k);
}

size_t utran_turbo_decoder_work_size(uint32_t k)
{
	if (k < UTRAN_TURBO_K_MIN || k > UTRAN_TURBO_K_MAX)
		return 0;
	return sizeof(int16_t) *
	    ((size_t)stream_stride(k + UTRAN_TURBO_WINDOWS_MAX) * STREAMS + 4 * EDGE + LAST);
}

static void memory_divide(struct utran_turbo_decoder *d, uint16_t *table, int16_t *work)
{
	const uint32_t stride = d->stride;

	d->from[0] = table;
	d->from[1] = table + stride;
	d->from_bit = table + 2 * stride;
	d->gather = (struct utran_bit_gather *)(table + TABLES * stride);
	d->systematic = work;
	d->x[0] = work + stride;
	d->x[1] = work + 2 * stride;
	d->y[0] = work + 3 * stride;
	d->y[1] = work + 4 * stride;
	d->extrinsic = work + 5 * stride;
	d->decided = (uint8_t *)(work + 6 * stride);
	d->alpha = work + 7 * stride;
	d->beta = work + (7 + UTRAN_TURBO_STATES) * stride;
	work += STREAMS * stride;
	for (int i = 0; i < 4; i++)
		d->edge[i / 2][i % 2] = work + i * EDGE;
	d->last = work + 4 * EDGE;
}

/* Where bit i of a coder's input lies in a stream. */
static uint32_t position_of(const struct utran_turbo_decoder *d, uint32_t i)
{
	return i % d->steps * d->windows + i / d->steps;
}

static int tables_make(struct utran_turbo_decoder *d)
{
	uint16_t pi[UTRAN_TURBO_K_MAX];
	const int result = utran_turbo_interleaver(d->k, pi);

	if (result < 0)
		return result;
	for (uint32_t i = 0; i < d->k; i++) {
		const uint32_t second = position_of(d, i), first = position_of(d, pi[i]);
		d->from[0][first] = d->from_bit[pi[i]] = (uint16_t)second;
		d->from[1][second] = (uint16_t)first;
	}
	for (uint32_t i = d->k; i < d->steps * d->windows; i++)
		d->from[0][position_of(d, i)] = d->from[1][position_of(d, i)] =
		    (uint16_t)position_of(d, i);
	for (uint32_t i = d->steps * d->windows; i < d->stride; i++)
		d->from[0][i] = d->from[1][i] = 0;
	utran_bit_gather_init(d->gather, d->from_bit, d->k);
	return 0;
}

int utran_turbo_decoder_init(struct utran_turbo_decoder *decoder, enum simd_level level,
    const struct utran_turbo_decoder_plan *plan, void *tables, void *work)
{
	const uint32_t windows = utran_turbo_decoder_windows(plan->metrics, plan->windows, plan->k);

	if (plan->k < UTRAN_TURBO_K_MIN || plan->k > UTRAN_TURBO_K_MAX || plan->scaling == 0 ||
	    plan->scaling > UTRAN_SCALING_ONE || (plan->metrics != 8 && plan->metrics != 16))
		return -EINVAL;
	*decoder = (struct utran_turbo_decoder){
	    .kernels = utran_turbo_decoder_kernels(level, plan->metrics, windows),
	    .k = plan->k,
	    .windows = windows,
	    .steps = (plan->k + windows - 1) / windows,
	    .scaling = plan->scaling,
	};
	decoder->stride = stream_stride(decoder->steps * windows);
	memory_divide(decoder, tables, work);
	return tables_make(decoder);
}

size_t utran_turbo_decoder_section(const struct utran_turbo_decoder *decoder)
{
	const size_t all =
	    (size_t)decoder->steps * decoder->windows * UTRAN_TURBO_STATES * sizeof(int16_t);

	return all < UTRAN_TURBO_SECTION_BYTES ? all : UTRAN_TURBO_SECTION_BYTES;
}

static void plain_start(struct utran_turbo_decoder *d, const int16_t *llr)
{
	int16_t *systematic = d->systematic, *x = d->x[0], *y0 = d->y[0], *y1 = d->y[1];

	for (uint32_t i = 0; i < d->k; i++) {
		systematic[i] = x[i] = utran_turbo_limit(llr[3 * i], UTRAN_LLR_MAX);
		y0[i] = utran_turbo_limit(llr[3 * i + 1], UTRAN_LLR_MAX);
		y1[i] = utran_turbo_limit(llr[3 * i + 2], UTRAN_LLR_MAX);
	}
	utran_turbo_ends(d, llr + 3 * d->k);
}

static void metrics_forward(
    const int16_t *x, const int16_t *y, size_t k, int16_t *restrict alpha, size_t stride)
{
	int a[UTRAN_TURBO_STATES] = {0};

	for (int s = 1; s < UTRAN_TURBO_STATES; s++)
		a[s] = UTRAN_TURBO_NEVER;
	turbo_forward16(x, y, k, a, alpha, stride);
}

static void metrics_backward(const int16_t *x, const int16_t *y, size_t k, const int16_t *end,
    int16_t *restrict beta, size_t stride)
{
	int b[UTRAN_TURBO_STATES];

	for (int s = 0; s < UTRAN_TURBO_STATES; s++)
		b[s] = end[s] - end[0];
	turbo_backward16(x, y, k, b, beta, stride);
}

static inline int16_t max_of4(int16_t a, int16_t b, int16_t c, int16_t d)
{
	const int16_t ab = a > b ? a : b;
	const int16_t cd = c > d ? c : d;

	return ab > cd ? ab : cd;
}

/* What the code alone says of bit n: the best path with a 0 less the best one with a 1, x left out
 * of both. */
static void metrics_combine(const int16_t *restrict a, const int16_t *restrict b, size_t s,
    const int16_t *restrict y, size_t k, int16_t *restrict extrinsic)
{
#define PATH(from, to) (int16_t)(a[n + (from)*s] + b[n + (to)*s])
	for (size_t n = 0; n < k; n++) {
		const int16_t same0 = max_of4(PATH(0, 0), PATH(1, 4), PATH(6, 7), PATH(7, 3));
		const int16_t other0 = max_of4(PATH(2, 5), PATH(3, 1), PATH(4, 2), PATH(5, 6));
		const int16_t same1 = max_of4(PATH(0, 4), PATH(1, 0), PATH(6, 3), PATH(7, 7));
		const int16_t other1 = max_of4(PATH(2, 1), PATH(3, 5), PATH(4, 6), PATH(5, 2));
		const int16_t zero =
		    (int16_t)(same0 + y[n]) > other0 ? (int16_t)(same0 + y[n]) : other0;
		const int16_t one =
		    (int16_t)(other1 + y[n]) > same1 ? (int16_t)(other1 + y[n]) : same1;
		const int16_t found = (int16_t)(zero - one);
		const int16_t upper = found < UTRAN_EXTRINSIC_MAX ? found : UTRAN_EXTRINSIC_MAX;

		extrinsic[n] = upper > -UTRAN_EXTRINSIC_MAX ? upper : -UTRAN_EXTRINSIC_MAX;
	}
#undef PATH
}

static void plain_pass(struct utran_turbo_decoder *d, int coder)
{
	metrics_forward(d->x[coder], d->y[coder], d->k, d->alpha, d->stride);
	metrics_backward(d->x[coder], d->y[coder], d->k, d->end[coder], d->beta, d->stride);
	metrics_combine(d->alpha, d->beta, d->stride, d->y[coder], d->k, d->extrinsic);
}

static int16_t extrinsic_scaled(const struct utran_turbo_decoder *d, int16_t extrinsic)
{
	return (int16_t)((extrinsic * (int32_t)d->scaling + UTRAN_SCALING_ONE / 2) >> 14);
}

static void plain_iterate(struct utran_turbo_decoder *d, bool more, uint8_t *bits)
{
	int16_t *x0 = d->x[0], *x1 = d->x[1];
	const int16_t *systematic = d->systematic, *extrinsic = d->extrinsic;

	plain_pass(d, 0);
	for (uint32_t n = 0; n < d->k; n++)
		x1[n] = (int16_t)(systematic[d->from[1][n]] +
		    extrinsic_scaled(d, extrinsic[d->from[1][n]]));
	plain_pass(d, 1);
	for (uint32_t n = 0; bits && n < d->k; n++)
		bits[n] = x1[d->from_bit[n]] + extrinsic[d->from_bit[n]] < 0;
	for (uint32_t n = 0; more && n < d->k; n++)
		x0[n] = (int16_t)(systematic[n] + extrinsic_scaled(d, extrinsic[d->from[0][n]]));
}

static const struct utran_turbo_decoder_kernels utran_turbo_decoder_whole = {
    1, 16, plain_start, plain_iterate, NULL, NULL};

/* Whether blocks of k bits make so many windows: none too short for a vector's work, the last one
 * with a step at least. */
static bool windows_fit(uint32_t windows, uint32_t k)
{
	const uint32_t steps = (k + windows - 1) / windows, least = windows < 40 ? windows : 40;

	return k >= windows * least && k > (windows - 1) * steps;
}

uint32_t utran_turbo_decoder_windows(uint32_t metrics, uint32_t most, uint32_t k)
{
	const uint32_t least = 128 / metrics, greatest = most ? most : 256 / metrics;

	for (uint32_t windows = 512 / metrics; windows >= least; windows /= 2)
		if (windows <= greatest && windows_fit(windows, k))
			return windows;
	return 1;
}

/* A level has decoders of two lengths of vectors at most, the longer one first. */
const struct utran_turbo_decoder_kernels *utran_turbo_decoder_kernels(
    enum simd_level level, uint32_t metrics, uint32_t windows)
{
	static const struct utran_turbo_decoder_kernels *const whole[] = {
	    &utran_turbo_decoder_whole, &utran_turbo_decoder8_whole};
	static const struct utran_turbo_decoder_kernels *const tables[2][2][SIMD_LEVELS] = {
	    {KERNEL_LEVELS(&utran_turbo_decoder_plain, &utran_turbo_decoder_sse41,
	         &utran_turbo_decoder_avx2, &utran_turbo_decoder_avx512, &utran_turbo_decoder_neon),
	        KERNEL_LEVELS(&utran_turbo_decoder_plain, &utran_turbo_decoder_sse41,
	            &utran_turbo_decoder_avx2, &utran_turbo_decoder_half_avx512,
	            &utran_turbo_decoder_neon)},
	    {KERNEL_LEVELS(&utran_turbo_decoder8_plain, &utran_turbo_decoder8_sse41,
	         &utran_turbo_decoder8_avx2, &utran_turbo_decoder8_avx512,
	         &utran_turbo_decoder8_neon),
	        KERNEL_LEVELS(&utran_turbo_decoder8_plain, &utran_turbo_decoder8_sse41,
	            &utran_turbo_decoder8_avx2, &utran_turbo_decoder8_half_avx512,
	            &utran_turbo_decoder8_neon)}};

	if (windows == 1)
		return whole[metrics == 8];
	for (;; level--)
		for (int half = 0; half < 2; half++)
			if (tables[metrics == 8][half][level]->lanes <= windows)
				return tables[metrics == 8][half][level];
}
