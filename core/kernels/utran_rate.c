/* SPDX-License-Identifier: BSD-3-Clause
 * utran_rate - rate matching by table. */
#include "core/kernels/utran_rate.h"

#include <string.h>

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
