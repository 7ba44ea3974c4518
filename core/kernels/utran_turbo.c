/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo - internal interleaver and coder. Names of the interleaver's numbers are those of
 * section 4.2.3.2.3. */
#include "core/kernels/utran_turbo.h"

#include <errno.h>
#include <stdbool.h>

enum { ROWS_MAX = 20, PRIME_MAX = 257 };

struct matrix {
	uint32_t k;
	uint32_t rows;
	uint32_t columns;
	uint32_t p;
	uint16_t s[PRIME_MAX]; /* powers of the primitive root */
	uint16_t r[ROWS_MAX];  /* step of each original row */
	const uint8_t *t;      /* original row of each row after the inter-row permutation */
};

static const uint8_t rows5[] = {4, 3, 2, 1, 0};
static const uint8_t rows10[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
static const uint8_t rows20[] = {
    19, 9, 14, 4, 0, 2, 5, 7, 12, 18, 10, 8, 13, 17, 3, 1, 16, 6, 15, 11};
static const uint8_t rows20_special[] = {
    19, 9, 14, 4, 0, 2, 5, 7, 12, 18, 16, 13, 17, 15, 3, 1, 6, 11, 8, 10};

static bool is_prime(uint32_t n)
{
	for (uint32_t d = 2; d * d <= n; d++)
		if (n % d == 0)
			return false;
	return n >= 2;
}

static uint32_t prime_after(uint32_t n)
{
	do
		n++;
	while (!is_prime(n));
	return n;
}

static uint32_t gcd_of(uint32_t a, uint32_t b)
{
	while (b) {
		const uint32_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* The standard's table holds the least primitive root of each prime, so it can be computed. */
static uint32_t primitive_root(uint32_t p)
{
	for (uint32_t v = 2;; v++) {
		uint32_t order = 1;
		for (uint32_t power = v; power != 1; power = power * v % p)
			order++;
		if (order == p - 1)
			return v;
	}
}

static void matrix_rows(struct matrix *m)
{
	const uint32_t k = m->k;

	if (k <= 159) {
		m->rows = 5;
		m->t = rows5;
	} else if (k <= 200 || (k >= 481 && k <= 530)) {
		m->rows = 10;
		m->t = rows10;
	} else {
		m->rows = 20;
		m->t =
		    (k >= 2281 && k <= 2480) || (k >= 3161 && k <= 3210) ? rows20_special : rows20;
	}
}

static void matrix_columns(struct matrix *m)
{
	const uint32_t k = m->k, rows = m->rows;

	if (k >= 481 && k <= 530) {
		m->p = m->columns = 53;
		return;
	}
	m->p = 7;
	while (k > rows * (m->p + 1))
		m->p = prime_after(m->p);
	m->columns = k <= rows * (m->p - 1) ? m->p - 1 : k <= rows * m->p ? m->p : m->p + 1;
}

static void matrix_steps(struct matrix *m)
{
	const uint32_t v = primitive_root(m->p);
	uint32_t q = 1;

	m->s[0] = 1;
	for (uint32_t j = 1; j < m->p - 1; j++)
		m->s[j] = (uint16_t)(v * m->s[j - 1] % m->p);
	m->r[m->t[0]] = 1;
	for (uint32_t i = 1; i < m->rows; i++) {
		do
			q = prime_after(q < 6 ? 6 : q);
		while (gcd_of(q, m->p - 1) != 1);
		m->r[m->t[i]] = (uint16_t)q;
	}
}

/* Original column of bit j of a row after the intra-row permutation. */
static uint32_t matrix_column(const struct matrix *m, uint32_t row, uint32_t j)
{
	const uint32_t p = m->p;

	if (m->columns == p + 1 && m->k == m->rows * m->columns && row == m->rows - 1 &&
	    (j == 0 || j == p))
		j = p - j;
	if (j == p)
		return p;
	if (j == p - 1)
		return 0;
	return m->s[j * m->r[row] % (p - 1)] - (m->columns == p - 1);
}

int utran_turbo_interleaver(uint32_t k, uint16_t *ret_pi)
{
	struct matrix m = {.k = k};

	if (k < UTRAN_TURBO_K_MIN || k > UTRAN_TURBO_K_MAX)
		return -EINVAL;
	matrix_rows(&m);
	matrix_columns(&m);
	matrix_steps(&m);
	for (uint32_t j = 0; j < m.columns; j++) {
		for (uint32_t i = 0; i < m.rows; i++) {
			const uint32_t from = m.t[i] * m.columns + matrix_column(&m, m.t[i], j);
			if (from < k)
				*ret_pi++ = (uint16_t)from;
		}
	}
	return 0;
}

/* One recursive coder; s1 is the newest bit of its register. */
struct coder {
	uint8_t s1, s2, s3;
};

static inline uint8_t coder_step(struct coder *c, uint8_t bit)
{
	const uint8_t a = bit ^ c->s2 ^ c->s3;
	const uint8_t z = a ^ c->s1 ^ c->s3;

	c->s3 = c->s2;
	c->s2 = c->s1;
	c->s1 = a;
	return z;
}

/* Three steps that feed the register zeros, whatever it held. */
void utran_turbo_tail(uint8_t s1, uint8_t s2, uint8_t s3, uint8_t *out)
{
	struct coder c = {s1, s2, s3};

	for (int i = 0; i < 3; i++) {
		out[2 * i] = c.s2 ^ c.s3;
		out[2 * i + 1] = coder_step(&c, c.s2 ^ c.s3);
	}
}

void utran_turbo_encode_plain(const uint16_t *pi, uint32_t k, const uint8_t *in, uint8_t *out)
{
	struct coder first = {0}, second = {0};

	for (uint32_t i = 0; i < k; i++) {
		out[3 * i] = in[i];
		out[3 * i + 1] = coder_step(&first, in[i]);
		out[3 * i + 2] = coder_step(&second, in[pi[i]]);
	}
	utran_turbo_tail(first.s1, first.s2, first.s3, out + 3 * k);
	utran_turbo_tail(second.s1, second.s2, second.s3, out + 3 * k + 6);
}
