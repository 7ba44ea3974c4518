/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/spectrum_loops.h - the loops of spectrum.h, once for all levels. A source that
 * includes it has defined, for its vectors `vec` of LANES floats:
 *
 * 	V_ALL(x)                                   the float x in every lane
 * 	V_FMA(a, b, c), V_FNMA(a, b, c)            c + a b, c - a b
 *      V_LOW, V_HIGH, V_LOW2, V_HIGH2 (a, b)      unpack single floats or pairs within groups of
 *                                                 four lanes
 *      v_groups(t)                                rows become columns among the groups of four of
 *                                                 LANES / 4 vectors
 *      v_split(a, b, &re, &im), v_join(...)       between two vectors of complex items and their
 *                                                 parts
 *
 * or nothing: then a vector is one float, and this is the plain C reference.
 *
 * A transform of N = 8 * M * 16 points: the first pass has radix 8 (an overlap-save frame is two
 * halves of four quarters, so samples before and samples now meet in it), M is done in passes of
 * radix 2, 4 or 8 over whole blocks of 16 items, and what is left are transforms of 16 points that
 * lie within a block each: LANES of them are transposed in registers and done across vectors. The
 * inverse is the transposed flow graph, each step after the other in reverse; real and imaginary
 * parts changed places make its sign.
 *
 * The flow graph does not depend on LANES, and each multiply-add is fused on every level, so every
 * level gives the same bits.
 */
#ifndef CORE_KERNELS_SPECTRUM_LOOPS_H
#define CORE_KERNELS_SPECTRUM_LOOPS_H

#include <math.h>
#include <string.h>

#include "core/kernels/spectrum.h"

#ifndef LANES
#define LANES 1
typedef float vec;
#define V_ALL(x) (x)
#define V_FMA(a, b, c) fmaf(a, b, c)
#define V_FNMA(a, b, c) fmaf(-(a), b, c)

static inline void v_split(vec a, vec b, vec *ret_re, vec *ret_im)
{
	*ret_re = a;
	*ret_im = b;
}

static inline void v_join(vec re, vec im, vec *ret_a, vec *ret_b)
{
	*ret_a = re;
	*ret_b = im;
}
#endif

#define SPECTRUM_UNROLL _Pragma("GCC unroll 16")

struct cvec {
	vec re, im;
};

/* Where item i of blocks of 16 lies; i is a multiple of LANES. */
static inline size_t spectrum_at(uint32_t i)
{
	return LANES == SPECTRUM_BLOCK ? 2 * (size_t)i : 2 * (size_t)(i & ~15u) + (i & 15u);
}

static inline vec v_load(const float *from)
{
	vec v;

	memcpy(&v, from, sizeof(v));
	return v;
}

static inline void v_store(float *to, vec v)
{
	memcpy(to, &v, sizeof(v));
}

static inline struct cvec c_load(const float *blocks, uint32_t i)
{
	const float *from = blocks + spectrum_at(i);

	return (struct cvec){v_load(from), v_load(from + SPECTRUM_BLOCK)};
}

static inline void c_store(float *blocks, uint32_t i, struct cvec x)
{
	float *to = blocks + spectrum_at(i);

	v_store(to, x.re);
	v_store(to + SPECTRUM_BLOCK, x.im);
}

/* The next LANES complex items (re, im). */
static inline struct cvec c_split(const float *items)
{
	struct cvec x;

	v_split(v_load(items), v_load(items + LANES), &x.re, &x.im);
	return x;
}

static inline void c_join(float *items, struct cvec x)
{
	vec a, b;

	v_join(x.re, x.im, &a, &b);
	v_store(items, a);
	v_store(items + LANES, b);
}

static inline struct cvec c_add(struct cvec a, struct cvec b)
{
	return (struct cvec){a.re + b.re, a.im + b.im};
}

static inline struct cvec c_sub(struct cvec a, struct cvec b)
{
	return (struct cvec){a.re - b.re, a.im - b.im};
}

/* a - i b and a + i b */
static inline struct cvec c_sub_i(struct cvec a, struct cvec b)
{
	return (struct cvec){a.re + b.im, a.im - b.re};
}

static inline struct cvec c_add_i(struct cvec a, struct cvec b)
{
	return (struct cvec){a.re - b.im, a.im + b.re};
}

