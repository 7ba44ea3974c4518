/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_plain - 3GPP TS 25.212 a second time, straight from its text, to hold core/kernels against.
 *
 * Written from the formulas and tables of the standard only; it shares no code with the kernels and
 * takes the literal way wherever they take a short one: matrices are filled, padded, permuted and
 * read, the error accumulator of the rate matching runs bit by bit, the parity is a long division
 * on an array. Items are int32_t, so that besides bits the numbers 0, 1, 2, ... can be sent through
 * to see where each one goes. Speed does not matter here.
 */
#ifndef TESTS_UTRAN_PLAIN_UTRAN_PLAIN_H
#define TESTS_UTRAN_PLAIN_UTRAN_PLAIN_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN_PADDING INT32_MIN

static inline int32_t *plain_items(size_t n)
{
	int32_t *items = calloc(n + 1, sizeof(*items));

	if (!items)
		abort();
	return items;
}

/* plain_prbs15 writes the first n bits of the test sequence of tests/vectors/utran. */
static inline void plain_prbs15(int32_t *bits, int n)
{
	int reg = 0x2b5d;

	for (int i = 0; i < n; i++) {
		bits[i] = (reg >> 14 ^ reg >> 13) & 1;
		reg = (reg << 1 | bits[i]) & 0x7fff;
	}
}

/* 4.2.1: append the parity of `len` bits; out holds len + size. Long division of a(D) D^L by
 * g(D). */
static inline void plain_crc_attach(const int32_t *in, int len, int size, int32_t *out)
{
	/* Exponents of the generator polynomials, the leading one first. */
	static const int g24[] = {24, 23, 6, 5, 1, 0, -1}, g16[] = {16, 12, 5, 0, -1};
	static const int g12[] = {12, 11, 3, 2, 1, 0, -1}, g8[] = {8, 7, 4, 3, 1, 0, -1};
	const int *g = size == 24 ? g24 : size == 16 ? g16 : size == 12 ? g12 : g8;
	int32_t *work = plain_items((size_t)(len + size));

	memcpy(work, in, (size_t)len * sizeof(*in));
	for (int i = 0; i < len; i++)
		for (int t = 0; work[i] && g[t] >= 0; t++)
			if (t > 0)
				work[i + size - g[t]] ^= 1;
	memcpy(out, in, (size_t)len * sizeof(*in));
	for (int i = 0; i < size; i++)
		out[len + i] = work[len + size - 1 - i];
	free(work);
}

/* 4.2.3.2.1: one constituent coder as the table of (parity, next state) by state and bit; S = 4 s1
 * + 2 s2 + s3. */
static inline int plain_rsc(int *state, int bit)
{
	static const int parity[8][2] = {
	    {0, 1}, {0, 1}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {0, 1}, {0, 1}};
	static const int next[8][2] = {
	    {0, 4}, {4, 0}, {5, 1}, {1, 5}, {2, 6}, {6, 2}, {7, 3}, {3, 7}};
	const int z = parity[*state][bit];

	*state = next[*state][bit];
	return z;
}

/* The bit that feeds the register a zero: the one whose next state has s1 = 0. */
static inline int plain_rsc_tail_bit(int state)
{
	int after = state;

	plain_rsc(&after, 0);
	return after < 4 ? 0 : 1;
}

static inline int plain_is_prime(int n)
{
	int divisors = 0;

	for (int d = 1; d <= n; d++)
		divisors += n % d == 0;
	return divisors == 2;
}

static inline int plain_gcd(int a, int b)
{
	int g = 1;

	for (int d = 1; d <= a && d <= b; d++)
		if (a % d == 0 && b % d == 0)
			g = d;
	return g;
}

/* 4.2.3.2.3.1: rows, prime, primitive root and columns. */
static inline void plain_turbo_size(int k, int *rows, int *p, int *v, int *columns)
{
	static const int table[][2] = {{7, 3}, {11, 2}, {13, 2}, {17, 3}, {19, 2}, {23, 5}, {29, 2},
	    {31, 3}, {37, 2}, {41, 6}, {43, 3}, {47, 5}, {53, 2}, {59, 2}, {61, 2}, {67, 2},
	    {71, 7}, {73, 5}, {79, 3}, {83, 2}, {89, 3}, {97, 5}, {101, 2}, {103, 5}, {107, 2},
	    {109, 6}, {113, 3}, {127, 3}, {131, 2}, {137, 3}, {139, 2}, {149, 2}, {151, 6},
	    {157, 5}, {163, 2}, {167, 5}, {173, 2}, {179, 2}, {181, 2}, {191, 19}, {193, 5},
	    {197, 2}, {199, 3}, {211, 2}, {223, 3}, {227, 2}, {229, 6}, {233, 3}, {239, 7},
	    {241, 7}, {251, 6}, {257, 3}};
	int t = 0;

	*rows = k <= 159 ? 5 : (k <= 200 || (k >= 481 && k <= 530)) ? 10 : 20;
	if (k >= 481 && k <= 530) {
		*p = 53, *v = 2, *columns = 53;
		return;
	}
	while (k > *rows * (table[t][0] + 1))
		t++;
	*p = table[t][0];
	*v = table[t][1];
	if (k <= *rows * (*p - 1))
		*columns = *p - 1;
	else if (k <= *rows * *p)
		*columns = *p;
	else
		*columns = *p + 1;
}

