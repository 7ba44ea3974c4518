/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_decoder_words.h - state metrics of 16 bits, for
 * utran_turbo_decoder_lanes.h.
 *
 * State metrics are brought back to state 0 after every fourth step, which leaves them within 3 D;
 * before that they have moved by at most 4 D. So a path through both sides and a step is within 2 *
 * 7 D + 511, and every sum is exact.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_DECODER_WORDS_H
#define CORE_KERNELS_UTRAN_TURBO_DECODER_WORDS_H

#ifdef LANES

typedef int16_t value;

enum {
	GROUP = 4,
	START = 0,
	UNKNOWN = 0,
	NEVER = UTRAN_TURBO_NEVER,
	EXTRINSIC_MAX = UTRAN_EXTRINSIC_MAX
};

_Static_assert(
    2 * (3 + GROUP) * UTRAN_TURBO_BRANCH_MAX + UTRAN_LLR_MAX <= INT16_MAX, "a sum could overflow");
_Static_assert(
    UTRAN_TURBO_NEVER - 2 * UTRAN_TURBO_BRANCH_MAX - (3 + GROUP) * UTRAN_TURBO_BRANCH_MAX >=
        INT16_MIN,
    "a sum could overflow at the start");

INLINE vec v_add(vec a, vec b)
{
	return a + b;
}

INLINE vec v_max(vec a, vec b)
{
	return w_max(a, b);
}

INLINE vec v_min(vec a, vec b)
{
	return w_min(a, b);
}

INLINE vec m_max(vec a, vec b)
{
	return w_max(a, b);
}

INLINE vec m_less(vec a, vec b)
{
	return a - b;
}

INLINE struct branches branches_of(vec x, vec y)
{
	return (struct branches){x + y, x, y, w_set(0)};
}

INLINE struct parities parities_of(vec y)
{
	return (struct parities){y, w_set(0)};
}

INLINE void metrics_normalise(vec *m)
{
	for (int s = STATES - 1; s >= 0; s--)
		m[s] = m[s] - m[0];
}

INLINE wide scaling_of(const struct utran_turbo_decoder *d)
{
	return w_set((int16_t)d->scaling);
}

INLINE vec v_scaled(vec v, wide scaling)
{
	return w_mulhrs(v + v, scaling);
}

/* One scale is enough. */
INLINE void rescale(const struct utran_turbo_decoder *d)
{
	(void)d;
}

/* Soft bits are taken as they are. */
INLINE int16_t gain_of(const struct utran_turbo_decoder *d, const int16_t *llr)
{
	(void)d;
	(void)llr;
	return 1;
}

INLINE vec v_from(wide low, wide high, wide gain)
{
	(void)high;
	(void)gain;
	return low;
}

INLINE void start_ends(struct utran_turbo_decoder *d, const int16_t *tails, int16_t gain)
{
	(void)gain;
	utran_turbo_ends(d, tails);
}

#endif

#endif
