/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_decoder - max-log-MAP with state metrics of 8 bits in plain C.
 *
 * The trellis is that of utran_turbo_decoder.c. Metrics are unsigned, brought back at every other step, those of the way
 * forward and backward in turn; see the header. */
#include "core/kernels/utran_turbo_decoder.h"
#include "core/kernels/utran_turbo_decoder_parts.h"

#include <stdlib.h>

enum { STATES = UTRAN_TURBO_STATES };

static inline int max(int a, int b)
{
	return a > b ? a : b;
}

/* The best metric, which never falls, becomes UTRAN_TURBO8_RANGE again, whatever lies further below it than that 0. */
static inline void normalise(int *m)
{
	const int best =
	    max(max(max(m[0], m[1]), max(m[2], m[3])), max(max(m[4], m[5]), max(m[6], m[7])));

	for (int s = 0; s < STATES; s++)
		m[s] = max(m[s] - best + UTRAN_TURBO8_RANGE, 0);
}

/* Metrics of bit and parity: what agrees with x and y is rewarded, nothing is less than 0. */
struct branches {
	int of00, of01, of10, of11;
};

static inline struct branches branches_of(int x, int y)
{
	const int x0 = max(x, 0), x1 = max(-x, 0), y0 = max(y, 0), y1 = max(-y, 0);

	return (struct branches){x0 + y0, x0 + y1, x1 + y0, x1 + y1};
}

static void start(struct utran_turbo_decoder *d, const int16_t *llr)
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
}

static void forward(
    const int8_t *x, const int8_t *y, uint32_t k, uint8_t *restrict alpha, uint32_t stride)
{
	int a[STATES] = {UTRAN_TURBO8_RANGE};

	for (uint32_t n = 0; n < k; n++) {
		const struct branches g = branches_of(x[n], y[n]);
		const int b0 = max(a[0] + g.of00, a[1] + g.of11),
		          b4 = max(a[0] + g.of11, a[1] + g.of00);
		const int b5 = max(a[2] + g.of01, a[3] + g.of10),
		          b1 = max(a[2] + g.of10, a[3] + g.of01);
		const int b2 = max(a[4] + g.of01, a[5] + g.of10),
		          b6 = max(a[4] + g.of10, a[5] + g.of01);
		const int b7 = max(a[6] + g.of00, a[7] + g.of11),
		          b3 = max(a[6] + g.of11, a[7] + g.of00);

		for (uint32_t s = 0; s < STATES; s++)
			alpha[n + s * stride] = (uint8_t)a[s];
		a[0] = b0, a[1] = b1, a[2] = b2, a[3] = b3, a[4] = b4, a[5] = b5, a[6] = b6,
		a[7] = b7;
		if (n % 2 == 1)
			normalise(a);
	}
}

static void backward(const int8_t *x, const int8_t *y, uint32_t k, const int16_t *end,
    uint8_t *restrict beta, uint32_t stride)
{
	int b[STATES];

	for (int s = 0; s < STATES; s++)
		b[s] = end[s];
	for (uint32_t n = k; n-- > 0;) {
		const struct branches g = branches_of(x[n], y[n]);
		const int a0 = max(b[0] + g.of00, b[4] + g.of11),
		          a1 = max(b[4] + g.of00, b[0] + g.of11);
		const int a2 = max(b[5] + g.of01, b[1] + g.of10),
		          a3 = max(b[1] + g.of01, b[5] + g.of10);
		const int a4 = max(b[2] + g.of01, b[6] + g.of10),
		          a5 = max(b[6] + g.of01, b[2] + g.of10);
		const int a6 = max(b[7] + g.of00, b[3] + g.of11),
		          a7 = max(b[3] + g.of00, b[7] + g.of11);

		for (uint32_t s = 0; s < STATES; s++)
			beta[n + s * stride] = (uint8_t)b[s];
		b[0] = a0, b[1] = a1, b[2] = a2, b[3] = a3, b[4] = a4, b[5] = a5, b[6] = a6,
		b[7] = a7;
		if (n % 2 == 0)
			normalise(b);
	}
}

static inline int max4(int a, int b, int c, int d)
{
	return max(max(a, b), max(c, d));
}

/* What the code alone says of bit n: the best path with a 0 less the best one with a 1, x left out of both. */
static void combine(const uint8_t *restrict a, const uint8_t *restrict b, size_t stride,
    const int8_t *restrict y, size_t k, int8_t *restrict extrinsic)
{
#define PATH(from, to) (a[n + (from)*stride] + b[n + (to)*stride])
	for (size_t n = 0; n < k; n++) {
		const int same0 = max4(PATH(0, 0), PATH(1, 4), PATH(6, 7), PATH(7, 3));
		const int other0 = max4(PATH(2, 5), PATH(3, 1), PATH(4, 2), PATH(5, 6));
		const int same1 = max4(PATH(0, 4), PATH(1, 0), PATH(6, 3), PATH(7, 7));
		const int other1 = max4(PATH(2, 1), PATH(3, 5), PATH(4, 6), PATH(5, 2));
		const int found = max(same0 + y[n], other0) - max(same1, other1 + y[n]);

		extrinsic[n] = (int8_t)utran_turbo_limit(found, UTRAN_EXTRINSIC8_MAX);
	}
#undef PATH
}

static void pass(struct utran_turbo_decoder *d, int coder)
{
	forward(d->x[coder], d->y[coder], d->k, d->alpha, d->stride);
	backward(d->x[coder], d->y[coder], d->k, d->end[coder], d->beta, d->stride);
	combine(d->alpha, d->beta, d->stride, d->y[coder], d->k, d->extrinsic);
}

/* A systematic value and what the other pass found, halves rounded up. */
static int8_t handed(int8_t systematic, int8_t extrinsic, int scaling)
{
	return (int8_t)(systematic + ((extrinsic * scaling + UTRAN_TURBO8_ONE / 2) >> 7));
}

static void iterate(struct utran_turbo_decoder *d, bool more, uint8_t *bits)
{
	const int scaling = utran_turbo8_scaling(d);
	const int8_t *systematic = d->systematic, *extrinsic = d->extrinsic;
	int8_t *x0 = d->x[0], *x1 = d->x[1];

	pass(d, 0);
	for (uint32_t n = 0; n < d->k; n++)
		x1[n] = handed(systematic[d->from[1][n]], extrinsic[d->from[1][n]], scaling);
	pass(d, 1);
	for (uint32_t n = 0; bits && n < d->k; n++)
		bits[n] = x1[d->from_bit[n]] + extrinsic[d->from_bit[n]] < 0;
	for (uint32_t n = 0; more && n < d->k; n++)
		x0[n] = handed(systematic[n], extrinsic[d->from[0][n]], scaling);
}

const struct utran_turbo_decoder_kernels utran_turbo_decoder8_plain = {1, 8, start, iterate};
