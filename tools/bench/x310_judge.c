/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/x310_judge.h"

enum bench_verdict x310_pairs_judge(const struct x310_pairs *pairs, double reach_us)
{
	if (pairs->both > 0)
		return pairs->difference_us <= reach_us ? BENCH_REACHED : BENCH_NOT_REACHED;
	return pairs->limit > 2 * pairs->ours ? BENCH_NOT_REACHED : BENCH_NOT_JUDGED;
}

enum bench_verdict x310_rates_judge(struct x310_rate ours, struct x310_rate peer)
{
	if (!peer.held)
		return BENCH_NOT_JUDGED;
	return ours.held && ours.hz >= peer.hz ? BENCH_REACHED : BENCH_NOT_REACHED;
}
