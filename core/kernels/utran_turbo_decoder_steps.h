/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_decoder_steps.h - a step through the trellis in every lane of a vector,
 * and how soft bits get there: what utran_turbo_decoder_lanes.h, where a lane is a window, and
 * utran_turbo_many_lanes.h, where it is a window of one of several blocks, have in common.
 *
 * A source includes its level's header (utran_turbo_decoder_avx2.h) first, which defines `wide`, a
 * vector of WIDE 16-bit values, and operations w_* on it; then it defines LANES, `vec` of so many
 * values and its own operations v_*: vec is wide for metrics of 16 bits, or has twice the lanes for
 * 8 bits. What else differs between the two is in utran_turbo_decoder_words.h and
 * utran_turbo_decoder_bytes.h. The trellis is that of utran_turbo_decoder.c.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_DECODER_STEPS_H
#define CORE_KERNELS_UTRAN_TURBO_DECODER_STEPS_H

#include <string.h>

#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_decoder_parts.h"

#ifdef LANES

#define INLINE static inline __attribute__((always_inline))

enum { STATES = UTRAN_TURBO_STATES };

INLINE wide wide_limit(wide v)
{
	return w_max(w_min(v, w_set(UTRAN_LLR_MAX)), w_set(-UTRAN_LLR_MAX));
}

/* Metrics of bit and parity, and of a parity alone. */
struct branches {
	vec of00, of01, of10, of11;
};
struct parities {
	vec of0, of1;
};

#if LANES == WIDE
#include "core/kernels/utran_turbo_decoder_words.h"
#else
#include "core/kernels/utran_turbo_decoder_bytes.h"
#endif

INLINE vec v_load(const value *at)
{
	return *(const vec *)at;
}

INLINE void v_store(value *at, vec v)
{
	*(vec *)at = v;
}

INLINE vec v_set(value v)
{
	return (vec){0} + v;
}

/* A vec that lies anywhere. */
typedef vec vec_anywhere __attribute__((aligned(1)));

/* Metrics of state s lie at at + s * pitch. */
INLINE void metrics_load(vec *m, const value *at, size_t pitch)
{
#pragma GCC unroll 8
	for (size_t s = 0; s < STATES; s++)
		m[s] = *(const vec_anywhere *)(at + s * pitch);
}

INLINE void metrics_store(const vec *m, value *at, size_t pitch)
{
#pragma GCC unroll 8
	for (size_t s = 0; s < STATES; s++)
		*(vec_anywhere *)(at + s * pitch) = m[s];
}

/* The better of two paths into a state. */
INLINE vec path_better(vec a, vec x, vec b, vec y)
{
	return m_max(v_add(a, x), v_add(b, y));
}

INLINE void forward_step(vec *a, vec x, vec y)
{
	const struct branches g = branches_of(x, y);
	const vec b0 = path_better(a[0], g.of00, a[1], g.of11),
	          b4 = path_better(a[0], g.of11, a[1], g.of00);
	const vec b5 = path_better(a[2], g.of01, a[3], g.of10),
	          b1 = path_better(a[2], g.of10, a[3], g.of01);
	const vec b2 = path_better(a[4], g.of01, a[5], g.of10),
	          b6 = path_better(a[4], g.of10, a[5], g.of01);
	const vec b7 = path_better(a[6], g.of00, a[7], g.of11),
	          b3 = path_better(a[6], g.of11, a[7], g.of00);

	a[0] = b0, a[1] = b1, a[2] = b2, a[3] = b3, a[4] = b4, a[5] = b5, a[6] = b6, a[7] = b7;
}

INLINE void backward_step(vec *b, vec x, vec y)
{
	const struct branches g = branches_of(x, y);
	const vec a0 = path_better(b[0], g.of00, b[4], g.of11),
	          a1 = path_better(b[4], g.of00, b[0], g.of11);
	const vec a2 = path_better(b[5], g.of01, b[1], g.of10),
	          a3 = path_better(b[1], g.of01, b[5], g.of10);
	const vec a4 = path_better(b[2], g.of01, b[6], g.of10),
	          a5 = path_better(b[6], g.of01, b[2], g.of10);
	const vec a6 = path_better(b[7], g.of00, b[3], g.of11),
	          a7 = path_better(b[3], g.of00, b[7], g.of11);

	b[0] = a0, b[1] = a1, b[2] = a2, b[3] = a3, b[4] = a4, b[5] = a5, b[6] = a6, b[7] = a7;
}

