/* SPDX-License-Identifier: BSD-3-Clause
 * utran_rate_table - rate matching by the closed form of the standard's error accumulator. */
#include "core/kernels/utran_rate_table.h"

#include <errno.h>
#include <stdbool.h>

/* One stream's pattern: after m bits, so many have been punctured or repeated. */
struct pattern {
	int64_t initial;
	int64_t plus;
	int64_t minus;
};

static int64_t pattern_count(const struct pattern *p, int64_t m)
{
	const int64_t excess = m * p->minus - p->initial;

	return p->minus == 0 || excess < 0 ? 0 : excess / p->plus + 1;
}

static uint32_t pattern_at(const struct pattern *p, uint32_t m)
{
	return (uint32_t)(pattern_count(p, (int64_t)m + 1) - pattern_count(p, m));
}

int utran_rate_share(
    const struct utran_rate_channel *channels, uint32_t n, uint32_t ndata, uint32_t *ret_matched)
{
	uint64_t total = 0, sum = 0, before = 0;

	if (n == 0 || n > UTRAN_RATE_CHANNELS_MAX)
		return -EINVAL;
	for (uint32_t i = 0; i < n; i++) {
		if (channels[i].rm == 0 || channels[i].rm > UTRAN_RATE_ATTRIBUTE_MAX ||
		    channels[i].eighths > 8 * UTRAN_RATE_BITS_MAX)
			return -EINVAL;
		total += (uint64_t)channels[i].rm * channels[i].eighths;
	}
	if (total == 0 || ndata > UTRAN_RATE_BITS_MAX)
		return -EINVAL;
	for (uint32_t i = 0; i < n; i++) {
		sum += (uint64_t)channels[i].rm * channels[i].eighths;
		ret_matched[i] = (uint32_t)(sum * ndata / total - before);
		before += ret_matched[i];
	}
	return 0;
}

uint32_t utran_rate_min(uint32_t coded, enum utran_coding coding)
{
	return coding == UTRAN_TURBO ? coded - coded / 3 * 2 : 1;
}

uint32_t utran_rate_max(uint32_t coded)
{
	return coded < UTRAN_RATE_BITS_MAX / 16 ? 16 * coded : UTRAN_RATE_BITS_MAX;
}

static bool can_match(uint32_t coded, uint32_t matched, enum utran_coding coding)
{
	return coded && coded <= UTRAN_RATE_BITS_MAX && matched >= utran_rate_min(coded, coding) &&
	    matched <= utran_rate_max(coded);
}

static bool is_punctured_turbo(uint32_t coded, uint32_t matched, enum utran_coding coding)
{
	return coding == UTRAN_TURBO && matched < coded;
}

/* Bits `removed` of the two parity streams; stream[i mod 3] is 0 (systematic), 1 or 2. What coded /
 * 3 leaves over counts as systematic. */
static void turbo_puncture(
    uint32_t coded, const struct pattern parity[2], const uint8_t stream[3], uint32_t *table)
{
	for (uint32_t i = 0; i < coded; i++) {
		const uint32_t s = i < coded / 3 * 3 ? stream[i % 3] : 0;
		if (s == 0 || !pattern_at(&parity[s - 1], i / 3))
			*table++ = i;
	}
}

/* The number removed is -DeltaN: floor of DeltaN / 2 is the larger half, for the first parity. */
static int64_t removed_of(uint32_t removed, uint32_t parity)
{
	return parity == 0 ? removed - removed / 2 : removed / 2;
}

/* delta bits more (repeated) or fewer (punctured). */
static void one_stream(uint32_t coded, int64_t delta, int64_t initial, uint32_t *table)
{
	const struct pattern p = {initial, 2 * (int64_t)coded, 2 * (delta < 0 ? -delta : delta)};

	for (uint32_t i = 0; i < coded; i++) {
		const uint32_t hits = pattern_at(&p, i);
		const uint32_t copies = delta < 0 ? 1 - hits : 1 + hits;
		for (uint32_t c = 0; c < copies; c++)
			*table++ = i;
	}
}

int utran_rate_table(
    uint32_t coded, uint32_t matched, enum utran_coding coding, uint32_t *ret_table)
{
	static const uint8_t stream[3] = {0, 1, 2};
	const int64_t x = coded / 3;

	if (!can_match(coded, matched, coding) || (coding == UTRAN_TURBO && coded % 3))
		return -EINVAL;
	if (is_punctured_turbo(coded, matched, coding)) {
		const struct pattern parity[2] = {{x, 2 * x, 2 * removed_of(coded - matched, 0)},
		    {x, x, removed_of(coded - matched, 1)}};
		turbo_puncture(coded, parity, stream, ret_table);
	} else {
		one_stream(coded, (int64_t)matched - coded, 1, ret_table);
	}
	return 0;
}