static inline const int *plain_turbo_rows(int k, int rows)
{
	static const int t5[] = {4, 3, 2, 1, 0}, t10[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
	static const int special[] = {
	    19, 9, 14, 4, 0, 2, 5, 7, 12, 18, 16, 13, 17, 15, 3, 1, 6, 11, 8, 10};
	static const int other[] = {
	    19, 9, 14, 4, 0, 2, 5, 7, 12, 18, 10, 8, 13, 17, 3, 1, 16, 6, 15, 11};

	if (rows < 20)
		return rows == 5 ? t5 : t10;
	return (k >= 2281 && k <= 2480) || (k >= 3161 && k <= 3210) ? special : other;
}

/* 4.2.3.2.3.2, intra-row permutation: U[j] of one row with step r. */
static inline void plain_turbo_row(int p, int v, int columns, int r, int exchange, int *u)
{
	int s[257] = {1};

	for (int j = 1; j <= p - 2; j++)
		s[j] = v * s[j - 1] % p;
	for (int j = 0; j <= p - 2; j++)
		u[j] = s[j * r % (p - 1)] - (columns == p - 1 ? 1 : 0);
	if (columns >= p)
		u[p - 1] = 0;
	if (columns == p + 1)
		u[p] = p;
	if (exchange) {
		const int keep = u[p];
		u[p] = u[0];
		u[0] = keep;
	}
}

/* 4.2.3.2.3: pi, by matrices. */
static inline void plain_turbo_pi(int k, int32_t *pi)
{
	static int32_t matrix[20][258], permuted[20][258];
	int rows, p, v, columns, q[20] = {1}, r[20] = {0}, u[258], n = 0;
	const int *t;

	plain_turbo_size(k, &rows, &p, &v, &columns);
	t = plain_turbo_rows(k, rows);
	for (int i = 1; i < rows; i++) {
		q[i] = q[i - 1] + 1;
		while (!(plain_is_prime(q[i]) && q[i] > 6 && plain_gcd(q[i], p - 1) == 1))
			q[i]++;
	}
	for (int i = 0; i < rows; i++)
		r[t[i]] = q[i];
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++, n++)
			matrix[i][j] = n < k ? n : PLAIN_PADDING;
	for (int i = 0; i < rows; i++) {
		plain_turbo_row(p, v, columns, r[i],
		    columns == p + 1 && k == rows * columns && i == rows - 1, u);
		for (int j = 0; j < columns; j++)
			permuted[i][j] = matrix[i][u[j]];
	}
	for (int j = 0; j < columns; j++)
		for (int i = 0; i < rows; i++)
			if (permuted[t[i]][j] != PLAIN_PADDING)
				*pi++ = permuted[t[i]][j];
}

/* 4.2.3.2: the codeword, 3k + 12 bits. */
static inline void plain_turbo_encode(const int32_t *in, int k, int32_t *out)
{
	int32_t *pi = plain_items((size_t)k);
	int state1 = 0, state2 = 0;

	plain_turbo_pi(k, pi);
	for (int i = 0; i < k; i++) {
		*out++ = in[i];
		*out++ = plain_rsc(&state1, in[i]);
		*out++ = plain_rsc(&state2, in[pi[i]]);
	}
	for (int i = 0; i < 3; i++) {
		*out++ = plain_rsc_tail_bit(state1);
		*out = plain_rsc(&state1, out[-1]);
		out++;
	}
	for (int i = 0; i < 3; i++) {
		*out++ = plain_rsc_tail_bit(state2);
		*out = plain_rsc(&state2, out[-1]);
		out++;
	}
	free(pi);
}

/* 4.2.7, equation 1: change of each of `channels` transport channels per radio frame. `n_tti` and
 * `frames` give N_i as a fraction; all TTIs are brought to 80 ms so that the sums are whole
 * numbers. */
static inline void plain_rate_share(int channels, const int64_t *rm, const int64_t *n_tti,
    const int64_t *frames, int64_t n_data, int64_t *delta_tti)
{
	int64_t total = 0, sum = 0, before = 0;

	for (int i = 0; i < channels; i++)
		total += rm[i] * n_tti[i] * (8 / frames[i]);
	for (int i = 0; i < channels; i++) {
		int64_t z;
		sum += rm[i] * n_tti[i] * (8 / frames[i]);
		z = sum * n_data / total;
		delta_tti[i] = (z - before) * frames[i] - n_tti[i];
		before = z;
	}
}

