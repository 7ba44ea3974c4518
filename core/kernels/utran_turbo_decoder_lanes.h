/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_decoder_lanes.h - max-log-MAP with one window of the trellis in each
 * lane of a vector.
 *
 * A source defines what utran_turbo_decoder_steps.h asks for. It ends with the table
 * UTRAN_TURBO_LANES_TABLE and may have a hand_on and a hand_out of its own (LANES_HAND_ON,
 * LANES_HAND_OUT).
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

#include "core/kernels/utran_turbo_decoder_steps.h"

#ifdef LANES

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
LANES_CODE static void forward_warm(
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
LANES_CODE static void backward_warm(
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
LANES_CODE static void section_backward(struct utran_turbo_decoder *d, int coder, uint32_t i,
    uint32_t part, struct decoder_front *tails)
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
LANES_CODE static void hand_on(const struct utran_turbo_decoder *d, int coder)
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
LANES_CODE static void hand_out(const struct utran_turbo_decoder *d, uint8_t *bits)
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

LANES_CODE static void pass_first(struct utran_turbo_decoder *d)
{
	lanes_pass(d, 0, true, false);
}

LANES_CODE static void pass_on(struct utran_turbo_decoder *d)
{
	lanes_pass(d, 1, true, false);
}

LANES_CODE static void pass_out(struct utran_turbo_decoder *d)
{
	lanes_pass(d, 1, false, true);
}

LANES_CODE static void pass_both(struct utran_turbo_decoder *d)
{
	lanes_pass(d, 1, true, true);
}

LANES_CODE static void add_systematic(struct utran_turbo_decoder *d)
{
	const value *systematic = d->systematic;
	value *x = d->x[0];

	for (uint32_t i = 0; i < d->steps * d->windows; i += LANES)
		v_store(x + i, v_add(v_load(x + i), v_load(systematic + i)));
}

LANES_CODE static void lanes_iterate(struct utran_turbo_decoder *d, bool more, uint8_t *bits)
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

/* Cuts the soft bits into windows and counts the parities that are known, in every eighth window;
 * the last eight steps may be counted twice. */
LANES_CODE static uint32_t start_windows(
    struct utran_turbo_decoder *d, const int16_t *llr, int16_t gain)
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

LANES_CODE static void lanes_start(struct utran_turbo_decoder *d, const int16_t *llr)
{
	const size_t before = (size_t)3 * (d->windows - 1) * d->steps, in_last = 3 * d->k - before;
	const size_t front = STATES * d->windows * sizeof(value);
	const int16_t gain = gain_of(d, llr);

	memcpy(d->last, llr + before, in_last * sizeof(*llr));
	memset(d->last + in_last, 0, (3 * d->steps - in_last) * sizeof(*llr));
	utran_turbo_warm_use(d,
	    utran_turbo_warm_of(
	        start_windows(d, llr, gain), 2 * ((d->steps + PIECE - 1) / PIECE) * d->windows),
	    sizeof(value));
	start_ends(d, llr + 3 * d->k, gain);
	for (int coder = 0; coder < 2; coder++) {
		memset(d->edge[coder][0], UNKNOWN, front);
		memset(d->edge[coder][1], UNKNOWN, UTRAN_TURBO_SECTIONS_MAX * front);
	}
	d->iteration = 0;
}

#define UTRAN_TURBO_LANES_TABLE                                                                    \
	{                                                                                          \
		LANES, 8 * sizeof(value), lanes_start, lanes_iterate, lanes_text, lanes_text_end   \
	}

#endif

#endif