/* ---- uplink ------------------------------------------------------------------------ */

static int64_t gcd_of(int64_t a, int64_t b)
{
	while (b) {
		const int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* The column of the first interleaver that radio frame `frame` carries, P1: its bits reversed. */
static uint32_t column_of(uint32_t frames, uint32_t frame)
{
	uint32_t column = 0;

	for (uint32_t half = 1; half < frames; half *= 2)
		column = column * 2 + (frame / half & 1);
	return column;
}

/* Shift S of a column where all bits are one stream. q' is a fraction of `frames`ths. */
static int64_t stream_shift(int64_t coded, int64_t delta, int64_t frames, uint32_t column)
{
	const int64_t rest = delta - floor_div(delta, coded) * coded;
	const bool few = rest != 0 && 2 * rest <= coded;
	const int64_t q = few ? (coded + rest - 1) / rest : -(coded / (coded - rest));
	const int64_t steps = q * frames + (q % 2 == 0 ? gcd_of(q < 0 ? -q : q, frames) : 0);

	for (int64_t x = 0; x < frames; x++) {
		const int64_t at = floor_div(x * steps, frames), y = at < 0 ? -at : at;
		if ((uint32_t)(y % frames) == column)
			return y / frames;
	}
	return 0;
}

/* Shift S of a column for one parity stream (0 or 1) of x bits, of which `removed` are
 * punctured. */
static int64_t parity_shift(
    int64_t x_bits, int64_t removed, int64_t frames, uint32_t parity, uint32_t column)
{
	const int64_t q = x_bits / removed,
	              steps = q * frames - (q % 2 == 0 ? gcd_of(q, frames) : 0);

	for (int64_t x = 0; x < frames; x++) {
		const int64_t y = q <= 2 ? x : (x * steps + frames - 1) / frames;
		if ((uint32_t)((3 * (y % frames) + parity + 1) % frames) == column)
			return q <= 2 ? x % 2 : y / frames;
	}
	return 0;
}

static struct pattern parity_uplink(
    uint32_t coded, uint32_t matched, uint32_t frames, uint32_t frame, uint32_t parity)
{
	const int64_t x = coded / 3, removed = removed_of(coded - matched, parity),
	              a = parity == 0 ? 2 : 1;
	struct pattern p = {0, a * x, a * removed};

	if (removed)
		p.initial =
		    (a * parity_shift(x, removed, frames, parity, column_of(frames, frame)) *
		            removed +
		        x) %
		    (a * x);
	if (p.initial == 0)
		p.initial = a * x;
	return p;
}

static void uplink_turbo(
    uint32_t coded, uint32_t matched, uint32_t frames, uint32_t frame, uint32_t *table)
{
	/* TTI 10 and 40 ms, 20 and 80 ms */
	static const uint8_t alpha[2][3] = {{0, 1, 2}, {0, 2, 1}};
	static const uint8_t beta[8] = {0, 1, 2, 0, 1, 2, 0, 1};
	const struct pattern parity[2] = {parity_uplink(coded, matched, frames, frame, 0),
	    parity_uplink(coded, matched, frames, frame, 1)};
	uint8_t stream[3];

	for (uint8_t s = 0; s < 3; s++)
		stream[(alpha[frames == 2 || frames == 8][s] + beta[frame]) % 3] = s;
	turbo_puncture(coded, parity, stream, table);
}

int utran_rate_table_uplink(uint32_t coded, uint32_t matched, enum utran_coding coding,
    uint32_t frames, uint32_t frame, uint32_t *ret_table)
{
	const int64_t delta = (int64_t)matched - coded, size = delta < 0 ? -delta : delta;

	if (!can_match(coded, matched, coding) || frame >= frames)
		return -EINVAL;
	if (frames != 1 && frames != 2 && frames != 4 && frames != 8)
		return -EINVAL;
	if (is_punctured_turbo(coded, matched, coding)) {
		uplink_turbo(coded, matched, frames, frame, ret_table);
	} else {
		const int64_t shift = stream_shift(coded, delta, frames, column_of(frames, frame));
		one_stream(coded, delta, (2 * shift * size + 1) % (2 * (int64_t)coded), ret_table);
	}
	return 0;
}
