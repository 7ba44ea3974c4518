/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_decoder_lanes.h - max-log-MAP with one window of the trellis in each
 * lane of a vector.
 *
 * A source includes its level's header (utran_turbo_decoder_avx2.h) first, which defines `wide`, a
 * vector of WIDE 16-bit values, and operations w_* on it; then it defines LANES, `vec` of so many
 * values and its own operations v_*: vec is wide for metrics of 16 bits, or has twice the lanes for
 * 8 bits. What else differs between the two is in utran_turbo_decoder_words.h and
 * utran_turbo_decoder_bytes.h. The source ends with the table UTRAN_TURBO_LANES_TABLE and may have
 * a hand_on and a hand_out of its own (LANES_HAND_ON, LANES_HAND_OUT). The trellis is that of
 * utran_turbo_decoder.c.
 *
 * How many windows there are is the decoder's, d->windows, a multiple of LANES. They are walked in
 * parts of LANES windows, a part after the other; metrics go from a window to its neighbour through
 * memory, so that it does not matter in which part the neighbour is. Hence the arithmetic of a
 * window is the same whatever LANES is.
 *
 * A pass goes backward first and stores its metrics; the way forward joins them with its own at
 * once, so that it stores none. What it finds at a step is sent to its place in the other coder's
 * order when the pass is done. */
#ifndef CORE_KERNELS_UTRAN_TURBO_DECODER_LANES_H
#define CORE_KERNELS_UTRAN_TURBO_DECODER_LANES_H

#include <string.h>

#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_decoder_parts.h"

#ifdef LANES

/* The metrics of a section of all windows take so much of the first cache; those of a whole block
 * would not stay there. */
enum { SECTION_BYTES = 32768, SECTIONS_MAX = 3 };

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

/* State metrics of all windows at one step, with room for one more window before the first and one
 * behind the last. */
enum { FRONT_ROOM = 64 / sizeof(value), FRONT_PITCH = 3 * FRONT_ROOM };

struct decoder_front {
	_Alignas(64) value of[STATES * FRONT_PITCH];
};