INLINE vec max_of4(vec a, vec b, vec c, vec d)
{
	return m_max(m_max(a, b), m_max(c, d));
}

/* What the code alone says of a step's bit: the best path with a 0 less the best one with a 1, x
 * left out of both. */
INLINE vec metrics_combine(const vec *a, const value *beta, vec y)
{
#define PATH(from, to) v_add(a[from], v_load(beta + (to)*LANES))
	const vec same0 = max_of4(PATH(0, 0), PATH(1, 4), PATH(6, 7), PATH(7, 3));
	const vec other0 = max_of4(PATH(2, 5), PATH(3, 1), PATH(4, 2), PATH(5, 6));
	const vec same1 = max_of4(PATH(0, 4), PATH(1, 0), PATH(6, 3), PATH(7, 7));
	const vec other1 = max_of4(PATH(2, 1), PATH(3, 5), PATH(4, 6), PATH(5, 2));
#undef PATH
	const struct parities p = parities_of(y);
	const vec found = m_less(
	    path_better(same0, p.of0, other0, p.of1), path_better(same1, p.of1, other1, p.of0));

	return v_max(v_min(found, v_set(EXTRINSIC_MAX)), v_set(-EXTRINSIC_MAX));
}

/* Section i of every window begins here. */
static uint32_t section_start(const struct utran_turbo_decoder *d, uint32_t i)
{
	return d->steps * i / d->sections;
}

/* Values of 128 bits; of them in a wide vector; of those for a vec. */
enum { PIECE = 8, PIECES = WIDE / PIECE, HALVES = LANES / WIDE };

/* Rows become columns in each 128 bits. */
INLINE void wide_transpose(wide *m)
{
	wide pairs[PIECE], fours[PIECE];

	for (int i = 0; i < PIECE / 2; i++) {
		pairs[2 * i] = w_low16(m[2 * i], m[2 * i + 1]);
		pairs[2 * i + 1] = w_high16(m[2 * i], m[2 * i + 1]);
	}
	for (int i = 0; i < 2; i++) {
		for (int j = 0; j < 2; j++) {
			fours[4 * i + 2 * j] = w_low32(pairs[4 * i + j], pairs[4 * i + j + 2]);
			fours[4 * i + 2 * j + 1] = w_high32(pairs[4 * i + j], pairs[4 * i + j + 2]);
		}
	}
	for (int i = 0; i < PIECE / 2; i++) {
		m[2 * i] = w_low64(fours[i], fours[i + 4]);
		m[2 * i + 1] = w_high64(fours[i], fours[i + 4]);
	}
}

#ifdef LANES_TRIPLES
INLINE void triples_load(const int16_t *const *at, wide *x, wide *y0, wide *y1)
{
	LANES_TRIPLES(at[0], x, y0, y1);
	*x = wide_limit(*x);
	*y0 = wide_limit(*y0);
	*y1 = wide_limit(*y1);
}
#else
/* Bytes: values 0 3 6 1 4 7 2 5, 1 4 7 2 5 0 3 6 and 2 5 0 3 6 1 4 7. */
static const uint8_t order_x[] = {0, 1, 6, 7, 12, 13, 2, 3, 8, 9, 14, 15, 4, 5, 10, 11};
static const uint8_t order_y0[] = {2, 3, 8, 9, 14, 15, 4, 5, 10, 11, 0, 1, 6, 7, 12, 13};
static const uint8_t order_y1[] = {4, 5, 10, 11, 0, 1, 6, 7, 12, 13, 2, 3, 8, 9, 14, 15};

/* Takes 24 values in each 128 bits, x y y' x y y' ..., apart. Every third of the first vector,
 * every third but one later of the next and so on lie in different places: they are put together,
 * then into order. */
INLINE void triples_load(const int16_t *const *at, wide *x, wide *y0, wide *y1)
{
	const wide a = wide_limit(w_pieces(at, 0)), b = wide_limit(w_pieces(at, 8)),
	           c = wide_limit(w_pieces(at, 16));

	*x = w_order(w_thirds(a, b, c), order_x);
	*y0 = w_order(w_thirds(c, a, b), order_y0);
	*y1 = w_order(w_thirds(b, c, a), order_y1);
}
#endif

/* What eight steps read: x, y and y' of step i in [0][i], [1][i], [2][i]. */
struct steps {
	wide of[3][PIECE];
};

#endif

#endif
