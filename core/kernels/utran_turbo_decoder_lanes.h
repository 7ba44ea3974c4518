/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_decoder_lanes.h - max-log-MAP with one window of the trellis in each 16-bit lane of a vector.
 *
 * A source that includes this defines `vec`, LANES and the operations v_* on it first (utran_turbo_decoder_avx2.c), may
 * have a hand_out of its own (LANES_HAND_OUT), and ends with the table UTRAN_TURBO_LANES_TABLE. The trellis and the bounds are those of utran_turbo_decoder.c.
 *
 * Sums. State metrics are brought back to state 0 after every fourth step, which leaves them within 3 D; before that
 * they have moved by at most 4 D. So a path through both sides and a step is within 2 * 7 D + 511, and every sum is exact.
 *
 * A pass goes backward first and stores its metrics; the way forward joins them with its own at once, so that it stores
 * none. What it finds at a step is sent to its place in the other coder's order during the next step: moving single
 * values keeps the load and store units busy, the trellis the vector units, and neither waits for the other. */
#ifndef CORE_KERNELS_UTRAN_TURBO_DECODER_LANES_H
#define CORE_KERNELS_UTRAN_TURBO_DECODER_LANES_H

#include <string.h>

#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_decoder_parts.h"

#ifdef LANES

#define INLINE static inline __attribute__((always_inline))

enum { STATES = UTRAN_TURBO_STATES, GROUP = 4 };

/* The metrics of a section stay in the first cache, 32 KiB of it; those of a whole block would not. */
enum { SECTION_STEPS = 64 * UTRAN_TURBO_LANES_MAX / LANES, SECTIONS_MAX = 3 };

_Static_assert(2 * (3 + GROUP) * UTRAN_TURBO_BRANCH_MAX + UTRAN_LLR_MAX <= INT16_MAX, "a sum could overflow");
_Static_assert(UTRAN_TURBO_NEVER - 2 * UTRAN_TURBO_BRANCH_MAX - (3 + GROUP) * UTRAN_TURBO_BRANCH_MAX >= INT16_MIN,
	       "a sum could overflow at the start");

INLINE vec v_load(const int16_t *at)
{
	return *(const vec *)at;
}

INLINE void v_store(int16_t *at, vec v)
{
	*(vec *)at = v;
}

INLINE vec v_set(int16_t value)
{
	return (vec){0} + value;
}

INLINE void metrics_load(vec *m, const int16_t *at)
{
	for (int s = 0; s < STATES; s++)
		m[s] = v_load(at + s * LANES);
}

INLINE void metrics_store(const vec *m, int16_t *at)
{
	for (int s = 0; s < STATES; s++)
		v_store(at + s * LANES, m[s]);
}

INLINE void metrics_normalise(vec *m)
{
	for (int s = STATES - 1; s >= 0; s--)
		m[s] = m[s] - m[0];
}

INLINE void forward_step(vec *a, vec x, vec y)
{
	const vec xy = x + y;
	const vec b0 = v_max(a[0] + xy, a[1]), b4 = v_max(a[0], a[1] + xy);
	const vec b5 = v_max(a[2] + x, a[3] + y), b1 = v_max(a[2] + y, a[3] + x);
	const vec b2 = v_max(a[4] + x, a[5] + y), b6 = v_max(a[4] + y, a[5] + x);
	const vec b7 = v_max(a[6] + xy, a[7]), b3 = v_max(a[6], a[7] + xy);

	a[0] = b0, a[1] = b1, a[2] = b2, a[3] = b3, a[4] = b4, a[5] = b5, a[6] = b6, a[7] = b7;
}

INLINE void backward_step(vec *b, vec x, vec y)
{
	const vec xy = x + y;
	const vec a0 = v_max(b[0] + xy, b[4]), a1 = v_max(b[4] + xy, b[0]);
	const vec a2 = v_max(b[5] + x, b[1] + y), a3 = v_max(b[1] + x, b[5] + y);
	const vec a4 = v_max(b[2] + x, b[6] + y), a5 = v_max(b[6] + x, b[2] + y);
	const vec a6 = v_max(b[7] + xy, b[3]), a7 = v_max(b[3] + xy, b[7]);

	b[0] = a0, b[1] = a1, b[2] = a2, b[3] = a3, b[4] = a4, b[5] = a5, b[6] = a6, b[7] = a7;
}

INLINE vec max4(vec a, vec b, vec c, vec d)
{
	return v_max(v_max(a, b), v_max(c, d));
}

