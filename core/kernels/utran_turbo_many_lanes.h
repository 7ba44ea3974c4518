/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_many_lanes.h - max-log-MAP with a window of one of
 * UTRAN_TURBO_ABREAST blocks in each lane of a vector.
 *
 * A source defines what utran_turbo_decoder_steps.h asks for, with metrics of 16 bits. It ends with
 * the table UTRAN_TURBO_MANY_TABLE(least). The decoder is that of utran_turbo_decoder_lanes.h, the
 * same windows, sections and warm-ups, so that the arithmetic of a block is the same; column c of
 * all lanes is window c / 8 of block c % 8.
 *
 * What a pass reads of the other coder's is fetched where it was found, on the way backward, and
 * kept beside the metrics for the way forward. */
#ifndef CORE_KERNELS_UTRAN_TURBO_MANY_LANES_H
#define CORE_KERNELS_UTRAN_TURBO_MANY_LANES_H

#include "core/kernels/utran_turbo_decoder_steps.h"
#include "core/kernels/utran_turbo_many_parts.h"

#ifdef LANES

enum { ABREAST = UTRAN_TURBO_ABREAST, KEPT = MANY_KEPT * LANES };

_Static_assert(LANES <= MANY_LANES_MAX && LANES % ABREAST == 0, "lanes are windows of all blocks");

/* State metrics of all columns at one step, with room for one more window before the first and one
 * behind the last. */
enum { FRONT_ROOM = 32, FRONT_PITCH = 32 * ABREAST + 2 * FRONT_ROOM };

struct many_front {
	_Alignas(64) int16_t of[STATES * FRONT_PITCH];
};

INLINE int16_t *front_at(struct many_front *front, uint32_t column)
{
	/* cppcheck-suppress ctuuninitvar ; only a place is told, for what will be written there
	 * first */
	return front->of + FRONT_ROOM + column;
}

INLINE uint32_t columns_of(const struct utran_turbo_many *m)
{
	return m->one->windows * ABREAST;
}

/* Where step t of the lanes from `column` on lies in a stream. */
INLINE size_t place_of(const struct utran_turbo_many *m, uint32_t t, uint32_t column)
{
	return (size_t)t * columns_of(m) + column;
}

/* Values of all blocks at LANES / ABREAST positions. */
INLINE vec values_fetch(const int16_t *values, const uint16_t *from)
{
	const int16_t *at[LANES / ABREAST];

	for (uint32_t i = 0; i < LANES / ABREAST; i++)
		at[i] = values + (size_t)from[i] * ABREAST;
	return w_pieces(at, 0);
}

/* What a pass knows of a bit before it: the first coder hands on all, the second one only what it
 * has found itself. */
INLINE vec many_x(const struct utran_turbo_many *m, int coder, bool fresh, size_t place)
{
	const uint16_t *from = m->one->from[coder] + place / ABREAST;

	if (fresh)
		return v_load(m->systematic + place);
	if (coder == 1)
		return values_fetch(m->extrinsic[0], from);
	return v_add(values_fetch(m->extrinsic[1], from), v_load(m->systematic + place));
}

/* ---- forward ---- */

INLINE void forward_warm_run(
    const struct utran_turbo_many *m, int coder, bool fresh, uint32_t column, uint32_t n, vec *a)
{
	const uint32_t to = m->one->steps;

	for (uint32_t t = to - n; t < to; t++) {
		const size_t place = place_of(m, t, column);
		forward_step(a, many_x(m, coder, fresh, place), v_load(m->y[coder] + place));
		if (t % GROUP == GROUP - 1 || t == to - 1)
			metrics_normalise(a);
	}
}

/* Before the first windows there is state 0. */
INLINE void front_start(struct many_front *front)
{
	for (int s = 0; s < STATES; s++)
		for (int b = 1; b <= ABREAST; b++)
			front_at(front, 0)[s * FRONT_PITCH - b] = s == 0 ? START : NEVER;
}