static inline struct cvec c_mul(struct cvec a, struct cvec w)
{
	return (struct cvec){V_FNMA(a.im, w.im, a.re * w.re), V_FMA(a.im, w.re, a.re * w.im)};
}

/* ---- butterflies: x becomes its transform, natural order in and out ---- */

static inline void dft_of2(struct cvec *x)
{
	const struct cvec a = x[0];

	x[0] = c_add(a, x[1]);
	x[1] = c_sub(a, x[1]);
}

static inline void dft_of4(struct cvec *x)
{
	const struct cvec a = c_add(x[0], x[2]), b = c_sub(x[0], x[2]);
	const struct cvec c = c_add(x[1], x[3]), d = c_sub(x[1], x[3]);

	x[0] = c_add(a, c);
	x[1] = c_sub_i(b, d);
	x[2] = c_sub(a, c);
	x[3] = c_add_i(b, d);
}

/* The even ones transformed in e, the odd ones in o: o times the roots of 8, so that halves differ
 * by a sign only. 1 and 3 are kept times sqrt(2). */
static inline void dft8_roots(struct cvec *o)
{
	o[1] = (struct cvec){o[1].re + o[1].im, o[1].im - o[1].re};
	o[2] = (struct cvec){o[2].im, -o[2].re};
	o[3] = (struct cvec){o[3].im - o[3].re, -o[3].re - o[3].im};
}

static inline struct cvec c_fma(vec factor, struct cvec a, struct cvec c)
{
	return (struct cvec){V_FMA(factor, a.re, c.re), V_FMA(factor, a.im, c.im)};
}

static inline struct cvec c_fnma(vec factor, struct cvec a, struct cvec c)
{
	return (struct cvec){V_FNMA(factor, a.re, c.re), V_FNMA(factor, a.im, c.im)};
}

/* Even and odd items, each transformed by itself, the odd ones turned. */
static inline void dft8_parts(const struct cvec *x, struct cvec *e, struct cvec *o)
{
	for (int i = 0; i < 4; i++) {
		e[i] = x[2 * i];
		o[i] = x[2 * i + 1];
	}
	dft_of4(e);
	dft_of4(o);
	dft8_roots(o);
}

static inline void dft8_join_second(const struct cvec *e, const struct cvec *o, struct cvec *x)
{
	const vec half = V_ALL(0.70710678118654752440f);

	x[4] = c_sub(e[0], o[0]);
	x[5] = c_fnma(half, o[1], e[1]);
	x[6] = c_sub(e[2], o[2]);
	x[7] = c_fnma(half, o[3], e[3]);
}

static inline void dft_of8(struct cvec *x)
{
	const vec half = V_ALL(0.70710678118654752440f);
	struct cvec e[4], o[4];

	dft8_parts(x, e, o);
	x[0] = c_add(e[0], o[0]);
	x[1] = c_fma(half, o[1], e[1]);
	x[2] = c_add(e[2], o[2]);
	x[3] = c_fma(half, o[3], e[3]);
	dft8_join_second(e, o, x);
}

/* Only the second half of dft_of8, to x[4 .. 7]. */
static inline void dft8_second(struct cvec *x)
{
	struct cvec e[4], o[4];

	dft8_parts(x, e, o);
	dft8_join_second(e, o, x);
}

static inline __attribute__((always_inline)) void dft_of(uint32_t radix, struct cvec *x)
{
	if (radix == 2)
		dft_of2(x);
	else if (radix == 4)
		dft_of4(x);
	else
		dft_of8(x);
}

/* ---- passes over whole blocks ---- */

/* Twiddles lie in blocks of 16 items, the radix - 1 blocks of items j .. j + 15 in a row. */
static inline struct cvec twiddle_at(const float *w, uint32_t r)
{
	const float *from = w + (size_t)(r - 1) * 2 * SPECTRUM_BLOCK;

	return (struct cvec){v_load(from), v_load(from + SPECTRUM_BLOCK)};
}

/* Those of items j + LANES on, of `w`, which are those of items from j on. */
static inline const float *twiddles_next(const float *w, uint32_t radix, uint32_t j)
{
	if (LANES < SPECTRUM_BLOCK && (j + LANES) % SPECTRUM_BLOCK != 0)
		return w + LANES;
	return w + LANES + (size_t)(2 * (radix - 1) - 1) * SPECTRUM_BLOCK;
}