/* What the code alone says of a step's bit: the best path with a 0 less the best one with a 1, x left out of both. */
INLINE vec combine(const vec *a, const int16_t *beta, vec y)
{
#define PATH(from, to) (a[from] + v_load(beta + (to)*LANES))
	const vec same0 = max4(PATH(0, 0), PATH(1, 4), PATH(6, 7), PATH(7, 3));
	const vec other0 = max4(PATH(2, 5), PATH(3, 1), PATH(4, 2), PATH(5, 6));
	const vec same1 = max4(PATH(0, 4), PATH(1, 0), PATH(6, 3), PATH(7, 7));
	const vec other1 = max4(PATH(2, 1), PATH(3, 5), PATH(4, 6), PATH(5, 2));
	const vec found = v_max(same0 + y, other0) - v_max(same1, other1 + y);
#undef PATH

	return v_max(v_min(found, v_set(UTRAN_EXTRINSIC_MAX)), v_set(-UTRAN_EXTRINSIC_MAX));
}

/* Metrics before each window's first step: from the last steps of the one before it; before the first there is state 0.
 * A warm-up longer than a window begins in a window further off. */
static void forward_warm(const struct utran_turbo_decoder *d, int coder, vec *a)
{
	uint32_t left = d->iteration ? d->warm_next : d->warm_first;

	metrics_load(a, d->edge[coder][0]);
	while (left > 0) {
		const uint32_t n = (left - 1) % d->steps + 1;
		for (uint32_t i = 0; i < n; i++) {
			const uint32_t t = d->steps - n + i;
			forward_step(a, v_load(d->x[coder] + t * LANES), v_load(d->y[coder] + t * LANES));
			if (i % GROUP == GROUP - 1 || i == n - 1)
				metrics_normalise(a);
		}
		for (int s = 0; s < STATES; s++)
			a[s] = v_up(a[s], s == 0 ? 0 : UTRAN_TURBO_NEVER);
		left -= n;
	}
}

/* Section i of every window begins here. */
static uint32_t section_start(const struct utran_turbo_decoder *d, uint32_t i)
{
	return d->steps * i / d->sections;
}

/* Walks backward over steps to - 1, .., from; `store`: keeps the metrics behind each. The block ends within the last
 * window: there the tail says more than what was walked so far. */
INLINE void backward_run(const struct utran_turbo_decoder *d, int coder, uint32_t to, uint32_t from, bool store, vec *b)
{
	const uint32_t end = d->k - (LANES - 1) * d->steps;
	const int16_t *x = d->x[coder], *y = d->y[coder];
	int16_t *beta = d->beta;

	for (uint32_t t = to; t-- > from;) {
		if (t + 1 == end) {
			metrics_normalise(b);
			for (int s = 0; s < STATES; s++)
				b[s] = v_set_last(b[s], d->end[coder][s]);
		}
		if (store)
			metrics_store(b, beta + (t - from) * STATES * LANES);
		backward_step(b, v_load(x + t * LANES), v_load(y + t * LANES));
		if ((t - from) % GROUP == 0)
			metrics_normalise(b);
	}
}

/* Metrics behind each window's last step, from the first steps of the next one. */
static void backward_warm(const struct utran_turbo_decoder *d, int coder, uint32_t warm, vec *b)
{
	while (warm > 0) {
		const uint32_t n = (warm - 1) % d->steps + 1;
		backward_run(d, coder, n, 0, false, b);
		for (int s = 0; s < STATES; s++)
			b[s] = v_down(b[s]);
		warm -= n;
	}
}

/* Metrics behind each step of section i, those of all windows. */
static void backward(struct utran_turbo_decoder *d, int coder, uint32_t i)
{
	const uint32_t warm = d->iteration ? d->warm_next : d->warm_first;
	const uint32_t from = section_start(d, i), to = section_start(d, i + 1);
	const uint32_t before = i ? i - 1 : d->sections - 1;
	vec b[STATES];

	metrics_load(b, d->edge[coder][1] + i * STATES * LANES);
	if (to == d->steps)
		backward_warm(d, coder, warm, b);
	else
		backward_run(d, coder, to + warm, to, false, b);
	backward_run(d, coder, to, from, true, b);
	memcpy(d->edge[coder][1] + before * STATES * LANES, d->beta + (d->warm_next - 1) * STATES * LANES,
	       STATES * sizeof(vec));
}