INLINE void forward_warm(
    const struct utran_turbo_many *m, int coder, bool fresh, struct many_front *heads)
{
	const struct utran_turbo_decoder *one = m->one;
	const uint32_t columns = columns_of(m);
	struct many_front behind;
	vec a[STATES];

	for (uint32_t c = 0; c < columns; c += LANES) {
		metrics_load(a, m->edge[coder][0] + c, columns);
		metrics_store(a, front_at(heads, c), FRONT_PITCH);
	}
	for (uint32_t left = m->iteration ? one->warm_next : one->warm_first, n; left > 0;
	     left -= n) {
		n = (left - 1) % one->steps + 1;
		for (uint32_t c = 0; c < columns; c += LANES) {
			metrics_load(a, front_at(heads, c), FRONT_PITCH);
			forward_warm_run(m, coder, fresh, c, n, a);
			metrics_store(a, front_at(&behind, c), FRONT_PITCH);
		}
		front_start(&behind);
		for (uint32_t c = 0; c < columns; c += LANES) {
			metrics_load(a, front_at(&behind, c) - ABREAST, FRONT_PITCH);
			metrics_store(a, front_at(heads, c), FRONT_PITCH);
		}
	}
}

INLINE void forward_run(
    struct utran_turbo_many *m, int coder, bool out, uint32_t i, uint32_t column, vec *a)
{
	const struct utran_turbo_decoder *one = m->one;
	const uint32_t from = section_start(one, i), to = section_start(one, i + 1),
	               edge = one->steps - one->warm_next;
	const wide scaling = scaling_of(one);
	const int16_t *kept = m->beta;

	for (uint32_t t = from; t < to; t++, kept += KEPT) {
		const size_t place = place_of(m, t, column);
		const vec x = v_load(kept + STATES * LANES), y = v_load(m->y[coder] + place);
		const vec found = metrics_combine(a, kept, y);

		if (t == edge)
			metrics_store(a, m->edge[coder][0] + column, columns_of(m));
		forward_step(a, x, y);
		if (t % GROUP == GROUP - 1)
			metrics_normalise(a);
		if (out) {
			v_decide(v_add(x, found), m->decided, place);
		} else {
			vec handed = v_scaled(found, scaling);
			if (coder == 0)
				handed = v_add(handed, v_load(m->systematic + place));
			v_store(m->extrinsic[coder] + place, handed);
		}
	}
}

/* ---- backward ---- */

/* The last windows get the metrics that the tails give. */
INLINE void metrics_end(const struct utran_turbo_many *m, int coder, vec *b)
{
	_Alignas(64) int16_t of[STATES * LANES];

	metrics_store(b, of, LANES);
	for (int s = 0; s < STATES; s++)
		memcpy(of + (s + 1) * LANES - ABREAST, m->end[coder][s], sizeof(m->end[coder][s]));
	metrics_load(b, of, LANES);
}

INLINE void backward_run(const struct utran_turbo_many *m, int coder, bool fresh, uint32_t column,
    uint32_t to, uint32_t from, bool store, vec *b)
{
	const struct utran_turbo_decoder *one = m->one;
	const uint32_t end = one->k - (one->windows - 1) * one->steps;

	for (uint32_t t = to; t-- > from;) {
		const size_t place = place_of(m, t, column);
		const vec x = many_x(m, coder, fresh, place);

		if (t + 1 == end) {
			metrics_normalise(b);
			if (column + LANES == columns_of(m))
				metrics_end(m, coder, b);
		}
		if (store) {
			int16_t *kept = m->beta + (size_t)(t - from) * KEPT;
			metrics_store(b, kept, LANES);
			v_store(kept + STATES * LANES, x);
		}
		backward_step(b, x, v_load(m->y[coder] + place));
		if (t % GROUP == 0)
			metrics_normalise(b);
	}
}

INLINE int16_t *backward_edge(
    const struct utran_turbo_many *m, int coder, uint32_t i, uint32_t column)
{
	return m->edge[coder][1] + (size_t)i * STATES * columns_of(m) + column;
}

/* Behind the last windows nothing is known. */
INLINE void front_end(struct many_front *front, uint32_t columns)
{
	for (int s = 0; s < STATES; s++)
		for (int b = 0; b < ABREAST; b++)
			front_at(front, columns)[s * FRONT_PITCH + b] = 0;
}

