/* SPDX-License-Identifier: BSD-3-Clause
 * utran_rate - rate matching by the closed form of the standard's error accumulator. */
#include "core/kernels/utran_rate.h"

#include <errno.h>
#include <string.h>

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

uint32_t utran_rate_min(uint32_t coded, enum utran_coding coding)
{
	return coding == UTRAN_TURBO ? coded / 3 : 1;
}

uint32_t utran_rate_max(uint32_t coded)
{
	return coded < UTRAN_RATE_BITS_MAX / 16 ? 16 * coded : UTRAN_RATE_BITS_MAX;
}

static void table_puncture_turbo(uint32_t coded, uint32_t removed, uint32_t *table)
{
	const int64_t x = coded / 3;
	/* The number removed is -DeltaN: floor of DeltaN/2 is the larger half, for the first parity. */
	const struct pattern parity[2] = {{x, 2 * x, 2 * (int64_t)(removed - removed / 2)}, {x, x, removed / 2}};

	for (uint32_t i = 0; i < coded; i++)
		if (i % 3 == 0 || !pattern_at(&parity[i % 3 - 1], i / 3))
			*table++ = i;
}

static void table_one_stream(uint32_t coded, uint32_t matched, uint32_t *table)
{
	const int64_t delta = (int64_t)matched - coded;
	const struct pattern p = {1, 2 * (int64_t)coded, 2 * (delta < 0 ? -delta : delta)};

	for (uint32_t i = 0; i < coded; i++) {
		const uint32_t hits = pattern_at(&p, i);
		const uint32_t copies = delta < 0 ? 1 - hits : 1 + hits;
		for (uint32_t c = 0; c < copies; c++)
			*table++ = i;
	}
}

int utran_rate_table(uint32_t coded, uint32_t matched, enum utran_coding coding, uint32_t *ret_table)
{
	if (!coded || coded > UTRAN_RATE_BITS_MAX || (coding == UTRAN_TURBO && coded % 3))
		return -EINVAL;
	if (matched < utran_rate_min(coded, coding) || matched > utran_rate_max(coded))
		return -EINVAL;
	if (coding == UTRAN_TURBO && matched < coded)
		table_puncture_turbo(coded, coded - matched, ret_table);
	else
		table_one_stream(coded, matched, ret_table);
	return 0;
}

void utran_rate_match_plain(const uint32_t *table, uint32_t matched, const uint8_t *in, uint8_t *out)
{
	for (uint32_t i = 0; i < matched; i++)
		out[i] = in[table[i]];
}

static int16_t saturate(int32_t value)
{
	return (int16_t)(value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : value);
}

void utran_rate_dematch_plain(const uint32_t *table, uint32_t matched, const int16_t *in, int16_t *out, uint32_t coded)
{
	memset(out, 0, coded * sizeof(*out));
	if (matched <= coded) { /* no bit came twice */
		for (uint32_t i = 0; i < matched; i++)
			out[table[i]] = in[i];
		return;
	}
	for (uint32_t i = 0; i < matched; i++)
		out[table[i]] = saturate(out[table[i]] + in[i]);
}
