/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - max-log-MAP with state metrics of 8 bits, the trellis in one piece, in
 * plain C.
 *
 * The trellis is that of utran_turbo_decoder.c. Metrics are unsigned, brought back at every other
 * step, those of the way forward and backward in turn; see the header. */
#include "core/kernels/utran_turbo_decoder.h"
#include "core/kernels/utran_turbo_decoder_parts.h"
#include "core/kernels/utran_turbo_trellis.h"

#include <stdlib.h>
#include <string.h>

enum { STATES = UTRAN_TURBO_STATES };

/* The best metric, which never falls, becomes UTRAN_TURBO8_RANGE again, whatever lies further below
 * it than that 0. */
static inline void metrics_normalise(int *m)
{
	const int best = turbo_max(turbo_max(turbo_max(m[0], m[1]), turbo_max(m[2], m[3])),
	    turbo_max(turbo_max(m[4], m[5]), turbo_max(m[6], m[7])));

	for (int s = 0; s < STATES; s++)
		m[s] = turbo_max(m[s] - best + UTRAN_TURBO8_RANGE, 0);
}

/* What agrees with x and y is rewarded, nothing is less than 0. */
static inline struct turbo_branches branches_of(int x, int y)
{
	const int x0 = turbo_max(x, 0), x1 = turbo_max(-x, 0), y0 = turbo_max(y, 0),
	          y1 = turbo_max(-y, 0);

	return (struct turbo_branches){x0 + y0, x0 + y1, x1 + y0, x1 + y1};
}

static void plain8_start(struct utran_turbo_decoder *d, const int16_t *llr)
{
	int8_t *systematic = d->systematic, *x = d->x[0], *y0 = d->y[0], *y1 = d->y[1];
	uint32_t magnitudes = 0, known = 0;
	int16_t gain;

	for (uint32_t i = 0; i + 32 <= 3 * d->k; i += 128) {
		for (uint32_t j = i; j < i + 32; j++) {
			magnitudes += (uint32_t)abs(utran_turbo_limit(llr[j], UTRAN_LLR_MAX));
			known += llr[j] != 0;
		}
	}
	gain = utran_turbo8_gain(magnitudes, known);
	for (uint32_t i = 0; i < d->k; i++) {
		systematic[i] = x[i] = (int8_t)utran_turbo8_llr(llr[3 * i], gain);
		y0[i] = (int8_t)utran_turbo8_llr(llr[3 * i + 1], gain);
		y1[i] = (int8_t)utran_turbo8_llr(llr[3 * i + 2], gain);
	}
	utran_turbo8_ends(d, llr + 3 * d->k, gain);
	d->iteration = 0;
}

static void metrics_forward(
    const int8_t *x, const int8_t *y, uint32_t k, uint8_t *restrict alpha, uint32_t stride)
{
	int a[STATES] = {UTRAN_TURBO8_RANGE};

	for (uint32_t n = 0; n < k; n++) {
		int next[STATES];

		for (uint32_t s = 0; s < STATES; s++)
			alpha[n + s * stride] = (uint8_t)a[s];
		turbo_step_forward(a, branches_of(x[n], y[n]), next);
		memcpy(a, next, sizeof(a));
		if (n % 2 == 1)
			metrics_normalise(a);
	}
}

static void metrics_backward(const int8_t *x, const int8_t *y, uint32_t k, const int16_t *end,
    uint8_t *restrict beta, uint32_t stride)
{
	int b[STATES];

	for (int s = 0; s < STATES; s++)
		b[s] = end[s];
	for (uint32_t n = k; n-- > 0;) {
		int next[STATES];

		for (uint32_t s = 0; s < STATES; s++)
			beta[n + s * stride] = (uint8_t)b[s];
		turbo_step_backward(b, branches_of(x[n], y[n]), next);
		memcpy(b, next, sizeof(b));
		if (n % 2 == 0)
			metrics_normalise(b);
	}
}

static inline int max_of4(int a, int b, int c, int d)
{
	return turbo_max(turbo_max(a, b), turbo_max(c, d));
}

/* What the code alone says of bit n: the best path with a 0 less the best one with a 1, x left out
 * of both. */
static void metrics_combine(const uint8_t *restrict a, const uint8_t *restrict b, size_t stride,
    const int8_t *restrict y, size_t k, int8_t *restrict extrinsic)
{
#define PATH(from, to) (a[n + (from)*stride] + b[n + (to)*stride])
	for (size_t n = 0; n < k; n++) {
		const int same0 = max_of4(PATH(0, 0), PATH(1, 4), PATH(6, 7), PATH(7, 3));
		const int other0 = max_of4(PATH(2, 5), PATH(3, 1), PATH(4, 2), PATH(5, 6));
		const int same1 = max_of4(PATH(0, 4), PATH(1, 0), PATH(6, 3), PATH(7, 7));
		const int other1 = max_of4(PATH(2, 1), PATH(3, 5), PATH(4, 6), PATH(5, 2));
		const int found = turbo_max(same0 + y[n], other0) - turbo_max(same1, other1 + y[n]);

		extrinsic[n] = (int8_t)utran_turbo_limit(found, UTRAN_EXTRINSIC8_MAX);
	}
#undef PATH
}

static void plain8_pass(struct utran_turbo_decoder *d, int coder)
{
	metrics_forward(d->x[coder], d->y[coder], d->k, d->alpha, d->stride);
	metrics_backward(d->x[coder], d->y[coder], d->k, d->end[coder], d->beta, d->stride);
	metrics_combine(d->alpha, d->beta, d->stride, d->y[coder], d->k, d->extrinsic);
}

/* A systematic value and what the other pass found, halves rounded up. */
static int8_t extrinsic_handed(int8_t systematic, int8_t extrinsic, int scaling)
{
	return (int8_t)(systematic + ((extrinsic * scaling + UTRAN_TURBO8_ONE / 2) >> 7));
}

/* Everything that is kept goes over to the coarser scale. */
static void values_rescale(struct utran_turbo_decoder *d)
{
	int8_t *const streams[] = {d->systematic, d->x[0], d->y[0], d->y[1]};

	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		for (uint32_t n = 0; n < d->k; n++)
			streams[i][n] = extrinsic_handed(0, streams[i][n], UTRAN_TURBO8_COARSE);
	utran_turbo8_ends_coarser(d);
}

static void plain8_iterate(struct utran_turbo_decoder *d, bool more, uint8_t *bits)
{
	const int scaling = utran_turbo8_scaling(d);
	const int8_t *systematic = d->systematic, *extrinsic = d->extrinsic;
	int8_t *x0 = d->x[0], *x1 = d->x[1];

	if (d->iteration++ == UTRAN_COARSE8_FROM)
		values_rescale(d);
	plain8_pass(d, 0);
	for (uint32_t n = 0; n < d->k; n++)
		x1[n] =
		    extrinsic_handed(systematic[d->from[1][n]], extrinsic[d->from[1][n]], scaling);
	plain8_pass(d, 1);
	for (uint32_t n = 0; bits && n < d->k; n++)
		bits[n] = x1[d->from_bit[n]] + extrinsic[d->from_bit[n]] < 0;
	for (uint32_t n = 0; more && n < d->k; n++)
		x0[n] = extrinsic_handed(systematic[n], extrinsic[d->from[0][n]], scaling);
}

const struct utran_turbo_decoder_kernels utran_turbo_decoder8_whole = {
    1, 8, plain8_start, plain8_iterate, NULL, NULL};