static inline __attribute__((always_inline)) void pass_forward(
    uint32_t radix, const struct spectrum_pass *pass, uint32_t size, float *x)
{
	const uint32_t part = pass->length / radix;
	struct cvec v[8];

	for (uint32_t base = 0; base < size; base += pass->length) {
		const float *w = pass->twiddles;

		for (uint32_t j = base; j < base + part; j += LANES) {
			SPECTRUM_UNROLL
			for (uint32_t r = 0; r < radix; r++)
				v[r] = c_load(x, j + r * part);
			dft_of(radix, v);
			c_store(x, j, v[0]);
			SPECTRUM_UNROLL
			for (uint32_t r = 1; r < radix; r++)
				c_store(x, j + r * part, c_mul(v[r], twiddle_at(w, r)));
			w = twiddles_next(w, radix, j);
		}
	}
}

static inline __attribute__((always_inline)) void pass_inverse(
    uint32_t radix, const struct spectrum_pass *pass, uint32_t size, float *x)
{
	const uint32_t part = pass->length / radix;
	struct cvec v[8];

	for (uint32_t base = 0; base < size; base += pass->length) {
		const float *w = pass->twiddles;

		for (uint32_t j = base; j < base + part; j += LANES) {
			v[0] = c_load(x, j);
			SPECTRUM_UNROLL
			for (uint32_t r = 1; r < radix; r++)
				v[r] = c_mul(c_load(x, j + r * part), twiddle_at(w, r));
			dft_of(radix, v);
			SPECTRUM_UNROLL
			for (uint32_t r = 0; r < radix; r++)
				c_store(x, j + r * part, v[r]);
			w = twiddles_next(w, radix, j);
		}
	}
}

static void passes_forward(const struct spectrum_plan *plan, float *x)
{
	for (uint32_t i = 1; i < plan->n_passes; i++) {
		const struct spectrum_pass *pass = &plan->passes[i];

		if (pass->radix == 2)
			pass_forward(2, pass, plan->size, x);
		else if (pass->radix == 4)
			pass_forward(4, pass, plan->size, x);
		else
			pass_forward(8, pass, plan->size, x);
	}
}

static void passes_inverse(const struct spectrum_plan *plan, float *x)
{
	for (uint32_t i = plan->n_passes - 1; i > 0; i--) {
		const struct spectrum_pass *pass = &plan->passes[i];

		if (pass->radix == 2)
			pass_inverse(2, pass, plan->size, x);
		else if (pass->radix == 4)
			pass_inverse(4, pass, plan->size, x);
		else
			pass_inverse(8, pass, plan->size, x);
	}
}

/* The first pass: from samples to the spectrum's place; what is now becomes history. */
static void first_forward(
    const struct spectrum_plan *plan, const float *in, float *history, float *ret_spectrum)
{
	const uint32_t part = plan->size / 8;
	const float *w = plan->passes[0].twiddles;
	struct cvec v[8];

	for (uint32_t j = 0; j < part; j += LANES) {
		SPECTRUM_UNROLL
		for (uint32_t r = 0; r < 4; r++) {
			v[r] = c_load(history, j + r * part);
			v[4 + r] = c_split(in + 2 * (size_t)(j + r * part));
			c_store(history, j + r * part, v[4 + r]);
		}
		dft_of8(v);
		c_store(ret_spectrum, j, v[0]);
		SPECTRUM_UNROLL
		for (uint32_t r = 1; r < 8; r++)
			c_store(ret_spectrum, j + r * part, c_mul(v[r], twiddle_at(w, r)));
		w = twiddles_next(w, 8, j);
	}
}

/* Its mirror: only the second half of the samples. Parts change places again. */
static void last_inverse(const struct spectrum_plan *plan, const float *x, float *ret_out)
{
	const uint32_t part = plan->size / 8;
	const float *w = plan->passes[0].twiddles;
	struct cvec v[8];

	for (uint32_t j = 0; j < part; j += LANES) {
		v[0] = c_load(x, j);
		SPECTRUM_UNROLL
		for (uint32_t r = 1; r < 8; r++)
			v[r] = c_mul(c_load(x, j + r * part), twiddle_at(w, r));
		w = twiddles_next(w, 8, j);
		dft8_second(v);
		SPECTRUM_UNROLL
		for (uint32_t r = 0; r < 4; r++)
			c_join(ret_out + 2 * (size_t)(j + r * part),
			    (struct cvec){v[4 + r].im, v[4 + r].re});
	}
}

