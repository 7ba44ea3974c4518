/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_plain_decoder - max-log-MAP turbo decoding as the textbook writes it, in 64-bit whole
 * numbers.
 *
 * Forward and backward recursions over all branches of the trellis with its tail, metric +-x/2
 * +-y/2 doubled so that it stays whole, L(u) = best path with 0 less best path with 1, and nothing
 * normalised. Extrinsic values are limited to `limit`, if it is not 0, and handed on times scaling
 * / PLAIN_SCALING_ONE, rounded, halves up. It is slow and it cannot overflow: what a fast decoder
 * with the same limits must equal.
 */
#ifndef TESTS_UTRAN_PLAIN_UTRAN_PLAIN_DECODER_H
#define TESTS_UTRAN_PLAIN_UTRAN_PLAIN_DECODER_H

#include "tests/utran_plain/utran_plain.h"

#define PLAIN_NEVER (INT64_MIN / 4)

enum { PLAIN_STEPS_MAX = 5114 + 3, PLAIN_SCALING_ONE = 1 << 14 };

static inline int64_t plain_branch(int bit, int parity, int64_t x, int64_t y)
{
	return (bit ? -x : x) + (parity ? -y : y);
}

static inline void plain_siso_alpha(
    const int64_t *x, const int64_t *y, int steps, int64_t (*alpha)[8])
{
	for (int n = 0; n <= steps; n++)
		for (int s = 0; s < 8; s++)
			alpha[n][s] = n == 0 && s == 0 ? 0 : PLAIN_NEVER;
	for (int n = 0; n < steps; n++) {
		for (int s = 0; s < 8; s++) {
			for (int u = 0; u < 2; u++) {
				int to = s;
				const int z = plain_rsc(&to, u);
				const int64_t metric = alpha[n][s] + plain_branch(u, z, x[n], y[n]);
				if (metric > alpha[n + 1][to])
					alpha[n + 1][to] = metric;
			}
		}
	}
}

static inline void plain_siso_beta(
    const int64_t *x, const int64_t *y, int steps, int64_t (*beta)[8])
{
	for (int n = 0; n <= steps; n++)
		for (int s = 0; s < 8; s++)
			beta[n][s] = n == steps && s == 0 ? 0 : PLAIN_NEVER;
	for (int n = steps - 1; n >= 0; n--) {
		for (int s = 0; s < 8; s++) {
			for (int u = 0; u < 2; u++) {
				int to = s;
				const int z = plain_rsc(&to, u);
				const int64_t metric =
				    beta[n + 1][to] + plain_branch(u, z, x[n], y[n]);
				if (metric > beta[n][s])
					beta[n][s] = metric;
			}
		}
	}
}

/* One pass over k + 3 steps; x is systematic plus a priori. */
static inline void plain_siso(
    const int64_t *x, const int64_t *y, int k, int64_t limit, int64_t *extrinsic)
{
	static int64_t alpha[PLAIN_STEPS_MAX + 1][8], beta[PLAIN_STEPS_MAX + 1][8];

	plain_siso_alpha(x, y, k + 3, alpha);
	plain_siso_beta(x, y, k + 3, beta);
	for (int n = 0; n < k; n++) {
		int64_t best[2] = {PLAIN_NEVER * 2, PLAIN_NEVER * 2};
		for (int s = 0; s < 8; s++) {
			for (int u = 0; u < 2; u++) {
				int to = s;
				const int z = plain_rsc(&to, u);
				const int64_t path =
				    alpha[n][s] + plain_branch(u, z, x[n], y[n]) + beta[n + 1][to];
				if (path > best[u])
					best[u] = path;
			}
		}
		extrinsic[n] = (best[0] - best[1]) / 2 - x[n];
		if (limit && extrinsic[n] > limit)
			extrinsic[n] = limit;
		if (limit && extrinsic[n] < -limit)
			extrinsic[n] = -limit;
	}
}

static inline int64_t plain_scaled(int64_t extrinsic, int64_t scaling)
{
	/* floor of the half sum, below */
	const int64_t twice = 2 * extrinsic * scaling + PLAIN_SCALING_ONE;

	return (twice >= 0 ? twice : twice - 2 * PLAIN_SCALING_ONE + 1) / (2 * PLAIN_SCALING_ONE);
}

/* 3k + 12 soft bits, positive = 0, to k bits. */
static inline void plain_turbo_decode(
    const int32_t *llr, int k, int iterations, int64_t limit, int64_t scaling, int32_t *bits)
{
	static int64_t x[2][PLAIN_STEPS_MAX], y[2][PLAIN_STEPS_MAX], e1[PLAIN_STEPS_MAX],
	    e2[PLAIN_STEPS_MAX];
	int32_t *pi = plain_items((size_t)k);

	plain_turbo_pi(k, pi);
	memset(e2, 0, sizeof(e2));
	for (int n = 0; n < k; n++) {
		y[0][n] = llr[3 * n + 1];
		y[1][n] = llr[3 * n + 2];
	}
	for (int n = 0; n < 3; n++) {
		for (int c = 0; c < 2; c++) {
			x[c][k + n] = llr[3 * k + 6 * c + 2 * n];
			y[c][k + n] = llr[3 * k + 6 * c + 2 * n + 1];
		}
	}
	for (int i = 0; i < iterations; i++) {
		for (int n = 0; n < k; n++)
			x[0][pi[n]] = llr[3 * pi[n]] + plain_scaled(e2[n], scaling);
		plain_siso(x[0], y[0], k, limit, e1);
		for (int n = 0; n < k; n++)
			x[1][n] = llr[3 * pi[n]] + plain_scaled(e1[pi[n]], scaling);
		plain_siso(x[1], y[1], k, limit, e2);
	}
	for (int n = 0; n < k; n++)
		bits[pi[n]] = x[1][n] + e2[n] < 0;
	free(pi);
}

#endif
