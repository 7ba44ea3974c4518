/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_plain_conv - convolutional coding and code block segmentation a second time, straight from
 * 3GPP TS 25.212 sections 4.2.3.1 and 4.2.2.2, and the textbook's Viterbi algorithm in double
 * precision; see utran_plain.h.
 *
 * The register is an array of nine bits, the generators are written out as digits, and the decoder
 * adds up the likelihoods of all paths with no bound on anything: slow, and nothing to get wrong.
 */
#ifndef TESTS_UTRAN_PLAIN_UTRAN_PLAIN_CONV_H
#define TESTS_UTRAN_PLAIN_UTRAN_PLAIN_CONV_H

#include <math.h>

#include "tests/utran_plain/utran_plain.h"

enum { PLAIN_CONV_STATES = 256 };

/* The nine digits of generator n of the code of rate 1/outputs, the one for the newest bit
 * first. */
static inline const char *plain_conv_generator(int outputs, int n)
{
	/* 561, 753 */
	static const char *const digits[2][3] = {{"101110001", "111101011", ""},
	    /* 557, 663, 711 */
	    {"101101111", "110110011", "111001001"}};

	return digits[outputs - 2][n];
}

/* Output n when the register holds `bits`, the newest first. */
static inline int plain_conv_output(int outputs, int n, const int bits[9])
{
	const char *generator = plain_conv_generator(outputs, n);
	int sum = 0;

	for (int d = 0; d < 9; d++)
		sum += generator[d] == '1' ? bits[d] : 0;
	return sum % 2;
}

/* k bits to outputs * (k + 8). */
static inline void plain_conv_encode(int outputs, const int32_t *in, int k, int32_t *out)
{
	int bits[9] = {0};

	for (int i = 0; i < k + 8; i++) {
		for (int d = 8; d > 0; d--)
			bits[d] = bits[d - 1];
		bits[0] = i < k ? in[i] : 0;
		for (int n = 0; n < outputs; n++)
			*out++ = plain_conv_output(outputs, n, bits);
	}
}

/* A state is the register's eight oldest bits read as a number, the newest of them the highest
 * digit. */
static inline void plain_conv_register(int state, int bit, int bits[9])
{
	bits[0] = bit;
	for (int d = 1; d <= 8; d++)
		bits[d] = state >> (8 - d) & 1;
}

/* outputs * (k + 8) likelihood ratios, positive = 0, to the k bits of the best path from state 0 to
 * state 0. */
static inline void plain_viterbi(int outputs, const double *llr, int k, int32_t *bits)
{
	static double metric[2][PLAIN_CONV_STATES];
	int32_t *from = plain_items((size_t)(k + 8) * PLAIN_CONV_STATES);
	int state = 0;

	for (int s = 0; s < PLAIN_CONV_STATES; s++)
		metric[0][s] = s == 0 ? 0 : -INFINITY;
	for (int t = 0; t < k + 8; t++) {
		const double *before = metric[t % 2];
		double *after = metric[(t + 1) % 2];

		for (int s = 0; s < PLAIN_CONV_STATES; s++)
			after[s] = -INFINITY;
		for (int s = 0; s < PLAIN_CONV_STATES; s++) {
			for (int u = 0; u < (t < k ? 2 : 1); u++) {
				const int to = u * 128 + s / 2;
				double path = before[s];
				int window[9];

				plain_conv_register(s, u, window);
				for (int n = 0; n < outputs; n++)
					path += (plain_conv_output(outputs, n, window) ? -1 : 1) *
					    llr[outputs * t + n];
				if (path > after[to]) {
					after[to] = path;
					from[t * PLAIN_CONV_STATES + to] = s;
				}
			}
		}
	}
	for (int t = k + 7; t >= 0; t--) {
		if (t < k)
			bits[t] = state / 128;
		state = from[t * PLAIN_CONV_STATES + state];
	}
	free(from);
}

/* 4.2.2.2: x bits into *blocks blocks of *size with fillers (0) in front; out holds them one after
 * the other. */
static inline void plain_code_blocks(
    const int32_t *in, int x, int z, int turbo, int *blocks, int *size, int32_t *out)
{
	int filler;

	*blocks = (int)ceil((double)x / z);
	*size = turbo && x < 40 ? 40 : (int)ceil((double)x / *blocks);
	filler = *blocks * *size - x;
	for (int i = 0; i < filler; i++)
		*out++ = 0;
	for (int i = 0; i < x; i++)
		*out++ = in[i];
}

#endif
