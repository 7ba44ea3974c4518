/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/kernels/utran_turbo_decoder_bytes.h - state metrics of 8 bits, for
 * utran_turbo_decoder_lanes.h.
 *
 * LANES is 2 WIDE. Metrics are unsigned: m_max, and m_down, which subtracts and stops at 0, take
 * them so; v_add and v_sub wrap around, v_max, v_min and v_less, a subtraction that saturates, are
 * signed. v_pack makes a vec of two wide ones, the first one's values before the second one's in
 * each 128 bits; v_low and v_high take it apart again and leave each value in the upper half of 16
 * bits.
 */
#ifndef CORE_KERNELS_UTRAN_TURBO_DECODER_BYTES_H
#define CORE_KERNELS_UTRAN_TURBO_DECODER_BYTES_H

#ifdef LANES

typedef int8_t value;

enum {
	GROUP = 2,
	START = UTRAN_TURBO8_RANGE,
	UNKNOWN = UTRAN_TURBO8_RANGE, /* bytes of metrics of which nothing is known */
	NEVER = 0,
	EXTRINSIC_MAX = UTRAN_EXTRINSIC8_MAX
};

/* What agrees with x and y is rewarded, nothing is less than 0. */
INLINE struct parities parities_of(vec y)
{
	const vec of0 = v_max(y, (vec){0});

	return (struct parities){of0, v_sub(of0, y)};
}

INLINE struct branches branches_of(vec x, vec y)
{
	const struct parities a = parities_of(x), b = parities_of(y);

	return (struct branches){
	    v_add(a.of0, b.of0), v_add(a.of0, b.of1), v_add(a.of1, b.of0), v_add(a.of1, b.of1)};
}

/* Unsigned metrics as signed ones, so that a difference is. */
INLINE vec m_less(vec a, vec b)
{
	const vec middle = (vec){0} + INT8_MIN;

	return v_less(a ^ middle, b ^ middle);
}

/* The best, which never falls, becomes UTRAN_TURBO8_RANGE again, whatever lies further below it
 * than that 0. Where nothing is known yet it may be less: then nothing happens. */
INLINE void metrics_normalise(vec *m)
{
	const vec lower = m_max(m_max(m[0], m[1]), m_max(m[2], m[3]));
	const vec upper = m_max(m_max(m[4], m[5]), m_max(m[6], m[7]));
	const vec range = (vec){0} + UTRAN_TURBO8_RANGE;
	const vec less = v_sub(m_max(m_max(lower, upper), range), range);

	for (int s = 0; s < STATES; s++)
		m[s] = m_down(m[s], less);
}

INLINE wide scaling_of(const struct utran_turbo_decoder *d)
{
	return w_set(utran_turbo8_scaling(d));
}

INLINE vec v_scaled(vec v, wide scaling)
{
	return v_pack(w_mulhrs(v_low(v), scaling), w_mulhrs(v_high(v), scaling));
}

INLINE void edges_coarser(void *edges, uint32_t n)
{
	uint8_t *each = edges;

	for (uint32_t i = 0; i < n; i++)
		each[i] = (uint8_t)utran_turbo8_coarser(each[i]);
}

/* Before an iteration: all that is kept goes over to the coarser scale when it is time. */
LANES_CODE static void rescale(struct utran_turbo_decoder *d)
{
	value *const streams[] = {d->systematic, d->x[0], d->y[0], d->y[1]};
	const uint32_t fronts = STATES * d->windows;

	if (d->iteration != UTRAN_COARSE8_FROM)
		return;
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		vec *stream = (vec *)streams[i];
		for (uint32_t n = 0; n < d->steps * d->windows / LANES; n++)
			stream[n] = v_scaled(stream[n], w_set(UTRAN_TURBO8_COARSE));
	}
	for (int coder = 0; coder < 2; coder++) {
		edges_coarser(d->edge[coder][0], fronts);
		edges_coarser(d->edge[coder][1], fronts * d->sections);
	}
	utran_turbo8_ends_coarser(d);
}

/* Every fourth 32 soft bits are looked at; a lane of 16 bits holds the sum of 64. */
LANES_CODE static int16_t gain_of(const struct utran_turbo_decoder *d, const int16_t *llr)
{
	uint32_t sum = 0, known = 0;

	for (uint32_t i = 0; i + 32 <= 3 * d->k;) {
		wide sums = w_set(0), count = w_set(0);
		for (int n = 0; n < 16 && i + 32 <= 3 * d->k; n++, i += 128) {
			for (uint32_t j = 0; j < 32; j += WIDE) {
				wide v;
				memcpy(&v, llr + i + j, sizeof(v));
				v = wide_limit(v);
				sums = sums + w_max(v, -v);
				count = count - (wide)(v != 0);
			}
		}
		for (int l = 0; l < WIDE; l++) {
			sum += (uint32_t)sums[l];
			known += (uint32_t)count[l];
		}
	}
	return utran_turbo8_gain(sum, known);
}

INLINE vec v_from(wide low, wide high, wide gain)
{
	const vec both = v_pack(w_mulhrs(low, gain), w_mulhrs(high, gain));

	return v_max(v_min(both, (vec){0} + UTRAN_LLR8_MAX), (vec){0} - UTRAN_LLR8_MAX);
}

INLINE void start_ends(struct utran_turbo_decoder *d, const int16_t *tails, int16_t gain)
{
	utran_turbo8_ends(d, tails, gain);
}

#endif

#endif