/* Brings what the pass found into the other coder's order. */
INLINE void hand_on(const struct utran_turbo_decoder *d, int coder)
{
	const uint16_t *from = d->from[!coder];
	int16_t *x = d->x[!coder];

	for (uint32_t i = 0; i < d->steps * LANES; i += LANES)
		v_gather(d->extrinsic, from + i, x + i);
}

#ifndef LANES_HAND_OUT
static void hand_out(const struct utran_turbo_decoder *d, uint8_t *bits)
{
	for (uint32_t i = 0; i < d->k; i++)
		bits[i] = d->decided[d->from_bit[i]];
}
#endif

/* The first coder's pass hands on all that it knows of a bit, the second one's only what it has found itself: the
 * systematic value is added where it lies. */
INLINE void forward_run(struct utran_turbo_decoder *d, int coder, bool on, bool out, uint32_t from, uint32_t to, vec *a)
{
	const int16_t *x = d->x[coder], *y = d->y[coder];
	const vec scaling = v_set((int16_t)d->scaling);
	const uint32_t edge = d->steps - d->warm_next;

	for (uint32_t t = from; t < to; t++) {
		const vec xt = v_load(x + t * LANES), yt = v_load(y + t * LANES);
		const vec found = combine(a, d->beta + (size_t)(t - from) * STATES * LANES, yt);

		if (t == edge)
			metrics_store(a, d->edge[coder][0]);
		forward_step(a, xt, yt);
		if (t % GROUP == GROUP - 1)
			metrics_normalise(a);
		if (on) {
			vec handed = v_mulhrs(found + found, scaling);
			if (coder == 0)
				handed = handed + v_load(d->systematic + t * LANES);
			v_store(d->extrinsic + t * LANES, handed);
		}
		if (out)
			v_decide(xt + found, d->decided, t);
	}
}

INLINE void pass(struct utran_turbo_decoder *d, int coder, bool on, bool out)
{
	vec a[STATES];

	forward_warm(d, coder, a);
	for (uint32_t i = 0; i < d->sections; i++) {
		backward(d, coder, i);
		forward_run(d, coder, on, out, section_start(d, i), section_start(d, i + 1), a);
	}
	if (on)
		hand_on(d, coder);
}

static void pass_first(struct utran_turbo_decoder *d)
{
	pass(d, 0, true, false);
}

static void pass_on(struct utran_turbo_decoder *d)
{
	pass(d, 1, true, false);
}

static void pass_out(struct utran_turbo_decoder *d)
{
	pass(d, 1, false, true);
}

static void pass_both(struct utran_turbo_decoder *d)
{
	pass(d, 1, true, true);
}

static void add_systematic(struct utran_turbo_decoder *d)
{
	for (uint32_t i = 0; i < d->steps * LANES; i += LANES)
		v_store(d->x[0] + i, v_load(d->x[0] + i) + v_load(d->systematic + i));
}

static void iterate(struct utran_turbo_decoder *d, bool more, uint8_t *bits)
{
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
		hand_out(d, bits);
	d->iteration++;
}

/* ---- windows beside each other ------------------------------------------------------------------------------------- */

enum { PIECE = 8, PIECES = LANES / PIECE }; /* values of 128 bits; of them in a vector */

/* Rows become columns in each 128 bits. */
INLINE void transpose(vec *m)
{
	vec pairs[PIECE], fours[PIECE];

	for (int i = 0; i < PIECE / 2; i++) {
		pairs[2 * i] = v_low16(m[2 * i], m[2 * i + 1]);
		pairs[2 * i + 1] = v_high16(m[2 * i], m[2 * i + 1]);
	}
	for (int i = 0; i < 2; i++) {
		for (int j = 0; j < 2; j++) {
			fours[4 * i + 2 * j] = v_low32(pairs[4 * i + j], pairs[4 * i + j + 2]);
			fours[4 * i + 2 * j + 1] = v_high32(pairs[4 * i + j], pairs[4 * i + j + 2]);
		}
	}
	for (int i = 0; i < PIECE / 2; i++) {
		m[2 * i] = v_low64(fours[i], fours[i + 4]);
		m[2 * i + 1] = v_high64(fours[i], fours[i + 4]);
	}
}

INLINE vec limited(vec v)
{
	return v_max(v_min(v, v_set(UTRAN_LLR_MAX)), v_set(-UTRAN_LLR_MAX));
}