INLINE void backward_warm(
    const struct utran_turbo_many *m, int coder, bool fresh, struct many_front *tails)
{
	const struct utran_turbo_decoder *one = m->one;
	const uint32_t columns = columns_of(m);
	struct many_front before;
	vec b[STATES];

	for (uint32_t c = 0; c < columns; c += LANES) {
		metrics_load(b, backward_edge(m, coder, one->sections - 1, c), columns);
		metrics_store(b, front_at(tails, c), FRONT_PITCH);
	}
	for (uint32_t left = m->iteration ? one->warm_next : one->warm_first, n; left > 0;
	     left -= n) {
		n = (left - 1) % one->steps + 1;
		for (uint32_t c = 0; c < columns; c += LANES) {
			metrics_load(b, front_at(tails, c), FRONT_PITCH);
			backward_run(m, coder, fresh, c, n, 0, false, b);
			metrics_store(b, front_at(&before, c), FRONT_PITCH);
		}
		front_end(&before, columns);
		for (uint32_t c = 0; c < columns; c += LANES) {
			metrics_load(b, front_at(&before, c) + ABREAST, FRONT_PITCH);
			metrics_store(b, front_at(tails, c), FRONT_PITCH);
		}
	}
}

INLINE void section_backward(const struct utran_turbo_many *m, int coder, bool fresh, uint32_t i,
    uint32_t column, struct many_front *tails)
{
	const struct utran_turbo_decoder *one = m->one;
	const uint32_t warm = m->iteration ? one->warm_next : one->warm_first;
	const uint32_t from = section_start(one, i), to = section_start(one, i + 1);
	const uint32_t before = i ? i - 1 : one->sections - 1;
	vec b[STATES];

	if (to == one->steps) {
		metrics_load(b, front_at(tails, column), FRONT_PITCH);
	} else {
		metrics_load(b, backward_edge(m, coder, i, column), columns_of(m));
		backward_run(m, coder, fresh, column, to + warm, to, false, b);
	}
	backward_run(m, coder, fresh, column, to, from, true, b);
	metrics_load(b, m->beta + (size_t)(one->warm_next - 1) * KEPT, LANES);
	metrics_store(b, backward_edge(m, coder, before, column), columns_of(m));
}

/* ---- a pass ---- */

INLINE void many_pass(struct utran_turbo_many *m, int coder, bool fresh, bool out)
{
	const uint32_t columns = columns_of(m), sections = m->one->sections;
	struct many_front heads, tails;
	vec a[STATES];

	forward_warm(m, coder, fresh, &heads);
	for (uint32_t i = 0; i < sections; i++) {
		if (i == sections - 1)
			backward_warm(m, coder, fresh, &tails);
		for (uint32_t c = 0; c < columns; c += LANES) {
			section_backward(m, coder, fresh, i, c, &tails);
			metrics_load(a, front_at(&heads, c), FRONT_PITCH);
			forward_run(m, coder, out, i, c, a);
			metrics_store(a, front_at(&heads, c), FRONT_PITCH);
		}
	}
}

static void pass_fresh(struct utran_turbo_many *m)
{
	many_pass(m, 0, true, false);
}

static void pass_first(struct utran_turbo_many *m)
{
	many_pass(m, 0, false, false);
}

static void pass_on(struct utran_turbo_many *m)
{
	many_pass(m, 1, false, false);
}

static void pass_out(struct utran_turbo_many *m)
{
	many_pass(m, 1, false, true);
}

static void many_iterate(struct utran_turbo_many *m, bool last)
{
	if (m->iteration == 0)
		pass_fresh(m);
	else
		pass_first(m);
	if (last)
		pass_out(m);
	else
		pass_on(m);
	m->iteration++;
}

/* Up to 64 bits of a block. */
INLINE void bits_write(const uint8_t *decided, uint32_t block, uint32_t n, uint8_t *bits)
{
	for (uint32_t i = 0; i < n; i++)
		bits[i] = decided[i] >> block & 1;
}