/* ---- within blocks ---- */

#if LANES > 1
/* Rows become columns in each 4 x 4 square that groups of four lanes of four vectors are. */
static inline void transpose_four(vec *t)
{
	const vec a = V_LOW(t[0], t[1]), b = V_HIGH(t[0], t[1]), c = V_LOW(t[2], t[3]),
	          d = V_HIGH(t[2], t[3]);

	t[0] = V_LOW2(a, c);
	t[1] = V_HIGH2(a, c);
	t[2] = V_LOW2(b, d);
	t[3] = V_HIGH2(b, d);
}

/* row[g] of t, of column j: what becomes rows j, 4 + j, ... of the transposed. */
static inline void gather_column(const struct cvec *t, uint32_t j, struct cvec *ret_rows)
{
	vec re[LANES / 4], im[LANES / 4];

	SPECTRUM_UNROLL
	for (uint32_t g = 0; g < LANES / 4; g++) {
		re[g] = t[4 * g + j].re;
		im[g] = t[4 * g + j].im;
	}
	v_groups(re);
	v_groups(im);
	SPECTRUM_UNROLL
	for (uint32_t g = 0; g < LANES / 4; g++)
		ret_rows[g] = (struct cvec){re[g], im[g]};
}

static inline void transpose_squares(struct cvec *t)
{
	SPECTRUM_UNROLL
	for (uint32_t g = 0; g < LANES; g += 4) {
		vec re[4] = {t[g].re, t[g + 1].re, t[g + 2].re, t[g + 3].re};
		vec im[4] = {t[g].im, t[g + 1].im, t[g + 2].im, t[g + 3].im};

		transpose_four(re);
		transpose_four(im);
		SPECTRUM_UNROLL
		for (uint32_t k = 0; k < 4; k++)
			t[g + k] = (struct cvec){re[k], im[k]};
	}
}

static inline void block_transpose(struct cvec *t)
{
	struct cvec out[LANES], rows[LANES / 4];

	transpose_squares(t);
	SPECTRUM_UNROLL
	for (uint32_t j = 0; j < 4; j++) {
		gather_column(t, j, rows);
		SPECTRUM_UNROLL
		for (uint32_t g = 0; g < LANES / 4; g++)
			out[4 * g + j] = rows[g];
	}
	memcpy(t, out, sizeof(out));
}
#else
static inline void block_transpose(struct cvec *t)
{
	(void)t;
}
#endif

/* x times exp(-2 pi i n / 16), n one of those that dft_of16 meets */
static inline struct cvec root16_turn(uint32_t n, struct cvec x)
{
	static const float roots[10][2] = {
	    [1] = {0.92387953251128675613f, -0.38268343236508977173f},
	    [2] = {0.70710678118654752440f, -0.70710678118654752440f},
	    [3] = {0.38268343236508977173f, -0.92387953251128675613f},
	    [6] = {-0.70710678118654752440f, -0.70710678118654752440f},
	    [9] = {-0.92387953251128675613f, 0.38268343236508977173f},
	};

	if (n == 0)
		return x;
	if (n == 4)
		return (struct cvec){x.im, -x.re};
	return c_mul(x, (struct cvec){V_ALL(roots[n][0]), V_ALL(roots[n][1])});
}

/* 16 = 4 x 4: columns, the roots of 16, rows. */
static inline void dft_of16(struct cvec *x)
{
	struct cvec y[4][4];

	SPECTRUM_UNROLL
	for (uint32_t n = 0; n < 4; n++) {
		struct cvec v[4] = {x[n], x[n + 4], x[n + 8], x[n + 12]};

		dft_of4(v);
		SPECTRUM_UNROLL
		for (uint32_t k = 0; k < 4; k++)
			y[k][n] = root16_turn(n * k, v[k]);
	}
	SPECTRUM_UNROLL
	for (uint32_t k = 0; k < 4; k++) {
		dft_of4(y[k]);
		SPECTRUM_UNROLL
		for (uint32_t n = 0; n < 4; n++)
			x[k + 4 * n] = y[k][n];
	}
}

/* Item i of LANES blocks from `base` on, side by side, to t[i]: a square of LANES is transposed
 * after the other. */