/* Bytes: values 0 3 6 1 4 7 2 5, 1 4 7 2 5 0 3 6 and 2 5 0 3 6 1 4 7. */
static const uint8_t order_x[] = {0, 1, 6, 7, 12, 13, 2, 3, 8, 9, 14, 15, 4, 5, 10, 11};
static const uint8_t order_y0[] = {2, 3, 8, 9, 14, 15, 4, 5, 10, 11, 0, 1, 6, 7, 12, 13};
static const uint8_t order_y1[] = {4, 5, 10, 11, 0, 1, 6, 7, 12, 13, 2, 3, 8, 9, 14, 15};

/* Takes 24 values in each 128 bits, x y y' x y y' ..., apart. Every third of the first vector, every third but one later
 * of the next and so on lie in different places: they are put together, then into order. */
INLINE void triples(const int16_t *const *at, vec *x, vec *y0, vec *y1)
{
	const vec a = limited(v_pieces(at, 0)), b = limited(v_pieces(at, 8)), c = limited(v_pieces(at, 16));

	*x = v_order(v_thirds(a, b, c), order_x);
	*y0 = v_order(v_thirds(c, a, b), order_y0);
	*y1 = v_order(v_thirds(b, c, a), order_y1);
}

/* Eight steps of all windows; subtracts the parities that are known from *known, in every eighth window. */
INLINE void start_steps(struct utran_turbo_decoder *d, const int16_t *llr, uint32_t t, vec *known)
{
	vec x[PIECE], y0[PIECE], y1[PIECE];

#pragma GCC unroll 8
	for (uint32_t l = 0; l < PIECE; l++) {
		const int16_t *at[PIECES];
		for (uint32_t p = 0; p < PIECES; p++)
			at[p] = llr + 3 * ((size_t)(l + p * PIECE) * d->steps + t);
		if (l == PIECE - 1)
			at[PIECES - 1] = d->last + 3 * t;
		triples(at, &x[l], &y0[l], &y1[l]);
		if (l == 0)
			*known = *known + (vec)(y0[l] != 0) + (vec)(y1[l] != 0);
	}
	transpose(x);
	transpose(y0);
	transpose(y1);
	for (uint32_t i = 0; i < PIECE; i++) {
		const size_t to = (size_t)(t + i) * LANES;
		v_store(d->systematic + to, x[i]);
		v_store(d->x[0] + to, x[i]);
		v_store(d->y[0] + to, y0[i]);
		v_store(d->y[1] + to, y1[i]);
	}
}

/* A warm-up must see so many parities: `known` of `all` are. */
static void start_warm(struct utran_turbo_decoder *d, uint32_t known, uint32_t all)
{
	const uint32_t warm = UTRAN_WARM_PARITIES * all / (known + 1) / 4 * 4;

	d->warm_first = warm < UTRAN_WARM_MIN ? UTRAN_WARM_MIN : warm > UTRAN_WARM_MAX ? UTRAN_WARM_MAX : warm;
	d->warm_next = d->warm_first / 2 < d->steps ? d->warm_first / 2 : d->steps;
	d->sections = (d->steps + SECTION_STEPS - 1) / SECTION_STEPS;
	if (d->warm_first > d->steps / d->sections)
		d->sections = 1;
}

static void start(struct utran_turbo_decoder *d, const int16_t *llr)
{
	const size_t before = (size_t)3 * (LANES - 1) * d->steps, in_last = 3 * d->k - before;
	const uint32_t steps = d->steps;
	uint32_t t = 0, count = 0;
	vec known = v_set(0);
	int16_t sums[LANES];

	memcpy(d->last, llr + before, in_last * sizeof(*llr));
	memset(d->last + in_last, 0, (3 * steps - in_last) * sizeof(*llr));
	for (; t < steps - PIECE; t += PIECE)
		start_steps(d, llr, t, &known);
	start_steps(d, llr, steps - PIECE, &known);
	memcpy(sums, &known, sizeof(sums));
	for (int l = 0; l < LANES; l++)
		count -= (uint32_t)(int32_t)sums[l];
	start_warm(d, count, 2 * (t / PIECE + 1) * LANES);
	for (int coder = 0; coder < 2; coder++) {
		utran_turbo_end(llr + 3 * d->k + 6 * coder, d->end[coder]);
		memset(d->edge[coder][0], 0, STATES * sizeof(vec));
		memset(d->edge[coder][1], 0, SECTIONS_MAX * STATES * sizeof(vec));
	}
	d->iteration = 0;
}

#define UTRAN_TURBO_LANES_TABLE                                                                                        \
	{                                                                                                              \
		LANES, start, iterate                                                                                  \
	}

#endif

#endif