/* 4.2.7.5: one sequence of x items, appended to out; how many came out. */
static inline int plain_rate_pattern(const int32_t *in, int x, int64_t e_ini, int64_t e_plus,
    int64_t e_minus, int puncture, int32_t *out)
{
	int64_t e = e_ini;
	int n = 0;

	for (int m = 0; m < x; m++) {
		e -= e_minus;
		if (puncture) {
			if (e <= 0)
				e += e_plus;
			else
				out[n++] = in[m];
			continue;
		}
		out[n++] = in[m];
		for (; e <= 0; e += e_plus)
			out[n++] = in[m];
	}
	return n;
}

/* 4.2.7.2.1 and 4.2.7.4, turbo code punctured: three sequences, two of them thinned, then put
 * together in order. */
static inline int plain_rate_turbo(const int32_t *in, int n, int delta, int32_t *out)
{
	const int x = n / 3, half = -delta / 2;
	/* abs of floor and ceil of delta / 2 */
	const int64_t d1 = -delta % 2 ? half + 1 : half, d2 = half;
	int32_t *sequence = plain_items((size_t)x), *kept = plain_items((size_t)x),
	        *keep = plain_items((size_t)n);
	int count = 0;

	for (int b = 0; b < 3; b++) {
		int survivors = x;
		for (int m = 0; m < x; m++)
			sequence[m] = kept[m] = 3 * m + b;
		if (b == 1)
			survivors =
			    plain_rate_pattern(sequence, x, x, 2 * (int64_t)x, 2 * d1, 1, kept);
		if (b == 2)
			survivors = plain_rate_pattern(sequence, x, x, x, d2, 1, kept);
		for (int m = 0; m < survivors; m++)
			keep[kept[m]] = 1;
	}
	for (int i = 0; i < n; i++)
		if (keep[i])
			out[count++] = in[i];
	free(sequence);
	free(kept);
	free(keep);
	return count;
}

/* 4.2.7: `n` coded bits of a TTI changed by `delta`; how many came out. */
static inline int plain_rate_match(const int32_t *in, int n, int delta, int turbo, int32_t *out)
{
	if (turbo && delta < 0)
		return plain_rate_turbo(in, n, delta, out);
	return plain_rate_pattern(
	    in, n, 1, 2 * (int64_t)n, 2 * (int64_t)abs(delta), delta < 0, out);
}

/* A block interleaver: `columns` columns, output column j is original column order[j]. */
static inline void plain_block_interleave(
    const int32_t *in, int len, int columns, const int *order, int32_t *out)
{
	const int rows = (len + columns - 1) / columns;
	int32_t *matrix = plain_items((size_t)(rows * columns)),
	        *permuted = plain_items((size_t)(rows * columns));

	for (int i = 0; i < rows * columns; i++)
		matrix[i] = i < len ? in[i] : PLAIN_PADDING;
	for (int r = 0; r < rows; r++)
		for (int j = 0; j < columns; j++)
			permuted[r * columns + j] = matrix[r * columns + order[j]];
	for (int j = 0; j < columns; j++)
		for (int r = 0; r < rows; r++)
			if (permuted[r * columns + j] != PLAIN_PADDING)
				*out++ = permuted[r * columns + j];
	free(matrix);
	free(permuted);
}

/* 4.2.5 */
static inline void plain_interleave1(const int32_t *in, int len, int tti_ms, int32_t *out)
{
	static const int c1[] = {0}, c2[] = {0, 1}, c4[] = {0, 2, 1, 3},
	                 c8[] = {0, 4, 2, 6, 1, 5, 3, 7};

	plain_block_interleave(in, len, tti_ms / 10,
	    tti_ms == 10       ? c1
	        : tti_ms == 20 ? c2
	        : tti_ms == 40 ? c4
	                       : c8,
	    out);
}

/* 4.2.11 */
static inline void plain_interleave2(const int32_t *in, int len, int32_t *out)
{
	static const int c30[] = {0, 20, 10, 5, 15, 25, 3, 13, 23, 8, 18, 28, 1, 11, 21, 6, 16, 26,
	    4, 14, 24, 19, 9, 29, 12, 2, 7, 22, 27, 17};

	plain_block_interleave(in, len, 30, c30, out);
}

/* 4.2.6: radio frame `frame` of a TTI of `frames`; how many items. */
static inline int plain_segment(const int32_t *in, int len, int frames, int frame, int32_t *out)
{
	int n = 0;

	for (int k = 0; k < len / frames; k++)
		out[n++] = in[frame * len / frames + k];
	return n;
}

#endif