static void many_hand_out(const struct utran_turbo_many *m, uint8_t *const *bits)
{
	enum { AT_ONCE = 64 };
	const uint16_t *from = m->one->from_bit;
	const uint32_t k = m->one->k;

	for (uint32_t i = 0; i < k; i += AT_ONCE) {
		_Alignas(64) uint8_t decided[AT_ONCE];
		const uint32_t n = k - i < AT_ONCE ? k - i : AT_ONCE;
		for (uint32_t j = 0; j < n; j++)
			decided[j] = m->decided[from[i + j]];
		for (uint32_t b = 0; b < ABREAST; b++) {
			if (bits[b] && n == AT_ONCE)
				bits_write(decided, b, AT_ONCE, bits[b] + i);
			else if (bits[b])
				bits_write(decided, b, n, bits[b] + i);
		}
	}
}

/* ---- start ---- */

/* Eight steps of the columns from `column` on; `at` are the soft bits of each column. */
INLINE void start_steps(
    struct utran_turbo_many *m, const int16_t *const *at, uint32_t t, uint32_t column)
{
	struct steps steps;

#pragma GCC unroll 8
	for (uint32_t l = 0; l < PIECE; l++) {
		const int16_t *pieces[PIECES];
		for (uint32_t p = 0; p < PIECES; p++)
			pieces[p] = at[p * PIECE + l] + (size_t)3 * t;
		triples_load(pieces, &steps.of[0][l], &steps.of[1][l], &steps.of[2][l]);
	}
	for (int i = 0; i < 3; i++)
		wide_transpose(steps.of[i]);
	for (uint32_t i = 0; i < PIECE; i++) {
		const size_t to = place_of(m, t + i, column);
		v_store(m->systematic + to, steps.of[0][i]);
		v_store(m->y[0] + to, steps.of[1][i]);
		v_store(m->y[1] + to, steps.of[2][i]);
	}
}

/* The last window of each block is copied, so that nobody reads behind the codeword. */
static void start_last(struct utran_turbo_many *m, const int16_t *const *llr)
{
	const struct utran_turbo_decoder *one = m->one;
	const size_t before = (size_t)3 * (one->windows - 1) * one->steps,
	             in_last = 3 * one->k - before, all = (size_t)3 * one->steps;

	for (uint32_t b = 0; b < ABREAST; b++) {
		memcpy(m->last + b * all, llr[b] + before, in_last * sizeof(**llr));
		memset(m->last + b * all + in_last, 0, (all - in_last) * sizeof(**llr));
	}
}

static void start_windows(struct utran_turbo_many *m, const int16_t *const *llr)
{
	const struct utran_turbo_decoder *one = m->one;
	const int16_t *at[LANES];

	for (uint32_t column = 0; column < columns_of(m); column += LANES) {
		for (uint32_t l = 0; l < LANES; l++) {
			const uint32_t window = (column + l) / ABREAST, b = l % ABREAST;
			at[l] = window == one->windows - 1
			    ? m->last + (size_t)b * 3 * one->steps
			    : llr[b] + (size_t)window * 3 * one->steps;
		}
		for (uint32_t t = 0; t < one->steps - PIECE; t += PIECE)
			start_steps(m, at, t, column);
		start_steps(m, at, one->steps - PIECE, column);
	}
}

static void many_start(struct utran_turbo_many *m, const int16_t *const *llr)
{
	struct utran_turbo_decoder *one = m->one;
	const size_t front = (size_t)STATES * columns_of(m) * sizeof(int16_t);

	start_last(m, llr);
	start_windows(m, llr);
	for (uint32_t b = 0; b < ABREAST; b++) {
		utran_turbo_ends(one, llr[b] + (size_t)3 * one->k);
		for (int i = 0; i < 2 * STATES; i++)
			m->end[i / STATES][i % STATES][b] = one->end[i / STATES][i % STATES];
	}
	for (int coder = 0; coder < 2; coder++) {
		memset(m->edge[coder][0], UNKNOWN, front);
		memset(m->edge[coder][1], UNKNOWN, UTRAN_TURBO_SECTIONS_MAX * front);
	}
	m->iteration = 0;
}

#define UTRAN_TURBO_MANY_TABLE(least)                                                              \
	{                                                                                          \
		LANES, least, many_start, many_iterate, many_hand_out                              \
	}

#endif

#endif
