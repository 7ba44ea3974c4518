/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_plain_uplink - rate matching in the uplink, 3GPP TS 25.212 sections 4.2.7.1.2, 4.2.7.3 and
 * 4.2.7.5, a second time and straight from its text; see utran_plain.h.
 *
 * q' is a real number here as it is there (a multiple of 1/8, so a double holds it exactly), S is
 * filled in as an array, and the sequences of a turbo code are taken apart and put together again.
 */
#ifndef TESTS_UTRAN_PLAIN_UTRAN_PLAIN_UPLINK_H
#define TESTS_UTRAN_PLAIN_UTRAN_PLAIN_UPLINK_H

#include <math.h>

#include "tests/utran_plain/utran_plain.h"

/* P1: the column that radio frame n carries. */
static inline int plain_column(int frames, int n)
{
	static const int c2[] = {0, 1}, c4[] = {0, 2, 1, 3}, c8[] = {0, 4, 2, 6, 1, 5, 3, 7};

	return frames == 1 ? 0 : frames == 2 ? c2[n] : frames == 4 ? c4[n] : c8[n];
}

/* e_ini where all n bits are one sequence: convolutional code, or turbo code repeated. */
static inline int64_t plain_uplink_e_ini(int n, int delta, int frames, int frame)
{
	const int r = ((delta % n) + n) % n;
	int s[8] = {0}, q;
	double step;

	if (r != 0 && 2 * r <= n)
		q = (int)ceil((double)n / r);
	else
		q = (int)ceil((double)n / (r - n));
	step = q % 2 == 0 ? q + (double)plain_gcd(abs(q), frames) / frames : q;
	for (int x = 0; x < frames; x++) {
		const int y = abs((int)floor(x * step));
		s[y % frames] = y / frames;
	}
	return (2 * (int64_t)s[plain_column(frames, frame)] * abs(delta) + 1) % (2 * (int64_t)n);
}

/* e_ini of parity sequence b = 2 or 3 of x bits, `d` of which are punctured. */
static inline int64_t plain_uplink_parity_e_ini(int b, int x_bits, int d, int frames, int frame)
{
	const int64_t a = b == 2 ? 2 : 1;
	const int q = x_bits / d;
	int s[8] = {0};
	int64_t e_ini;

	if (q <= 2) {
		for (int r = 0; r < frames; r++)
			s[(3 * r + b - 1) % frames] = r % 2;
	} else {
		const double step = q % 2 == 0 ? q - (double)plain_gcd(q, frames) / frames : q;
		for (int x = 0; x < frames; x++) {
			const int y = (int)ceil(x * step), r = y % frames;
			s[(3 * r + b - 1) % frames] = y / frames;
		}
	}
	e_ini = (a * s[plain_column(frames, frame)] * d + x_bits) % (a * x_bits);
	return e_ini == 0 ? a * x_bits : e_ini;
}

/* Bit separation, puncturing of two sequences, bit collection. */
static inline int plain_uplink_turbo(
    const int32_t *in, int n, int delta, int frames, int frame, int32_t *out)
{
	static const int alpha[2][4] = {{0, 0, 1, 2}, {0, 0, 2, 1}},
	                 beta[8] = {0, 1, 2, 0, 1, 2, 0, 1};
	const int x = n / 3, d[4] = {0, 0, (-delta + 1) / 2, -delta / 2};
	int32_t *places = plain_items((size_t)x), *kept = plain_items((size_t)x),
	        *keep = plain_items((size_t)n);
	int count = 0;

	for (int k = 3 * x; k < n; k++)
		keep[k] = 1;
	for (int b = 1; b <= 3; b++) {
		const int64_t a = b == 2 ? 2 : 1;
		int survivors = x;
		for (int k = 0; k < x; k++)
			places[k] = kept[k] =
			    3 * k + (alpha[frames == 2 || frames == 8][b] + beta[frame]) % 3;
		if (b > 1 && d[b] > 0)
			survivors = plain_rate_pattern(places, x,
			    plain_uplink_parity_e_ini(b, x, d[b], frames, frame), a * x, a * d[b],
			    1, kept);
		for (int k = 0; k < survivors; k++)
			keep[kept[k]] = 1;
	}
	for (int k = 0; k < n; k++)
		if (keep[k])
			out[count++] = in[k];
	free(places);
	free(kept);
	free(keep);
	return count;
}

/* `n` coded bits of radio frame `frame` changed by `delta`; how many came out. */
static inline int plain_uplink_match(
    const int32_t *in, int n, int delta, int turbo, int frames, int frame, int32_t *out)
{
	if (turbo && delta < 0)
		return plain_uplink_turbo(in, n, delta, frames, frame, out);
	return plain_rate_pattern(in, n, plain_uplink_e_ini(n, delta, frames, frame),
	    2 * (int64_t)n, 2 * (int64_t)abs(delta), delta < 0, out);
}

#endif
