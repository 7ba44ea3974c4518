/* SPDX-License-Identifier: BSD-3-Clause
 * utran_rate - rate matching by table. */
#include "core/kernels/utran_rate.h"

#include <string.h>

void utran_rate_match_plain(
    const uint32_t *table, uint32_t matched, const uint8_t *in, uint8_t *out)
{
	for (uint32_t i = 0; i < matched; i++)
		out[i] = in[table[i]];
}

static int16_t saturate(int32_t value)
{
	return (int16_t)(value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : value);
}

void utran_rate_dematch_plain(
    const uint32_t *table, uint32_t matched, const int16_t *in, int16_t *out, uint32_t coded)
{
	memset(out, 0, coded * sizeof(*out));
	for (uint32_t i = 0; i < matched; i++)
		out[table[i]] = saturate(out[table[i]] + in[i]);
}

void utran_rate_match_rest(const struct utran_rate_plan *plan, const uint8_t *in, uint8_t *out)
{
	utran_rate_match_plain(
	    plan->table + plan->rest, plan->matched - plan->rest, in, out + plan->rest);
}

void utran_rate_dematch_rest(const struct utran_rate_plan *plan, const int16_t *in, int16_t *out)
{
	memset(out + plan->done, 0, (plan->coded - plan->done) * sizeof(*out));
	if (plan->once) {
		for (uint32_t i = plan->rest; i < plan->matched; i++)
			out[plan->table[i]] = in[i];
		return;
	}
	for (uint32_t i = plan->rest; i < plan->matched; i++)
		out[plan->table[i]] = saturate(out[plan->table[i]] + in[i]);
}

const struct utran_rate_kernels utran_rate_plain = {
    0, false, utran_rate_match_rest, utran_rate_dematch_rest};