INLINE value *front_at(struct decoder_front *front, uint32_t window)
{
	/* cppcheck-suppress ctuuninitvar ; only a place is told, for what will be written there
	 * first */
	return front->of + FRONT_ROOM + window;
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

/* Walks a part forward over the last n steps of its windows. */
INLINE void forward_warm_run(
    const struct utran_turbo_decoder *d, int coder, uint32_t part, uint32_t n, vec *a)
{
	const value *x = (const value *)d->x[coder] + part * LANES,
	            *y = (const value *)d->y[coder] + part * LANES;
	const uint32_t to = d->steps;
	const size_t step = d->windows;

	for (uint32_t t = to - n; t < to; t++) {
		forward_step(a, v_load(x + t * step), v_load(y + t * step));
		if (t % GROUP == GROUP - 1 || t == to - 1)
			metrics_normalise(a);
	}
}

/* Metrics before each window's first step: from the last steps of the one before it; before the
 * first there is state 0. A warm-up longer than a window begins in a window further off. */
static void forward_warm(
    const struct utran_turbo_decoder *d, int coder, struct decoder_front *heads)
{
	struct decoder_front behind; /* the windows' last steps */
	vec a[STATES];

	for (uint32_t part = 0; part < d->windows; part += LANES) {
		metrics_load(a, (const value *)d->edge[coder][0] + part, d->windows);
		metrics_store(a, front_at(heads, part), FRONT_PITCH);
	}
	for (uint32_t left = d->iteration ? d->warm_next : d->warm_first, n; left > 0; left -= n) {
		n = (left - 1) % d->steps + 1;
		for (uint32_t part = 0; part < d->windows / LANES; part++) {
			metrics_load(a, front_at(heads, part * LANES), FRONT_PITCH);
			forward_warm_run(d, coder, part, n, a);
			metrics_store(a, front_at(&behind, part * LANES), FRONT_PITCH);
		}
		for (int s = 0; s < STATES; s++)
			front_at(&behind, 0)[s * FRONT_PITCH - 1] = s == 0 ? START : NEVER;
		for (uint32_t window = 0; window < d->windows; window += LANES) {
			metrics_load(a, front_at(&behind, window) - 1, FRONT_PITCH);
			metrics_store(a, front_at(heads, window), FRONT_PITCH);
		}
	}
}

/* Section i of every window begins here. */
static uint32_t section_start(const struct utran_turbo_decoder *d, uint32_t i)
{
	return d->steps * i / d->sections;
}

/* The last window gets the metrics that the tail gives. */
INLINE void metrics_end(const struct utran_turbo_decoder *d, int coder, vec *b)
{
	_Alignas(64) value of[STATES * LANES];

	metrics_store(b, of, LANES);
	for (int s = 0; s < STATES; s++)
		of[s * LANES + LANES - 1] = (value)d->end[coder][s];
	metrics_load(b, of, LANES);
}

/* Walks a part backward over steps to - 1, .., from; `store`: keeps the metrics behind each. The
 * block ends within the last window: there the tail says more than what was walked so far. */
INLINE void backward_run(const struct utran_turbo_decoder *d, int coder, uint32_t part, uint32_t to,
    uint32_t from, bool store, vec *b)
{
	const uint32_t end = d->k - (d->windows - 1) * d->steps;
	const value *x = (const value *)d->x[coder] + part * LANES,
	            *y = (const value *)d->y[coder] + part * LANES;
	const size_t step = d->windows;
	value *beta = d->beta;

	for (uint32_t t = to; t-- > from;) {
		if (t + 1 == end) {
			metrics_normalise(b);
			if ((part + 1) * LANES == d->windows)
				metrics_end(d, coder, b);
		}
		if (store)
			metrics_store(b, beta + (size_t)(t - from) * STATES * LANES, LANES);
		backward_step(b, v_load(x + t * step), v_load(y + t * step));
		if (t % GROUP == 0)
			metrics_normalise(b);
	}
}

/* Metrics of the last iteration behind the steps where the warm-up of section i begins. */
INLINE value *backward_edge(
    const struct utran_turbo_decoder *d, int coder, uint32_t i, uint32_t part)
{
	return (value *)d->edge[coder][1] + (size_t)i * STATES * d->windows + part * LANES;
}

/* Metrics behind each window's last step, from the first steps of the next one. */
static void backward_warm(
    const struct utran_turbo_decoder *d, int coder, struct decoder_front *tails)
{
	struct decoder_front before; /* the windows' first steps */
	vec b[STATES];

	for (uint32_t part = 0; part < d->windows / LANES; part++) {
		metrics_load(b, backward_edge(d, coder, d->sections - 1, part), d->windows);
		metrics_store(b, front_at(tails, part * LANES), FRONT_PITCH);
	}
	for (uint32_t left = d->iteration ? d->warm_next : d->warm_first, n; left > 0; left -= n) {
		n = (left - 1) % d->steps + 1;
		for (uint32_t part = 0; part < d->windows / LANES; part++) {
			metrics_load(b, front_at(tails, part * LANES), FRONT_PITCH);
			backward_run(d, coder, part, n, 0, false, b);
			metrics_store(b, front_at(&before, part * LANES), FRONT_PITCH);
		}
		for (int s = 0; s < STATES; s++)
			front_at(&before, d->windows)[s * FRONT_PITCH] = 0;
		for (uint32_t window = 0; window < d->windows; window += LANES) {
			metrics_load(b, front_at(&before, window) + 1, FRONT_PITCH);
			metrics_store(b, front_at(tails, window), FRONT_PITCH);
		}
	}
}

/* Metrics behind each step of section i, those of a part. */
static void section_backward(struct utran_turbo_decoder *d, int coder, uint32_t i, uint32_t part,
    struct decoder_front *tails)
{
	const uint32_t warm = d->iteration ? d->warm_next : d->warm_first;
	const uint32_t from = section_start(d, i), to = section_start(d, i + 1);
	const uint32_t before = i ? i - 1 : d->sections - 1;
	const value *beta = d->beta;
	vec b[STATES];

	if (to == d->steps) {
		metrics_load(b, front_at(tails, part * LANES), FRONT_PITCH);
	} else {
		metrics_load(b, backward_edge(d, coder, i, part), d->windows);
		backward_run(d, coder, part, to + warm, to, false, b);
	}
	backward_run(d, coder, part, to, from, true, b);
	metrics_load(b, beta + (size_t)(d->warm_next - 1) * STATES * LANES, LANES);
	metrics_store(b, backward_edge(d, coder, before, part), d->windows);
}

#ifndef LANES_HAND_ON
#define LANES_HAND_ON hand_on
/* Brings what the pass found into the other coder's order, value by value: a gather instruction of
 * AVX2 is no faster, and far slower where it was mended. */
static void hand_on(const struct utran_turbo_decoder *d, int coder)
{
	const uint16_t *from = d->from[!coder];
	const value *extrinsic = d->extrinsic;
	value *x = d->x[!coder];

	for (uint32_t i = 0; i < d->steps * d->windows; i += LANES) {
#pragma GCC unroll 64
		for (uint32_t l = 0; l < LANES; l++)
			x[i + l] = extrinsic[from[i + l]];
	}
}
#endif

#ifndef LANES_HAND_OUT
#define LANES_HAND_OUT hand_out
static void hand_out(const struct utran_turbo_decoder *d, uint8_t *bits)
{
	for (uint32_t i = 0; i < d->k; i++)
		bits[i] = d->decided[d->from_bit[i]];
}
#endif

/* The first coder's pass hands on all that it knows of a bit, the second one's only what it has
 * found itself: the systematic value is added where it lies. */
INLINE void forward_run(
    struct utran_turbo_decoder *d, int coder, bool on, bool out, uint32_t i, uint32_t part, vec *a)
{
	const value *x = d->x[coder], *y = d->y[coder], *beta = d->beta,
	            *systematic = d->systematic;
	const uint32_t from = section_start(d, i), to = section_start(d, i + 1),
	               edge = d->steps - d->warm_next;
	value *extrinsic = d->extrinsic, *edges = (value *)d->edge[coder][0] + part * LANES;
	const size_t step = d->windows;
	const wide scaling = scaling_of(d);
	uint8_t *decided = d->decided;
	size_t at = from * step + part * LANES;

	for (uint32_t t = from; t < to; t++, at += step, beta += STATES * LANES) {
		const vec xt = v_load(x + at), yt = v_load(y + at);
		const vec found = metrics_combine(a, beta, yt);

		if (t == edge)
			metrics_store(a, edges, step);
		forward_step(a, xt, yt);
		if (t % GROUP == GROUP - 1)
			metrics_normalise(a);
		if (on) {
			vec handed = v_scaled(found, scaling);
			if (coder == 0)
				handed = v_add(handed, v_load(systematic + at));
			v_store(extrinsic + at, handed);
		}
		if (out)
			v_decide(v_add(xt, found), decided, at);
	}
}

/* heads: metrics before each window's first step, then before the next section's first one. tails:
 * behind its last step. */
INLINE void lanes_pass(struct utran_turbo_decoder *d, int coder, bool on, bool out)
{
	struct decoder_front heads, tails;
	vec a[STATES];

	forward_warm(d, coder, &heads);
	for (uint32_t i = 0; i < d->sections; i++) {
		if (i == d->sections - 1)
			backward_warm(d, coder, &tails);
		for (uint32_t part = 0; part < d->windows / LANES; part++) {
			section_backward(d, coder, i, part, &tails);
			metrics_load(a, front_at(&heads, part * LANES), FRONT_PITCH);
			forward_run(d, coder, on, out, i, part, a);
			metrics_store(a, front_at(&heads, part * LANES), FRONT_PITCH);
		}
	}
	if (on)
		LANES_HAND_ON(d, coder);
}

static void pass_first(struct utran_turbo_decoder *d)
{
	lanes_pass(d, 0, true, false);
}

static void pass_on(struct utran_turbo_decoder *d)
{
	lanes_pass(d, 1, true, false);
}

static void pass_out(struct utran_turbo_decoder *d)
{
	lanes_pass(d, 1, false, true);
}

static void pass_both(struct utran_turbo_decoder *d)
{
	lanes_pass(d, 1, true, true);
}

static void add_systematic(struct utran_turbo_decoder *d)
{
	const value *systematic = d->systematic;
	value *x = d->x[0];

	for (uint32_t i = 0; i < d->steps * d->windows; i += LANES)
		v_store(x + i, v_add(v_load(x + i), v_load(systematic + i)));
}

static void lanes_iterate(struct utran_turbo_decoder *d, bool more, uint8_t *bits)
{
	rescale(d);
	if (d->iteration > 0)
		add_systematic(d);
	pass_first(d);
	if (more && bits)
		pass_both(d);
	else if (bits)
		pass_out(d);
	else
		pass_on(d);
	if (bits)
		LANES_HAND_OUT(d, bits);
	d->iteration++;
}

/* ---- windows beside each other ---- */

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

/* Of a part's windows, or of every other eight of them. Subtracts the parities that are known from
 * *known, in every eighth window. */
INLINE void steps_read(const struct utran_turbo_decoder *d, const int16_t *llr, uint32_t t,
    uint32_t part, uint32_t half, struct steps *steps, wide *known)
{
	const bool last = half == HALVES - 1 && (part + 1) * LANES == d->windows;

#pragma GCC unroll 8
	for (uint32_t l = 0; l < PIECE; l++) {
		const int16_t *at[PIECES];
		for (uint32_t p = 0; p < PIECES; p++)
			at[p] = llr +
			    3 *
			        ((size_t)(part * LANES + (p * HALVES + half) * PIECE + l) *
			                d->steps +
			            t);
		if (l == PIECE - 1 && last)
			at[PIECES - 1] = d->last + 3 * t;
		triples_load(at, &steps->of[0][l], &steps->of[1][l], &steps->of[2][l]);
		if (l == 0)
			*known =
			    *known + (wide)(steps->of[1][0] != 0) + (wide)(steps->of[2][0] != 0);
	}
	for (int i = 0; i < 3; i++)
		wide_transpose(steps->of[i]);
}

/* Eight steps of a part. */
INLINE void start_steps(struct utran_turbo_decoder *d, const int16_t *llr, uint32_t t,
    uint32_t part, wide gain, wide *known)
{
	value *systematic = d->systematic, *x = d->x[0], *y0 = d->y[0], *y1 = d->y[1];
	struct steps halves[HALVES];

	for (uint32_t half = 0; half < HALVES; half++)
		steps_read(d, llr, t, part, half, &halves[half], known);
	for (uint32_t i = 0; i < PIECE; i++) {
		const size_t to = (size_t)(t + i) * d->windows + part * LANES;
		vec of[3];
		for (int j = 0; j < 3; j++)
			of[j] = v_from(halves[0].of[j][i], halves[HALVES - 1].of[j][i], gain);
		v_store(systematic + to, of[0]);
		v_store(x + to, of[0]);
		v_store(y0 + to, of[1]);
		v_store(y1 + to, of[2]);
	}
}

/* A warm-up must see so many parities: `known` of `all` are. */
static void start_warm(struct utran_turbo_decoder *d, uint32_t known, uint32_t all)
{
	const uint32_t section = SECTION_BYTES / (STATES * d->windows * (uint32_t)sizeof(value));
	const uint32_t warm = UTRAN_WARM_PARITIES * all / (known + 1) / 4 * 4;

	d->warm_first = warm < UTRAN_WARM_MIN ? UTRAN_WARM_MIN
	    : warm > UTRAN_WARM_MAX           ? UTRAN_WARM_MAX
	                                      : warm;
	d->warm_next = d->warm_first / 2 < d->steps ? d->warm_first / 2 : d->steps;
	d->sections = (d->steps + section - 1) / section;
	if (d->warm_first > d->steps / d->sections)
		d->sections = 1;
}

/* Cuts the soft bits into windows and counts the parities that are known, in every eighth window;
 * the last eight steps may be counted twice. */
static uint32_t start_windows(struct utran_turbo_decoder *d, const int16_t *llr, int16_t gain)
{
	wide known = w_set(0);
	int16_t sums[WIDE];
	uint32_t count = 0;

	for (uint32_t part = 0; part < d->windows / LANES; part++) {
		for (uint32_t t = 0; t < d->steps - PIECE; t += PIECE)
			start_steps(d, llr, t, part, w_set(gain), &known);
		start_steps(d, llr, d->steps - PIECE, part, w_set(gain), &known);
	}
	memcpy(sums, &known, sizeof(sums));
	for (int l = 0; l < WIDE; l++)
		count -= (uint32_t)(int32_t)sums[l];
	return count;
}

static void lanes_start(struct utran_turbo_decoder *d, const int16_t *llr)
{
	const size_t before = (size_t)3 * (d->windows - 1) * d->steps, in_last = 3 * d->k - before;
	const size_t front = STATES * d->windows * sizeof(value);
	const int16_t gain = gain_of(d, llr);

	memcpy(d->last, llr + before, in_last * sizeof(*llr));
	memset(d->last + in_last, 0, (3 * d->steps - in_last) * sizeof(*llr));
	start_warm(
	    d, start_windows(d, llr, gain), 2 * ((d->steps + PIECE - 1) / PIECE) * d->windows);
	start_ends(d, llr + 3 * d->k, gain);
	for (int coder = 0; coder < 2; coder++) {
		memset(d->edge[coder][0], UNKNOWN, front);
		memset(d->edge[coder][1], UNKNOWN, SECTIONS_MAX * front);
	}
	d->iteration = 0;
}

#define UTRAN_TURBO_LANES_TABLE                                                                    \
	{                                                                                          \
		LANES, 8 * sizeof(value), lanes_start, lanes_iterate                               \
	}

#endif

#endif