static void blocks_forward(const struct spectrum_plan *plan, float *x)
{
	for (uint32_t base = 0; base < plan->size; base += LANES * SPECTRUM_BLOCK) {
		struct cvec t[SPECTRUM_BLOCK];

		SPECTRUM_UNROLL
		for (uint32_t i = 0; i < SPECTRUM_BLOCK; i += LANES) {
			SPECTRUM_UNROLL
			for (uint32_t r = 0; r < LANES; r++)
				t[i + r] = c_load(x, base + r * SPECTRUM_BLOCK + i);
			block_transpose(t + i);
		}
		dft_of16(t);
		SPECTRUM_UNROLL
		for (uint32_t k = 0; k < SPECTRUM_BLOCK; k++)
			c_store(x, base + k * LANES, t[k]);
	}
}

/* Parts change places here, for the inverse's sign. */
static void blocks_inverse(const struct spectrum_plan *plan, float *x)
{
	for (uint32_t base = 0; base < plan->size; base += LANES * SPECTRUM_BLOCK) {
		struct cvec t[SPECTRUM_BLOCK];

		SPECTRUM_UNROLL
		for (uint32_t k = 0; k < SPECTRUM_BLOCK; k++) {
			const struct cvec v = c_load(x, base + k * LANES);

			t[k] = (struct cvec){v.im, v.re};
		}
		dft_of16(t);
		SPECTRUM_UNROLL
		for (uint32_t i = 0; i < SPECTRUM_BLOCK; i += LANES) {
			block_transpose(t + i);
			SPECTRUM_UNROLL
			for (uint32_t r = 0; r < LANES; r++)
				c_store(x, base + r * SPECTRUM_BLOCK + i, t[i + r]);
		}
	}
}

/* ---- the table ---- */

static void spectrum_forward(
    const struct spectrum_plan *plan, const float *in, float *history, float *ret_spectrum)
{
	first_forward(plan, in, history, ret_spectrum);
	passes_forward(plan, ret_spectrum);
	blocks_forward(plan, ret_spectrum);
}

static void spectrum_inverse(const struct spectrum_plan *plan, float *spectrum, float *ret_out)
{
	blocks_inverse(plan, spectrum);
	passes_inverse(plan, spectrum);
	last_inverse(plan, spectrum, ret_out);
}

/* Sums of four vectors stay in registers over all products. */
static void spectrum_multiply(
    const float *const *x, const float *const *h, uint32_t count, uint32_t bins, float *ret_sum)
{
	enum { AT_ONCE = 4 };

	for (uint32_t i = 0; i < bins; i += AT_ONCE * LANES) {
		struct cvec sum[AT_ONCE];

		SPECTRUM_UNROLL
		for (uint32_t v = 0; v < AT_ONCE; v++)
			sum[v] = c_mul(c_load(x[0], i + v * LANES), c_load(h[0], i + v * LANES));
		for (uint32_t k = 1; k < count; k++) {
			SPECTRUM_UNROLL
			for (uint32_t v = 0; v < AT_ONCE; v++) {
				const struct cvec a = c_load(x[k], i + v * LANES),
				                  b = c_load(h[k], i + v * LANES);

				sum[v].re = V_FNMA(a.im, b.im, V_FMA(a.re, b.re, sum[v].re));
				sum[v].im = V_FMA(a.im, b.re, V_FMA(a.re, b.im, sum[v].im));
			}
		}
		SPECTRUM_UNROLL
		for (uint32_t v = 0; v < AT_ONCE; v++)
			c_store(ret_sum, i + v * LANES, sum[v]);
	}
}

static void spectrum_split(const float *in, uint32_t n, float *ret_blocks)
{
	for (uint32_t i = 0; i < n; i += LANES)
		c_store(ret_blocks, i, c_split(in + 2 * (size_t)i));
}

static void spectrum_join(const float *blocks, uint32_t n, float *ret_out)
{
	for (uint32_t i = 0; i < n; i += LANES)
		c_join(ret_out + 2 * (size_t)i, c_load(blocks, i));
}

#define SPECTRUM_TABLE                                                                             \
	{                                                                                          \
		spectrum_forward, spectrum_inverse, spectrum_multiply, spectrum_split,             \
		    spectrum_join                                                                  \
	}

#endif
